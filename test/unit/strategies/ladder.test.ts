import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid } from '../../../src/domain/ticks.ts';
import { type LadderParams, strategy } from '../../../strategies/ladder.ts';
import { itKeepsTheRules } from '../../support/strategy-properties.ts';
import {
  anySituation,
  codesOf,
  contextOf,
  faults,
  mirrored,
  NO_PRICES,
  plain,
  pricesOf,
  type Situation,
  turned,
  USUAL,
} from './contexts.ts';

const PARAMS: LadderParams = { halfSpreadTicks: 2, levels: 3, levelSpacingTicks: 1, size: 50 };

const anyParams: fc.Arbitrary<LadderParams> = fc.record({
  halfSpreadTicks: fc.integer({ min: 1, max: 40 }),
  levels: fc.integer({ min: 1, max: 50 }),
  levelSpacingTicks: fc.integer({ min: 1, max: 5 }),
  size: fc.integer({ min: 1, max: 1_000 }),
});

function quote(given: Partial<Situation>, params: Partial<LadderParams> = {}) {
  return strategy.quote(contextOf({ ...USUAL, ...given }, { ...PARAMS, ...params }));
}

describe('a ladder', () => {
  itKeepsTheRules({ strategy, params: anyParams });

  it('stands around the middle: the best at the half spread, then every spacing', () => {
    const targetQuotes = quote({}, { levelSpacingTicks: 2 });
    expect(pricesOf(targetQuotes, 'bid')).toEqual([48, 46, 44]);
    expect(pricesOf(targetQuotes, 'ask')).toEqual([52, 54, 56]);
    expect(targetQuotes.quotes.map((one) => one.quantity)).toEqual(Array(6).fill(shares(50)));
    expect(targetQuotes.reasons).toEqual([]);
  });

  it('rounds away from a middle on a half-tick', () => {
    const targetQuotes = quote({ yes: { bids: [48], asks: [53] } }, { levels: 1 });
    expect(pricesOf(targetQuotes, 'bid')).toEqual([48]);
    expect(pricesOf(targetQuotes, 'ask')).toEqual([53]);
  });

  it('takes the middle of both tokens, NO mirrored', () => {
    const no = { bids: [49], asks: [51] };
    expect(pricesOf(quote({ no }), 'bid')).toEqual([48, 47, 46]);
    expect(pricesOf(quote({ yes: NO_PRICES, no }), 'ask')).toEqual([52, 53, 54]);
  });

  it('leaves out levels beyond the price range, and says so', () => {
    const targetQuotes = quote({ yes: { bids: [2], asks: [4] } });
    expect(pricesOf(targetQuotes, 'bid')).toEqual([1]);
    expect(targetQuotes.reasons).toEqual([
      {
        side: 'bid',
        code: 'out_of_range',
        detail: '2 of 3 levels lie outside 0.01 to 0.99',
        clears: 'the middle of the book moves away from the end of the price range',
      },
    ]);
  });

  it.each([
    { yes: NO_PRICES, code: 'both book_empty' },
    { yes: { bids: [48], asks: [] }, code: 'both book_one_sided' },
    { yes: { bids: [], asks: [52] }, code: 'both book_one_sided' },
    { yes: { bids: [52], asks: [52] }, code: 'both book_crossed' },
    { yes: { bids: [53], asks: [52] }, code: 'both book_crossed' },
  ])('quotes nothing without a middle: $code', ({ yes, code }) => {
    const targetQuotes = quote({ yes });
    expect(targetQuotes.quotes).toEqual([]);
    expect(codesOf(targetQuotes)).toEqual([code]);
  });

  it('calls a level reducing only as far as filled levels do not turn the position over', () => {
    const purposes = (net: number) =>
      quote({ net })
        .quotes.map((one) => `${one.side} ${one.purpose}`)
        .join(', ');
    expect(purposes(120)).toBe('bid add, bid add, bid add, ask reduce, ask reduce, ask add');
    expect(purposes(-50)).toBe('bid reduce, bid add, bid add, ask add, ask add, ask add');
    expect(purposes(0)).not.toContain('reduce');
  });

  it('asks for its size as given, also where the venue would refuse it', () => {
    const targetQuotes = quote({ yes: { bids: [3], asks: [7] } }, { size: 1.5, levels: 1 });
    expect(targetQuotes.quotes[0]?.quantity).toBe(shares(1.5));
  });

  it('is on the grid, in range, off the opposite touch and explained on any book', () => {
    fc.assert(
      fc.property(anySituation, anyParams, (given, params) => {
        expect(faults(given, strategy.quote(contextOf(given, params)))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('turns round exactly when YES and NO change places', () => {
    fc.assert(
      fc.property(anySituation, anyParams, (given, params) => {
        const targetQuotes = strategy.quote(contextOf(given, params));
        const other = strategy.quote(contextOf(turned(given), params));
        expect([...mirrored(given.grid, other)].sort()).toEqual([...plain(targetQuotes)].sort());
      }),
      { numRuns: 500 },
    );
  });

  it('moves with the book, tick for tick', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 200, max: 700 }),
        fc.integer({ min: 1, max: 100 }),
        (bid, by) => {
          const grid = tickGrid('0.001');
          const here = quote({ grid, yes: { bids: [bid], asks: [bid + 5] } });
          const there = quote({ grid, yes: { bids: [bid + by], asks: [bid + by + 5] } });
          expect(there.quotes.map((one) => one.price - by)).toEqual(
            here.quotes.map((one) => one.price),
          );
        },
      ),
    );
  });

  it('is the same for the same context', () => {
    expect(quote({ net: 77 })).toEqual(quote({ net: 77 }));
  });
});
