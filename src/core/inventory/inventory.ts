// Shares of each token in two ledgers: matched (provisional, may be reversed) and settled (what may
// be sold). Positions read over REST lag a fill; they confirm, they do not overwrite.
// @spec Architecture decision 8

import type { TokenId } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import { type MicroShares, microShares, minShares, NO_SHARES } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';

/** Matched shares of one own order that wait for settlement. */
export type PendingFill = {
  readonly tokenId: TokenId;
  readonly side: Side;
  /** Cash of the whole fill in nano-USDC, negative for a buy; see `nano.ts`. */
  readonly cashNano: number;
  quantity: MicroShares;
  readonly original: MicroShares;
  readonly atMs: UnixMs;
};

type TokenState = {
  settled: MicroShares;
  /** Matched and not settled, oldest first. */
  pending: PendingFill[];
  /** Settlements that came before we knew of the match, by side. */
  ahead: { BUY: MicroShares; SELL: MicroShares };
  aheadAtMs: UnixMs | undefined;
  changedAtMs: UnixMs | undefined;
  /** What the venue last showed that differs from ours, and how often in a row. */
  dissent: { amount: MicroShares; readonly sinceMs: UnixMs } | undefined;
};

/** Fills waiting for settlement per token: 15-20 s of the full write budget stay far below. */
const PENDING_MAX = 10_000;

export type Confirmation =
  | { readonly kind: 'agrees' }
  | { readonly kind: 'waits' }
  /** The venue's number was adopted after the lag had passed. */
  | { readonly kind: 'adopted'; readonly ours: MicroShares; readonly venues: MicroShares };

export class Inventory {
  readonly #tokens = new Map<TokenId, TokenState>();
  #isBaselined = false;

  /** True once a first complete read of balances has told what we start with. */
  get isBaselined(): boolean {
    return this.#isBaselined;
  }

  /** The first complete answer of the venue is where we start from. */
  baseline(positions: ReadonlyMap<TokenId, MicroShares>): void {
    for (const [tokenId, amount] of positions) this.#token(tokenId).settled = amount;
    this.#isBaselined = true;
  }

  settled(tokenId: TokenId): MicroShares {
    return this.#tokens.get(tokenId)?.settled ?? NO_SHARES;
  }

  /** Settled and matched together: the position we act on. */
  position(tokenId: TokenId): MicroShares {
    const token = this.#tokens.get(tokenId);
    if (token === undefined) return NO_SHARES;
    let total: number = token.settled;
    for (const fill of token.pending) total += signed(fill.side, fill.quantity);
    return microShares(total);
  }

  /** Settled shares that no matched sell has taken yet; own resting sells come off elsewhere. */
  sellable(tokenId: TokenId): MicroShares {
    const token = this.#tokens.get(tokenId);
    if (token === undefined) return NO_SHARES;
    let free: number = token.settled;
    for (const fill of token.pending) if (fill.side === 'SELL') free -= fill.quantity;
    return microShares(Math.max(0, free));
  }

  pendingFills(tokenId: TokenId): readonly PendingFill[] {
    return this.#tokens.get(tokenId)?.pending ?? [];
  }

  /** An own order matched. A settlement that ran ahead of it is used up first. */
  onMatched(fill: PendingFill): void {
    const token = this.#token(fill.tokenId);
    token.changedAtMs = fill.atMs;
    if (token.aheadAtMs !== undefined && fill.atMs - token.aheadAtMs > AHEAD_KEPT_MS) {
      token.ahead = { BUY: NO_SHARES, SELL: NO_SHARES };
    }
    const settledAhead = minShares(token.ahead[fill.side], fill.quantity);
    token.ahead[fill.side] = microShares(token.ahead[fill.side] - settledAhead);
    fill.quantity = microShares(fill.quantity - settledAhead);
    if (fill.quantity <= 0) return;
    token.pending.push(fill);
    // Beyond the bound the oldest is taken as settled: REST confirms or corrects it.
    if (token.pending.length > PENDING_MAX) {
      const oldest = token.pending.shift();
      if (oldest) this.#settle(token, oldest.side, oldest.quantity);
    }
  }

  onSettled(tokenId: TokenId, side: Side, quantity: MicroShares, nowMs: UnixMs): void {
    const token = this.#token(tokenId);
    token.changedAtMs = nowMs;
    this.#settle(token, side, quantity);
    const left = takePending(token.pending, side, quantity);
    if (left === 0) return;
    token.ahead[side] = microShares(token.ahead[side] + left);
    token.aheadAtMs = nowMs;
  }

