// Where others trade on the account: which orders are ours to end, and which of those that a list shows may be a
// placement of ours.

import { intentId, type OrderHash } from '../../domain/ids.ts';
import type { OrderReport } from '../../domain/order.ts';
import { formatShares, NO_SHARES } from '../../domain/shares.ts';
import { formatPrice } from '../../domain/ticks.ts';
import type { UnixMs } from '../../domain/time.ts';
import { mayArriveUntilMs } from '../orders/deadlines.ts';
import { isExposed, type OwnOrder } from '../orders/own-order.ts';
import { cameThen, type Verdict } from '../orders/reconcile.ts';
import type { LateOrder } from '../orders/restored.ts';
import type { OrderStores } from '../orders/stores.ts';
import { cancelScopeOf } from '../risk/beyond-limits.ts';
import type { RiskStores } from '../risk/stores.ts';
import { keepHash, storedOrder, touchOrder } from './records.ts';
import type { AccountStores } from './stores.ts';

/** An unknown placement was found under this hash, by what it asks for. */
export function onFound(stores: AccountStores, order: OwnOrder, orderHash: OrderHash): void {
  // Its own answer named it, if not by its place: no other one is still to come.
  if (!stores.batchOrderIds.take(orderHash)) keepDuplicateOf(stores, order);
  keepAnswered(stores, order, orderHash);
  stores.ledger.onFound(order, orderHash, stores.nowMs);
}

/** Lists missed it for long enough to place another one: should it arrive after all, it is ours. */
export function keepGivenUp(stores: AccountStores, order: OwnOrder): void {
  const grid = stores.markets.get(order.marketId)?.grid;
  if (grid === undefined || order.isExternal) return;
  const { datedByMs } = order;
  keepLate(stores, { ...storedOrder(order, grid.ticksPerUnit), datedByMs, refusedAtMs: undefined });
}

/** Its answer had named another one: that hash stays ours for whoever comes after us. */
function keepAnswered(stores: AccountStores, order: OwnOrder, found: OrderHash): void {
  const { answeredHash } = order;
  if (answeredHash !== undefined && answeredHash !== found) keepHash(stores, order, answeredHash);
}

/** Until a placement can arrive no more, one like it is looked for. */
export function keepDuplicateOf(
  stores: AccountStores,
  order: OwnOrder,
  refusedAtMs?: UnixMs,
): void {
  const grid = stores.markets.get(order.marketId)?.grid;
  if (grid === undefined) return;
  const { datedByMs } = order;
  keepDuplicate(stores, { ...storedOrder(order, grid.ticksPerUnit), datedByMs, refusedAtMs });
}

/** The same of one that waits for its market. Where nobody else trades, nothing is like ours. */
export function keepDuplicate(stores: AccountStores, order: LateOrder): void {
  if (cancelScopeOf(stores) === 'own' && !order.isExternal) keepLate(stores, order);
}

function keepLate(stores: OrderStores, order: LateOrder): void {
  const { sentAtMs, datedByMs } = order;
  if (stores.nowMs > mayArriveUntilMs(stores, { sentAtMs, datedByMs })) return;
  const duplicate = {
    ...order,
    intentId: intentId(`${order.intentId}-duplicate`),
    orderHash: undefined,
    state: 'unknown',
    stateSinceMs: stores.nowMs,
    executed: NO_SHARES,
    failed: NO_SHARES,
    confirmedAtMs: undefined,
  } as const;
  if (!stores.restored.keepLate(duplicate)) return;
  const { datedByMs: _, refusedAtMs: __, ...stored } = duplicate;
  stores.outbox.record({ kind: 'order', order: stored });
}

// In the own scope a placement whose answer was lost is found by what it asked for. One that the venue has
// restated is like nothing that was sent, and passes for somebody else's: nothing that a list shows confirms
// whose it is. Whoever runs this is told which orders came just then, and looks.

/** Orders named in one report; it says how many there are. */
const NAMED_MAX = 5;

/** Placements of which nobody reported anything until they could arrive no more. */
export function givenUp(stores: RiskStores, verdicts: readonly Verdict[]): readonly OwnOrder[] {
  if (cancelScopeOf(stores) === 'account') return [];
  return verdicts.flatMap((verdict) =>
    verdict.kind === 'absent' && isUnreported(verdict.order) ? [verdict.order] : [],
  );
}

