// What a level, or a guard, may do to a quote: keep what reduces, move it away from the other side.

import { type MicroShares, microShares } from '../../domain/shares.ts';
import { type TickGrid, ticksWithin } from '../../domain/ticks.ts';
import type { AxisSide, Quote } from '../../strategy/index.ts';

/** The quotes that lead towards a flat position, the inner ones first, up to the position itself. */
export function reducingPart(quotes: readonly Quote[], net: MicroShares): readonly Quote[] {
  const side: AxisSide = net < 0 ? 'bid' : 'ask';
  const inward = side === 'bid' ? -1 : 1;
  let left: number = Math.abs(net);
  const kept: Quote[] = [];
  const own = quotes.filter((quote) => quote.side === side);
  for (const quote of own.toSorted((a, b) => inward * (a.price - b.price))) {
    const quantity = microShares(Math.min(quote.quantity, left));
    left -= quantity;
    if (quantity > 0) kept.push({ ...quote, quantity, purpose: 'reduce' });
  }
  return kept;
}

/** The quote so many ticks further from the other side, `undefined` beyond the price range. */
export function movedBack(grid: TickGrid, quote: Quote, byTicks: number): Quote | undefined {
  if (byTicks === 0) return quote;
  const away = quote.side === 'bid' ? -byTicks : byTicks;
  const price = ticksWithin(grid, quote.price + away);
  if (price === undefined) return undefined;
  // What was safe nearer the other side is not any more.
  const { worst: _, ...rest } = quote;
  return { ...rest, price };
}

export function defined(quotes: readonly (Quote | undefined)[]): readonly Quote[] {
  return quotes.filter((quote) => quote !== undefined);
}
