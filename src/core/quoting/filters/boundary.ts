// Near 0 and 1 a quote may risk fifty times what it can win: a bid at 0.99 wins a cent.

import type { AxisSide, Quote } from '../../../strategy/index.ts';
import { type Guard, type GuardReason, isAdding, untouched } from './guard.ts';

export const guardBoundary: Guard<'boundary'> = (quotes, { grid, net }, settings) => {
  const n = grid.ticksPerUnit;
  const isNear = (price: number) => price <= settings.ticks || price >= n - settings.ticks;
  const isTooMuch = (quote: Quote) =>
    isAdding(quote, net) && isNear(quote.price) && lossPerGain(quote, n) > settings.lossPerGainMax;
  if (!quotes.some(isTooMuch)) return untouched(quotes);
  const kept = quotes.filter((quote) => !isTooMuch(quote));
  const reason = (side: AxisSide): GuardReason => ({
    guard: 'boundary',
    side,
    code: 'near_boundary',
    detail: `the quote risks more than ${settings.lossPerGainMax} for each dollar it may win`,
    clears: 'the price comes back from the end of its range',
    effect: 'pulled',
  });
  const hit = (['bid', 'ask'] as const).filter((side) =>
    quotes.some((quote) => quote.side === side && isTooMuch(quote)),
  );
  return { quotes: kept, reasons: hit.map(reason) };
};

function lossPerGain(quote: Quote, n: number): number {
  return quote.side === 'bid' ? quote.price / (n - quote.price) : (n - quote.price) / quote.price;
}
