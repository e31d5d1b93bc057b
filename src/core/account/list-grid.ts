// Prices of a list that was read before the catalogue count on the finest grid; the market may be known by
// the time the list is taken in, with a grid of its own. An order may be off that grid, too: a market order's
// computed price, or what rests from before the tick size changed.
// @spec Endpoints › POST /orders/market, rule 2

import type { OrderReport } from '../../domain/order.ts';
import { type TickGrid, type Ticks, ticks } from '../../domain/ticks.ts';
import type { AccountStores } from './stores.ts';

/** The same orders with the prices of their markets' grids; one that is on none of them says so. */
export function onMarketGrids(
  stores: AccountStores,
  reports: readonly OrderReport[],
): readonly OrderReport[] {
  return reports.map((report) => onMarketGrid(stores, report));
}

function onMarketGrid(stores: AccountStores, report: OrderReport): OrderReport {
  const grid = stores.byToken.get(report.tokenId)?.market.grid;
  const { ticksPerUnit } = report;
  if (grid === undefined || ticksPerUnit === undefined || ticksPerUnit === grid.ticksPerUnit) {
    return report;
  }
  const price = (report.price * grid.ticksPerUnit) / ticksPerUnit;
  if (!Number.isInteger(price)) return { ...report, isOffGrid: true };
  return { ...report, price: ticks(grid, price), ticksPerUnit: grid.ticksPerUnit };
}

/** The tick of a grid that an order counts at: its own, or the one next to it that costs its owner more. */
export function countedAt(
  grid: TickGrid,
  report: Pick<OrderReport, 'side' | 'price' | 'ticksPerUnit'>,
): Ticks {
  const { side, price, ticksPerUnit = grid.ticksPerUnit } = report;
  const exact = (price * grid.ticksPerUnit) / ticksPerUnit;
  const tick = side === 'BUY' ? Math.ceil(exact) : Math.floor(exact);
  return ticks(grid, Math.min(Math.max(tick, 1), grid.ticksPerUnit - 1));
}
