// Own resting orders as audits of the book: where the venue says they rest, the book must show all of them.

import type { BookSide } from '../../domain/message.ts';
import { isOnBook } from '../../domain/order.ts';
import type { UnixMs } from '../../domain/time.ts';
import { type OwnOrder, remaining } from '../orders/own-order.ts';
import { rankOf } from './levels.ts';
import type { BookMirror } from './mirror.ts';

/** What the own-order audits of one book are asked with. */
export type OwnOrderLook = {
  readonly leg: OwnOrder['leg'];
  readonly nowMs: UnixMs;
  /** An order that stands as it is for so long must show. */
  readonly settledMs: number;
};

/**
 * An own order whose level shows less than all own orders that must be there; `undefined` when each
 * level shows enough.
 */
export function missingOwnOrder(
  mirror: BookMirror,
  orders: Iterable<OwnOrder>,
  at: OwnOrderLook,
): OwnOrder | undefined {
  for (const order of orders) {
    if (!isDue(mirror, order, at)) continue;
    if (displayedAt(mirror, order) < ownAt(mirror, orders, order, at)) return order;
  }
  return undefined;
}

/** What all own orders at the level of one add up to, as far as they must show by now. */
function ownAt(
  mirror: BookMirror,
  orders: Iterable<OwnOrder>,
  one: OwnOrder,
  at: OwnOrderLook,
): number {
  let sum = 0;
  for (const order of orders) {
    if (isOfOneLevel(order, one) && isDue(mirror, order, at)) sum += remaining(order);
  }
  return sum;
}

function isOfOneLevel(one: OwnOrder, other: OwnOrder): boolean {
  return one.price === other.price && one.side === other.side;
}

/** A level beyond the known window is unknown, not absent. */
function isDue(mirror: BookMirror, order: OwnOrder, at: OwnOrderLook): boolean {
  if (order.leg !== at.leg || !isSettledIn(order, at)) return false;
  return !isBeyondEdge(mirror, order);
}

/** The order stands as it is for so long that the book must have caught up with it. */
function isSettledIn(order: OwnOrder, { nowMs, settledMs }: OwnOrderLook): boolean {
  const isResting = isOnBook(order.state);
  if (!isResting || order.confirmedAtMs === undefined || order.executed >= order.quantity) {
    return false;
  }
  const changedAtMs = Math.max(order.confirmedAtMs, order.stateSinceMs, order.executedAtMs ?? 0);
  return nowMs - changedAtMs >= settledMs;
}

function isBeyondEdge(mirror: BookMirror, order: OwnOrder): boolean {
  const side = bookSideOf(order);
  const edge = mirror.edge(side);
  if (edge === undefined) return false;
  return rankOf(mirror.grid, side, order.price) < rankOf(mirror.grid, side, edge);
}

function displayedAt(mirror: BookMirror, order: OwnOrder): number {
  const side = bookSideOf(order);
  return mirror.levels(side).at(rankOf(mirror.grid, side, order.price));
}

function bookSideOf({ side }: OwnOrder): BookSide {
  return side === 'BUY' ? 'bid' : 'ask';
}
