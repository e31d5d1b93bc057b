// The positions of all tokens, each an interval `{ low, expected, high }`. Limits read whichever end
// hurts; strategies and profit read `expected`; sells come from the low end of what is confirmed.
// @spec Architecture decision 8

import type { IntentId, TokenId } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import type { StoredToken } from '../../domain/record.ts';
import { clampShares, type MicroShares } from '../../domain/shares.ts';
import { addMs, type UnixMs, unixMs } from '../../domain/time.ts';
import { EPSILON_NANO } from './cash.ts';
import { type ReadAt, type Reading, readToken } from './reading.ts';
import {
  addFill,
  bust,
  claimUnreported,
  confirm,
  confirmOldest,
  emptyPosition,
  expectedOf,
  type FillCounted,
  hasOneAtPrice,
  type Reversed,
  type SettlementCounted,
  sellableOf,
  settle,
  type TokenPosition,
} from './token-position.ts';
import {
  addUncertain,
  boundedItems,
  cashOf,
  type Fill,
  LATE_MS_MAX,
  pendingOf,
  type ReportedFill,
  type Settled,
  settledUpTo,
  signed,
  type UncertainItem,
  uncertainOf,
} from './unsettled.ts';

/** Where one item lies. */
export type Uncertain = { readonly tokenId: TokenId; readonly item: UncertainItem };

/**
 * Counted by limits, and no reason to stop, as what is owed: a fill that was reported and is late to settle, and a
 * placement that will have arrived, or never will, within its horizon.
 */
const BOUNDED: ReadonlySet<UncertainItem['cause']> = new Set(['unsettled', 'may_arrive']);

/** A chain that is late settles first what waited: what it has left out for a fill of so long behind has failed. */
const OVERTAKEN_MS = 900_000;

/** A token of which nothing is known. */
const NOTHING: Readonly<TokenPosition> = Object.freeze(emptyPosition());

export class Positions {
  readonly #onSettled: (intentId: IntentId, quantity: MicroShares) => void;
  readonly #tokens = new Map<TokenId, TokenPosition>();
  /** Tokens with uncertain items, so that nobody walks over a thousand others. */
  readonly #uncertain = new Set<TokenId>();
  readonly #changed = new Set<TokenId>();
  readonly #restored = new Set<TokenId>();
  /** The youngest fill that has settled. */
  #settledUpToMs = 0;
  /** When the balances were asked for that said what there was to begin with. */
  #openedAtMs: UnixMs | undefined;

  /** @param onSettled - Notified of shares of an order that settled. */
  constructor(onSettled: (intentId: IntentId, quantity: MicroShares) => void = () => {}) {
    this.#onSettled = onSettled;
  }

  /** A first complete read of the balances has said what we start with. */
  get isBaselined(): boolean {
    return this.#openedAtMs !== undefined;
  }

  /** Shares that the account holds at a first start are the opening position, at once. */
  baseline(amounts: ReadonlyMap<TokenId, MicroShares>, askedAtMs: UnixMs): void {
    for (const [tokenId, amount] of amounts) this.open(tokenId, amount);
    this.#openedAtMs = askedAtMs;
  }

