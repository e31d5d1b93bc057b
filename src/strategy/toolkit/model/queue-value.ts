// What a place in the queue of a price level is worth, and whether leaving it pays.
// Source: after Moallemi, Yuan, A model for queue position valuation in a limit order book, 2016;
// the birth-and-death form is derived here.

import { assertFinite, assertNotNegative } from '../numeric/domain.ts';

export type QueueRates = {
  /** m: lots per second that trades take from the front of the level. */
  readonly tradesPerSec: number;
  /** nu: cancels per second of each lot ahead of us. */
  readonly cancelsPerLotSec: number;
  /** th_up: moves per second of the price away from the level; the order is left behind. */
  readonly awayPerSec: number;
  /** th_dn: moves per second of the price through the level; the order is swept. */
  readonly throughPerSec: number;
};

export type QueueStakes = {
  /** e: gain per share when filled in the queue, in price. */
  readonly edgePrice: number;
  /** c: loss per share when swept, in price. */
  readonly sweptLossPrice: number;
};

/**
 * A queue deeper than this counts as never reached: it is the cautious side, and it bounds the
 * product. With lots of the usual trade size no real level comes near.
 */
export const LOTS_AHEAD_MAX = 10_000;

/**
 * The probability of a fill in the queue, before the price moves, with `a` lots ahead:
 * `F(a) = m/(m+th) prod_{j=1..a} (m + j nu)/(m + j nu + th)`, `th = th_up + th_dn`. A broken lot
 * ahead counts as a whole one; a level that never trades fills nobody.
 */
export function queueFillProbability(lotsAhead: number, rates: QueueRates): number {
  assertNotNegative({ lotsAhead, ...rates });
  const lots = Math.ceil(lotsAhead);
  const moves = rates.awayPerSec + rates.throughPerSec;
  if (rates.tradesPerSec === 0) return 0;
  if (moves === 0) return 1;
  if (lots > LOTS_AHEAD_MAX) return 0;
  let probability = rates.tradesPerSec / (rates.tradesPerSec + moves);
  for (let lot = 1; lot <= lots; lot += 1) {
    const shrinking = rates.tradesPerSec + lot * rates.cancelsPerLotSec;
    probability *= shrinking / (shrinking + moves);
  }
  return probability;
}

/**
 * Value of the place per share, in price: `V(a) = e F(a) - c (th_dn/th) (1 - F(a))`. It is negative
 * far back, where an order is filled mostly by being swept: there it is cancelled, not left waiting.
 */
export function queueValuePrice(lotsAhead: number, rates: QueueRates, stakes: QueueStakes): number {
  assertFinite({ edgePrice: stakes.edgePrice, sweptLossPrice: stakes.sweptLossPrice });
  const fill = queueFillProbability(lotsAhead, rates);
  const moves = rates.awayPerSec + rates.throughPerSec;
  const swept = moves === 0 ? 0 : rates.throughPerSec / moves;
  return stakes.edgePrice * fill - stakes.sweptLossPrice * swept * (1 - fill);
}

export type RequoteChoice = {
  readonly keepValuePrice: number;
  readonly moveValuePrice: number;
  /** What one order write is worth, per share of the order. */
  readonly writeCostPrice: number;
  /** Hysteresis, per share. */
  readonly marginPrice: number;
};

/** Moves an order only if `V(move) - V(keep) > write cost + margin`. */
export function isMoveWorth(choice: RequoteChoice): boolean {
  assertFinite(choice);
  const gain = choice.moveValuePrice - choice.keepValuePrice;
  return gain > choice.writeCostPrice + choice.marginPrice;
}
