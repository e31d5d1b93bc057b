// From a computed price to a tick: always away from the fair price, so that rounding never gives edge
// away.

import { type TickGrid, type Ticks, ticksWithin } from '../../domain/ticks.ts';
import type { AxisSide, QuotePurpose } from '../contract.ts';

/**
 * A computed price this near to a tick lies on it: 0.425 - 0.025 is 40 ticks of 0.01, not 39.99…
 * It is a million times the rounding of doubles, and a millionth of a tick of edge.
 */
const ON_TICK = 1e-6;

/** Whole ticks at or below a price; the count may lie outside the price range. */
export function ticksAtOrBelow(grid: TickGrid, price: number): number {
  return Math.floor(price * grid.ticksPerUnit + ON_TICK);
}

/** Whole ticks at or above a price; the count may lie outside the price range. */
export function ticksAtOrAbove(grid: TickGrid, price: number): number {
  return Math.ceil(price * grid.ticksPerUnit - ON_TICK);
}

export type WantedPrice = {
  readonly side: AxisSide;
  readonly price: number;
  readonly fairPrice: number;
  /** A `reduce` quote may lie at the fair price, and through it. */
  readonly purpose: QuotePurpose;
};

/**
 * The tick of a quote: bids round down, asks up; what adds to the position stays strictly below the
 * fair price, or above it. `undefined` outside the price range, and for a price that is no number.
 */
export function quoteTicks(grid: TickGrid, wanted: WantedPrice): Ticks | undefined {
  const { side, price, fairPrice, purpose } = wanted;
  const isBid = side === 'bid';
  const rounded = isBid ? ticksAtOrBelow(grid, price) : ticksAtOrAbove(grid, price);
  if (purpose === 'reduce') return ticksWithin(grid, rounded);
  const limit = isBid ? ticksBelow(grid, fairPrice) : ticksAbove(grid, fairPrice);
  return ticksWithin(grid, isBid ? Math.min(rounded, limit) : Math.max(rounded, limit));
}

/** The highest whole tick strictly below a price. */
export function ticksBelow(grid: TickGrid, price: number): number {
  return ticksAtOrAbove(grid, price) - 1;
}

/** The lowest whole tick strictly above a price. */
export function ticksAbove(grid: TickGrid, price: number): number {
  return ticksAtOrBelow(grid, price) + 1;
}
