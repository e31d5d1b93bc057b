// How far the price of an order may be from what is known of its market: a strategy whose estimate
// went astray, or a book that somebody emptied, must not move our orders away from the world.

import type { RiskControls } from '../../domain/risk.ts';
import type { TickGrid } from '../../domain/ticks.ts';
import type { AxisSide } from '../../strategy/index.ts';
import type { KernelStores } from '../kernel/stores.ts';
import type { RiskMarket } from './market.ts';

export type CollarName = 'collar_fair' | 'collar_trades' | 'collar_blind';

/** What is known, as prices between 0 and 1 on the YES axis. */
type References = {
  /** Fair value, or the middle of the joined books where there is none. */
  readonly fair: number | undefined;
  /** Best prices of others in the joined books as they are now, `undefined` where a side is empty. */
  readonly touch: { readonly bid: number | undefined; readonly ask: number | undefined };
  /** Lowest and highest price of the last trades. */
  readonly trades: Range | undefined;
};

type Range = { readonly low: number; readonly high: number };

/** Prices are compared this much coarser than their doubles: a tick is a thousand times as wide. */
const EPSILON = 1e-6;

/** The collar that an order would break; one that nothing can be held against breaks one as well. */
export function brokenCollar(
  grid: TickGrid,
  order: { readonly axisSide: AxisSide; readonly axisPrice: number },
  known: References,
  collar: RiskControls['collar'],
): CollarName | undefined {
  const price = order.axisPrice / grid.ticksPerUnit;
  const { fair, trades } = known;
  if (isBlind(known, collar)) return collar.blind === 'hold' ? 'collar_blind' : undefined;
  const isFarFrom = (range: Range) => {
    const { through, away } = distances(order.axisSide, price, range);
    return exceeds(through, collar.fairThrough) || exceeds(away, collar.fairAway);
  };
  if (fair !== undefined && isFarFrom({ low: fair, high: fair })) return 'collar_fair';
  // A fair value may be wrong, or say more than the book does: that moves no order beyond the book.
  if (isFarFrom(rangeOf(known.touch))) return 'collar_fair';
  if (trades === undefined) return undefined;
  const { through, away } = distances(order.axisSide, price, trades);
  const isFar = exceeds(through, collar.tradesThrough) || exceeds(away, collar.tradesAway);
  return isFar ? 'collar_trades' : undefined;
}

/** What others ask and bid for at best holds nothing where there are none. */
function rangeOf({ bid, ask }: References['touch']): Range {
  const low = bid ?? Number.NEGATIVE_INFINITY;
  const high = ask ?? Number.POSITIVE_INFINITY;
  return { low, high };
}

/** A collar is on, and none that is has what it would hold a price against. */
function isBlind({ fair, trades }: References, collar: RiskControls['collar']): boolean {
  const isFairOn = collar.fairThrough > 0 || collar.fairAway > 0;
  const areTradesOn = collar.tradesThrough > 0 || collar.tradesAway > 0;
  if (!isFairOn && !areTradesOn) return false;
  const isFairKnown = isFairOn && fair !== undefined;
  const areTradesKnown = areTradesOn && trades !== undefined;
  return !isFairKnown && !areTradesKnown;
}

/** How far beyond a range towards the other side, and how far before it on the own side. */
function distances(
  side: AxisSide,
  price: number,
  range: Range,
): { readonly through: number; readonly away: number } {
  const above = price - range.high;
  const below = range.low - price;
  return side === 'bid' ? { through: above, away: below } : { through: below, away: above };
}

function exceeds(distance: number, limit: number): boolean {
  return limit > 0 && distance > limit + EPSILON;
}

// What the price of an order is held against: the fair value, or the middle, the books, and the last trades.

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