function isUnreported({ state, answeredHash }: OwnOrder): boolean {
  return state === 'unknown' && answeredHash === undefined;
}

/** After a list that showed none of them: tells of somebody else's orders that came when one was sent. */
export function tellPossiblyOwn(
  stores: AccountStores,
  placements: readonly OwnOrder[],
  reports: readonly OrderReport[],
): void {
  for (const order of placements) {
    const grid = stores.markets.get(order.marketId)?.grid;
    const found = reports.filter((report) => mayBe(stores, order, report));
    if (grid === undefined || found.length === 0) continue;
    stores.outbox.report({
      event: 'order.possibly_own',
      tokenId: order.tokenId,
      side: order.side,
      price: formatPrice(grid, order.price),
      quantity: formatShares(order.quantity),
      orderHashes: found.slice(0, NAMED_MAX).map(({ orderHash }) => orderHash),
      count: found.length,
    });
  }
}

function mayBe(stores: AccountStores, order: OwnOrder, report: OrderReport): boolean {
  const { orderHash, tokenId, side, createdAtMs } = report;
  if (tokenId !== order.tokenId || side !== order.side) return false;
  if (stores.ledger.isOwnHash(orderHash)) return false;
  const isThen = cameThen(order, report, {
    clockOffsetMs: stores.clock.lowestOffsetMs,
    mayArriveUntilMs: (sent) => mayArriveUntilMs(stores, sent),
  });
  if (!isThen) return false;
  if (createdAtMs !== undefined) return true;
  const metAtMs = stores.ledger.byHash(orderHash)?.sentAtMs ?? stores.unnamed.get(orderHash);
  return metAtMs === undefined || metAtMs >= order.sentAtMs;
}

// Which orders a stop or a start means: every one of the account, or those that were sent from here, in
// this run or an earlier one. What is somebody else's is counted, reported and left alone.

/** Whether an order that the venue lists is one of them. */
export function isMeant(stores: AccountStores, report: OrderReport): boolean {
  if (cancelScopeOf(stores) === 'account') return true;
  const { orderHash } = report;
  if (stores.ledger.isOwnHash(orderHash)) return true;
  // It was somebody else's before anything like it was sent from here.
  if (stores.ledger.byHash(orderHash)?.isOfOthers === true) return false;
  return stores.restored.isLike(report, stores.clock.lowestOffsetMs);
}

/** Whether an order is left alone by the scope now in force; one that was sent from here and came back is ours. */
export function isOfOthers(stores: AccountStores, { isExternal, orderHash }: OwnOrder): boolean {
  if (!isExternal || cancelScopeOf(stores) === 'account') return false;
  return orderHash === undefined || !stores.ledger.isOwnHash(orderHash);
}

/** Orders of the account that are somebody else's, as far as they are known. */
export function externalOrders(stores: AccountStores): number {
  if (cancelScopeOf(stores) === 'account') return 0;
  let count = stores.externals.now.size;
  for (const order of stores.ledger.exposed()) if (order.isOfOthers) count += 1;
  return count;
}

/** Orders of ours that rest as far as anybody here knows; what a list shows is better. */
export function ownHashes(stores: OrderStores): ReadonlySet<OrderHash> {
  const hashes = new Set<OrderHash>();
  for (const order of stores.ledger.exposed()) {
    const { orderHash = order.answeredHash } = order;
    if (orderHash !== undefined && isExposed(order) && !order.isOfOthers) hashes.add(orderHash);
  }
  for (const orderHash of stores.restored.ownHashes()) hashes.add(orderHash);
  for (const orderHash of stores.batchOrderIds.hashes()) hashes.add(orderHash);
  return hashes;
}

/** Another trader is known to use the account, or is gone: whose an order is hangs on it. */
export function setConflict(stores: AccountStores, isKnown: boolean): void {
  const before = cancelScopeOf(stores);
  stores.controls.conflict.isKnown = isKnown;
  if (cancelScopeOf(stores) !== before) markExternal(stores);
}

/** The scope is another one: what was cancelled as ours may be left alone from here on, and the other way round. */
export function markExternal(stores: AccountStores): void {
  for (const order of stores.ledger.notEnded()) {
    order.isOfOthers = isOfOthers(stores, order);
    // What its answer named is kept in the own scope only.
    if (order.isExternal || order.answeredHash !== undefined) touchOrder(stores, order);
  }
  for (const market of stores.markets.values()) market.isDirty = true;
}
