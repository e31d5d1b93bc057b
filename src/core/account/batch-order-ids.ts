// The answer to a batch names orders and does not say which of them is whose. They are ours, for lists,
// kills, guards and next runs: a list that shows one has it taken for the placement without an answer that
// it is like, and cancelled where there is none.

import type { OrderHash } from '../../domain/ids.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import type { World } from '../world.ts';
import { keepHash } from './records.ts';

/** The answer to the batch of a placement names these, and one of them may be it. */
export function onBatchOrderIds(
  world: World,
  order: OwnOrder,
  orderHashes: readonly OrderHash[],
): void {
  const { ledger, batchOrderIds } = world;
  for (const orderHash of orderHashes) {
    const known = ledger.byHash(orderHash);
    // A list was faster: it counts already.
    if (known?.isExternal === true) ledger.onOurs(known);
    if (known !== undefined || ledger.isOwnHash(orderHash)) continue;
    batchOrderIds.add(orderHash, world.mayArriveUntilMs(order));
    ledger.rememberHash(orderHash);
    keepHash(world, order, orderHash);
  }
}