  /**
   * Takes back matched shares whose settlement failed.
   * @returns The cash to reverse in nano-USDC and what could not be attributed.
   */
  onFailed(
    tokenId: TokenId,
    side: Side,
    quantity: MicroShares,
    nowMs: UnixMs,
  ): { readonly cashNano: number; readonly left: MicroShares } {
    const token = this.#token(tokenId);
    token.changedAtMs = nowMs;
    let cashNano = 0;
    const left = takePending(token.pending, side, quantity, (fill, taken) => {
      cashNano += Math.round((fill.cashNano * taken) / fill.original);
    });
    return { cashNano, left };
  }

  /**
   * Compares a REST position, asked for at `askedAtMs`, with the settled ledger.
   *
   * A difference is believed only when the token has been quiet for the whole lag and the venue
   * has said the same for as long.
   */
  confirm(
    tokenId: TokenId,
    amount: MicroShares,
    at: { readonly askedAtMs: UnixMs; readonly positionLagMs: number },
  ): Confirmation {
    const token = this.#token(tokenId);
    if (amount === token.settled) {
      token.dissent = undefined;
      return { kind: 'agrees' };
    }
    if (token.dissent?.amount !== amount) {
      token.dissent = { amount, sinceMs: at.askedAtMs };
      return { kind: 'waits' };
    }
    const isQuiet =
      token.changedAtMs === undefined || at.askedAtMs - token.changedAtMs > at.positionLagMs;
    if (!isQuiet || at.askedAtMs - token.dissent.sinceMs < DISSENT_MS) return { kind: 'waits' };
    const ours = token.settled;
    this.#adopt(token, amount);
    return { kind: 'adopted', ours, venues: amount };
  }

  tokens(): Iterable<TokenId> {
    return this.#tokens.keys();
  }

  /** A settlement frame was lost when the venue shows matched shares as held: they are settled. */
  #adopt(token: TokenState, amount: MicroShares): void {
    let difference = amount - token.settled;
    for (const fill of [...token.pending]) {
      const change = signed(fill.side, fill.quantity);
      if (Math.sign(change) !== Math.sign(difference)) continue;
      if (Math.abs(change) > Math.abs(difference)) continue;
      token.pending.splice(token.pending.indexOf(fill), 1);
      difference -= change;
    }
    token.settled = amount;
    token.ahead = { BUY: NO_SHARES, SELL: NO_SHARES };
    token.dissent = undefined;
  }

  #settle(token: TokenState, side: Side, quantity: MicroShares): void {
    token.settled = microShares(token.settled + signed(side, quantity));
  }

  #token(tokenId: TokenId): TokenState {
    const known = this.#tokens.get(tokenId);
    if (known) return known;
    const fresh: TokenState = {
      settled: NO_SHARES,
      pending: [],
      ahead: { BUY: NO_SHARES, SELL: NO_SHARES },
      aheadAtMs: undefined,
      changedAtMs: undefined,
      dissent: undefined,
    };
    this.#tokens.set(tokenId, fresh);
    return fresh;
  }
}

/** A settlement whose match is not known after this long was somebody else's trade. */
const AHEAD_KEPT_MS = 60_000;
/** The venue must repeat a different number for this long before it is believed. */
const DISSENT_MS = 10_000;

function signed(side: Side, quantity: MicroShares): number {
  return side === 'BUY' ? quantity : -quantity;
}

/** Takes a quantity off the oldest fills of one side; returns what found none. */
function takePending(
  pending: PendingFill[],
  side: Side,
  quantity: MicroShares,
  onTaken: (fill: PendingFill, taken: MicroShares) => void = () => {},
): MicroShares {
  let left: number = quantity;
  for (let at = 0; at < pending.length && left > 0; ) {
    const fill = pending[at];
    if (fill === undefined || fill.side !== side) {
      at += 1;
      continue;
    }
    const taken = Math.min(left, fill.quantity);
    onTaken(fill, microShares(taken));
    fill.quantity = microShares(fill.quantity - taken);
    left -= taken;
    if (fill.quantity === 0) pending.splice(at, 1);
    else at += 1;
  }
  return microShares(left);
}
