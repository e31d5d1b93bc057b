// Shares of each token in two ledgers: matched (provisional, may be reversed) and settled (what may
// be sold). Positions read over REST lag a fill; they confirm, they do not overwrite.
// @spec Architecture decision 8

import type { TokenId } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import type { StoredToken } from '../../domain/record.ts';
import { clampShares, type MicroShares, NO_SHARES } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { Confirmation } from './confirmation.ts';
import {
  adjustBy,
  countShown,
  freshToken,
  hasOldPending,
  isGuess,
  isLongUnexplained,
  isOverdue,
  isPastUnknown,
  isWithinLag,
  positionOf,
  type ReadAt,
  sellableOf,
  settledSince,
  showsOldestSettled,
  type TokenState,
  wasEver,
} from './lag.ts';
import {
  cashOf,
  cashOfAll,
  isOf,
  onlyOrderOf,
  type PendingFill,
  signed,
  type Taken,
  takePending,
} from './pending.ts';
import { storedOf, takeOver } from './stored.ts';
import { carryOut, type Move } from './takings.ts';

/** Fills waiting for settlement per token: 15-20 s of the full write budget stay far below. */
const PENDING_MAX = 10_000;

/** Settled amounts remembered per token: changes within one lag of the index stay far below. */
const PAST_MAX = 2_000;

/** Told what became of matched shares: settled, not settled after all, or refused by the chain. */
export type OnChain = (
  fill: PendingFill,
  result: { readonly kind: 'settled' | 'unsettled' | 'failed'; readonly quantity: MicroShares },
) => void;

export class Inventory {
  readonly #onChain: OnChain;
  readonly #tokens = new Map<TokenId, TokenState>();
  readonly #changed = new Set<TokenId>();
  readonly #restored = new Set<TokenId>();
  #isBaselined = false;
  /** When the balances were asked for that this life began with. */
  #begunAtMs: UnixMs | undefined;

  constructor(onChain: OnChain = () => {}) {
    this.#onChain = onChain;
  }

  /** True once a first complete read of balances has told what we start with. */
  get isBaselined(): boolean {
    return this.#isBaselined;
  }

