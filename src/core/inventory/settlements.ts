// What becomes of the matches of a token: they settle, in whatever order news of both comes, or the chain
// refuses them. Shares are all alike: what counts is that each match is settled once, at its own cost.
// @spec Settlement outcome

import type { TokenId } from '../../domain/ids.ts';
import { clampShares, type MicroShares } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { SettledPart } from './ahead.ts';
import { countShown, isGuess, type ReadAt, type TokenState } from './lag.ts';
import {
  cashOf,
  feeAt,
  isOf,
  onlyOrderOf,
  type PendingFill,
  signed,
  type Taken,
  takePending,
} from './pending.ts';
import { carryOut, feeMoved, type Move } from './takings.ts';

/** Fills waiting for settlement per token: 15-20 s of the full write budget stay far below. */
const PENDING_MAX = 10_000;

/** Settled amounts remembered per token: changes within one lag of the index stay far below. */
const PAST_MAX = 2_000;

/** Told what became of matched shares: settled, not settled after all, or refused by the chain. */
export type OnChain = (
  fill: PendingFill,
  result: { readonly kind: 'settled' | 'unsettled' | 'failed'; readonly quantity: MicroShares },
) => void;

/** The cash to reverse in nano-USDC, what could not be attributed, and whether it was told. */
export type Reversed = {
  readonly cashNano: number;
  readonly left: MicroShares;
  readonly isOfOne: boolean;
};

type Shares = Pick<Taken, 'side' | 'quantity'>;

export class Settlements {
  readonly #onChain: OnChain;
  readonly #onMoved: (tokenId: TokenId) => void;
  #feeNano = 0;

  /**
   * @param onChain - Told of each match what became of it.
   * @param onMoved - Told of a token when a settlement of it is another match's than it was taken for.
   */
  constructor(onChain: OnChain, onMoved: (tokenId: TokenId) => void) {
    this.#onChain = onChain;
    this.#onMoved = onMoved;
  }

  /** Fees in nano-USDC of what has settled since the last call, less those that settled for another match. */
  takeFees(): number {
    const feeNano = this.#feeNano;
    this.#feeNano = 0;
    return feeNano;
  }

  /**
   * An own order matched. A settlement that ran ahead of it is used up first.
   * @returns Cash in nano-USDC of the part that had settled before: its settlement was counted.
   */
  match(token: TokenState, fill: PendingFill): number {
    token.changedAtMs = fill.atMs;
    const parts = token.ahead.take(fill);
    const settledAhead = this.#charge(fill, parts);
    fill.quantity = clampShares(fill.quantity - settledAhead);
    if (settledAhead > 0) this.#onChain(fill, { kind: 'settled', quantity: settledAhead });
    if (fill.quantity > 0) token.pending.push(fill);
    const aheadNano = cashOf(fill, settledAhead) + this.#settleLeft(token, fill.atMs);
    // Beyond the bound the oldest is taken as settled: REST confirms or corrects it.
    if (token.pending.length > PENDING_MAX) {
      const oldest = token.pending.shift();
      if (oldest) this.#settleFill(token, oldest, fill.atMs);
    }
    return aheadNano;
  }

  /** @returns Cash in nano-USDC that the matches it takes for settled were counted with. */
  settle(token: TokenState, trade: Taken, nowMs: UnixMs): number {
    const { side, quantity } = trade;
    token.changedAtMs = nowMs;
    const known = token.shown.takeWhole(trade, token.pending);
    if (known.shares === quantity) {
      this.#feeNano += known.feeNano;
      return known.cashNano;
    }
    const of = { trade, atMs: nowMs };
    let cashNano = 0;
    for (const move of token.takings.moveAside(token.pending, trade)) {
      cashNano += this.#move(token, move);
    }
    const unmatched = takePending(token.pending, trade, (fill, taken) => {
      cashNano += cashOf(fill, taken);
      this.#feeNano += feeAt(fill, trade, taken);
      if (isGuess(fill, taken, of)) token.isDoubted = true;
      token.takings.add(fill, taken, of);
      this.#onChain(fill, { kind: 'settled', quantity: taken });
    });
    const shown = token.shown.takeLeft(trade, unmatched);
    if (shown.isGuess) token.isDoubted = true;
    this.#feeNano += shown.feeNano;
    const left = clampShares(unmatched - shown.shares);
    this.#count(token, { side, quantity: clampShares(quantity - shown.shares) }, nowMs);
    if (left > 0) {
      const instead = token.takings.takenInstead(trade, left, nowMs);
      token.ahead.add({ trade, instead, atMs: nowMs, left });
    }
    return cashNano + shown.cashNano + this.#settleLeft(token, nowMs);
  }

