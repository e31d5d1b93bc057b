// Which orders a stop or a start means: every one of the account, or those that were sent from here, in
// this life or an earlier one. What is somebody else's is counted, told of and left alone.

import type { OrderHash, RequestId } from '../domain/ids.ts';
import type { OrderReport } from '../domain/order.ts';
import { BATCH_CANCEL_MAX } from './bounds.ts';
import { isExposed } from './orders/own-order.ts';
import type { World } from './world.ts';

/**
 * Asks for their cancel: `DELETE /orders` for the account, hash by hash for what is ours.
 * @param listed - Those that the last list showed.
 * @returns The requests, none when there is nothing to name.
 */
export function cancelMeant(world: World, listed: readonly OrderHash[]): readonly RequestId[] {
  const { outbox } = world;
  if (world.cancelScope === 'account') {
    const requestId = outbox.nextRequestId();
    outbox.send({ kind: 'cancelAll', requestId, scope: { kind: 'account' } });
    return [requestId];
  }
  const hashes = [...ownHashes(world, listed)];
  const requests: RequestId[] = [];
  for (let start = 0; start < hashes.length; start += BATCH_CANCEL_MAX) {
    const requestId = outbox.nextRequestId();
    const orderHashes = hashes.slice(start, start + BATCH_CANCEL_MAX);
    outbox.send({ kind: 'cancelOrders', requestId, orderHashes });
    requests.push(requestId);
  }
  return requests;
}

/** Whether an order that the venue lists is one of them. */
export function isMeant(world: World, report: OrderReport): boolean {
  if (world.cancelScope === 'account') return true;
  const { orderHash } = report;
  return world.ledger.isOwnHash(orderHash) || world.restored.isLike(report);
}

/** Orders of the account that are somebody else's, as far as they are known. */
export function foreignOrders(world: World): number {
  if (world.cancelScope === 'account') return 0;
  let count = world.strangers.now.size;
  for (const order of world.ledger.exposed()) if (order.isForeign) count += 1;
  return count;
}

function ownHashes(world: World, listed: readonly OrderHash[]): ReadonlySet<OrderHash> {
  const hashes = new Set<OrderHash>(listed);
  for (const order of world.ledger.exposed()) {
    const { orderHash } = order;
    if (orderHash !== undefined && isExposed(order) && !order.isForeign) hashes.add(orderHash);
  }
  for (const orderHash of world.restored.ownHashes()) hashes.add(orderHash);
  return hashes;
}
