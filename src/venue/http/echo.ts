// Whether the order that an answer shows is the one that was sent: a hash given to the wrong order
// would cancel the wrong order.

import type { LimitOrder } from '../../domain/order.ts';
import { formatShares } from '../../domain/shares.ts';
import { decimalOf, formatPrice, type TickGrid } from '../../domain/ticks.ts';
import type { OrderEcho } from '../../wire/orders.ts';

/** Fields that the answer leaves out agree with anything. */
export function isEchoOf(echo: OrderEcho, order: LimitOrder, grid: TickGrid): boolean {
  return (
    (echo.tokenId === undefined || echo.tokenId === order.tokenId) &&
    (echo.side === undefined || echo.side === order.side) &&
    agrees(echo.price, formatPrice(grid, order.price)) &&
    agrees(echo.quantity, formatShares(order.quantity))
  );
}

function agrees(shown: string | number | undefined, sent: string): boolean {
  if (shown === sent) return true;
  const value = shown === undefined ? undefined : decimalOf(shown);
  return value === undefined || value.eq(sent);
}