  /** Matches that waited in vain while a settlement of just as much waited for its match, or was another's. */
  settleLate(
    token: TokenState,
    nowMs: UnixMs,
  ): { readonly cashNano: number; readonly isChanged: boolean } {
    const before = token.pending.length;
    const isLess = token.ahead.expire(nowMs) || token.shown.expire(nowMs);
    const cashNano = this.#settleLeft(token, nowMs);
    return { cashNano, isChanged: isLess || token.pending.length !== before };
  }

  /** The frames of what the venue shows settled may still come. @returns What that is. */
  settleShown(token: TokenState, amount: MicroShares, at: ReadAt): readonly PendingFill[] {
    const shown = token.pending.splice(0, countShown(token, amount, at));
    for (const fill of shown) {
      token.shown.add(fill, at.askedAtMs);
      token.shownAtMs = at.askedAtMs;
      this.#settleFill(token, fill, at.askedAtMs);
    }
    return shown;
  }

  /** The venue's number is its whole word on these matches, whatever it was. */
  settleAll(fills: readonly PendingFill[]): void {
    for (const fill of fills) this.#onChain(fill, { kind: 'settled', quantity: fill.quantity });
  }

  /**
   * Takes back matched shares whose settlement failed. The order that had matched is told when it is
   * the only one they can be of; of several any match of theirs is as good.
   */
  fail(token: TokenState, { side, quantity }: Shares, nowMs: UnixMs): Reversed {
    token.changedAtMs = nowMs;
    let cashNano = 0;
    const only = onlyOrderOf(token.pending, { side, quantity });
    const fills = only === undefined ? token.pending : token.pending.filter(isOf(only));
    const left = takePending(fills, { side, quantity }, (fill, taken) => {
      cashNano += cashOf(fill, taken);
      if (only !== undefined) this.#onChain(fill, { kind: 'failed', quantity: taken });
    });
    token.pending = token.pending.filter((fill) => fill.quantity > 0);
    return { cashNano, left, isOfOne: only !== undefined };
  }

  /** @returns Cash in nano-USDC of matches whose settlement was counted before, for them or for others. */
  #settleLeft(token: TokenState, nowMs: UnixMs): number {
    let cashNano = 0;
    for (const { fill, parts } of token.ahead.settledOf(token.pending, nowMs)) {
      token.pending.splice(token.pending.indexOf(fill), 1);
      this.#charge(fill, parts);
      cashNano += cashOf(fill, fill.quantity);
      this.#onChain(fill, { kind: 'settled', quantity: fill.quantity });
    }
    for (;;) {
      const move = token.takings.moveLate(token.pending, nowMs);
      if (move === undefined) return cashNano;
      cashNano += this.#move(token, move);
    }
  }

  /** @returns By how much more a settlement is counted with as another's than it was taken for. */
  #move(token: TokenState, move: Move): number {
    const { from, to, trade } = move;
    this.#onMoved(to.tokenId);
    this.#feeNano += feeMoved(move);
    if (isGuess(to, trade.quantity, move)) token.isDoubted = true;
    this.#onChain(from, { kind: 'unsettled', quantity: trade.quantity });
    this.#onChain(to, { kind: 'settled', quantity: trade.quantity });
    return carryOut(token.pending, move);
  }

  /** @returns Shares of the parts that settled. */
  #charge(fill: PendingFill, parts: readonly SettledPart[]): MicroShares {
    for (const { trade, part } of parts) this.#feeNano += feeAt(fill, trade, part);
    return clampShares(parts.reduce((sum, { part }) => sum + part, 0));
  }

  #settleFill(token: TokenState, fill: PendingFill, atMs: UnixMs): void {
    this.#count(token, fill, atMs);
    this.#onChain(fill, { kind: 'settled', quantity: fill.quantity });
  }

  #count(token: TokenState, { side, quantity }: Shares, atMs: UnixMs): void {
    token.past.push({ settled: token.settled, untilMs: atMs });
    if (token.past.length > PAST_MAX) token.past.shift();
    token.settled = clampShares(token.settled + signed(side, quantity));
  }
}
