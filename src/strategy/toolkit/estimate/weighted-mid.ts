// The touch of a book as a price: where it leans, by the sizes on both sides.

import type { MicroShares } from '../../../domain/shares.ts';
import { complement, type TickGrid, type Ticks } from '../../../domain/ticks.ts';
import { meetsMinNotional } from '../../../domain/usdc.ts';
import type { AxisBook } from '../../contract.ts';
import { assertNotNegative, assertPositive, clamped } from '../numeric/domain.ts';

/** Both best prices of others and what rests there. */
export type Touch = {
  readonly bid: Ticks;
  readonly ask: Ticks;
  readonly bidSize: MicroShares;
  readonly askSize: MicroShares;
};

/** The touch of a book, or `undefined` when a side is empty or the sides cross. */
export function touchOf(book: AxisBook): Touch | undefined {
  const bid = book.bestBid();
  const ask = book.bestAsk();
  if (bid === undefined || ask === undefined || bid >= ask) return undefined;
  return { bid, ask, bidSize: book.bidSizeAt(bid), askSize: book.askSizeAt(ask) };
}

/** `I = Qb/(Qb + Qa)`, from 0 (only asks) to 1 (only bids). */
export function sizeImbalance(bidSize: number, askSize: number): number {
  assertNotNegative({ bidSize, askSize });
  assertPositive({ touchSize: bidSize + askSize });
  return bidSize / (bidSize + askSize);
}

/** `I ask + (1 - I) bid`, in the unit of the prices: nearer to the side that shows less. */
export function weightedMid(touch: {
  readonly bid: number;
  readonly ask: number;
  readonly bidSize: number;
  readonly askSize: number;
}): number {
  const share = sizeImbalance(touch.bidSize, touch.askSize);
  return share * touch.ask + (1 - share) * touch.bid;
}

/**
 * Whether the sizes of a touch say anything: both levels meet the minimum notional on either leg.
 * Less than that is a remainder, or bait.
 */
export function isTouchMeaningful(grid: TickGrid, touch: Touch): boolean {
  const isLevelMeaningful = (price: Ticks, size: MicroShares) =>
    meetsMinNotional(grid, price, size) && meetsMinNotional(grid, complement(grid, price), size);
  return isLevelMeaningful(touch.bid, touch.bidSize) && isLevelMeaningful(touch.ask, touch.askSize);
}

/** Sizes can be bait: they move a fair price by no more than this from the middle. */
export const LEAN_TICKS_MAX = 0.5;

/**
 * The fair price of a touch in ticks: its middle, moved by at most half a tick by what an estimate
 * (weighted mid, micro-price) makes of the sizes, and not at all where these say nothing.
 *
 * @param leaned - The estimate in ticks; `undefined` for the plain middle.
 */
export function fairTicks(grid: TickGrid, touch: Touch, leaned: number | undefined): number {
  const middle = (touch.bid + touch.ask) / 2;
  if (leaned === undefined || !isTouchMeaningful(grid, touch)) return middle;
  return clamped(leaned, middle - LEAN_TICKS_MAX, middle + LEAN_TICKS_MAX);
}
