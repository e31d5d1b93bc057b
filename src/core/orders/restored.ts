// Orders that no ledger has: of a previous run those that wait for their market, or that nobody watched, and of any run
// those that may rest though no answer says so.

import type { IntentId, MarketId, OrderHash, TokenId } from '../../domain/ids.ts';
import { isCommitted, type OrderReport } from '../../domain/order.ts';
import type { StoredOrder } from '../../domain/record.ts';
import type { MicroShares } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import { dropOldest, OPEN_ORDERS_OF_ACCOUNT_MAX } from '../kernel/bounds.ts';
import type { OwnOrder } from './own-order.ts';
import { isLongBefore, MISSING_LISTS_MAX } from './reconcile.ts';

/** One that still may arrive; of this run, what is known of its request and its answer. */
export type LateOrder = StoredOrder & {
  /** Offset of the venue's clock by which it was dated. */
  readonly datedByMs?: number | undefined;
  /** When it was refused without a code: a word that is no proof. */
  readonly refusedAtMs?: UnixMs | undefined;
};

/** What is known of an order that a list shows. */
export type Listing = {
  /** It is one that was known here and has ended. */
  readonly isKnownHash: boolean;
  readonly clockOffsetMs: number | undefined;
  /** Notified of a placement that nobody answered and that this may be. */
  onFound(order: StoredOrder): void;
};

export class Restored {
  readonly #waiting = new Map<MarketId, StoredOrder[]>();
  readonly #waitingHashes = new Set<OrderHash>();
  /** Placements without an answer that have no market to come back with, and may still arrive. */
  #late: LateOrder[] = [];
  /** What lists said had traded of orders that still waited then. */
  readonly #seen = new Map<OrderHash, MicroShares>();
  /** Of those that wait, what rests on since the venue refuses to cancel it, by lists that missed it. */
  readonly #staying = new Map<OrderHash, number>();
  /** Matched and not settled when their run ended, with no market here so far; as many as that left. */
  readonly #settling = new Map<IntentId, StoredOrder>();
  /** Back in the ledger: what became of them while nobody listened is not known. */
  readonly #unwatched = new Set<OwnOrder>();

  wait(order: StoredOrder): void {
    if (order.orderHash !== undefined) this.#waitingHashes.add(order.orderHash);
    if (isCommitted(order.state) && !order.isExternal) this.#settling.set(order.intentId, order);
    const orders = this.#waiting.get(order.marketId);
    if (orders) orders.push(order);
    else this.#waiting.set(order.marketId, [order]);
  }

  /** Its market is not quoted, and the venue refuses to cancel it: it waits until it leaves the list. */
  stay(order: StoredOrder): void {
    this.wait(order);
    if (order.orderHash !== undefined) this.#staying.set(order.orderHash, 0);
  }

  /** Orders that rest on markets which are not quoted, for the count of open orders. */
  get staying(): Pick<ReadonlyMap<OrderHash, unknown>, 'has' | 'keys' | 'size'> {
    return this.#staying;
  }

  /** Takes what two lists in a row did not show: it was filled, or cancelled by the venue. */
  takeGone(listed: ReadonlySet<OrderHash>): readonly StoredOrder[] {
    const gone = new Set<OrderHash>();
    for (const [orderHash, missing] of this.#staying) {
      const count = listed.has(orderHash) ? 0 : missing + 1;
      this.#staying.set(orderHash, count);
      if (count >= MISSING_LISTS_MAX) gone.add(orderHash);
    }
    if (gone.size === 0) return [];
    const all = this.takeAll();
    const isGone = ({ orderHash }: StoredOrder) => orderHash !== undefined && gone.has(orderHash);
    for (const order of all) if (!isGone(order)) this.wait(order);
    for (const orderHash of gone) this.#staying.delete(orderHash);
    return all.filter(isGone);
  }

  /** A list shows an order: whether it is one that waits, and so no external order. */
  onListed(report: OrderReport, listing: Listing): boolean {
    const { orderHash, executed } = report;
    const isWaiting = this.#waitingHashes.has(orderHash) || this.#findUnanswered(report, listing);
    if (isWaiting && !this.#isRestated(report, listing)) this.#seen.set(orderHash, executed);
    return isWaiting;
  }

  /** An answer named it, and it is not as it was sent: a list says what it is when its market is known. */
  #isRestated(report: OrderReport, { clockOffsetMs }: Listing): boolean {
    for (const orders of this.#waiting.values()) {
      const order = orders.find(({ orderHash }) => orderHash === report.orderHash);
      if (order?.state === 'unknown') return !isSame(order, report, clockOffsetMs);
    }
    return false;
  }

  /** Whether a list has shown an order while it waited. */
  isSeen(orderHash: OrderHash): boolean {
    return this.#seen.has(orderHash);
  }

