import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shares } from '../../../src/domain/shares.ts';
import { type InventorySkewParams, strategy } from '../../../strategies/inventory-skew.ts';
import { strategy as ladder } from '../../../strategies/ladder.ts';
import { itKeepsTheRules } from '../../support/strategy-properties.ts';
import {
  anySituation,
  anyTwoSided,
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

const PARAMS: InventorySkewParams = {
  halfSpreadTicks: 2,
  levels: 3,
  levelSpacingTicks: 1,
  size: 50,
  skewTicks: 4,
};

const anyParams: fc.Arbitrary<InventorySkewParams> = fc.record({
  halfSpreadTicks: fc.integer({ min: 1, max: 40 }),
  levels: fc.integer({ min: 1, max: 50 }),
  levelSpacingTicks: fc.integer({ min: 1, max: 5 }),
  size: fc.integer({ min: 1, max: 1_000 }),
  skewTicks: fc.double({ min: 0, max: 30, noNaN: true }),
});

function quote(given: Partial<Situation>, params: Partial<InventorySkewParams> = {}) {
  return strategy.quote(contextOf({ ...USUAL, ...given }, { ...PARAMS, ...params }));
}

function quantities(given: Partial<Situation>, side: 'bid' | 'ask'): readonly number[] {
  return quote(given)
    .quotes.filter((one) => one.side === side)
    .map((one) => one.quantity);
}

describe('an inventory-skewed ladder', () => {
  itKeepsTheRules({ strategy, params: anyParams });

  it('is the plain ladder without a position', () => {
    fc.assert(
      fc.property(anySituation, anyParams, (situation, params) => {
        const given = { ...situation, net: 0, maxPosition: 500 };
        const plainLadder = ladder.quote(contextOf(given, params));
        expect(strategy.quote(contextOf(given, params))).toEqual(plainLadder);
      }),
    );
  });

  it.each([
    { net: 250, bid: 46, ask: 50, what: 'down when long' },
    { net: -250, bid: 50, ask: 54, what: 'up when short' },
    { net: 125, bid: 47, ask: 51, what: 'down in proportion' },
    { net: 63, bid: 47, ask: 52, what: 'to between two ticks, rounding away from it' },
  ])('leans $what', ({ net, bid, ask }) => {
    const targetQuotes = quote({ net });
    expect(pricesOf(targetQuotes, 'bid')[0]).toBe(bid);
    expect(pricesOf(targetQuotes, 'ask')[0]).toBe(ask);
  });

  it('quotes the worked example: fair .425, q=100 of 400, two ticks of skew', () => {
    const given = { yes: { bids: [41], asks: [44] }, net: 100, maxPosition: 400 };
    const targetQuotes = quote(given, { levels: 2, size: 40, skewTicks: 2 });
    expect(pricesOf(targetQuotes, 'bid')).toEqual([40, 39]);
    expect(pricesOf(targetQuotes, 'ask')).toEqual([44, 45]);
  });

  it('leans no further than beside the opposite touch', () => {
    const targetQuotes = quote({ net: 499 }, { skewTicks: 30 });
    expect(pricesOf(targetQuotes, 'ask')).toEqual([49, 50, 51]);
  });

  it('shrinks the side that adds, and keeps the side that reduces', () => {
    expect(quantities({ net: 250 }, 'bid')).toEqual(Array(3).fill(shares(25)));
    expect(quantities({ net: 250 }, 'ask')).toEqual(Array(3).fill(shares(50)));
    expect(quantities({ net: -100 }, 'ask')).toEqual(Array(3).fill(shares(40)));
    expect(quantities({ net: -100 }, 'bid')).toEqual(Array(3).fill(shares(50)));
  });

  it('cuts a shrunken quantity to hundredths of a share', () => {
    expect(quantities({ net: 1, maxPosition: 333 }, 'bid')).toEqual(Array(3).fill(shares(49.84)));
  });

  it.each([
    { net: 500, maxPosition: 500, empty: ['bid'] },
    { net: 501, maxPosition: 500, empty: ['bid'] },
    { net: -500, maxPosition: 500, empty: ['ask'] },
    { net: 0, maxPosition: 0, empty: ['bid', 'ask'] },
    { net: 1, maxPosition: 0, empty: ['bid'] },
  ])('leaves $empty empty at $net of $maxPosition, and says why', ({ net, maxPosition, empty }) => {
    const targetQuotes = quote({ net, maxPosition });
    for (const side of ['bid', 'ask'] as const) {
      expect(pricesOf(targetQuotes, side).length).toBe(empty.includes(side) ? 0 : 3);
    }
    expect(codesOf(targetQuotes)).toEqual(empty.map((side) => `${side} position_limit`));
  });

  it('quotes nothing without a middle', () => {
    expect(quote({ yes: NO_PRICES }).quotes).toEqual([]);
    expect(codesOf(quote({ yes: { bids: [48], asks: [] } }))).toEqual(['both book_one_sided']);
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
      fc.property(fc.oneof(anySituation, anyTwoSided), anyParams, (given, params) => {
        const targetQuotes = strategy.quote(contextOf(given, params));
        const other = strategy.quote(contextOf(turned(given), params));
        expect([...mirrored(given.grid, other)].sort()).toEqual([...plain(targetQuotes)].sort());
      }),
      { numRuns: 1_000 },
    );
  });

  it('never bids or asks higher, nor bids for more, when it holds more', () => {
    const more = fc.integer({ min: 1, max: 300 });
    fc.assert(
      fc.property(anyTwoSided, more, anyParams, (given, by, params) => {
        const less = strategy.quote(contextOf(given, params));
        const held = strategy.quote(contextOf({ ...given, net: given.net + by }, params));
        for (const side of ['bid', 'ask'] as const) {
          const before = pricesOf(less, side)[0];
          const after = pricesOf(held, side)[0];
          if (before !== undefined && after !== undefined) {
            expect(after).toBeLessThanOrEqual(before);
          }
        }
        expect(total(held, 'bid')).toBeLessThanOrEqual(total(less, 'bid'));
      }),
      { numRuns: 500 },
    );
  });

  it('has no quote that adds at the limit', () => {
    fc.assert(
      fc.property(
        anyTwoSided,
        fc.integer({ min: 0, max: 100 }),
        anyParams,
        (given, over, params) => {
          for (const sign of [1, -1]) {
            const net = sign * (given.maxPosition + over);
            const targetQuotes = strategy.quote(contextOf({ ...given, net }, params));
            expect(pricesOf(targetQuotes, sign === 1 ? 'bid' : 'ask')).toEqual([]);
          }
        },
      ),
    );
  });
});

function total(targetQuotes: ReturnType<typeof quote>, side: 'bid' | 'ask'): number {
  return targetQuotes.quotes
    .filter((one) => one.side === side)
    .reduce((sum, one) => sum + one.quantity, 0);
}
