// Contexts for strategies on a real market book, and what any target quotes must satisfy.

import fc from 'fast-check';
import { type TickGrid, tickGrid } from '../../../src/domain/ticks.ts';
import type { Quote, QuoteContext, TargetQuotes } from '../../../src/strategy/index.ts';
import { QUOTES_MAX } from '../../../src/strategy/index.ts';
import { quoteContext, type Rung, type Rungs } from '../../support/strategy-context.ts';

/** Prices in ticks; each level shows 100 shares of others. */
export type Prices = { readonly bids: readonly number[]; readonly asks: readonly number[] };

export type Situation = {
  readonly grid: TickGrid;
  readonly yes: Prices;
  readonly no: Prices;
  /** Shares; negative when more NO than YES is held. */
  readonly net: number;
  readonly maxPosition: number;
};

export const NO_PRICES: Prices = { bids: [], asks: [] };

/** A book of YES from 48 to 52 cents and nothing else. */
export const USUAL: Situation = {
  grid: tickGrid('0.01'),
  yes: { bids: [48], asks: [52] },
  no: NO_PRICES,
  net: 0,
  maxPosition: 500,
};

export function contextOf<Params>(given: Situation, params: Params): QuoteContext<Params> {
  const rungs = (prices: Prices): Rungs => ({
    bids: prices.bids.map((price): Rung => [price, 100]),
    asks: prices.asks.map((price): Rung => [price, 100]),
  });
  const scene = {
    tickSize: given.grid.tickSize,
    yes: rungs(given.yes),
    no: rungs(given.no),
    yesShares: Math.max(given.net, 0),
    noShares: Math.max(-given.net, 0),
    maxPosition: given.maxPosition,
  };
  return quoteContext(scene, params);
}

/** The same market seen from NO. */
export function turned(given: Situation): Situation {
  return { ...given, yes: given.no, no: given.yes, net: given.net === 0 ? 0 : -given.net };
}

export function pricesOf(targetQuotes: TargetQuotes, side: Quote['side']): readonly number[] {
  return targetQuotes.quotes.filter((quote) => quote.side === side).map((quote) => quote.price);
}

export function codesOf(targetQuotes: TargetQuotes): readonly string[] {
  return targetQuotes.reasons.map((reason) => `${reason.side} ${reason.code}`);
}

/** What must hold of any target quotes on any book; returns what does not. */
export function faults(given: Situation, targetQuotes: TargetQuotes): readonly string[] {
  const { book } = contextOf(given, undefined);
  const bid = book.bestBid();
  const ask = book.bestAsk();
  const found: string[] = [];
  for (const { side, price, quantity } of targetQuotes.quotes) {
    if (!Number.isSafeInteger(price)) found.push(`${price} is off the grid`);
    if (price < 1 || price >= given.grid.ticksPerUnit) found.push(`${price} is out of range`);
    if (quantity <= 0) found.push(`${quantity} is no quantity`);
    if (side === 'bid' && ask !== undefined && price >= ask) found.push(`bid ${price} crosses`);
    if (side === 'ask' && bid !== undefined && price <= bid) found.push(`ask ${price} crosses`);
  }
  const bids = pricesOf(targetQuotes, 'bid');
  const asks = pricesOf(targetQuotes, 'ask');
  if (Math.max(...bids, 0) >= Math.min(...asks, 10_000)) found.push('our own quotes meet');
  if (bids.length > QUOTES_MAX || asks.length > QUOTES_MAX) found.push('too many quotes');
  if (new Set(bids).size < bids.length) found.push('a bid price twice');
  if (new Set(asks).size < asks.length) found.push('an ask price twice');
  for (const side of ['bid', 'ask'] as const) {
    const isExplained = targetQuotes.reasons.some(
      (one) => one.side === side || one.side === 'both',
    );
    if (pricesOf(targetQuotes, side).length === 0 && !isExplained)
      found.push(`${side} empty, no reason`);
  }
  return found;
}

/** A target quote as seen from the other outcome, in an order that can be compared. */
export function mirrored(grid: TickGrid, targetQuotes: TargetQuotes): readonly string[] {
  return targetQuotes.quotes.map((quote) => {
    const side = quote.side === 'bid' ? 'ask' : 'bid';
    return [side, grid.ticksPerUnit - quote.price, quote.quantity, quote.purpose].join(' ');
  });
}

export function plain(targetQuotes: TargetQuotes): readonly string[] {
  return targetQuotes.quotes.map(({ side, price, quantity, purpose }) =>
    [side, price, quantity, purpose].join(' '),
  );
}

function anyPrices(grid: TickGrid): fc.Arbitrary<Prices> {
  const near = fc.integer({ min: 1, max: grid.ticksPerUnit - 1 });
  const side = fc.uniqueArray(near, { maxLength: 4 });
  return fc.record({ bids: side, asks: side });
}

/** Any books at all: empty, one-sided, crossed, narrow, at the ends of the range. */
export const anySituation: fc.Arbitrary<Situation> = fc
  .constantFrom(tickGrid('0.01'), tickGrid('0.001'))
  .chain((grid) =>
    fc.record({
      grid: fc.constant(grid),
      yes: fc.oneof(fc.constant(NO_PRICES), anyPrices(grid), anyTouch(grid)),
      no: fc.oneof(fc.constant(NO_PRICES), anyPrices(grid)),
      net: fc.oneof(fc.constant(0), fc.integer({ min: -600, max: 600 })),
      maxPosition: fc.constantFrom(0, 1, 100, 333, 500),
    }),
  );

/** Books with a middle, which most random ones lack. */
export const anyTwoSided: fc.Arbitrary<Situation> = fc
  .constantFrom(tickGrid('0.01'), tickGrid('0.001'))
  .chain((grid) =>
    fc.record({
      grid: fc.constant(grid),
      yes: anyTouch(grid),
      no: fc.constant(NO_PRICES),
      net: fc.integer({ min: -600, max: 600 }),
      maxPosition: fc.constantFrom(1, 100, 333, 500),
    }),
  );

function anyTouch(grid: TickGrid): fc.Arbitrary<Prices> {
  const bid = fc.integer({ min: 1, max: grid.ticksPerUnit - 2 });
  const spread = fc.integer({ min: 1, max: 12 });
  return fc.tuple(bid, spread).map(([price, width]) => ({
    bids: [price],
    asks: [Math.min(price + width, grid.ticksPerUnit - 1)],
  }));
}
