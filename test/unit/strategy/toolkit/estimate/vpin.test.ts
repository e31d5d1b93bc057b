import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bulkClassified,
  NO_VOLUME,
  vpin,
  withBucketTrade,
  withBucketVolume,
} from '../../../../../src/strategy/index.ts';

const SHAPE = { bucketShares: 80, buckets: 2 };

describe('volume buckets', () => {
  it('split trades where they are full, as in the check case', () => {
    const trades = [
      { takerSide: 'SELL', shares: 70 },
      { takerSide: 'BUY', shares: 50 },
      { takerSide: 'BUY', shares: 40 },
      { takerSide: 'SELL', shares: 90 },
      { takerSide: 'BUY', shares: 60 },
    ] as const;
    const fill = (buckets: number) =>
      trades.reduce(
        (sofar, trade) => withBucketTrade(sofar, trade, { ...SHAPE, buckets }),
        NO_VOLUME,
      );
    expect(fill(9).imbalances).toEqual([0.75, 1, 1]);
    expect(fill(2)).toEqual({ imbalances: [1, 1], openBuyShares: 60, openSellShares: 10 });
    expect(vpin(fill(2), SHAPE)).toBe(1);
    expect(vpin(fill(9), { ...SHAPE, buckets: 9 })).toBeUndefined();
  });

  it('of one giant trade are all one-sided, and no more than are kept', () => {
    const state = withBucketTrade(NO_VOLUME, { takerSide: 'BUY', shares: 1e9 + 30 }, SHAPE);
    expect(state.imbalances).toEqual([1, 1]);
    expect(state.openBuyShares).toBeCloseTo(30, 4);
  });

  it('hold every share that was traded', () => {
    const trade = fc.record({
      takerSide: fc.constantFrom('BUY' as const, 'SELL' as const),
      shares: fc.integer({ min: 0, max: 300 }),
    });
    fc.assert(
      fc.property(fc.array(trade, { maxLength: 30 }), (trades) => {
        const shape = { bucketShares: 80, buckets: 200 };
        const state = trades.reduce((s, t) => withBucketTrade(s, t, shape), NO_VOLUME);
        const open = state.openBuyShares + state.openSellShares;
        const total = trades.reduce((sum, { shares }) => sum + shares, 0);
        expect(80 * state.imbalances.length + open).toBeCloseTo(total, 6);
        expect(state.imbalances.every((x) => x >= 0 && x <= 1 + 1e-12)).toBe(true);
      }),
    );
  });

  it('take what has no side by the move of the price', () => {
    const up = bulkClassified(100, { price: 0.01, priceVol: 0.01 });
    expect(up.buyShares).toBeCloseTo(84.134475, 6);
    expect(up.buyShares + up.sellShares).toBe(100);
    expect(bulkClassified(100, { price: 0, priceVol: 0 }).buyShares).toBe(50);
    const state = withBucketVolume(NO_VOLUME, up, { bucketShares: 50, buckets: 2 });
    expect(state.imbalances[1]).toBeCloseTo(0.6826895, 6);
  });

  it('have a size and a bound', () => {
    const none = { bucketShares: 0, buckets: 2 };
    expect(() => vpin(NO_VOLUME, none)).toThrow('bucketShares');
    expect(() => vpin(NO_VOLUME, { ...SHAPE, buckets: 201 })).toThrow('BUCKETS_MAX');
  });
});
