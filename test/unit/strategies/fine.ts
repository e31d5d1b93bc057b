// A price axis so fine that a model's own numbers show through the rounding of quotes: a million ticks,
// where the venue has a hundred or a thousand. For published numbers only.

import { microShares } from '../../../src/domain/shares.ts';
import type { TickGrid, Ticks } from '../../../src/domain/ticks.ts';
import type { AxisBook, QuoteContext, TargetQuotes } from '../../../src/strategy/index.ts';
import { quoteContext, type Scene } from '../../support/strategy-context.ts';

export const FINE_TICKS = 1_000_000;
const FINE_GRID = { tickSize: '0.001', ticksPerUnit: FINE_TICKS } as unknown as TickGrid;
const NOTHING = microShares(0);

/** Orders at the very ends of the range, far from any quote. */
const WIDE: AxisBook = {
  bestBid: () => 1 as Ticks,
  bestAsk: () => (FINE_TICKS - 1) as Ticks,
  bidSizeAt: () => NOTHING,
  askSizeAt: () => NOTHING,
  nextBid: () => undefined,
  nextAsk: () => undefined,
};

export function fineContext<Params>(scene: Scene, params: Params): QuoteContext<Params> {
  return {
    ...quoteContext(scene, params),
    grid: FINE_GRID,
    book: WIDE,
    tokenBooks: { yes: WIDE, no: WIDE },
  };
}

/** Prices of the best quotes, exact to a millionth. */
export function finePrices(targetQuotes: TargetQuotes): {
  readonly bid: number;
  readonly ask: number;
} {
  const of = (side: 'bid' | 'ask') =>
    (targetQuotes.quotes.find((quote) => quote.side === side)?.price ?? Number.NaN) / FINE_TICKS;
  return { bid: of('bid'), ask: of('ask') };
}
