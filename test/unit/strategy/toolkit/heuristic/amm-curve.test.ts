import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tickGrid } from '../../../../../src/domain/ticks.ts';
import {
  type AmmLevel,
  ammAsks,
  ammBestBidPerUsd,
  ammBids,
  ammCollateralOfA,
} from '../../../../../src/strategy/index.ts';

const GRID = tickGrid('0.01');
const SHAPE = {
  spreadTicks: 2,
  stepTicks: 1,
  depthTicks: 5,
  priceTicksMin: 5,
  priceTicksMax: 95,
};

const cut = (levels: readonly AmmLevel[]) =>
  levels.map(({ ticks, shares }) => [ticks, Math.floor(shares * 100) / 100]);

describe('sizes on the curve', () => {
  it('of bids and asks are those of the check case', () => {
    expect(cut(ammAsks(GRID, { priceTicks: 30, tokenShares: 300 }, SHAPE))).toEqual([
      [32, 128.42],
      [33, 59.78],
      [34, 57.12],
      [35, 54.66],
    ]);
    expect(cut(ammBids(GRID, { priceTicks: 30, collateralUsd: 50 }, SHAPE))).toEqual([
      [28, 67.13],
      [27, 36.33],
      [26, 38.4],
      [25, 40.69],
    ]);
    expect(ammBestBidPerUsd(GRID, 30, SHAPE)).toBeCloseTo(1.342772, 6);
  });

  it('sell all shares, and spend about all collateral, over the whole depth', () => {
    fc.assert(
      fc.property(fc.integer({ min: 12, max: 88 }), fc.integer({ min: 1, max: 8 }), (P, depth) => {
        const shape = { ...SHAPE, spreadTicks: 1, depthTicks: depth };
        const asks = ammAsks(GRID, { priceTicks: P, tokenShares: 300 }, shape);
        expect(asks.reduce((total, { shares }) => total + shares, 0)).toBeCloseTo(300, 8);
        const bids = ammBids(GRID, { priceTicks: P, collateralUsd: 50 }, shape);
        const cost = bids.reduce((total, each) => total + (each.shares * each.ticks) / 100, 0);
        // Each level is bought at its far end, so that the whole costs no more than the collateral.
        expect(cost).toBeLessThanOrEqual(50 + 1e-9);
        expect(cost).toBeGreaterThan(45);
      }),
    );
  });

  it('stop at the ends of the price range, and are none beyond them', () => {
    const near = ammAsks(GRID, { priceTicks: 92, tokenShares: 10 }, SHAPE);
    expect(near.map(({ ticks }) => ticks)).toEqual([94, 95]);
    expect(ammAsks(GRID, { priceTicks: 95, tokenShares: 10 }, SHAPE)).toEqual([]);
    expect(ammBids(GRID, { priceTicks: 5, collateralUsd: 10 }, SHAPE)).toEqual([]);
    expect(ammBestBidPerUsd(GRID, 4, SHAPE)).toBe(0);
    const wide = { ...SHAPE, spreadTicks: 9 };
    expect(ammBids(GRID, { priceTicks: 30, collateralUsd: 10 }, wide)).toEqual([]);
  });

  it('need a step', () => {
    const still = { ...SHAPE, stepTicks: 0 };
    expect(() => ammBids(GRID, { priceTicks: 30, collateralUsd: 1 }, still)).toThrow('stepTicks');
  });
});

describe('collateral over two tokens', () => {
  const token = { bestBidPerUsd: 1.3, bestAskShares: 10 };

  it('balances the best bid of each with the best ask of the other', () => {
    const a = { bestBidPerUsd: 1.342772, bestAskShares: 12 };
    const b = { bestBidPerUsd: 0.6, bestAskShares: 40 };
    const ofA = ammCollateralOfA(100, a, b);
    const buysA = ofA * a.bestBidPerUsd + b.bestAskShares;
    const buysB = (100 - ofA) * b.bestBidPerUsd + a.bestAskShares;
    expect(buysA).toBeCloseTo(buysB, 9);
  });

  it('halves between equals, and never gives more than there is or less than nothing', () => {
    expect(ammCollateralOfA(100, token, token)).toBe(50);
    expect(ammCollateralOfA(10, token, { ...token, bestAskShares: 1e4 })).toBe(0);
    expect(ammCollateralOfA(10, { ...token, bestAskShares: 1e4 }, token)).toBe(10);
    const none = { bestBidPerUsd: 0, bestAskShares: 0 };
    expect(ammCollateralOfA(10, none, none)).toBe(0);
  });
});
