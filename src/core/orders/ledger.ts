// Every own order, moved by the table of moves. The ledger never guesses: a pair the table does not
// list is reported and asks for a reconciliation, and executed shares only ever grow.

import type { IntentId, MarketId, OrderHash } from '../../domain/ids.ts';
import {
  isCommitted,
  isOnBook,
  isTerminal,
  NO_ORDERS,
  nextState,
  type OrderSignal,
  type OrderState,
  type OrderStatus,
  type OrderUpdate,
} from '../../domain/order.ts';
import { clampShares, type MicroShares, microShares } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import { HashMemory } from './order-id-cache.ts';
import { isExposed, type OwnOrder, reverse } from './own-order.ts';
import {
  countsSettledOnly,
  EarlyReports,
  executedOf,
  FailedShown,
  isEnd,
  type LedgerListener,
  otherQuantity,
  signalOf,
  type Traded,
  tellsAll,
} from './told.ts';

/** Ended orders are remembered this long, for late news and for stale own sizes in coalesced books. */
export const ENDED_KEPT_MS = 120_000;
/** Ended orders kept at most; the oldest go first. 300 writes of 15 in 10 s, for a minute. */
export const ENDED_KEPT_MAX = 27_000;

/** What became of shares of one order that had matched. */
export type Settlement = {
  readonly kind: 'settled' | 'unsettled' | 'failed';
  readonly quantity: MicroShares;
};

/** How many rest by what is known, and when the newest was confirmed, or known to rest again since its settlement failed. */
export type Resting = { readonly count: number; readonly sinceMs: number };

export class OrderLedger {
  readonly #listener: LedgerListener;
  readonly #byIntent = new Map<IntentId, OwnOrder>();
  readonly #byHash = new Map<OrderHash, OwnOrder>();
  /** Orders that have not ended, by market: planning never walks over the dead. */
  readonly #byMarket = new Map<MarketId, Set<OwnOrder>>();
  /** Orders that may still trade, over all markets. */
  readonly #exposed = new Set<OwnOrder>();
  /** The user channel calls filled what has settled, so that the word of an end may lack what matched. */
  #isSettledOnly = false;
  readonly #ended = new Set<OwnOrder>();
  /** Hashes that were known here, for as long as nothing else remembers them. */
  readonly hashes = new HashMemory();
  /** What was reported for hashes that no answer has named. */
  readonly early = new EarlyReports();
  readonly #failedShown = new FailedShown();

  constructor(listener: LedgerListener) {
    this.#listener = listener;
  }

  add(order: OwnOrder): void {
    this.#byIntent.set(order.intentId, order);
    if (order.orderHash !== undefined) {
      this.#byHash.set(order.orderHash, order);
      if (!order.isExternal) this.hashes.addOwn(order.orderHash);
    }
    this.#enterMarket(order);
    if (isExposed(order)) this.#exposed.add(order);
    this.#listener.onChanged(order);
  }

  /** What was sent is another order: that has its intent from now on, and counts in its stead. */
  replace(sent: OwnOrder, order: OwnOrder): void {
    this.#exposed.delete(sent);
    this.#byMarket.get(sent.marketId)?.delete(sent);
    // Whoever still holds it, as the books do, sees that it never was.
    sent.state = 'absent';
    this.add(order);
  }

  /** It rests on, and another one with its hash will stand for it: whoever still holds this one sees that it is not it. */
  handOver(order: OwnOrder): void {
    this.#exposed.delete(order);
    this.#leaveMarket(order);
    order.state = 'absent';
    this.#forget(order);
  }

  /** Applies what was reported for an order before anybody could name it. */
  applyEarly(order: OwnOrder, nowMs: UnixMs): void {
    const { orderHash } = order;
    if (orderHash === undefined) return;
    for (const update of this.early.take(orderHash)) {
      // What one says may put another order in its place.
      this.#applyUpdate(this.#byHash.get(orderHash) ?? order, update, nowMs);
    }
  }

  byIntent(intentId: IntentId): OwnOrder | undefined {
    return this.#byIntent.get(intentId);
  }

