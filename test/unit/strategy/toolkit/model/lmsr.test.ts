import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  lmsrCostUsd,
  lmsrLossMaxUsd,
  lmsrPrices,
  lmsrTradeCostUsd,
  lsLmsrCostUsd,
  lsLmsrGrowth,
  lsLmsrPrices,
} from '../../../../../src/strategy/index.ts';

const sold = fc.array(fc.double({ min: 0.5, max: 500, noNaN: true }), {
  minLength: 2,
  maxLength: 8,
});

describe('the logarithmic rule', () => {
  it('charges and prices the check case', () => {
    const cost = lmsrTradeCostUsd([20, 10], { outcome: 0, shares: 10 }, 40);
    expect(cost).toBeCloseTo(5.925503, 6);
    expect(lmsrPrices([30, 10], 40)[0]).toBeCloseTo(0.622459, 6);
  });

  it.each([
    [10, 0.5622, 0.5744],
    [100, 0.5062, 0.5075],
    [1, 0.9217, 0.9526],
  ])('with b %s charges the published %s and then prices %s', (b, cost, price) => {
    expect(lmsrTradeCostUsd([5, 3], { outcome: 0, shares: 1 }, b)).toBeCloseTo(cost, 4);
    expect(lmsrPrices([6, 3], b)[0]).toBeCloseTo(price, 4);
  });

  it('has prices that add up to one, and a loss bounded by b ln n', () => {
    fc.assert(
      fc.property(sold, fc.double({ min: 1, max: 200, noNaN: true }), (q, b) => {
        expect(lmsrPrices(q, b).reduce((x, y) => x + y, 0)).toBeCloseTo(1, 12);
        const start = q.map(() => 0);
        const taken = lmsrCostUsd(q, b) - lmsrCostUsd(start, b);
        const loss = Math.max(...q) - taken;
        expect(loss).toBeLessThanOrEqual(lmsrLossMaxUsd(b, q.length) + 1e-9);
      }),
    );
  });

  it('knows the outcomes it prices', () => {
    expect(() => lmsrTradeCostUsd([1, 2], { outcome: 2, shares: 1 }, 10)).toThrow('one of those');
  });
});

describe('the liquidity-sensitive rule', () => {
  it('prices the check case', () => {
    const prices = lsLmsrPrices([30, 50], 0.04);
    expect(prices[0]).toBeCloseTo(0.002486, 6);
    expect(prices[1]).toBeCloseTo(0.998632, 6);
    expect((prices[0] ?? 0) + (prices[1] ?? 0)).toBeCloseTo(1.001118, 6);
  });

  it('has the slopes of its cost as prices, whose sum stays within the vig', () => {
    fc.assert(
      fc.property(sold, fc.double({ min: 0.02, max: 0.2, noNaN: true }), (q, vig) => {
        const growth = lsLmsrGrowth(vig, q.length);
        const prices = lsLmsrPrices(q, growth);
        const total = prices.reduce((x, y) => x + y, 0);
        expect(total).toBeGreaterThan(1 - 1e-12);
        expect(total).toBeLessThan(1 + vig + 1e-12);
        const step = 1e-5;
        const bumped = (by: number) => q.map((each, i) => (i === 0 ? each + by : each));
        const rise = lsLmsrCostUsd(bumped(step), growth) - lsLmsrCostUsd(bumped(-step), growth);
        expect(rise / (2 * step)).toBeCloseTo(prices[0] ?? Number.NaN, 5);
      }),
    );
  });

  it('has no price before anything is sold', () => {
    expect(() => lsLmsrPrices([0, 0], 0.04)).toThrow('soldShares');
    expect(() => lsLmsrPrices([5, -1], 0.04)).toThrow('no negative shares');
  });
});
