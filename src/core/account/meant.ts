// Which orders a stop or a start means: every one of the account, or those that were sent from here, in
// this run or an earlier one. What is somebody else's is counted, reported and left alone.

import type { OrderHash } from '../../domain/ids.ts';
import type { OrderReport } from '../../domain/order.ts';
import { isExposed, type OwnOrder } from '../orders/own-order.ts';
import type { OrderStores } from '../orders/stores.ts';
import { cancelScopeOf } from '../risk/cancel-scope.ts';
import { touchOrder } from './records.ts';
import type { AccountStores } from './stores.ts';

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
