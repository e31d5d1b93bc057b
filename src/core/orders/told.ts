// What an `order.update` says of an own order.

import type { OrderSignal, OrderStatus, OrderUpdate } from '../../domain/order.ts';
import { type MicroShares, microShares, NO_SHARES } from '../../domain/shares.ts';
import type { OwnOrder } from './own-order.ts';

/**
 * Shares that an update says have traded, those that failed among them where the venue goes on counting them.
 *
 * What `filledQuantity` says while an order is MATCHED is not stated, so the larger of it and
 * `quantity - remaining` counts; a MATCHED update that shows neither means the whole order. What
 * `remaining` says of a cancelled order is not stated either, so there only the filled part counts.
 * @spec Events › User channel (Auth)
 */
export function executedOf(order: OwnOrder, update: OrderUpdate): MicroShares {
  if (update.status === 'FILLED') return order.quantity;
  if (update.status === 'CANCELLED' || update.status === 'EXPIRED') return update.filledQuantity;
  const left = update.remaining ?? order.quantity;
  const executed = Math.max(update.filledQuantity, order.quantity - left);
  if (update.status === 'MATCHED' && executed <= 0) return order.quantity;
  return executed <= 0 ? NO_SHARES : microShares(executed);
}

/**
 * The quantity of an order of which nothing has traded by what is known, where the word of its rest shows
 * another than was sent. `OPEN` is said of what has not matched: less is no trade, but less than was sent.
 * @spec States and transitions › Order status values
 */
export function otherQuantity(order: OwnOrder, update: OrderUpdate): MicroShares | undefined {
  const { status, filledQuantity, remaining = NO_SHARES } = update;
  const isUntraded = order.executed <= 0 && order.failed <= 0 && filledQuantity <= 0;
  const isRest = status === 'OPEN' && remaining > 0;
  return isUntraded && isRest && remaining !== order.quantity ? remaining : undefined;
}

/** It has traded, and less is called filled than rests no more: this venue counts what has settled. */
export function countsSettledOnly(order: OwnOrder, update: OrderUpdate): boolean {
  const { status, filledQuantity, remaining } = update;
  if (status !== 'PARTIALLY_FILLED' && status !== 'MATCHED') return false;
  return filledQuantity <= 0 || filledQuantity < order.quantity - (remaining ?? order.quantity);
}

/**
 * Whether nothing of an order can have traded beyond what is known once its update was taken in. What
 * matched and has not settled may be missing from the word of an end: then what never traded is less than
 * the rest, where the venue shows that, and where it shows nothing its other words say what it counts.
 */
export function tellsAll(order: OwnOrder, update: OrderUpdate, isSettledOnly: boolean): boolean {
  const { status, remaining = NO_SHARES } = update;
  if (order.executed >= order.quantity || status === 'FILLED') return true;
  if (!isEnd(status)) return false;
  return remaining > 0 ? order.executed + remaining >= order.quantity : !isSettledOnly;
}

/** Whether an update tells of the end of its order. */
export function isEnd(status: OrderStatus): boolean {
  return status === 'CANCELLED' || status === 'EXPIRED' || status === 'FILLED';
}

/** What an update says of the state of its order. */
export function signalOf(order: OwnOrder, status: OrderStatus): OrderSignal {
  switch (status) {
    case 'OPEN':
      return 'open';
    case 'MATCHED':
      return order.executed < order.quantity ? 'partial' : 'matched';
    case 'PARTIALLY_FILLED':
      return 'partial';
    case 'FILLED':
      return 'filled';
    case 'CANCELLED':
      return 'cancelled';
    case 'EXPIRED':
      return 'expired';
  }
}