  byHash(orderHash: OrderHash): OwnOrder | undefined {
    return this.#byHash.get(orderHash);
  }

  /** Whether an order was sent from here, in this run or one before, ended or not. */
  isOwnHash(orderHash: OrderHash): boolean {
    // One that has rested for very long may be older than all the hashes that are remembered.
    const known = this.#byHash.get(orderHash);
    return this.hashes.isOwn(orderHash) || known?.isExternal === false;
  }

  /** Whether an order was known here, ours or not: it is no other one that is like it. */
  isKnownHash(orderHash: OrderHash): boolean {
    return this.isOwnHash(orderHash) || this.hashes.isOfOthers(orderHash);
  }

  /** One that was met as nobody's turns out to have been sent from here. */
  onOurs(order: OwnOrder): void {
    order.isExternal = false;
    order.isOfOthers = false;
    if (order.orderHash !== undefined) this.hashes.addOwn(order.orderHash);
    this.#listener.onChanged(order);
  }

  /** Whether an order that nobody remembers but by its hash ended at a moment or later. */
  hasEndedSince(orderHash: OrderHash, atMs: UnixMs): boolean {
    return !this.#byHash.has(orderHash) && this.hashes.hasEndedSince(orderHash, atMs);
  }

  /** Markets with orders that have not ended. */
  get marketsInUse(): number {
    return this.#byMarket.size;
  }

  /** Orders of one market that have not ended. */
  ofMarket(marketId: MarketId): Iterable<OwnOrder> {
    return this.#byMarket.get(marketId) ?? [];
  }

  /** Orders that may trade now or later, over all markets. */
  exposed(): Iterable<OwnOrder> {
    return this.#exposed;
  }

  /** Those of ours that may trade; counted are those that were confirmed at a moment or later. */
  resting(countedFromMs: number): Resting {
    const resting = { count: 0, sinceMs: 0 };
    for (const { isOfOthers, confirmedAtMs = 0, failedAtMs = 0 } of this.#exposed) {
      if (isOfOthers) continue;
      // What failed rests or has ended, as the venue has it.
      if (confirmedAtMs > 0 && confirmedAtMs >= countedFromMs && failedAtMs === 0)
        resting.count += 1;
      resting.sinceMs = Math.max(resting.sinceMs, confirmedAtMs, failedAtMs);
    }
    return resting;
  }

