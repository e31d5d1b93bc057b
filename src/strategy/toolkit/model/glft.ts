// Guéant, Lehalle and Fernandez-Tapia: the Avellaneda-Stoikov problem with bounded inventory, solved
// exactly and in its stationary form.
// Sources: Guéant, Lehalle, Fernandez-Tapia, Dealing with the inventory risk, Mathematics and Financial
// Economics 7, 2013; Guéant, Optimal market making, 2016 (lot size, separate risk parameters).

import { assert } from '../../../domain/assert.ts';
import { assertFinite, assertNotNegative, assertPositive } from '../numeric/domain.ts';
import { logStepsAfter } from '../numeric/inventory-growth.ts';
import { riskAverseMargin } from './avellaneda-stoikov.ts';
import { distancesOf, lotsUpTo, type QuoteDistances, startValue } from './inventory-table.ts';

/** The market and the maker as the models of this family see them. Lots are quotes of size one. */
export type FillModel = {
  /** gamma, per USD of one lot. */
  readonly riskAversionPerUsd: number;
  /** sigma, absolute price per square root of a second. */
  readonly priceVolPerSqrtSec: number;
  /** A: fills per second of a quote at distance zero. */
  readonly fillRatePerSec: number;
  /** k: the fill rate falls as `e^(-k distance)`, per unit of price. */
  readonly fillDecayPerPrice: number;
  /** m: expected price change per second; zero when left out. */
  readonly driftPerSec?: number;
  /** xi: how far the price moves against the maker with each fill; zero when left out. */
  readonly adverseMovePrice?: number;
};

/**
 * Stationary form, good while inventory is small beside its bound:
 * `c1 + (2q+1)/2 c2` for the bid and `c1 - (2q-1)/2 c2` for the ask, with `c1` the margin of
 * `riskAverseMargin` and `c2 = sqrt(sigma^2 gamma/(2 k A) (1+gamma/k)^(1+k/gamma))`. A drift shifts
 * `q` by `-m/(gamma sigma^2)`; an adverse move adds `xi/2` to both and a factor `e^(k xi/4)` to `c2`.
 */
export function glftDistances(
  model: FillModel,
  inventoryLots: number,
): { readonly bid: number; readonly ask: number } {
  assertModel(model);
  assertFinite({ inventoryLots });
  const { riskAversionPerUsd: gamma, fillDecayPerPrice: k, adverseMovePrice = 0 } = model;
  const held = inventoryLots - driftLots(model);
  const c1 = riskAverseMargin(gamma, k) + adverseMovePrice / 2;
  const variance = model.priceVolPerSqrtSec ** 2 * gamma;
  const c2 = Math.sqrt(variance / (2 * k * fillScale(model)));
  return { bid: c1 + (held + 0.5) * c2, ask: c1 - (held - 0.5) * c2 };
}

/** `A (1+gamma/k)^-(1+k/gamma) e^(-k xi/2)`, called eta. */
function fillScale(model: FillModel): number {
  const { riskAversionPerUsd: gamma, fillDecayPerPrice: k, adverseMovePrice = 0 } = model;
  const power = (1 + k / gamma) * Math.log1p(gamma / k);
  return model.fillRatePerSec * Math.exp(-power - (k * adverseMovePrice) / 2);
}

/** The inventory that the drift makes desirable. */
function driftLots({ driftPerSec = 0, riskAversionPerUsd, priceVolPerSqrtSec }: FillModel): number {
  return driftPerSec === 0 ? 0 : driftPerSec / (riskAversionPerUsd * priceVolPerSqrtSec ** 2);
}

export type BoundedFillModel = FillModel & {
  /** Q: the largest position, in whole lots. */
  readonly inventoryLotsMax: number;
  /** T - t. `Infinity` gives the stationary quotes, a thousand times faster. */
  readonly horizonSec: number;
};

