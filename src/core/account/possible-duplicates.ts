// Where others trade on the account, an order that a list shows may be just like a placement of ours
// without an answer and be somebody else's. It is taken for ours, since to leave one of ours would be
// worse; but the placement may still arrive, and then there are two. Until it cannot any more, a possible duplicate of
// it is kept: an intent without a hash, for every kill, guard and next run to look for.

import { intentId, type OrderHash } from '../../domain/ids.ts';
import { NO_SHARES } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import { mayArriveUntilMs } from '../orders/horizon.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import type { LateOrder } from '../orders/restored.ts';
import type { OrderStores } from '../orders/stores.ts';
import { cancelScopeOf } from '../risk/cancel-scope.ts';
import { keepHash, storedOrder } from './records.ts';
import type { AccountStores } from './stores.ts';

/** An unknown placement was found under this hash, by what it asks for. */
export function onFound(stores: AccountStores, order: OwnOrder, orderHash: OrderHash): void {
  // Its own answer named it, if not by its place: no other one is still to come.
  if (!stores.batchOrderIds.take(orderHash)) keepDuplicateOf(stores, order);
  keepAnswered(stores, order, orderHash);
  stores.ledger.onFound(order, orderHash, stores.nowMs);
}

/**
 * An item of a batch was refused, and nobody reported by which code: prose is no proof. Until a list that was
 * asked for after it lacks one like it, that would be ours.
 */
export function keepRefused(stores: AccountStores, order: OwnOrder): void {
  keepDuplicateOf(stores, order, stores.nowMs);
}

/** Lists missed it for long enough to place another one: should it arrive after all, it is ours. */
export function keepGivenUp(stores: AccountStores, order: OwnOrder): void {
  const grid = stores.markets.get(order.marketId)?.grid;
  if (grid === undefined || order.isExternal) return;
  const { datedByMs } = order;
  keepLate(stores, { ...storedOrder(order, grid.ticksPerUnit), datedByMs, refusedAtMs: undefined });
}

/** Its answer had named another one: that hash stays ours for whoever comes after us. */
function keepAnswered(stores: AccountStores, order: OwnOrder, found: OrderHash): void {
  const { answeredHash } = order;
  if (answeredHash !== undefined && answeredHash !== found) keepHash(stores, order, answeredHash);
}

/** Until a placement can arrive no more, one like it is looked for. */
export function keepDuplicateOf(
  stores: AccountStores,
  order: OwnOrder,
  refusedAtMs?: UnixMs,
): void {
  const grid = stores.markets.get(order.marketId)?.grid;
  if (grid === undefined) return;
  const { datedByMs } = order;
  keepDuplicate(stores, { ...storedOrder(order, grid.ticksPerUnit), datedByMs, refusedAtMs });
}

/** The same of one that waits for its market. Where nobody else trades, nothing is like ours. */
export function keepDuplicate(stores: AccountStores, order: LateOrder): void {
  if (cancelScopeOf(stores) === 'own' && !order.isExternal) keepLate(stores, order);
}

function keepLate(stores: OrderStores, order: LateOrder): void {
  const { sentAtMs, datedByMs } = order;
  if (stores.nowMs > mayArriveUntilMs(stores, { sentAtMs, datedByMs })) return;
  const duplicate = {
    ...order,
    intentId: intentId(`${order.intentId}-duplicate`),
    orderHash: undefined,
    state: 'unknown',
    stateSinceMs: stores.nowMs,
    executed: NO_SHARES,
    failed: NO_SHARES,
    confirmedAtMs: undefined,
  } as const;
  if (!stores.restored.keepDuplicate(duplicate)) return;
  const { datedByMs: _, refusedAtMs: __, ...stored } = duplicate;
  stores.outbox.record({ kind: 'order', order: stored });
}
