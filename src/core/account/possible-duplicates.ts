// Where others trade on the account, an order that a list shows may be just like a placement of ours
// without an answer and be somebody else's. It is taken for ours, since to leave one of ours would be
// worse; but the placement may still arrive, and then there are two. Until it cannot any more, a possible duplicate of
// it is kept: an intent without a hash, for every kill, guard and next run to look for.

import { intentId, type OrderHash } from '../../domain/ids.ts';
import { NO_SHARES } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import type { World } from '../world.ts';
import { keepHash, storedOrder } from './records.ts';
import type { LateOrder } from './restored.ts';

/** An unknown placement was found under this hash, by what it asks for. */
export function onFound(world: World, order: OwnOrder, orderHash: OrderHash): void {
  // Its own answer named it, if not by its place: no other one is still to come.
  if (!world.batchOrderIds.take(orderHash)) keepDuplicateOf(world, order);
  keepAnswered(world, order, orderHash);
  world.ledger.onFound(order, orderHash, world.nowMs);
}

/**
 * An item of a batch was refused, and nobody reported by which code: prose is no proof. Until a list that was
 * asked for after it lacks one like it, that would be ours.
 */
export function keepRefused(world: World, order: OwnOrder): void {
  keepDuplicateOf(world, order, world.nowMs);
}

/** Lists missed it for long enough to place another one: should it arrive after all, it is ours. */
export function keepGivenUp(world: World, order: OwnOrder): void {
  const grid = world.markets.get(order.marketId)?.grid;
  if (grid === undefined || order.isExternal) return;
  const { datedByMs } = order;
  keepLate(world, { ...storedOrder(order, grid.ticksPerUnit), datedByMs, refusedAtMs: undefined });
}

/** Its answer had named another one: that hash stays ours for whoever comes after us. */
function keepAnswered(world: World, order: OwnOrder, found: OrderHash): void {
  const { answeredHash } = order;
  if (answeredHash !== undefined && answeredHash !== found) keepHash(world, order, answeredHash);
}

/** Until a placement can arrive no more, one like it is looked for. */
export function keepDuplicateOf(world: World, order: OwnOrder, refusedAtMs?: UnixMs): void {
  const grid = world.markets.get(order.marketId)?.grid;
  if (grid === undefined) return;
  const { datedByMs } = order;
  keepDuplicate(world, { ...storedOrder(order, grid.ticksPerUnit), datedByMs, refusedAtMs });
}

/** The same of one that waits for its market. Where nobody else trades, nothing is like ours. */
export function keepDuplicate(world: World, order: LateOrder): void {
  if (world.cancelScope === 'own' && !order.isExternal) keepLate(world, order);
}

function keepLate(world: World, order: LateOrder): void {
  const { sentAtMs, datedByMs } = order;
  if (world.nowMs > world.mayArriveUntilMs({ sentAtMs, datedByMs })) return;
  const duplicate = {
    ...order,
    intentId: intentId(`${order.intentId}-duplicate`),
    orderHash: undefined,
    state: 'unknown',
    stateSinceMs: world.nowMs,
    executed: NO_SHARES,
    failed: NO_SHARES,
    confirmedAtMs: undefined,
  } as const;
  if (!world.restored.keepDuplicate(duplicate)) return;
  const { datedByMs: _, refusedAtMs: __, ...stored } = duplicate;
  world.outbox.record({ kind: 'order', order: stored });
}
