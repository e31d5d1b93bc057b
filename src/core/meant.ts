// Which orders a stop or a start means: every one of the account, or those that were sent from here, in
// this life or an earlier one. What is somebody else's is counted, told of and left alone.

import type { OrderHash } from '../domain/ids.ts';
import type { OrderReport } from '../domain/order.ts';
import { BATCH_CANCEL_MAX } from './bounds.ts';
import type { BarrierRequest, CancelBarrier } from './orders/barrier.ts';
import { isExposed } from './orders/own-order.ts';
import type { World } from './world.ts';

/**
 * Asks for their cancel: `DELETE /orders` for the account, hash by hash for what is ours. What is left
 * after a cancel of everything is named too, since only then does a refusal say whom it is about.
 * @returns The requests, none when there is nothing to name.
 */
export function cancelMeant(
  world: World,
  barrier: Pick<CancelBarrier, 'listed' | 'undecided'>,
): readonly BarrierRequest[] {
  const { outbox } = world;
  if (world.cancelScope === 'own') return cancelNamed(world, [...ownHashes(world, barrier.listed)]);
  const requestId = outbox.nextRequestId();
  outbox.send({ kind: 'cancelAll', requestId, scope: { kind: 'account' } });
  return [{ requestId }, ...cancelNamed(world, barrier.undecided)];
}

function cancelNamed({ outbox }: World, hashes: readonly OrderHash[]): readonly BarrierRequest[] {
  const requests: BarrierRequest[] = [];
  for (let start = 0; start < hashes.length; start += BATCH_CANCEL_MAX) {
    const requestId = outbox.nextRequestId();
    const orderHashes = hashes.slice(start, start + BATCH_CANCEL_MAX);
    outbox.send({ kind: 'cancelOrders', requestId, orderHashes });
    requests.push({ requestId, orderHashes });
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
