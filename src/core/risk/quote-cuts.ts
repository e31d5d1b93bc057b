// What a level, or a guard, may do to a quote: keep what reduces, move it away from the other side.

import { type MicroShares, microShares } from '../../domain/shares.ts';
import { complement, type TickGrid, type Ticks, ticksWithin } from '../../domain/ticks.ts';
import { meetsMinNotional } from '../../domain/usdc.ts';
import type { AxisSide, Quote } from '../../strategy/index.ts';

/**
 * The quotes that lead towards a flat position, the inner ones first, up to the position itself. One share at 0.36 is
 * no order that the venue takes: such a rest leads nowhere, and what kept the others away is why nothing is quoted.
 */
export function reducingPart(
  grid: TickGrid,
  quotes: readonly Quote[],
  net: MicroShares,
): readonly Quote[] {
  const side: AxisSide = net < 0 ? 'bid' : 'ask';
  const inward = side === 'bid' ? -1 : 1;
  let left: number = Math.abs(net);
  const kept: Quote[] = [];
  const own = quotes.filter((quote) => quote.side === side);
  for (const quote of own.toSorted((a, b) => inward * (a.price - b.price))) {
    const quantity = microShares(Math.min(quote.quantity, left));
    left -= quantity;
    if (isSendable(grid, quote.price, quantity))
      kept.push({ ...quote, quantity, purpose: 'reduce' });
  }
  return kept;
}

/** As an order of either leg: a bid for YES at 0.36 may be a sale of NO at 0.64. */
function isSendable(grid: TickGrid, price: Ticks, quantity: MicroShares): boolean {
  const isWorth = (at: Ticks) => meetsMinNotional(grid, at, quantity);
  return isWorth(price) || isWorth(complement(grid, price));
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