  /** A placement that nobody answered gets its hash from the list that shows one like it. */
  #findUnanswered(report: OrderReport, { isKnownHash, clockOffsetMs, onFound }: Listing): boolean {
    // It is another one, which ended.
    if (isKnownHash) return false;
    const isIt = (order: StoredOrder) =>
      isUnanswered(order) && isSame(order, report, clockOffsetMs);
    for (const orders of this.#waiting.values()) {
      const index = orders.findIndex(isIt);
      const found = orders[index];
      if (found === undefined) continue;
      orders[index] = { ...found, orderHash: report.orderHash };
      this.#waitingHashes.add(report.orderHash);
      onFound(found);
      return true;
    }
    return false;
  }

  /** Hashes of orders that wait, and were sent from here. */
  *ownHashes(): Iterable<OrderHash> {
    for (const { orderHash, isExternal } of this.all()) {
      if (orderHash !== undefined && !isExternal) yield orderHash;
    }
  }

  marketOf(tokenId: TokenId): MarketId | undefined {
    for (const order of this.all()) if (order.tokenId === tokenId) return order.marketId;
    return undefined;
  }

  /** Whether an order on a list is one that waits: by its hash, or as an intent that nobody answered. */
  isLike(report: OrderReport, clockOffsetMs: number | undefined): boolean {
    for (const order of this.all()) {
      if (order.isExternal) continue;
      if (order.orderHash === report.orderHash) return true;
      if (order.orderHash === undefined && isSame(order, report, clockOffsetMs)) return true;
    }
    return false;
  }

  /** Placements without an answer: they may still arrive, and no ledger has them yet. */
  *unanswered(): Iterable<LateOrder> {
    for (const order of this.all()) if (isUnanswered(order)) yield order;
  }

  /** Those of a market that is not known yet, or that rest there on another grid, and those that come late. */
  *all(): Iterable<LateOrder> {
    for (const orders of this.#waiting.values()) yield* orders;
    yield* this.#late;
  }

  /**
   * Keeps looking for a placement without an answer, or for another one like one that was found by what it asks for,
   * until it cannot arrive any more.
   * @returns Whether it is new.
   */
  keepLate(order: LateOrder): boolean {
    if (this.#late.some(({ intentId }) => intentId === order.intentId)) return false;
    this.#late.push(order);
    return true;
  }

  /** Whether a list shows one that is like it. */
  isListed(order: LateOrder, reports: readonly OrderReport[], clockOffsetMs?: number): boolean {
    return reports.some((report) => isSame(order, report, clockOffsetMs));
  }

  /** Takes those that cannot arrive any more. */
  takeLate(mayArrive: (order: LateOrder) => boolean): readonly StoredOrder[] {
    const over = this.#late.filter((order) => !mayArrive(order));
    if (over.length > 0) this.#late = this.#late.filter(mayArrive);
    return over;
  }

  /** What a list said had traded of an order while it waited; asked once, when it is back. */
  takeSeen({ orderHash }: OwnOrder): MicroShares | undefined {
    if (orderHash === undefined) return undefined;
    const executed = this.#seen.get(orderHash);
    this.#seen.delete(orderHash);
    return executed;
  }

  /** Takes the orders of a market that is known now. */
  takeOf(marketId: MarketId): readonly StoredOrder[] {
    const orders = this.#waiting.get(marketId) ?? [];
    this.#waiting.delete(marketId);
    for (const { orderHash } of orders) {
      if (orderHash === undefined) continue;
      this.#waitingHashes.delete(orderHash);
      this.#staying.delete(orderHash);
    }
    return orders;
  }

  /** Takes all that still wait. */
  takeAll(): readonly StoredOrder[] {
    const orders = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    this.#waitingHashes.clear();
    this.#seen.clear();
    return orders;
  }

  /** Matches of previous runs that no ledger here has: one that fails may rest again. */
  settling(): Iterable<StoredOrder> {
    return this.#settling.values();
  }

  onBack(order: OwnOrder): void {
    this.#settling.delete(order.intentId);
    this.#unwatched.add(order);
  }

  /** Whether an order may have traded while nobody listened; asked once, when it has ended. */
  wasUnwatched(order: OwnOrder): boolean {
    return this.#unwatched.delete(order);
  }
}

function isUnanswered({ orderHash, isExternal }: StoredOrder): boolean {
  return orderHash === undefined && !isExternal;
}

/** A list that is faster than the catalogue counts prices on another grid than the order did. */
function isSame(order: LateOrder, report: OrderReport, clockOffsetMs: number | undefined): boolean {
  const { ticksPerUnit = order.ticksPerUnit, createdAtMs } = report;
  const offsetMs = order.datedByMs ?? clockOffsetMs;
  if (createdAtMs !== undefined && isLongBefore(order.sentAtMs, createdAtMs, offsetMs))
    return false;
  return (
    report.isOffGrid !== true &&
    order.tokenId === report.tokenId &&
    order.side === report.side &&
    order.price * ticksPerUnit === report.price * order.ticksPerUnit &&
    order.quantity === report.quantity
  );
}

// Orders that may be on the book though no answer says so: items of batches that were rejected without a code, which is
// no proof, and second copies of placements that the network may have delivered twice. Until a list has had its say,
// they count in all limits as if they rested. @spec Errors, rule 2

/** No more of them can rest; the oldest go first. */
const ORDERS_MAX = OPEN_ORDERS_OF_ACCOUNT_MAX;

export class MayRest {
  readonly #orders = new Set<OwnOrder>();

  get count(): number {
    return this.#orders.size;
  }

  ofMarket(marketId: MarketId): readonly OwnOrder[] {
    if (this.#orders.size === 0) return [];
    return [...this.#orders].filter((order) => order.marketId === marketId);
  }

  add(order: OwnOrder): void {
    this.#orders.add(order);
    dropOldest(this.#orders, ORDERS_MAX);
  }

  /** Takes those of which this is true. */
  take(isOver: (order: OwnOrder) => boolean): readonly OwnOrder[] {
    const over = [...this.#orders].filter(isOver);
    for (const order of over) this.#orders.delete(order);
    return over;
  }
}

/** Second copies of placements that the network may have delivered twice. */
export class PossibleCopies extends MayRest {
  /** When one was last seen. */
  seenAtMs: UnixMs | undefined;
}
