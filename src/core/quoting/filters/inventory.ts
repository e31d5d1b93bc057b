// Leaning against the position for strategies that do not: prices, then sizes, then one side only.

import { ticksWithin } from '../../../domain/ticks.ts';
import type { AxisSide, Quote } from '../../../strategy/index.ts';
import { defined } from '../../risk/latches.ts';
import {
  type Guard,
  type GuardReason,
  isAdding,
  type Situation,
  shrunk,
  untouched,
  usedShare,
} from './guard.ts';

export const guardInventory: Guard<'inventory'> = (quotes, situation, settings) => {
  const { net } = situation;
  const used = usedShare(situation);
  const leanTicks = Math.round(settings.skewTicks * used) * Math.sign(net);
  if (net === 0 || (used <= settings.taperFrom && leanTicks === 0)) return untouched(quotes);
  const part = used >= settings.softCap ? 0 : used > settings.taperFrom ? 1 - used : 1;
  const kept = quotes.map((quote) => {
    const leaned = leanTicks === 0 ? quote : lean(quote, situation, leanTicks);
    return leaned !== undefined && isAdding(leaned, net) ? shrunk(leaned, part) : leaned;
  });
  const reason: GuardReason = {
    guard: 'inventory',
    side: net > 0 ? 'bid' : 'ask',
    code: part === 0 ? 'position_soft_cap' : 'position_lean',
    detail: `${Math.round(used * 100)} % of the position limit are in use`,
    clears: 'the position shrinks or the limit rises',
    effect: part === 0 ? 'pulled' : part < 1 ? 'smaller' : 'moved',
  };
  return { quotes: defined(kept), reasons: [reason] };
};

/** Down when long, up when short, and never onto or through the other side of the book. */
function lean(quote: Quote, { grid, book }: Situation, leanTicks: number): Quote | undefined {
  const { worst: _, ...rest } = quote;
  const wanted = quote.price - leanTicks;
  const bid = book.bestBid() ?? 0;
  const ask = book.bestAsk() ?? grid.ticksPerUnit;
  const safe = quote.side === 'bid' ? Math.min(wanted, ask - 1) : Math.max(wanted, bid + 1);
  const price = ticksWithin(grid, safe);
  return price === undefined ? undefined : { ...rest, price };
}

// Near 0 and 1 a quote may risk fifty times what it can win: a bid at 0.99 wins a cent.

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
