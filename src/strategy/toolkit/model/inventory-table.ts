// Distances for every inventory between two bounds: what an exact solution gives, solved once for a
// set of parameters and looked up at each quote.

import { assert } from '../../../domain/assert.ts';
import { assertWhole } from '../numeric/domain.ts';

/** Distances from the fair price, positive away from it; `undefined` where no quote is wanted. */
export type QuoteDistances = { readonly bid: number | undefined; readonly ask: number | undefined };

/**
 * A table has at most twice as many rows. A position bound of fifty quotes is plenty, and tables for a
 * horizon take the cube of it in steps: some ms for 20 lots. Without a horizon it is its square, and
 * small enough to be solved anew for every quote.
 */
export const LOTS_MAX = 50;

/** All inventories from `-most` to `most`. @throws {AssertionError} When `most` is out of bounds. */
export function lotsUpTo(most: number): readonly number[] {
  assertWhole({ inventoryLotsMax: most });
  assert(most >= 1 && most <= LOTS_MAX, 'a position is bounded by 1 to LOTS_MAX lots');
  return Array.from({ length: 2 * most + 1 }, (_, row) => row - most);
}

/** `e^-x`, but never nothing: a row at zero could not grow back in the logarithm. */
export function startValue(x: number): number {
  return Math.max(Math.exp(-x), 1e-300);
}

/**
 * `ln(v_q/v_{q+1})/decay + margin` for the bid, and `v_{q-1}` for the ask.
 * @param logSteps - `ln(v_{q+1}/v_q)` for each inventory but the last.
 */
export function distancesOf(
  logSteps: readonly (number | undefined)[],
  by: { readonly fillDecayPerPrice: number; readonly marginPrice: number },
): readonly QuoteDistances[] {
  const away = (logStep: number | undefined) =>
    logStep === undefined ? undefined : logStep / by.fillDecayPerPrice + by.marginPrice;
  const down = logSteps.map((step) => (step === undefined ? undefined : -step));
  return Array.from({ length: logSteps.length + 1 }, (_, row) => ({
    bid: away(down[row]),
    ask: away(logSteps[row - 1]),
  }));
}

/** The distances at one inventory of a solved table; none outside it. */
export function distancesAt(
  table: readonly QuoteDistances[],
  inventoryLots: number,
): QuoteDistances {
  assertWhole({ inventoryLots });
  const middle = (table.length - 1) / 2;
  return table[inventoryLots + middle] ?? { bid: undefined, ask: undefined };
}