/**
 * Exact distances for every inventory from `-Q` (first) to `Q` (last): solve it once for a set of
 * parameters and look quotes up.
 *
 * With `alpha = k gamma sigma^2/2` and `eta` as above, `v' = (alpha q^2 - k m q) v - eta (v_{q-1} +
 * v_{q+1})` backwards from `e^(-k xi q^2/2)`; then `(1/k) ln(v_q/v_{q+1}) + margin + xi/2` for the
 * bid, and `v_{q-1}` for the ask.
 */
export function exactGlftDistances(model: BoundedFillModel): readonly QuoteDistances[] {
  assertModel(model);
  const { inventoryLotsMax: most, horizonSec, fillDecayPerPrice: k } = model;
  const { driftPerSec = 0, adverseMovePrice = 0, riskAversionPerUsd: gamma } = model;
  const lots = lotsUpTo(most);
  const alpha = (k * gamma * model.priceVolPerSqrtSec ** 2) / 2;
  const beside = lots.map(() => fillScale(model));
  const diagonal = lots.map((q) => k * driftPerSec * q - alpha * q ** 2);
  const start = lots.map((q) => startValue((k * adverseMovePrice * q ** 2) / 2));
  const matrix = { toPrevious: beside, diagonal, toNext: beside };
  const logSteps = logStepsAfter(matrix, start, horizonSec);
  const margin = riskAverseMargin(gamma, k) + adverseMovePrice / 2;
  return distancesOf(logSteps, { fillDecayPerPrice: k, marginPrice: margin });
}

export type LotFillModel = {
  readonly riskAversionPerUsd: number;
  /** xi: risk aversion towards the randomness of fills; zero for none, gamma for plain utility. */
  readonly fillRiskAversionPerUsd: number;
  readonly priceVolPerSqrtSec: number;
  readonly fillRatePerSec: number;
  readonly fillDecayPerPrice: number;
  /** Delta: shares in one quote. */
  readonly lotShares: number;
};

/**
 * Stationary form for any lot size: half spread `c1 + Delta sigma c2/2` and skew `sigma c2` per
 * share held, with `c1 = ln(1 + xi Delta/k)/(xi Delta)` and
 * `c2 = sqrt(gamma/(2 A Delta k) (1 + xi Delta/k)^(k/(xi Delta) + 1))`.
 */
export function glftByLot(model: LotFillModel): {
  readonly halfSpread: number;
  readonly skewPerShare: number;
} {
  const { riskAversionPerUsd, fillRatePerSec, fillDecayPerPrice: k, lotShares } = model;
  const { priceVolPerSqrtSec, fillRiskAversionPerUsd } = model;
  assertPositive({ fillRatePerSec, fillDecayPerPrice: k, lotShares });
  assertNotNegative({ riskAversionPerUsd, fillRiskAversionPerUsd, priceVolPerSqrtSec });
  const risk = fillRiskAversionPerUsd * lotShares;
  const c1 = riskAverseMargin(risk, k);
  // c1 k = ln(1 + x)/x with x = risk/k, so the power is e^(c1 k (1 + x)).
  const power = Math.exp(c1 * k * (1 + risk / k));
  const c2 = Math.sqrt((riskAversionPerUsd / (2 * fillRatePerSec * lotShares * k)) * power);
  const skewPerShare = priceVolPerSqrtSec * c2;
  return { halfSpread: c1 + (lotShares * skewPerShare) / 2, skewPerShare };
}

function assertModel(model: FillModel): void {
  const { riskAversionPerUsd, fillRatePerSec, fillDecayPerPrice, priceVolPerSqrtSec } = model;
  const { driftPerSec = 0, adverseMovePrice = 0 } = model;
  assertPositive({ riskAversionPerUsd, fillRatePerSec, fillDecayPerPrice });
  assertNotNegative({ priceVolPerSqrtSec, adverseMovePrice });
  assertFinite({ driftPerSec });
  const isDriftPriced = driftPerSec === 0 || priceVolPerSqrtSec > 0;
  assert(isDriftPriced, 'a drift without volatility would be free money');
}
