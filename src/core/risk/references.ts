// What the price of an order is held against: the fair value, or the middle, the books, and the last trades.

import type { RiskControls } from '../../domain/risk.ts';
import type { KernelStores } from '../kernel/stores.ts';
import type { References } from './collar.ts';
import type { RiskMarket } from './market.ts';

/** What an order of this market may be held against. */
export function referencesOf(
  stores: KernelStores,
  { insight, book, grid }: RiskMarket,
  collar: RiskControls['collar'],
): References {
  const range = lastTrades(stores, insight, collar.tradesMs);
  const price = (at: number) => at / grid.ticksPerUnit;
  const [bid, ask] = [book.bestBid(), book.bestAsk()];
  const touch = { bid: bid && price(bid), ask: ask && price(ask) };
  return {
    fair: insight.fairAt(stores.nowMs)?.price ?? middleOf(touch),
    touch,
    trades: range && { low: price(range.low), high: price(range.high) },
  };
}

/** Those of before jumps of our clock count where there are none since: no time may have passed for the market. */
function lastTrades(
  { nowMs, clock: { jumpedByMs } }: KernelStores,
  { tape }: RiskMarket['insight'],
  tradesMs: number,
): ReturnType<typeof tape.rangeSince> {
  const sinceMs = nowMs - tradesMs;
  return tape.rangeSince(sinceMs) ?? tape.rangeSince(sinceMs, jumpedByMs);
}

/** Two books of one side each have no middle of their own; joined on one axis they do. */
function middleOf({ bid, ask }: References['touch']): number | undefined {
  return bid === undefined || ask === undefined ? undefined : (bid + ask) / 2;
}
