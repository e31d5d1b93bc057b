// What the price of an order is held against: the fair value, or the middle, and the last trades.

import type { RiskControls } from '../../domain/risk.ts';
import type { TickGrid } from '../../domain/ticks.ts';
import type { AxisBook } from '../../strategy/index.ts';
import type { MarketState } from '../market.ts';
import type { References } from '../risk/collar.ts';
import type { World } from '../world.ts';

/** What an order of this market may be held against. */
export function referencesOf(
  world: World,
  { insight, book, grid }: MarketState,
  collar: RiskControls['collar'],
): References {
  const range = insight.tape.rangeSince(world.nowMs - collar.tradesMs);
  const price = (at: number) => at / grid.ticksPerUnit;
  return {
    fair: insight.fairAt(world.nowMs)?.price ?? middleOf(book, grid),
    trades: range && { low: price(range.low), high: price(range.high) },
  };
}

/** Two books of one side each have no middle of their own; joined on one axis they do. */
function middleOf(book: AxisBook, { ticksPerUnit }: TickGrid): number | undefined {
  const bid = book.bestBid();
  const ask = book.bestAsk();
  return bid === undefined || ask === undefined ? undefined : (bid + ask) / 2 / ticksPerUnit;
}
