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
  type Asked,
  adjustBy,
  freshToken,
  hasOldPending,
  isLongUnexplained,
  isOverdue,
  isPastUnknown,
  isQuiet,
  isWithinLag,
  positionOf,
  type ReadAt,
  restartLag,
  sellableOf,
  settledSince,
  showsOldestSettled,
  type TokenState,
  wasEver,
} from './lag.ts';
import type { PendingFill, Taken } from './pending.ts';
import { type CashEvidence, settledAmong, unsettledNano } from './settled-among.ts';
import { type OnChain, type Reversed, Settlements } from './settlements.ts';
import { storedOf, takeOver } from './stored.ts';

export class Inventory {
  readonly #settlements: Settlements;
  readonly #tokens = new Map<TokenId, TokenState>();
  readonly #changed = new Set<TokenId>();
  readonly #restored = new Set<TokenId>();
  /** Those of which an earlier life left matches, or a start found some. */
  readonly #hadEarlier = new Set<TokenId>();
  /** Matches that balances showed to have settled; as many as waited. */
  #shown: readonly PendingFill[] = [];
  #isBaselined = false;
  /** When the balances were asked for that this life began with. */
  #begunAtMs: UnixMs | undefined;

  constructor(onChain: OnChain = () => {}) {
    this.#settlements = new Settlements(onChain, (tokenId) => this.#changed.add(tokenId));
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
      if (stored.pending.length > 0) this.#hadEarlier.add(stored.tokenId);
    }
  }

  /** Whether the frame of a match of this life may have been given to one of an earlier life. */
  hadEarlierMatches(tokenId: TokenId): boolean {
    return this.#hadEarlier.has(tokenId);
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

  /** Matches that balances showed to have settled since the last call, though no frame has told of it. */
  takeShown(): readonly PendingFill[] {
    const shown = this.#shown;
    this.#shown = [];
    return shown;
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
    if (fill.isFound === true) this.#hadEarlier.add(fill.tokenId);
    return this.#settlements.match(this.#touch(fill.tokenId), fill);
  }

  /** Fees in nano-USDC of what has settled since the last call: to be asked for behind each of these. */
  takeFees(): number {
    return this.#settlements.takeFees();
  }

  /**
   * An order ended, and nobody will tell what it had traded: what has settled and waits for its match is of it.
   * @param most - All that it can have traded.
   * @returns Whether there was any.
   */
  onEndedUnheard(most: PendingFill): boolean {
    const token = this.#tokens.get(most.tokenId);
    if (token === undefined || !token.ahead.giveTo(most)) return false;
    this.#changed.add(most.tokenId);
    return true;
  }

  /** @returns Cash in nano-USDC that the matches it takes for settled were counted with. */
  onSettled(tokenId: TokenId, trade: Taken, nowMs: UnixMs): number {
    return this.#settlements.settle(this.#touch(tokenId), trade, nowMs);
  }

  /**
   * Matches that waited in vain while a settlement of just as much waited for its match, or was another's.
   * @returns Cash in nano-USDC that these matches were counted with, less what others count with again.
   */
  settleLate(tokenId: TokenId, nowMs: UnixMs): number {
    const token = this.#tokens.get(tokenId);
    if (token === undefined) return 0;
    const { cashNano, isChanged } = this.#settlements.settleLate(token, nowMs);
    if (isChanged) this.#changed.add(tokenId);
    return cashNano;
  }

  /**
   * Takes back matched shares whose settlement failed. The order that had matched is told when it is
   * the only one they can be of; of several any match of theirs is as good, for shares are all alike.
   * @returns The cash to reverse in nano-USDC, what could not be attributed, and whether it was told.
   */
  onFailed(tokenId: TokenId, side: Side, quantity: MicroShares, nowMs: UnixMs): Reversed {
    return this.#settlements.fail(this.#touch(tokenId), { side, quantity }, nowMs);
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
    if (!isQuiet(token, at)) {
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
    return this.#adopt(token, amount, at.cash);
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

  /** What changed since a moment has just done so: our clock jumped, and an index lags by the venue's time. */
  onJump(sinceMs: UnixMs, nowMs: UnixMs): void {
    for (const [tokenId, token] of this.#tokens) {
      // A life after this one has to wait as well, and sees no jump.
      if (restartLag(token, sinceMs, nowMs)) this.#changed.add(tokenId);
    }
  }

  /** The venue shows what no lag explains, and the token has not been quiet since. */
  isUnexplained(tokenId: TokenId): boolean {
    const token = this.#tokens.get(tokenId);
    return token !== undefined && (token.isDoubted || token.unexplainedSinceMs !== undefined);
  }

  /** What settled may be what has matched, or as much beside it. */
  isUnclear(tokenId: TokenId): boolean {
    const token = this.#tokens.get(tokenId);
    return token?.ahead.isUnclear(token.pending) === true;
  }

  /** Whether the venue shows another number than ours, and no lag can be why; a match counts, settled or not. */
  isStale(tokenId: TokenId, amount: MicroShares, at: Asked): boolean {
    const token = this.#tokens.get(tokenId) ?? freshToken();
    return (amount !== token.settled || token.pending.length > 0) && isQuiet(token, at);
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
    this.#shown = [...this.#shown, ...this.#settlements.settleShown(token, amount, at)];
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

  /** The token was quiet for the whole lag: all that matched has settled and shows, or has failed. */
  #adopt(token: TokenState, amount: MicroShares, cash?: CashEvidence): Confirmation {
    const ours = token.settled;
    const before = positionOf(token);
    token.settled = amount;
    const { pending } = token;
    token.pending = [];
    const settled =
      settledAmong(pending, amount - ours, cash) ?? likely(pending, amount, { ours, before });
    const unmatchedNano = settled && unsettledNano(pending, settled);
    this.#shown = [...this.#shown, ...(settled ?? [])];
    this.#settlements.settleAll(pending);
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

/** Where costs and cash do not say which matches have settled: none where no share moved, and all where all did. */
function likely(
  pending: readonly PendingFill[],
  amount: MicroShares,
  { ours, before }: { readonly ours: MicroShares; readonly before: MicroShares },
): readonly PendingFill[] | undefined {
  if (amount === ours) return [];
  return amount === before ? pending : undefined;
}

/** The venue must repeat a different number for this long before it is believed. */
const DISSENT_MS = 10_000;
