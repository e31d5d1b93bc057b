// Orders that are matched in full are off the book, and not over: where a settlement fails their shares
// may rest again. A daemon that lives on cancels them then, and one that has ended cannot.

import { isCommitted } from '../domain/order.ts';
import { addMs, type UnixMs } from '../domain/time.ts';
import { SETTLEMENT_MS } from './orders/deadlines.ts';
import type { OwnOrder } from './orders/own-order.ts';
import type { World } from './world.ts';

/** Matched lately, and neither settled nor failed as far as anybody has said. */
export function settlingOrders(world: World): readonly OwnOrder[] {
  return world.ledger
    .notEnded()
    .filter((order) => isSettling(order) && untilMs(order) > world.nowMs);
}

/**
 * Until when an order may come back to the book: while one settles, and when its settlement has just
 * failed, which the list has to have the time to show.
 */
export function mayRestAgainUntilMs(world: World, quietMs: number): UnixMs | undefined {
  const times = world.ledger.notEnded().flatMap((order) => {
    if (order.isForeign) return [];
    if (isSettling(order)) return [untilMs(order)];
    return order.failedAtMs === undefined ? [] : [addMs(order.failedAtMs, quietMs)];
  });
  return times.length === 0 ? undefined : times.reduce((one, other) => (one > other ? one : other));
}

export function settlingText(orders: number): string {
  return `${orders} matched orders settle, and one that fails may rest again`;
}

function isSettling({ state, isForeign }: OwnOrder): boolean {
  return isCommitted(state) && !isForeign;
}

function untilMs({ executedAtMs, stateSinceMs }: OwnOrder): UnixMs {
  return addMs(executedAtMs ?? stateSinceMs, SETTLEMENT_MS);
}
