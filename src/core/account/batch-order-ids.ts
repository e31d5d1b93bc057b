// The answer to a batch names orders and does not say which of them is whose. They are ours, for lists,
// kills, guards and next runs: a list that shows one has it taken for the placement without an answer that
// it is like, and cancelled where there is none.

import type { OrderHash } from '../../domain/ids.ts';
import { mayArriveUntilMs } from '../orders/horizon.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import type { OrderStores } from '../orders/stores.ts';
import { keepHash } from './records.ts';
import type { AccountStores } from './stores.ts';

/** The answer to the batch of a placement names these, and one of them may be it. */
export function onBatchOrderIds(
  stores: AccountStores,
  order: OwnOrder,
  orderHashes: readonly OrderHash[],
): void {
  const { ledger, batchOrderIds } = stores;
  for (const orderHash of orderHashes) {
    const known = ledger.byHash(orderHash);
    // A list was faster: it counts already.
    if (known?.isExternal === true) ledger.onOurs(known);
    if (known !== undefined || ledger.isOwnHash(orderHash)) continue;
    batchOrderIds.add(orderHash, mayArriveUntilMs(stores, order));
    ledger.hashes.addOwn(orderHash);
    keepHash(stores, order, orderHash);
  }
}

/** Whether a hash is of an order that ended, and so of no placement that waits for its answer. */
export function isEndedHash({ ledger, batchOrderIds }: OrderStores, orderHash: OrderHash): boolean {
  return ledger.isKnownHash(orderHash) && !batchOrderIds.has(orderHash);
}
