import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  inventoryDeviation,
  inventoryMultipliers,
  levelDistance,
  SAMPLES_MAX,
  sampledVolatility,
  scaledAvellaneda,
  shapedSize,
  withPriceSample,
} from '../../../../../src/strategy/index.ts';

const MODEL = {
  midPrice: 100.0159716,
  deviation: -0.3333112,
  riskFactor: 0.8,
  volatilityPrice: 0.073288,
  sessionLeft: 1,
  fillDecayPerPrice: 3.3607256761562003,
  spreadPriceMin: 0,
};

describe('quotes by fraction of the portfolio', () => {
  it.each([
    [0.8, [100.035514, 0.592462, 99.739283, 100.331745], [100.035, 0.592, 99.739, 100.331]],
    [1, [100.040399, 0.594251, 99.743273, 100.337525], [100.04, 0.594, 99.743, 100.337]],
  ])('with risk factor %s are the published ones', (riskFactor, expected, published) => {
    const { reservation, spread, bid, ask } = scaledAvellaneda({ ...MODEL, riskFactor });
    [reservation, spread, bid, ask].forEach((value, i) => {
      // The inputs are given to seven digits, so that the sixth of the results may differ by one.
      expect(Math.abs(value - (expected[i] ?? Number.NaN))).toBeLessThan(1.5e-6);
      // Published to three digits, cut or rounded.
      expect(Math.abs(value - (published[i] ?? Number.NaN))).toBeLessThan(0.001);
    });
  });

  it('know how far one share and 500 in cash are from half and half', () => {
    const portfolio = { baseShares: 1, cashUsd: 500, price: 100.0159716 };
    expect(inventoryDeviation(portfolio, 0.5)).toBeCloseTo(-0.3333112, 6);
    expect(() => inventoryDeviation({ ...portfolio, baseShares: 0, cashUsd: 0 }, 0.5)).toThrow(
      'total',
    );
  });

  it('stay half of the least spread from the middle', () => {
    const { bid, ask } = scaledAvellaneda({ ...MODEL, spreadPriceMin: 2 });
    expect(bid).toBeCloseTo(MODEL.midPrice - 1, 12);
    expect(ask).toBeCloseTo(MODEL.midPrice + 1, 12);
  });

  it('use a volatility over the last samples', () => {
    expect(sampledVolatility([1])).toBeUndefined();
    expect(sampledVolatility([1, 2, 1, 2])).toBeCloseTo(Math.sqrt(3 / 4), 12);
    const samples = Array.from({ length: 300 }, (_, i) => i).reduce<readonly number[]>(
      withPriceSample,
      [],
    );
    expect(samples.length).toBe(SAMPLES_MAX);
    expect(samples[0]).toBe(100);
  });

  it('space levels by percents of the half spread', () => {
    expect([0, 1, 2].map((level) => levelDistance(level, 0.6, 10))).toEqual([0, 0.03, 0.06]);
  });

  it('shrink the side that adds', () => {
    const by = { deviation: 0.5, shape: 2 };
    expect(shapedSize(10, { ...by, side: 'bid' })).toBeCloseTo(10 * Math.exp(-1), 12);
    expect(shapedSize(10, { ...by, side: 'ask' })).toBe(10);
    expect(shapedSize(10, { ...by, deviation: -0.5, side: 'bid' })).toBe(10);
  });
});

describe('multipliers that steer to a target', () => {
  it.each([
    [{ baseShares: 600, cashUsd: 400, price: 0.5 }, { fraction: 0.5, rangeShares: 300 }, 1.333333],
    [
      { baseShares: 85_000, cashUsd: 10_000, price: 0.0036 },
      { fraction: 0.03, rangeShares: 20_000 },
      1.04416666,
    ],
  ])('of %j are the published ones', (portfolio, target, bid) => {
    const multipliers = inventoryMultipliers(portfolio, target);
    expect(multipliers.bid).toBeCloseTo(bid, 6);
    expect(multipliers.ask).toBeCloseTo(2 - bid, 6);
  });

  it('lie from 0 to 2, add up to 2, and buy less the more is held', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2_000 }), (baseShares) => {
        const target = { fraction: 0.5, rangeShares: 300 };
        const portfolio = { baseShares, cashUsd: 400, price: 0.5 };
        const { bid, ask } = inventoryMultipliers(portfolio, target);
        expect(bid + ask).toBe(2);
        expect(bid).toBeGreaterThanOrEqual(0);
        expect(bid).toBeLessThanOrEqual(2);
        const more = inventoryMultipliers({ ...portfolio, baseShares: baseShares + 1 }, target);
        expect(more.bid).toBeLessThanOrEqual(bid);
      }),
    );
  });
});
