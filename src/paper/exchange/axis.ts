// Both tokens of a market on one axis, the YES price: buying NO at p is asking for YES at 1 - p.
// One queue per axis price then gives price-time priority across all four kinds of order.

import type { OutcomeIndex } from '../../domain/market.ts';
import type { BookSide } from '../../domain/message.ts';
import type { Side } from '../../domain/order.ts';
import type { TickGrid } from '../../domain/ticks.ts';

export type AxisPoint = { readonly side: BookSide; readonly tick: number };

/** Where an order of one token stands on the axis. */
export function axisPoint(
  grid: TickGrid,
  leg: { readonly index: OutcomeIndex; readonly side: Side; readonly price: number },
): AxisPoint {
  const isBid = (leg.side === 'BUY') === (leg.index === 1);
  return { side: isBid ? 'bid' : 'ask', tick: mirrored(grid, leg.index, leg.price) };
}

/** Where a level of one token's public book stands on the axis. */
export function axisLevel(
  grid: TickGrid,
  level: { readonly index: OutcomeIndex; readonly side: BookSide; readonly price: number },
): AxisPoint {
  const side = level.side === 'bid' ? 'BUY' : 'SELL';
  return axisPoint(grid, { index: level.index, side, price: level.price });
}

/** The price of a token at an axis tick, and the other way round. */
export function mirrored(grid: TickGrid, index: OutcomeIndex, price: number): number {
  return index === 1 ? price : grid.ticksPerUnit - price;
}

/** The public side of a token's book that shows orders of an axis side. */
export function bookSideOf(axisSide: BookSide, index: OutcomeIndex): BookSide {
  return index === 1 ? axisSide : opposite(axisSide);
}

/** The side that an order of this side trades with. */
export function opposite(side: BookSide): BookSide {
  return side === 'bid' ? 'ask' : 'bid';
}

/** What an order of a token does that stands on (or arrives for) an axis side. */
export function sideOn(axisSide: BookSide, index: OutcomeIndex): Side {
  return (axisSide === 'bid') === (index === 1) ? 'BUY' : 'SELL';
}

/** Whether a resting axis price is as good as a limit or better, for who takes it. */
export function reaches(restingSide: BookSide, restingTick: number, limitTick: number): boolean {
  return restingSide === 'ask' ? restingTick <= limitTick : restingTick >= limitTick;
}
