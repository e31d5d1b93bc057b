// Which orders a stop or a start means: every one of the account, or those that were sent from here, in
// this run or an earlier one. What is somebody else's is counted, reported and left alone.

import type { OrderHash } from '../../domain/ids.ts';
import type { OrderReport } from '../../domain/order.ts';
import { isExposed, type OwnOrder } from '../orders/own-order.ts';
import type { World } from '../world.ts';
import { touchOrder } from './records.ts';

/** Whether an order that the venue lists is one of them. */
export function isMeant(world: World, report: OrderReport): boolean {
  if (world.cancelScope === 'account') return true;
  const { orderHash } = report;
  if (world.ledger.isOwnHash(orderHash)) return true;
  // It was somebody else's before anything like it was sent from here.
  if (world.ledger.byHash(orderHash)?.isOfOthers === true) return false;
  return world.restored.isLike(report, world.lowestOffsetMs);
}

/** Whether an order is left alone by the scope now in force; one that was sent from here and came back is ours. */
export function isOfOthers(world: World, { isExternal, orderHash }: OwnOrder): boolean {
  if (!isExternal || world.cancelScope === 'account') return false;
  return orderHash === undefined || !world.ledger.isOwnHash(orderHash);
}

/** Orders of the account that are somebody else's, as far as they are known. */
export function externalOrders(world: World): number {
  if (world.cancelScope === 'account') return 0;
  let count = world.externals.now.size;
  for (const order of world.ledger.exposed()) if (order.isOfOthers) count += 1;
  return count;
}

/** Orders of ours that rest as far as anybody here knows; what a list shows is better. */
export function ownHashes(world: World): ReadonlySet<OrderHash> {
  const hashes = new Set<OrderHash>();
  for (const order of world.ledger.exposed()) {
    const { orderHash = order.answeredHash } = order;
    if (orderHash !== undefined && isExposed(order) && !order.isOfOthers) hashes.add(orderHash);
  }
  for (const orderHash of world.restored.ownHashes()) hashes.add(orderHash);
  for (const orderHash of world.batchOrderIds.hashes()) hashes.add(orderHash);
  return hashes;
}

/** Another trader is known to use the account, or is gone: whose an order is hangs on it. */
export function setConflict(world: World, isKnown: boolean): void {
  const before = world.cancelScope;
  world.controls.conflict.isKnown = isKnown;
  if (world.cancelScope !== before) markExternal(world);
}

/** The scope is another one: what was cancelled as ours may be left alone from here on, and the other way round. */
export function markExternal(world: World): void {
  for (const order of world.ledger.notEnded()) {
    order.isOfOthers = isOfOthers(world, order);
    // What its answer named is kept in the own scope only.
    if (order.isExternal || order.answeredHash !== undefined) touchOrder(world, order);
  }
  for (const market of world.markets.values()) market.isDirty = true;
}
