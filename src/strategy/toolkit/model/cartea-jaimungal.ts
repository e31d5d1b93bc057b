// Cartea and Jaimungal: a maker who pays a running penalty for inventory instead of having a utility.
// Source: Cartea, Jaimungal, Penalva, Algorithmic and High-Frequency Trading, 2015, chapter 10.

import { assertNotNegative, assertPositive } from '../numeric/domain.ts';
import { logStepsAfter } from '../numeric/inventory-growth.ts';
import { distancesOf, lotsUpTo, type QuoteDistances, startValue } from './inventory-table.ts';

export type PenaltyModel = {
  /** lambda+: market buys per second that would take our ask at distance zero. */
  readonly buysPerSec: number;
  /** lambda-: market sells per second that would take our bid at distance zero. */
  readonly sellsPerSec: number;
  /** kappa, per unit of price. */
  readonly fillDecayPerPrice: number;
  /** phi, USD per share² and second; `gamma sigma^2/2` links it to Avellaneda-Stoikov. */
  readonly runningPenaltyUsd: number;
  /** alpha, USD per share² held at the end. */
  readonly finalPenaltyUsd: number;
  /** Q, in whole shares (or lots, if all units are). */
  readonly inventoryLotsMax: number;
  /** tau. `Infinity` gives the stationary quotes, a thousand times faster; it needs flow both ways. */
  readonly horizonSec: number;
};

/**
 * Distances from the fair price for every inventory from `-Q` (first) to `Q` (last).
 *
 * With `B_qq = -phi kappa q^2`, `B_{q,q-1} = lambda+/e`, `B_{q,q+1} = lambda-/e` and
 * `z_q = e^(-alpha kappa q^2)`: `h = ln(e^(B tau) z)/kappa`, the ask `1/kappa + h_q - h_{q-1}` away
 * and the bid `1/kappa + h_q - h_{q+1}`.
 */
export function carteaJaimungalDistances(model: PenaltyModel): readonly QuoteDistances[] {
  const { buysPerSec, sellsPerSec, fillDecayPerPrice: kappa } = model;
  const { runningPenaltyUsd, finalPenaltyUsd, horizonSec } = model;
  assertPositive({ fillDecayPerPrice: kappa });
  assertNotNegative({ buysPerSec, sellsPerSec, runningPenaltyUsd, finalPenaltyUsd });
  const lots = lotsUpTo(model.inventoryLotsMax);
  const matrix = {
    toPrevious: lots.map(() => buysPerSec / Math.E),
    diagonal: lots.map((q) => -runningPenaltyUsd * kappa * q ** 2),
    toNext: lots.map(() => sellsPerSec / Math.E),
  };
  const start = lots.map((q) => startValue(finalPenaltyUsd * kappa * q ** 2));
  const logSteps = logStepsAfter(matrix, start, horizonSec);
  return distancesOf(logSteps, { fillDecayPerPrice: kappa, marginPrice: 1 / kappa });
}