  /** The first complete answer of the venue is where we start from. */
  baseline(positions: ReadonlyMap<TokenId, MicroShares>, askedAtMs?: UnixMs): void {
    for (const [tokenId, amount] of positions) {
      // What an earlier life knew is newer than a lagging index: the read only confirms it.
      if (!this.#restored.has(tokenId)) this.#touch(tokenId).settled = amount;
    }
    this.#isBaselined = true;
    this.#begunAtMs = askedAtMs;
  }

  /** What an earlier life held, with what had matched and not settled. */
  restore(tokens: readonly StoredToken[]): void {
    for (const stored of tokens) {
      takeOver(this.#token(stored.tokenId), stored);
      this.#restored.add(stored.tokenId);
    }
  }

  /**
   * What an earlier life held of a token that never changed in it, and of which it kept no record. One
   * that has changed in this life already is doubted: only the venue's number after quiet tells.
   */
  restoreUnchanged(tokenId: TokenId, settled: MicroShares): void {
    if (this.#restored.has(tokenId)) return;
    this.#restored.add(tokenId);
    const token = this.#touch(tokenId);
    if (token.changedAtMs === undefined) token.settled = settled;
    else token.isDoubted = true;
  }

  /** Whether an earlier life left it. */
  isRestored(tokenId: TokenId): boolean {
    return this.#restored.has(tokenId);
  }

  /** One token as a ledger keeps it. */
  stored(tokenId: TokenId): StoredToken {
    return storedOf(tokenId, this.#token(tokenId));
  }

  /** Tokens that changed since the last call. */
  takeChanged(): readonly TokenId[] {
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed;
  }

  settled(tokenId: TokenId): MicroShares {
    return this.#tokens.get(tokenId)?.settled ?? NO_SHARES;
  }

  /** Settled and matched together: the position we act on. */
  position(tokenId: TokenId): MicroShares {
    const token = this.#tokens.get(tokenId);
    return token === undefined ? NO_SHARES : positionOf(token);
  }

  /** Settled shares that no matched sell has taken yet; own resting sells come off elsewhere. */
  sellable(tokenId: TokenId): MicroShares {
    const token = this.#tokens.get(tokenId);
    return token === undefined ? NO_SHARES : sellableOf(token);
  }

  pendingFills(tokenId: TokenId): readonly PendingFill[] {
    return this.#tokens.get(tokenId)?.pending ?? [];
  }

  /**
   * An own order matched. A settlement that ran ahead of it is used up first.
   * @returns Cash in nano-USDC of the part that had settled before: its settlement was counted.
   */
  onMatched(fill: PendingFill): number {
    const token = this.#touch(fill.tokenId);
    token.changedAtMs = fill.atMs;
    const settledAhead = token.ahead.take(fill);
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
  onSettled(tokenId: TokenId, trade: Taken, nowMs: UnixMs): number {
    const token = this.#touch(tokenId);
    const { side, quantity } = trade;
    token.changedAtMs = nowMs;
    const known = token.shown.takeWhole(trade, token.pending);
    if (known.shares === quantity) return known.cashNano;
    const of = { trade, atMs: nowMs };
    let cashNano = this.#move(token, token.takings.moveAside(token.pending, trade));
    const unmatched = takePending(token.pending, trade, (fill, taken) => {
      cashNano += cashOf(fill, taken);
      if (isGuess(fill, taken, of)) token.isDoubted = true;
      token.takings.add(fill, taken, of);
      this.#onChain(fill, { kind: 'settled', quantity: taken });
    });
    const shown = token.shown.takeLeft(trade, unmatched);
    if (shown.isGuess) token.isDoubted = true;
    const left = clampShares(unmatched - shown.shares);
    this.#settle(token, side, clampShares(quantity - shown.shares), nowMs);
    if (left > 0) {
      const instead = token.takings.takenInstead(trade, left, nowMs);
      token.ahead.add({ trade, instead, atMs: nowMs, left });
    }
    return cashNano + shown.cashNano + this.#settleLeft(token, nowMs);
  }

  /**
   * Matches that waited in vain while a settlement of just as much waited for its match, or was another's.
   * @returns Cash in nano-USDC that these matches were counted with, less what others count with again.
   */
  settleLate(tokenId: TokenId, nowMs: UnixMs): number {
    const token = this.#tokens.get(tokenId);
    if (token === undefined) return 0;
    const before = token.pending.length;
    const isLess = token.ahead.expire(nowMs) || token.shown.expire(nowMs);
    const cashNano = this.#settleLeft(token, nowMs);
    if (isLess || token.pending.length !== before) this.#changed.add(tokenId);
    return cashNano;
  }

  /**
   * Takes back matched shares whose settlement failed. The order that had matched is told when it is
   * the only one they can be of; of several any match of theirs is as good, for shares are all alike.
   * @returns The cash to reverse in nano-USDC, what could not be attributed, and whether it was told.
   */
  onFailed(
    tokenId: TokenId,
    side: Side,
    quantity: MicroShares,
    nowMs: UnixMs,
  ): { readonly cashNano: number; readonly left: MicroShares; readonly isOfOne: boolean } {
    const token = this.#touch(tokenId);
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

  /**
   * Compares a REST position, asked for at `askedAtMs`, with the settled ledger.
   *
   * A difference is believed only when the token has been quiet for the whole lag and the venue
   * has said the same for a while. A token that trades on is never quiet: there, a number that no
   * lag explains, or a match that nobody settled, asks for quiet instead.
   */
  confirm(tokenId: TokenId, amount: MicroShares, at: ReadAt): Confirmation {
    const token = this.#token(tokenId);
    const isQuiet =
      token.changedAtMs === undefined || at.askedAtMs - token.changedAtMs > at.positionLagMs;
    if (!isQuiet) {
      const { settled, isDoubted } = token;
      const seen = this.#watch(token, amount, at);
      if (token.settled !== settled || token.isDoubted !== isDoubted) this.#changed.add(tokenId);
      return seen;
    }
    if (amount === token.settled && token.pending.length === 0) {
      token.unexplainedSinceMs = undefined;
      token.dissent = undefined;
      if (token.isDoubted) this.#changed.add(tokenId);
      token.isDoubted = false;
      return { kind: 'agrees' };
    }
    if (token.dissent?.amount !== amount) token.dissent = { amount, sinceMs: at.askedAtMs };
    // No lag explains it any more: cash that agrees proves nothing while the shares do not.
    if (amount !== token.settled) token.unexplainedSinceMs ??= at.askedAtMs;
    if (at.askedAtMs - token.dissent.sinceMs < DISSENT_MS) return { kind: 'waits' };
    token.unexplainedSinceMs = undefined;
    this.#changed.add(tokenId);
    token.shownAtMs = at.askedAtMs;
    return this.#adopt(tokenId, token, amount);
  }

  /** Something happened to this token that could not be attributed. */
  doubt(tokenId: TokenId, nowMs: UnixMs): void {
    const token = this.#touch(tokenId);
    token.isDoubted = true;
    token.changedAtMs = nowMs;
  }

  /** A change may be on its way into what the venue shows: the token is not quiet yet. */
  stir(tokenId: TokenId, nowMs: UnixMs): void {
    this.#touch(tokenId).changedAtMs = nowMs;
  }

  /** The venue shows what no lag explains, and the token has not been quiet since. */
  isUnexplained(tokenId: TokenId): boolean {
    const token = this.#tokens.get(tokenId);
    return token !== undefined && (token.isDoubted || token.unexplainedSinceMs !== undefined);
  }

  /** When it was last taken from what balances showed. */
  shownAtMs(tokenId: TokenId): UnixMs | undefined {
    return this.#tokens.get(tokenId)?.shownAtMs;
  }

  /** When balances were asked for that said what there is of it to begin with, of none too. */
  begunAtMs(tokenId: TokenId): UnixMs | undefined {
    return this.#restored.has(tokenId) ? undefined : this.#begunAtMs;
  }

  /** Sets were split, merged or redeemed, and balances show it. */
  adjust(tokenId: TokenId, change: number, nowMs: UnixMs): void {
    adjustBy(this.#touch(tokenId), change, nowMs);
  }

  /**
   * Whether a REST position shows a change of that much which is not in the ledger: an amount of
   * now or of the last lag with the change, and none of them without it.
   */
  isShifted(tokenId: TokenId, amount: MicroShares, change: number, sinceMs: number): boolean {
    const known = settledSince(this.#token(tokenId), sinceMs);
    return known.includes(clampShares(amount - change)) && !known.includes(amount);
  }

  tokens(): Iterable<TokenId> {
    return this.#tokens.keys();
  }

  /** What the venue shows of a token that trades: lagging, as it should, or beyond explanation. */
  #watch(token: TokenState, amount: MicroShares, at: ReadAt): Confirmation {
    const sinceMs = at.askedAtMs - at.positionLagMs;
    token.past = token.past.filter((past) => past.untilMs >= sinceMs);
    this.#settleShown(token, amount, at);
    if (token.dissent?.amount !== amount) token.dissent = { amount, sinceMs: at.askedAtMs };
    // An index that shows settlements out of their order shows amounts that never were.
    const isPossible =
      wasEver(token, amount) || showsOldestSettled(token, amount) || isPastUnknown(token, at);
    // Cash forgets in time what nobody explained; shares that differed for long still do.
    const isCashExplained = at.isCashExplained && !isLongUnexplained(token, at.askedAtMs);
    const isExplained = isPossible || (isCashExplained && isWithinLag(token, amount));
    if (token.ahead.isContradicted(token.pending, at.askedAtMs)) {
      token.isDoubted = true;
      return { kind: 'differs' };
    }
    if (isExplained && !isOverdue(token, at)) {
      token.unexplainedSinceMs = undefined;
      // What settled says nothing of a match that nobody could attribute: only quiet does.
      const isSettled = amount === token.settled && !hasOldPending(token, at.askedAtMs);
      const isAgreed = isSettled && !token.isDoubted;
      return { kind: isAgreed ? 'agrees' : 'waits' };
    }
    token.unexplainedSinceMs ??= at.askedAtMs;
    if (!isLongUnexplained(token, at.askedAtMs)) return { kind: 'waits' };
    // A number that is possible again may be so by chance, in another life too: only quiet proves one.
    token.isDoubted = true;
    return { kind: 'differs' };
  }

  /** The frames of what the venue shows settled may still come. */
  #settleShown(token: TokenState, amount: MicroShares, at: ReadAt): void {
    for (const fill of token.pending.splice(0, countShown(token, amount, at))) {
      token.shown.add(fill, at.askedAtMs);
      token.shownAtMs = at.askedAtMs;
      this.#settleFill(token, fill, at.askedAtMs);
    }
  }

  /** The token was quiet for the whole lag: all that matched has settled and shows, or has failed. */
  #adopt(tokenId: TokenId, token: TokenState, amount: MicroShares): Confirmation {
    const ours = token.settled;
    const before = this.position(tokenId);
    token.settled = amount;
    const { pending } = token;
    token.pending = [];
    const unmatchedNano = amount === ours ? cashOfAll(pending) : undefined;
    // The number is the venue's whole word on them, whatever it was.
    for (const fill of pending) this.#onChain(fill, { kind: 'settled', quantity: fill.quantity });
    token.past = [];
    token.unknownUntilMs = undefined;
    token.ahead.clear();
    token.takings.clear();
    token.shown.clear();
    token.dissent = undefined;
    token.isDoubted = false;
    const change = clampShares(amount - before);
    return { kind: 'adopted', ours, venues: amount, change, unmatchedNano };
  }

  /** @returns Cash in nano-USDC of matches whose settlement was counted before, for them or for others. */
  #settleLeft(token: TokenState, nowMs: UnixMs): number {
    let cashNano = 0;
    for (const fill of token.ahead.settledOf(token.pending, nowMs)) {
      token.pending.splice(token.pending.indexOf(fill), 1);
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
  #move(token: TokenState, move: Move | undefined): number {
    if (move === undefined) return 0;
    const { from, to, trade } = move;
    this.#changed.add(to.tokenId);
    if (isGuess(to, trade.quantity, move)) token.isDoubted = true;
    this.#onChain(from, { kind: 'unsettled', quantity: trade.quantity });
    this.#onChain(to, { kind: 'settled', quantity: trade.quantity });
    return carryOut(token.pending, move);
  }

  #settleFill(token: TokenState, fill: PendingFill, atMs: UnixMs): void {
    this.#settle(token, fill.side, fill.quantity, atMs);
    this.#onChain(fill, { kind: 'settled', quantity: fill.quantity });
  }

  #settle(token: TokenState, side: Side, quantity: MicroShares, atMs: UnixMs): void {
    token.past.push({ settled: token.settled, untilMs: atMs });
    if (token.past.length > PAST_MAX) token.past.shift();
    token.settled = clampShares(token.settled + signed(side, quantity));
  }

  #touch(tokenId: TokenId): TokenState {
    this.#changed.add(tokenId);
    return this.#token(tokenId);
  }

  #token(tokenId: TokenId): TokenState {
    const known = this.#tokens.get(tokenId);
    if (known) return known;
    const fresh = freshToken();
    this.#tokens.set(tokenId, fresh);
    return fresh;
  }
}

/** The venue must repeat a different number for this long before it is believed. */
const DISSENT_MS = 10_000;
