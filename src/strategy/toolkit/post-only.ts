// The venue has no post-only flag, and answers OPEN even to an order that crosses: quotes are kept
// from crossing here, on what both books show. @spec Endpoints › Orders

import { type TickGrid, type Ticks, ticksWithin } from '../../domain/ticks.ts';
import type { AxisSide } from '../contract.ts';

/** Best prices of one token's book; `undefined` for an empty side of a book that is known. */
export type BestPrices = { readonly bid: Ticks | undefined; readonly ask: Ticks | undefined };

export type PostOnlyView = {
  readonly yes: BestPrices;
  readonly no: BestPrices;
  /** Our own live quotes on the YES axis, which the books leave out. */
  readonly own: { readonly bids: readonly Ticks[]; readonly asks: readonly Ticks[] };
  /** Whether a bid for NO can match a bid for YES; unless it is known not to, it can. */
  readonly complementsMatch: boolean;
  /** Distance kept from what would match: one tick, two for a book older than a second. */
  readonly marginTicks: number;
};

/** Whole ticks on the YES axis; they may lie outside the price range when a side is empty. */
export type PostOnlyRange = { readonly bidTicksMax: number; readonly askTicksMin: number };

/**
 * The highest bid and the lowest ask for YES that meet nobody:
 * `bid <= min(best YES ask, n - best NO bid) - margin`, mirrored for asks, and one tick from our own
 * quotes, so that own YES bid + own NO bid <= n - 1.
 */
export function postOnlyRange(grid: TickGrid, view: PostOnlyView): PostOnlyRange {
  const n = grid.ticksPerUnit;
  const { yes, no, own, complementsMatch, marginTicks } = view;
  const mirrored = (price: Ticks | undefined) =>
    price === undefined || !complementsMatch ? undefined : n - price;
  const asks = [yes.ask, mirrored(no.bid)].filter((price) => price !== undefined);
  const bids = [yes.bid, mirrored(no.ask)].filter((price) => price !== undefined);
  return {
    bidTicksMax: Math.min(Math.min(n, ...asks) - marginTicks, Math.min(n, ...own.asks) - 1),
    askTicksMin: Math.max(Math.max(0, ...bids) + marginTicks, Math.max(0, ...own.bids) + 1),
  };
}

/** A price moved back to where it meets nobody; `undefined` where the range has no such price. */
export function postOnlyTicks(
  grid: TickGrid,
  range: PostOnlyRange,
  quote: { readonly side: AxisSide; readonly ticks: number },
): Ticks | undefined {
  return quote.side === 'bid'
    ? ticksWithin(grid, Math.min(quote.ticks, range.bidTicksMax))
    : ticksWithin(grid, Math.max(quote.ticks, range.askTicksMin));
}
