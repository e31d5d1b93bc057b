// The cancels of a stop or a start, by its scope: everything of the account, or what was sent from here.

import type { OrderHash } from '../../domain/ids.ts';
import { ownHashes } from '../account/meant.ts';
import type { World } from '../world.ts';
import type { BarrierRequest, CancelBarrier } from './barrier.ts';

/**
 * Asks for the cancel of what a stop or a start means: `DELETE /orders` for the account, hash by hash for what is ours. What is left
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