  /** Orders that ended since a moment, of the ended that are remembered. */
  endedSince(atMs: UnixMs): readonly OwnOrder[] {
    return [...this.#ended].filter(({ stateSinceMs }) => stateSinceMs >= atMs);
  }

  /** Every order that has not ended, over all markets. */
  notEnded(): readonly OwnOrder[] {
    const found: OwnOrder[] = [];
    for (const orders of this.#byMarket.values()) for (const order of orders) found.push(order);
    return found;
  }

  /** The placement's answer named the order; updates that came before it are applied now. */
  onAccepted(order: OwnOrder, orderHash: OrderHash, nowMs: UnixMs): void {
    this.identify(order, orderHash, nowMs);
    this.signal(order, 'ack', nowMs);
    this.applyEarly(order, nowMs);
  }

  /** An unknown placement was found on the venue under this hash. */
  onFound(order: OwnOrder, orderHash: OrderHash, nowMs: UnixMs): void {
    this.identify(order, orderHash, nowMs);
    this.signal(order, 'open', nowMs);
    this.applyEarly(order, nowMs);
  }

  identify(order: OwnOrder, orderHash: OrderHash, nowMs: UnixMs): void {
    order.orderHash = orderHash;
    order.answeredHash = undefined;
    order.confirmedAtMs = nowMs;
    order.seenAtMs = nowMs;
    // Lists that lacked it while nobody could name it say nothing of it now.
    if (order.state === 'unknown') order.missingLists = 0;
    this.#byHash.set(orderHash, order);
    this.hashes.addOwn(orderHash);
    this.#listener.onChanged(order);
  }

  /** Applies an `order.update`; one for a hash we do not know yet is kept for its answer. */
  onUpdate(update: OrderUpdate, nowMs: UnixMs): 'applied' | 'early' {
    const order = this.#byHash.get(update.orderHash);
    if (order === undefined) {
      this.early.keep(update, nowMs);
      return 'early';
    }
    this.#applyUpdate(order, update, nowMs);
    return 'applied';
  }

  /** A list, asked for after what is known to have failed of it, shows so much of it traded. */
  onListed(order: OwnOrder, shown: MicroShares, nowMs: UnixMs): void {
    this.#take(order, this.#failedShown.ofList(order, shown), nowMs);
  }

  #take(order: OwnOrder, { executed, isUnclear }: Traded, nowMs: UnixMs): void {
    this.execute(order, executed, nowMs);
    if (isUnclear) this.#listener.onUnclear?.(order);
  }

  /** Raises the executed quantity; reports of less is old news. */
  execute(order: OwnOrder, executed: MicroShares, nowMs: UnixMs): void {
    const capped = microShares(Math.min(executed, order.quantity));
    const fresh = capped - order.executed;
    if (fresh <= 0) return;
    order.executed = capped;
    order.executedAtMs = nowMs;
    order.lastExecuted = microShares(fresh);
    if (!isExposed(order)) this.#exposed.delete(order);
    this.#listener.onChanged(order);
    this.#listener.onExecuted(order, microShares(fresh));
    // Whoever told it: what has traded whole waits for the chain.
    const isWhole = order.executed >= order.quantity && !isTerminal(order.state);
    if (isWhole && !isCommitted(order.state)) this.signal(order, 'matched', nowMs);
  }

  signal(order: OwnOrder, signal: OrderSignal, nowMs: UnixMs): void {
    const from = order.state;
    const to = nextState(from, signal);
    if (to === 'anomaly') {
      this.#listener.onAnomaly(order, signal, `${from} has no move for ${signal}`);
      return;
    }
    if (to === from) return;
    order.state = to;
    order.stateSinceMs = nowMs;
    order.remindedAtMs = undefined;
    if (isTerminal(to)) this.#end(order);
    // For whoever comes after us it is the same: an intent that may have left.
    if (to !== 'sending') this.#listener.onChanged(order);
    this.#listener.onMoved(order, from, signal);
    if (isCommitted(to)) this.#settleOn(order, nowMs);
  }

  /**
   * An order is on the book with less traded than we knew of: shares whose settlement had failed rest
   * again. What it trades from now on is new.
   */
  onOrderRestored(order: OwnOrder, executed: MicroShares, nowMs: UnixMs): void {
    this.#takeBack(order, microShares(order.executed - executed), nowMs);
    if (isTerminal(order.state)) this.#revive(order);
    if (isCommitted(order.state) || isTerminal(order.state)) {
      this.signal(order, 'orderRestored', nowMs);
    }
    if (executed > 0 && isOnBook(order.state)) this.signal(order, 'partial', nowMs);
  }

  /** The chain said what became of some shares that had matched. */
  onSettlement(order: OwnOrder, result: Settlement, nowMs: UnixMs): void {
    const { kind, quantity } = result;
    if (kind === 'failed') this.#onFailed(order, quantity, nowMs);
    else if (kind === 'settled') order.settled = clampShares(order.settled + quantity);
    else order.settled = microShares(Math.max(0, order.settled - quantity));
    if (isCommitted(order.state)) this.#settleOn(order, nowMs);
  }

  /** Whether they rest again is the venue's to say: until then they count as if they did. */
  #onFailed(order: OwnOrder, quantity: MicroShares, nowMs: UnixMs): void {
    const wasFilled = order.state === 'filled';
    if (isTerminal(order.state) && !wasFilled) return;
    this.#takeBack(order, quantity, nowMs);
    if (wasFilled) this.#revive(order);
    if (wasFilled || isCommitted(order.state)) this.signal(order, 'failed', nowMs);
  }