  /** What balances show of a token of which nothing else is known. */
  open(tokenId: TokenId, amount: MicroShares): void {
    // What a previous run knew is newer than a lagging index.
    if (this.#restored.has(tokenId) || this.#look(tokenId).changedAtMs !== undefined) return;
    this.#touch(tokenId).confirmed = amount;
  }

  /** What a previous run held. What it had in flight may have happened just before it ended. */
  restore(tokens: readonly StoredToken[]): void {
    for (const stored of tokens) {
      const { tokenId, confirmed, changedAtMs, uncertain, unreported, shown } = stored;
      const token = this.#token(tokenId);
      Object.assign(token, { confirmed, changedAtMs });
      token.movedAtMs = { BUY: changedAtMs, SELL: changedAtMs };
      token.uncertain = [...uncertain];
      token.unreported = [...unreported];
      token.shown = [...shown];
      token.past = [...(stored.past ?? [])];
      token.pending = stored.pending.map((fill) => ({ ...fill, intentId: fill.intentId }));
      this.#restored.add(tokenId);
      this.#index(tokenId, token);
    }
  }

  /** When balances were asked for that said what there is of it to begin with; none did of what was restored. */
  openedAtMs(tokenId: TokenId): UnixMs | undefined {
    return this.#restored.has(tokenId) ? undefined : this.#openedAtMs;
  }

  /** One token as the journal keeps it. */
  stored(tokenId: TokenId): StoredToken {
    const { confirmed, pending, uncertain, unreported, shown, past, changedAtMs } =
      this.#token(tokenId);
    return {
      tokenId,
      confirmed,
      changedAtMs,
      pending: pending.map((fill) => ({ ...fill })),
      uncertain: [...uncertain],
      unreported: [...unreported],
      shown: [...shown],
      past: [...past],
    };
  }

  /** Tokens that changed since the last call. */
  takeChanged(): readonly TokenId[] {
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed;
  }

  confirmed(tokenId: TokenId): MicroShares {
    return this.#look(tokenId).confirmed;
  }

  expected(tokenId: TokenId): MicroShares {
    return expectedOf(this.#look(tokenId));
  }

  low(tokenId: TokenId): MicroShares {
    const token = this.#look(tokenId);
    return clampShares(expectedOf(token) - uncertainOf(token, 'SELL'));
  }

  high(tokenId: TokenId): MicroShares {
    const token = this.#look(tokenId);
    return clampShares(expectedOf(token) + uncertainOf(token, 'BUY'));
  }

  /**
   * `high - low`, of what has been uncertain since a moment or longer, as far as it is a reason to stop.
   */
  width(tokenId: TokenId, sinceMs: number = Number.POSITIVE_INFINITY): number {
    if (!this.#uncertain.has(tokenId)) return 0;
    let width = 0;
    for (const item of this.bounded(tokenId)) {
      const isBounded = BOUNDED.has(item.cause) || item.isOwed === true;
      if (item.sinceMs <= sinceMs && !isBounded) width += item.quantity;
    }
    return width;
  }

  sellable(tokenId: TokenId): MicroShares {
    return sellableOf(this.#look(tokenId));
  }

  pending(tokenId: TokenId): readonly Fill[] {
    return this.#look(tokenId).pending;
  }

  pendingOf(tokenId: TokenId, side: Side): number {
    return pendingOf(this.#look(tokenId), side);
  }

  /** Shares of a side that may be of a settlement: matched, or shown by balances before anybody reported it. */
  settleableOf(tokenId: TokenId, side: Side): number {
    let total = this.pendingOf(tokenId, side);
    for (const early of this.#look(tokenId).shown) if (early.side === side) total += early.quantity;
    return total;
  }

  /** Whether anything that waits for a settlement had just the price of this one. */
  hasOneAtPrice(tokenId: TokenId, trade: Settled): boolean {
    return hasOneAtPrice(this.#look(tokenId), trade);
  }

  /** Cash of matched buys that has not left the account yet, in nano-USDC. */
  pendingCostNano(tokenId: TokenId): number {
    let nano = 0;
    for (const fill of this.pending(tokenId)) {
      if (fill.side === 'BUY') nano -= cashOf(fill, fill.quantity);
    }
    return nano;
  }

  /** Whether some fill that waits for its settlement moves just so much cash by it. */
  isCostOfPending(nano: number): boolean {
    const isAlike = (fill: Fill) => Math.abs(cashOf(fill, fill.quantity) - nano) <= EPSILON_NANO;
    return [...this.#tokens.values()].some(({ pending }) => pending.some(isAlike));
  }

  uncertain(tokenId: TokenId): readonly UncertainItem[] {
    return this.#look(tokenId).uncertain;
  }

  /** The same, as large as they may be together. */
  bounded(tokenId: TokenId): readonly UncertainItem[] {
    return boundedItems(this.#look(tokenId));
  }

  get uncertainTokens(): ReadonlySet<TokenId> {
    return this.#uncertain;
  }

  *allUncertain(): Iterable<Uncertain> {
    for (const tokenId of this.#uncertain) {
      for (const item of this.uncertain(tokenId)) yield { tokenId, item };
    }
  }

  onFill(tokenId: TokenId, fill: ReportedFill, nowMs: UnixMs): FillCounted {
    return this.#change(tokenId, (token) => {
      const counted = addFill(token, fill, nowMs);
      if (counted.settled > 0) this.#tell(fill.intentId, counted.settled);
      return counted;
    });
  }

  onSettled(tokenId: TokenId, trade: Settled, nowMs: UnixMs): SettlementCounted {
    return this.#change(tokenId, (token) =>
      settle(token, trade, nowMs, (intentId, part, fill) => {
        const upToMs = settledUpTo(token, fill, { part, trade });
        this.#settledUpToMs = Math.max(this.#settledUpToMs, upToMs);
        this.#tell(intentId, part);
      }),
    );
  }

  onBust(tokenId: TokenId, side: Side, quantity: MicroShares, nowMs: UnixMs): Reversed {
    return this.#change(tokenId, (token) => bust(token, side, quantity, nowMs));
  }

  /** Something may have happened that nobody reported. */
  doubt(tokenId: TokenId, item: UncertainItem): void {
    if (item.quantity <= 0) return;
    this.#change(tokenId, (token) => addUncertain(token, item));
  }

  /** What the items of an order may have traded is known now. */
  closeOrder(tokenId: TokenId, intentId: IntentId): void {
    this.close(tokenId, (item) => item.intentId === intentId);
  }

  close(tokenId: TokenId, isClosed: (item: UncertainItem) => boolean): void {
    if (!this.#uncertain.has(tokenId) || !this.uncertain(tokenId).some(isClosed)) return;
    this.#change(tokenId, (token) => {
      token.uncertain = token.uncertain.filter((item) => !isClosed(item));
    });
  }

  /** Nothing of an item happened but what has settled: that was of it, and of no fill that is reported later. */
  closeSettled(tokenId: TokenId, item: UncertainItem): void {
    this.#change(tokenId, (token) => claimUnreported(token, item));
    this.close(tokenId, (each) => each === item);
  }

  /** A complete read of the balances shows so many shares of a token. */
  onRead(tokenId: TokenId, amount: MicroShares, at: ReadAt): Reading {
    const token = this.#token(tokenId);
    const items = token.uncertain;
    const isOpen = (item: UncertainItem) => !this.#hasFailed(item, at.nowMs);
    if (!items.every(isOpen)) token.uncertain = items.filter(isOpen);
    const reading = readToken(token, amount, at);
    if (reading.kind === 'agrees')
      for (const fill of reading.settled) this.#tell(fill.intentId, fill.quantity);
    const isChanged = reading.kind === 'adopted' || token.uncertain !== items;
    if (isChanged || (reading.kind === 'agrees' && reading.settled.length > 0)) {
      this.#changed.add(tokenId);
    }
    this.#index(tokenId, token);
    return reading;
  }

  /** The oldest fills have settled, and no frame said so. */
  confirmOldest(tokenId: TokenId, count: number, nowMs: UnixMs): readonly Fill[] {
    const fills = this.#change(tokenId, (token) => confirmOldest(token, count, nowMs));
    for (const { intentId, quantity } of fills) this.#tell(intentId, quantity);
    return fills;
  }

  /** Shares that came or went by sets, or by a fill that cash has shown. */
  adjust(
    tokenId: TokenId,
    change: number,
    { sinceMs, nowMs }: { sinceMs: UnixMs; nowMs: UnixMs },
  ): void {
    this.#change(tokenId, (token) => {
      // Nobody says when since then it happened: a lagging index may show what was before it with it.
      for (const { amount, untilMs } of token.past.filter((past) => past.untilMs >= sinceMs))
        token.past.push({ amount: clampShares(amount + change), untilMs });
      confirm(token, change, nowMs);
      token.changedAtMs = nowMs;
    });
  }

  /** What was uncertain has traded, as cash shows: its settlement may be told yet, and is no second one. */
  onTraded(tokenId: TokenId, item: UncertainItem, nowMs: UnixMs): void {
    const { side, quantity, cashNano } = item;
    this.close(tokenId, (each) => each === item);
    this.adjust(tokenId, signed(side, quantity), { sinceMs: item.sentAtMs ?? unixMs(0), nowMs });
    this.#change(tokenId, (token) => token.shown.push({ side, quantity, cashNano, atMs: nowMs }));
  }

  /**
   * Whether an amount shows a change of that much which is not counted: a value of now or of the lag with
   * the change, and none without it.
   */
  isShifted(tokenId: TokenId, amount: MicroShares, change: number): boolean {
    const { confirmed, past } = this.#token(tokenId);
    const known: readonly number[] = [confirmed, ...past.map((each) => each.amount)];
    return known.includes(amount - change) && !known.includes(amount);
  }

  /** Our clock jumped ahead: no time has passed for the venue, and a next run is to know it, too. */
  onJump(byMs: number): void {
    for (const [tokenId, token] of this.#tokens) {
      if (token.changedAtMs !== undefined) {
        token.changedAtMs = addMs(token.changedAtMs, byMs);
        this.#changed.add(tokenId);
      }
      const { BUY, SELL } = token.movedAtMs;
      token.movedAtMs = { BUY: BUY && addMs(BUY, byMs), SELL: SELL && addMs(SELL, byMs) };
      token.past = token.past.map((past) => ({ ...past, untilMs: addMs(past.untilMs, byMs) }));
      token.uncertain = token.uncertain.map((item) => ({
        ...item,
        sinceMs: addMs(item.sinceMs, byMs),
      }));
    }
  }

  /** What is owed, and the chain has gone on without. What has settled waits for an index, which nothing overtakes. */
  #hasFailed({ isOwed, cause, sinceMs }: UncertainItem, nowMs: UnixMs): boolean {
    const isOvertaken = cause === 'unsettled' && this.#settledUpToMs - sinceMs >= OVERTAKEN_MS;
    return isOwed === true && (isOvertaken || nowMs - sinceMs > LATE_MS_MAX);
  }

  #tell(intentId: IntentId | undefined, quantity: MicroShares): void {
    if (intentId !== undefined) this.#onSettled(intentId, quantity);
  }

  #change<Result>(tokenId: TokenId, change: (token: TokenPosition) => Result): Result {
    const token = this.#touch(tokenId);
    const result = change(token);
    this.#index(tokenId, token);
    return result;
  }

  #index(tokenId: TokenId, token: TokenPosition): void {
    if (token.uncertain.length > 0) this.#uncertain.add(tokenId);
    else this.#uncertain.delete(tokenId);
  }

  #look(tokenId: TokenId): Readonly<TokenPosition> {
    return this.#tokens.get(tokenId) ?? NOTHING;
  }

  #touch(tokenId: TokenId): TokenPosition {
    this.#changed.add(tokenId);
    return this.#token(tokenId);
  }

  #token(tokenId: TokenId): TokenPosition {
    const known = this.#tokens.get(tokenId);
    if (known) return known;
    const fresh = emptyPosition();
    this.#tokens.set(tokenId, fresh);
    return fresh;
  }
}
