// Avellaneda-Stoikov as hummingbot runs it: inventory as a fraction of the portfolio, volatility
// itself in place of its square.
// Source: hummingbot/hummingbot, avellaneda_market_making.

import { type ModelQuotes, riskAverseMargin } from '../model/avellaneda-stoikov.ts';
import {
  assertFinite,
  assertNotNegative,
  assertPositive,
  clamped,
  sum,
} from '../numeric/domain.ts';

export type Portfolio = {
  readonly baseShares: number;
  readonly cashUsd: number;
  readonly price: number;
};

/**
 * How far the portfolio is from its target: `(base - target)/total`, where total is the portfolio in
 * shares at this price and target a fraction of it. From -1 to 1.
 */
export function inventoryDeviation(portfolio: Portfolio, targetFraction: number): number {
  const total = totalShares(portfolio);
  return (portfolio.baseShares - targetFraction * total) / total;
}

function totalShares({ baseShares, cashUsd, price }: Portfolio): number {
  assertPositive({ price });
  assertNotNegative({ baseShares, cashUsd });
  const total = baseShares + cashUsd / price;
  assertPositive({ total });
  return total;
}

/** Samples kept for the volatility. */
export const SAMPLES_MAX = 200;

/** Adds a sample, and gives up the oldest beyond `SAMPLES_MAX`. */
export function withPriceSample(samples: readonly number[], price: number): readonly number[] {
  assertFinite({ price });
  return [...samples, price].slice(-SAMPLES_MAX);
}

/** `sqrt(sum of squared differences / number of samples)`, absolute price per sample. */
export function sampledVolatility(samples: readonly number[]): number | undefined {
  if (samples.length < 2) return undefined;
  const squares = samples.slice(1).map((price, index) => (price - (samples[index] ?? price)) ** 2);
  return Math.sqrt(sum(squares) / samples.length);
}

export type ScaledAvellaneda = {
  readonly midPrice: number;
  /** From `inventoryDeviation`. */
  readonly deviation: number;
  readonly riskFactor: number;
  /** From `sampledVolatility`. */
  readonly volatilityPrice: number;
  /** f: one without an end, otherwise the part of the session that is left. */
  readonly sessionLeft: number;
  /** kappa of the fitted intensity, per unit of price. */
  readonly fillDecayPerPrice: number;
  /** Bid and ask stay at least half of this away from the middle. */
  readonly spreadPriceMin: number;
};

/**
 * `r = mid - q gamma vol f`, spread `gamma vol f + (2/gamma) ln(1+gamma/kappa)`; bid and ask half of it
 * from `r`.
 */
export function scaledAvellaneda(
  model: ScaledAvellaneda,
): ModelQuotes & { readonly spread: number } {
  const { midPrice, deviation, riskFactor, volatilityPrice, sessionLeft } = model;
  assertFinite({ midPrice, deviation });
  assertNotNegative({ volatilityPrice, sessionLeft, spreadPriceMin: model.spreadPriceMin });
  const risk = riskFactor * volatilityPrice * sessionLeft;
  const reservation = midPrice - deviation * risk;
  const spread = risk + 2 * riskAverseMargin(riskFactor, model.fillDecayPerPrice);
  const halfMin = model.spreadPriceMin / 2;
  const bid = Math.min(reservation - spread / 2, midPrice - halfMin);
  const ask = Math.max(reservation + spread / 2, midPrice + halfMin);
  return { reservation, spread, bid, ask };
}

/** Extra distance of level `i` (0 is the best): `i (spread/2)/100 x`, `x` in percent of the half spread. */
export function levelDistance(level: number, spread: number, spacingPercent: number): number {
  return level * (spread / 2 / 100) * spacingPercent;
}

/** Size on the side that adds to the deviation: `size e^(-eta |q|)`; the other side keeps its size. */
export function shapedSize(
  size: number,
  by: { readonly side: 'bid' | 'ask'; readonly deviation: number; readonly shape: number },
): number {
  assertNotNegative({ size, shape: by.shape });
  const isAdding = by.side === 'bid' ? by.deviation > 0 : by.deviation < 0;
  return isAdding ? size * Math.exp(-by.shape * Math.abs(by.deviation)) : size;
}

/**
 * Factors for the sizes of bids and asks that steer a portfolio to its target: the bid's falls in
 * straight lines from 2 over 1 to 0 as the shares' value rises from target - range over target to
 * target + range; the ask's is 2 minus it. A range wider than half the portfolio is cut to that.
 *
 * Source: hummingbot/hummingbot, inventory_skew_calculator.
 */
export function inventoryMultipliers(
  portfolio: Portfolio,
  target: { readonly fraction: number; readonly rangeShares: number },
): { readonly bid: number; readonly ask: number } {
  const { price, baseShares } = portfolio;
  assertPositive({ rangeShares: target.rangeShares });
  const total = totalShares(portfolio) * price;
  const range = Math.min(target.rangeShares * price, total / 2);
  const bid = clamped(1 + (total * target.fraction - baseShares * price) / range, 0, 2);
  return { bid, ask: 2 - bid };
}
