// Whether the order that an answer shows is the one that was sent: a hash given to the wrong order
// would cancel the wrong order.

import type { LimitOrder } from '../../domain/order.ts';
import { formatShares } from '../../domain/shares.ts';
import { decimalOf, formatPrice, type TickGrid } from '../../domain/ticks.ts';
import type { OrderEcho } from '../../wire/orders.ts';

/**
 * `otherwise`: of the same token and side, and of another price or quantity, as where a venue rounds or
 * caps. `another`: it is about something else. Fields that the answer leaves out agree with anything.
 */
export type EchoKind = 'same' | 'otherwise' | 'another';

/** What an answer is about, seen from the order that was sent. */
export function echoKind(echo: OrderEcho, order: LimitOrder, grid: TickGrid): EchoKind {
  const isAnother =
    (echo.tokenId !== undefined && echo.tokenId !== order.tokenId) ||
    (echo.side !== undefined && echo.side !== order.side);
  if (isAnother) return 'another';
  const isSame =
    agrees(echo.price, formatPrice(grid, order.price)) &&
    agrees(echo.quantity, formatShares(order.quantity));
  return isSame ? 'same' : 'otherwise';
}

function agrees(shown: string | number | undefined, sent: string): boolean {
  if (shown === sent) return true;
  const value = shown === undefined ? undefined : decimalOf(shown);
  return value === undefined || value.eq(sent);
}
