// Which orders a stop or a start means: every one of the account, or those that were sent from here, in
// this life or an earlier one. What is somebody else's is counted, told of and left alone.

import type { OrderHash } from '../../domain/ids.ts';
import type { OrderReport } from '../../domain/order.ts';
import { isExposed, type OwnOrder } from '../orders/own-order.ts';
import type { BarrierRequest, CancelBarrier } from '../session/barrier.ts';
import type { World } from '../world.ts';

/**
 * Asks for their cancel: `DELETE /orders` for the account, hash by hash for what is ours. What is left
 * after a cancel of everything is named too, since only then does a refusal say whom it is about.
 * @returns The requests, none when there is nothing to name.
 */
export function cancelMeant(
  world: World,
  barrier: Pick<CancelBarrier, 'listed' | 'undecided' | 'halved'>,
): readonly BarrierRequest[] {
  const { outbox } = world;
  if (barrier.halved.length > 0) return cancelNamed(world, barrier.halved);
  if (world.cancelScope === 'own') return cancelOwn(world, barrier.listed);
  const requestId = outbox.nextRequestId();
  outbox.send({ kind: 'cancelAll', requestId, scope: { kind: 'account' } });
  return [{ requestId }, ...cancelNamed(world, barrier.undecided)];
}

/**
 * What the list shows goes apart from what we only believe to rest: one of those may have ended, which
 * on some venues would have its whole batch refused.
 */
function cancelOwn(world: World, listed: readonly OrderHash[]): readonly BarrierRequest[] {
  const shown = new Set(listed);
  const believed = [...ownHashes(world)].filter((orderHash) => !shown.has(orderHash));
  return [...cancelNamed(world, listed), ...cancelNamed(world, believed)];
}

function cancelNamed(world: World, hashes: readonly OrderHash[]): readonly BarrierRequest[] {
  const { outbox, cancelBatches, nowMs } = world;
  return cancelBatches.group(hashes, nowMs).map((orderHashes) => {
    const requestId = outbox.nextRequestId();
    outbox.send({ kind: 'cancelOrders', requestId, orderHashes });
    return { requestId, orderHashes };
  });
}

/** Whether an order that the venue lists is one of them. */
export function isMeant(world: World, report: OrderReport): boolean {
  if (world.cancelScope === 'account') return true;
  const { orderHash } = report;
  if (world.ledger.isOwnHash(orderHash)) return true;
  // It was somebody else's before anything like it was sent from here.
  if (world.ledger.byHash(orderHash)?.isForeign === true) return false;
  return world.restored.isLike(report, world.lowestOffsetMs);
}

/** Whether an order is left alone by the scope now in force; one that was sent from here and came back is ours. */
export function isForeign(world: World, { isOrphan, orderHash }: OwnOrder): boolean {
  if (!isOrphan || world.cancelScope === 'account') return false;
  return orderHash === undefined || !world.ledger.isOwnHash(orderHash);
}

/** Orders of the account that are somebody else's, as far as they are known. */
export function foreignOrders(world: World): number {
  if (world.cancelScope === 'account') return 0;
  let count = world.strangers.now.size;
  for (const order of world.ledger.exposed()) if (order.isForeign) count += 1;
  return count;
}

/** Orders of ours that rest as far as anybody here knows; what a list shows is better. */
export function ownHashes(world: World): ReadonlySet<OrderHash> {
  const hashes = new Set<OrderHash>();
  for (const order of world.ledger.exposed()) {
    const { orderHash = order.answeredHash } = order;
    if (orderHash !== undefined && isExposed(order) && !order.isForeign) hashes.add(orderHash);
  }
  for (const orderHash of world.restored.ownHashes()) hashes.add(orderHash);
  for (const orderHash of world.namedAmong.hashes()) hashes.add(orderHash);
  return hashes;
}