  #takeBack(order: OwnOrder, quantity: MicroShares, nowMs: UnixMs): void {
    const taken = microShares(Math.min(quantity, order.executed));
    reverse(order, taken, nowMs);
    if (isExposed(order)) this.#exposed.add(order);
    this.#listener.onChanged(order);
  }

  #revive(order: OwnOrder): void {
    this.#ended.delete(order);
    this.#exposed.add(order);
    this.#enterMarket(order);
  }

  /** Forgets what ended long enough ago, and bounds what is kept. */
  prune(nowMs: UnixMs): void {
    for (const order of this.#ended) {
      const isOld = nowMs - order.stateSinceMs >= ENDED_KEPT_MS;
      if (!isOld && this.#ended.size <= ENDED_KEPT_MAX) break;
      this.#forget(order);
    }
    this.early.prune(nowMs - ENDED_KEPT_MS);
  }

  /** Forgets what ended in a market but for its hashes: its prices mean nothing to whoever comes after it. */
  forgetEnded(marketId: MarketId): void {
    for (const order of this.#ended) if (order.marketId === marketId) this.#forget(order);
  }

  countByState(): Readonly<Record<OrderState, number>> {
    const counts = { ...NO_ORDERS };
    for (const { state } of this.#byIntent.values()) counts[state] += 1;
    return counts;
  }

  /** Live or possibly live orders of the account. */
  get exposedCount(): number {
    return this.#exposed.size;
  }

  /** All of it matched: it ends when nothing of it waits for the chain any more, and no list shows it as resting. */
  #settleOn(order: OwnOrder, nowMs: UnixMs): void {
    const { settled, executed, shownLessSinceMs } = order;
    if (settled >= executed && shownLessSinceMs === undefined) this.signal(order, 'filled', nowMs);
    else if (order.state === 'matched' && settled > 0) this.signal(order, 'settled', nowMs);
  }

  #applyUpdate(order: OwnOrder, update: OrderUpdate, nowMs: UnixMs): void {
    order.confirmedAtMs ??= nowMs;
    if (!isEnd(update.status)) order.seenAtMs = nowMs;
    const quantity = otherQuantity(order, update);
    if (quantity !== undefined) {
      this.#onOtherQuantity(order, quantity);
      return;
    }
    this.#isSettledOnly ||= countsSettledOnly(order, update);
    const shown = executedOf(order, update);
    const traded = this.#failedShown.ofUpdate(order, shown);
    this.#take(order, traded, nowMs);
    this.signal(order, this.#causeOf(order, update.status), nowMs);
    const isAll = !traded.isLeast && tellsAll(order, update, this.#isSettledOnly);
    if (isAll) this.#listener.onReported(order);
    else if (isEnd(update.status)) this.#listener.onEndUnreported(order);
  }

  /** One that leaves, or has ended, stands for what was sent: only balances say what became of the difference. */
  #onOtherQuantity(order: OwnOrder, quantity: MicroShares): void {
    if (order.state === 'resting') this.#listener.onOtherQuantity?.(order, quantity);
    else this.#listener.onUnclear?.(order);
  }

  /** Some venues end an order a while before its date and call that a cancel. */
  #causeOf(order: OwnOrder, status: OrderStatus): OrderSignal {
    const signal = signalOf(order, status);
    const isUnasked = signal === 'cancelled' && isOnBook(order.state);
    return isUnasked && this.#listener.isEndOfDate?.(order) === true ? 'expired' : signal;
  }

  #end(order: OwnOrder): void {
    this.#exposed.delete(order);
    this.#ended.add(order);
    this.#leaveMarket(order);
  }

  #enterMarket(order: OwnOrder): void {
    const orders = this.#byMarket.get(order.marketId);
    if (orders) orders.add(order);
    else this.#byMarket.set(order.marketId, new Set([order]));
  }

  #leaveMarket(order: OwnOrder): void {
    const orders = this.#byMarket.get(order.marketId);
    orders?.delete(order);
    if (orders?.size === 0) this.#byMarket.delete(order.marketId);
  }

  #forget(order: OwnOrder): void {
    this.#ended.delete(order);
    this.#byIntent.delete(order.intentId);
    if (order.orderHash !== undefined && this.#byHash.get(order.orderHash) === order) {
      this.#byHash.delete(order.orderHash);
      this.hashes.onForgotten(order, order.orderHash);
    }
  }
}
