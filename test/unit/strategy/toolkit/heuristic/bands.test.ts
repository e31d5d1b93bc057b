import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type MicroShares, microShares, shares } from '../../../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../../../src/domain/ticks.ts';
import {
  type Band,
  type BandPlan,
  bandPlacements,
  bandsFault,
  excessOrders,
  isInBand,
  usableBands,
} from '../../../../../src/strategy/index.ts';

const GRID = tickGrid('0.01');

function band(
  margins: readonly [number, number, number],
  amounts: readonly [number, number, number],
): Band {
  return {
    marginTicksMin: margins[0],
    marginTicksAvg: margins[1],
    marginTicksMax: margins[2],
    amountMin: shares(amounts[0]),
    amountAvg: shares(amounts[1]),
    amountMax: shares(amounts[2]),
  };
}

const BANDS = [band([2, 3, 4], [10, 20, 50]), band([4, 5, 6], [20, 30, 40])];
const order = (cents: number, amount: number) => ({
  price: ticks(GRID, cents),
  amount: shares(amount),
});
const fifteen = (): MicroShares => shares(15);
const usd = (amount: number) => amount * 1e6;

function placed(plan: BandPlan): readonly string[] {
  return plan.placements.map(({ kind, price, amount }) => `${kind} ${amount / 1e6} @ ${price}`);
}

describe('bands with one bid of five at 48', () => {
  const market = { grid: GRID, bands: BANDS, targetTicks: 50 };
  const orders = [order(48, 5)];

  it('buy in both, from cash alone, as published', () => {
    const budget = { complement: shares(0), cashMicroUsdc: usd(100) };
    const plan = bandPlacements(market, { orders, budget }, fifteen);
    expect(placed(plan)).toEqual(['buy 15 @ 47', 'buy 30 @ 45']);
    expect(plan.left.cashMicroUsdc).toBe(usd(100 - 15 * 0.47 - 30 * 0.45));
  });

  it('sell the complement first, as published', () => {
    const budget = { complement: shares(30), cashMicroUsdc: usd(30) };
    const plan = bandPlacements(market, { orders, budget }, fifteen);
    // A sale at 53 is a purchase at 47.
    const expected = ['sellComplement 15 @ 47', 'sellComplement 15 @ 45', 'buy 15 @ 45'];
    expect(placed(plan)).toEqual(expected);
    expect(plan.left.complement).toBe(0);
  });

  it('place nothing below the smallest order, and nothing that cash does not cover', () => {
    const budget = { complement: shares(14), cashMicroUsdc: usd(6) };
    expect(placed(bandPlacements(market, { orders, budget }, fifteen))).toEqual([]);
  });

  it('never spend more than there is', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 4e7 }),
        fc.integer({ min: 0, max: 6e7 }),
        fc.integer({ min: 1, max: 99 }),
        (cashMicroUsdc, held, targetTicks) => {
          const budget = { complement: microShares(held), cashMicroUsdc };
          const state = { orders: [], budget };
          const plan = bandPlacements({ ...market, targetTicks }, state, () => shares(1));
          expect(plan.left.cashMicroUsdc).toBeGreaterThanOrEqual(0);
          expect(plan.left.complement).toBeGreaterThanOrEqual(0);
          for (const { price } of plan.placements) expect(price).toBeLessThan(targetTicks);
        },
      ),
    );
  });
});

describe('the range of a band', () => {
  it('excludes its far end and includes its near one', () => {
    const [first] = BANDS;
    const inside = [45, 46, 47, 48, 49].filter((price) => first && isInBand(first, 50, price));
    expect(inside).toEqual([47, 48]);
  });

  it('near zero is left out, or quoted at one tick, for this target only', () => {
    expect(usableBands(BANDS, 2)).toEqual([]);
    expect(usableBands(BANDS, 3)).toEqual([{ ...BANDS[0], marginTicksAvg: 2 }]);
    expect(usableBands(BANDS, 50)).toEqual(BANDS);
  });
});

describe('orders above the maximum of a band', () => {
  const three = [...BANDS, band([6, 7, 8], [10, 20, 30])];

  it('go nearest first in the first band, largest first in the middle, farthest first in the last', () => {
    const orders = [
      order(48, 30),
      order(47, 30),
      order(46, 25),
      order(45, 10),
      order(46, 15),
      order(44, 20),
      order(43, 20),
    ];
    const excess = excessOrders(three, 50, orders).map(({ price, amount }) => [
      price,
      amount / 1e6,
    ]);
    expect(excess).toEqual([
      [48, 30],
      [46, 25],
      [43, 20],
    ]);
  });

  it('go where they lie outside every band', () => {
    const outside = [order(49, 1), order(41, 1), order(60, 1)];
    expect(excessOrders(three, 50, [...outside, order(47, 5)])).toEqual(outside);
  });

  it('leave no band above its maximum', () => {
    const orders = fc.array(
      fc
        .tuple(fc.integer({ min: 40, max: 50 }), fc.integer({ min: 1, max: 40 }))
        .map(([cents, amount]) => order(cents, amount)),
    );
    fc.assert(
      fc.property(orders, (all) => {
        const gone = excessOrders(three, 50, all);
        const kept = all.filter((each) => !gone.includes(each));
        for (const each of three) {
          const inside = kept.filter(({ price }) => isInBand(each, 50, price));
          const total = inside.reduce((sum, { amount }) => sum + amount, 0);
          expect(total).toBeLessThanOrEqual(each.amountMax);
        }
        expect(kept.every(({ price }) => three.some((each) => isInBand(each, 50, price)))).toBe(
          true,
        );
      }),
    );
  });
});

describe('a set of bands', () => {
  it('is refused when bands overlap or fall instead of rise', () => {
    expect(bandsFault(BANDS)).toBeUndefined();
    expect(bandsFault([...BANDS, band([3, 4, 5], [1, 2, 3])])).toBe('bands do not overlap');
    const falling = band([3, 2, 5], [1, 2, 3]);
    expect(bandsFault([falling])).toBe('margins and amounts rise from min to max');
    expect(bandsFault([band([3, 3, 3], [1, 2, 3])])).toContain('rise');
    expect(bandsFault([band([2, 3, 4], [3, 2, 5])])).toContain('rise');
  });
});
