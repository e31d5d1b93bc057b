// Quantities that the venue accepts: at or above the minimum notional, in whole steps, within a cap.

import { assert } from '../../domain/assert.ts';
import {
  MICRO_PER_SHARE,
  MICRO_SHARES_MAX,
  type MicroShares,
  maxShares,
  microShares,
  shares,
} from '../../domain/shares.ts';
import { complement, type TickGrid, type Ticks } from '../../domain/ticks.ts';
import { MIN_NOTIONAL_USDC } from '../../domain/usdc.ts';

/**
 * The smallest quantity whose value at a price reaches the minimum, rounded up to a step.
 * @spec Limits
 */
export function quantityMin(grid: TickGrid, price: Ticks, step: MicroShares): MicroShares {
  const notional = MIN_NOTIONAL_USDC * grid.ticksPerUnit * MICRO_PER_SHARE;
  return roundedUp(Math.ceil(notional / price), step);
}

/**
 * The smallest quantity that is legal whichever leg carries the quote: a bid for YES at `p` may
 * become a sale of NO at `1 - p`, whose value is another.
 */
export function quantityMinOfEitherLeg(
  grid: TickGrid,
  price: Ticks,
  step: MicroShares,
): MicroShares {
  const ofYes = quantityMin(grid, price, step);
  const ofNo = quantityMin(grid, complement(grid, price), step);
  return maxShares(ofYes, ofNo);
}

export type WantedQuantity = {
  /** In shares; a model may want for any number, zero and less included. */
  readonly shares: number;
  /** From `quantityMin`. */
  readonly min: MicroShares;
  /** What caps leave. */
  readonly room: MicroShares;
  readonly step: MicroShares;
};

/**
 * The quantity to quote: the target quotes in whole steps, raised to the minimum, lowered to the room;
 * `undefined` when the room does not hold the minimum, or the target quotes is for nothing.
 */
export function quotedQuantity(wanted: WantedQuantity): MicroShares | undefined {
  const { min, room, step } = wanted;
  if (!(wanted.shares > 0)) return undefined;
  const most = roundedDown(room, step);
  if (most < min) return undefined;
  const targetQuotes = roundedDown(sharesAtMost(wanted.shares), step);
  return microShares(Math.min(Math.max(targetQuotes, min), most));
}

/** A target quote beyond what a quantity can state is cut to it. */
function sharesAtMost(count: number): MicroShares {
  const most = MICRO_SHARES_MAX / MICRO_PER_SHARE;
  return shares(Math.min(count, most));
}

function roundedUp(quantity: number, step: MicroShares): MicroShares {
  assert(step > 0, 'a quantity step is positive');
  return microShares(Math.ceil(quantity / step) * step);
}

function roundedDown(quantity: number, step: MicroShares): MicroShares {
  assert(step > 0, 'a quantity step is positive');
  return microShares(Math.floor(quantity / step) * step);
}
