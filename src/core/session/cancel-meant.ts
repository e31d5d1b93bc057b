// The cancels of a stop or a start, by its scope: everything of the account, or what was sent from here.

import type { OrderHash } from '../../domain/ids.ts';
import { ownHashes } from '../account/meant.ts';
import type { World } from '../world.ts';
import type { MassCancel, MassCancelRequest } from './mass-cancel.ts';

/**
 * Asks for the cancel of what a stop or a start means: `DELETE /orders` for the account, hash by hash for what is ours. What is left
 * after a cancel of everything is named too, since only then does a refusal say whom it is about.
 * @returns The requests, none when there is nothing to name.
 */
export function cancelMeant(
  world: World,
  massCancel: Pick<MassCancel, 'listed' | 'undecided' | 'halved'>,
): readonly MassCancelRequest[] {
  const { outbox } = world;
  if (massCancel.halved.length > 0) return cancelNamed(world, massCancel.halved);
  if (world.cancelScope === 'own') return cancelOwn(world, massCancel.listed);
  const requestId = outbox.nextRequestId();
  outbox.send({ kind: 'cancelAll', requestId, scope: { kind: 'account' } });
  return [{ requestId }, ...cancelNamed(world, massCancel.undecided)];
}

/**
 * What the list shows goes apart from what we only trust to rest: one of those may have ended, which
 * on some venues would have its whole batch refused.
 */
function cancelOwn(world: World, listed: readonly OrderHash[]): readonly MassCancelRequest[] {
  const shown = new Set(listed);
  const counted = [...ownHashes(world)].filter((orderHash) => !shown.has(orderHash));
  return [...cancelNamed(world, listed), ...cancelNamed(world, counted)];
}

function cancelNamed(world: World, hashes: readonly OrderHash[]): readonly MassCancelRequest[] {
  const { outbox, cancelBatches, nowMs } = world;
  return cancelBatches.group(hashes, nowMs).map((orderHashes) => {
    const requestId = outbox.nextRequestId();
    outbox.send({ kind: 'cancelOrders', requestId, orderHashes });
    return { requestId, orderHashes };
  });
}
