// Order sizes from a concentrated-liquidity curve around a price.
// Source: Polymarket/poly-market-maker, AMM strategy.

import type { TickGrid } from '../../../domain/ticks.ts';
import { assertNotNegative, assertPositive, assertWhole, clamped } from '../numeric/domain.ts';

export type AmmShape = {
  /** Distance of the best bid and ask from the price. */
  readonly spreadTicks: number;
  readonly stepTicks: number;
  /** How far from the price the liquidity reaches. */
  readonly depthTicks: number;
  readonly priceTicksMin: number;
  readonly priceTicksMax: number;
};

/** One quote of the curve. */
export type AmmLevel = { readonly ticks: number; readonly shares: number };

/**
 * Bids from `P - spread` in steps down to `p_l = max(P - depth, p_min)`: with `L = y/(sqrt(P) -
 * sqrt(p_l))` the curve has bought `L (1/sqrt(p) - 1/sqrt(P))` shares at `p`, and each level takes
 * what it adds. Together they cost about the collateral `y`.
 */
export function ammBids(
  grid: TickGrid,
  at: { readonly priceTicks: number; readonly collateralUsd: number },
  shape: AmmShape,
): readonly AmmLevel[] {
  assertShape(shape, at.priceTicks);
  assertNotNegative({ collateralUsd: at.collateralUsd });
  const end = lowest(at.priceTicks, shape);
  if (end >= at.priceTicks) return [];
  const root = rootOn(grid);
  const liquidity = at.collateralUsd / (root(at.priceTicks) - root(end));
  const bought = (ticks: number) => liquidity * (1 / root(ticks) - 1 / root(at.priceTicks));
  return levels(-1, { priceTicks: at.priceTicks, end, cumulative: bought }, shape);
}

/**
 * Asks from `P + spread` in steps up to `p_u = min(P + depth, p_max)`: with `L = x/(1/sqrt(P) -
 * 1/sqrt(p_u))` the curve has sold `x + L/sqrt(p_u) - L/sqrt(p)` of `x` shares at `p`.
 */
export function ammAsks(
  grid: TickGrid,
  at: { readonly priceTicks: number; readonly tokenShares: number },
  shape: AmmShape,
): readonly AmmLevel[] {
  assertShape(shape, at.priceTicks);
  assertNotNegative({ tokenShares: at.tokenShares });
  const end = Math.min(at.priceTicks + shape.depthTicks, shape.priceTicksMax);
  if (end <= at.priceTicks) return [];
  const root = rootOn(grid);
  const liquidity = at.tokenShares / (1 / root(at.priceTicks) - 1 / root(end));
  const sold = (ticks: number) => liquidity * (1 / root(at.priceTicks) - 1 / root(ticks));
  return levels(1, { priceTicks: at.priceTicks, end, cumulative: sold }, shape);
}

/** `phi`: shares of the best bid per USD of collateral; zero where the curve has no bid. */
export function ammBestBidPerUsd(grid: TickGrid, priceTicks: number, shape: AmmShape): number {
  return ammBids(grid, { priceTicks, collateralUsd: 1 }, shape)[0]?.shares ?? 0;
}

/** One token of a market as the split of collateral sees it. */
export type AmmToken = {
  /** From `ammBestBidPerUsd`. */
  readonly bestBidPerUsd: number;
  /** Shares of the token's best ask. */
  readonly bestAskShares: number;
};

/**
 * Collateral for the bids of token A, the rest being B's, such that the best bid for one token with
 * the best ask of the other weighs the same on both sides:
 * `clamp((ask_A - ask_B + C phi_B)/(phi_A + phi_B), 0, C)`.
 */
export function ammCollateralOfA(collateralUsd: number, a: AmmToken, b: AmmToken): number {
  assertNotNegative({ collateralUsd, ...a });
  assertNotNegative({ ...b });
  const slope = a.bestBidPerUsd + b.bestBidPerUsd;
  if (slope === 0) return 0;
  const balanced = a.bestAskShares - b.bestAskShares + collateralUsd * b.bestBidPerUsd;
  return clamped(balanced / slope, 0, collateralUsd);
}

function lowest(priceTicks: number, shape: AmmShape): number {
  return Math.max(priceTicks - shape.depthTicks, shape.priceTicksMin);
}

function rootOn(grid: TickGrid): (ticks: number) => number {
  return (ticks) => Math.sqrt(ticks / grid.ticksPerUnit);
}

function levels(
  away: 1 | -1,
  curve: {
    readonly priceTicks: number;
    readonly end: number;
    readonly cumulative: (ticks: number) => number;
  },
  shape: AmmShape,
): readonly AmmLevel[] {
  const { priceTicks, end, cumulative } = curve;
  const count = Math.floor((Math.abs(end - priceTicks) - shape.spreadTicks) / shape.stepTicks) + 1;
  const at = (index: number) => priceTicks + away * (shape.spreadTicks + index * shape.stepTicks);
  return Array.from({ length: Math.max(0, count) }, (_, index) => ({
    ticks: at(index),
    shares: cumulative(at(index)) - (index === 0 ? 0 : cumulative(at(index - 1))),
  }));
}

function assertShape(shape: AmmShape, priceTicks: number): void {
  assertWhole({ ...shape, priceTicks });
  assertPositive({ priceTicks, stepTicks: shape.stepTicks, priceTicksMin: shape.priceTicksMin });
  assertNotNegative({ spreadTicks: shape.spreadTicks, depthTicks: shape.depthTicks });
}
