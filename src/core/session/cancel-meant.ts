// The cancels of a stop or a start, by its scope: everything of the account, or what was sent from here.

import type { OrderHash } from '../../domain/ids.ts';
import { ownHashes } from '../account/own-scope.ts';
import type { AccountStores } from '../account/stores.ts';
import type { OrderStores } from '../orders/stores.ts';
import { cancelScopeOf } from '../risk/beyond-limits.ts';
import type { MassCancel, MassCancelRequest } from './mass-cancel.ts';

/**
 * Asks for the cancel of what a stop or a start means: `DELETE /orders` for the account, hash by hash for what is ours. What is left
 * after a cancel of everything is named too, since only then does a refusal say whom it is about.
 * @returns The requests, none when there is nothing to name.
 */
export function cancelMeant(
  stores: AccountStores,
  massCancel: Pick<MassCancel, 'listed' | 'undecided' | 'halved'>,
): readonly MassCancelRequest[] {
  const { outbox } = stores;
  if (massCancel.halved.length > 0) return cancelNamed(stores, massCancel.halved);
  if (cancelScopeOf(stores) === 'own') return cancelOwn(stores, massCancel.listed);
  const requestId = outbox.nextRequestId();
  outbox.send({ kind: 'cancelAll', requestId, scope: { kind: 'account' } });
  return [{ requestId }, ...cancelNamed(stores, massCancel.undecided)];
}

/**
 * What the list shows goes apart from what we only trust to rest: one of those may have ended, which
 * on some venues would have its whole batch refused.
 */
function cancelOwn(
  stores: OrderStores,
  listed: readonly OrderHash[],
): readonly MassCancelRequest[] {
  const shown = new Set(listed);
  const counted = [...ownHashes(stores)].filter((orderHash) => !shown.has(orderHash));
  return [...cancelNamed(stores, listed), ...cancelNamed(stores, counted)];
}

function cancelNamed(
  stores: OrderStores,
  hashes: readonly OrderHash[],
): readonly MassCancelRequest[] {
  const { outbox, cancelBatches, nowMs } = stores;
  return cancelBatches.group(hashes, nowMs).map((orderHashes) => {
    const requestId = outbox.nextRequestId();
    outbox.send({ kind: 'cancelOrders', requestId, orderHashes });
    return { requestId, orderHashes };
  });
}
