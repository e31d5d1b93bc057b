// Prices of a list that was read before the catalogue count on the finest grid; the market may be known by
// the time the list is taken in, with a grid of its own.

import type { OrderReport } from '../domain/order.ts';
import { ticks } from '../domain/ticks.ts';
import type { World } from './world.ts';

/** The same orders with the prices of their markets' grids; `undefined` where one is on none of them. */
export function onMarketGrids(
  world: World,
  reports: readonly OrderReport[],
): readonly OrderReport[] | undefined {
  const converted = reports.map((report) => onMarketGrid(world, report));
  return converted.every((report) => report !== undefined) ? converted : undefined;
}

function onMarketGrid(world: World, report: OrderReport): OrderReport | undefined {
  const grid = world.marketOf(report.tokenId)?.grid;
  const { ticksPerUnit } = report;
  if (grid === undefined || ticksPerUnit === undefined || ticksPerUnit === grid.ticksPerUnit) {
    return report;
  }
  const price = (report.price * grid.ticksPerUnit) / ticksPerUnit;
  if (!Number.isInteger(price)) return undefined;
  return { ...report, price: ticks(grid, price), ticksPerUnit: grid.ticksPerUnit };
}
