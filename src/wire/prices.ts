// Prices of orders as the venue shows them, on the grid of their event or off it.

import { WireError } from '../domain/errors.ts';
import type { OrderReport } from '../domain/order.ts';
import { decimalOf, priceOn, type TickGrid, tickGrid, ticks } from '../domain/ticks.ts';

type OrderPrice = Pick<OrderReport, 'price' | 'ticksPerUnit' | 'isOffGrid'>;

/** Where nobody has told the grid of a token, or the price is off it. */
const FINEST = tickGrid('0.001');

/**
 * An order must be seen to be cancelled, whatever its price: one of a token outside our catalogue, and one
 * that is off the grid of its event. Those are told on the finest grid, to the nearest tick; nothing is
 * ever priced by it.
 * @throws {WireError} `wire.off_tick` where it is no price at all.
 * @spec Endpoints › POST /orders/market, rule 2
 */
export function orderPrice(grid: TickGrid | undefined, wire: string | number): OrderPrice {
  const known = grid && priceOn(grid, wire);
  if (grid !== undefined && known !== undefined) {
    return { price: known, ticksPerUnit: grid.ticksPerUnit };
  }
  const { ticksPerUnit } = FINEST;
  const exact = decimalOf(wire)?.times(ticksPerUnit);
  if (!exact || exact.lte(0) || exact.gte(ticksPerUnit)) {
    throw new WireError('wire.off_tick', 'a price between 0 and 1 expected');
  }
  const nearest = Math.min(Math.max(exact.round().toNumber(), 1), ticksPerUnit - 1);
  const told = { price: ticks(FINEST, nearest), ticksPerUnit };
  return exact.eq(nearest) ? told : { ...told, isOffGrid: true };
}
