import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MICRO_SHARES_MAX, microShares, shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import {
  MIN_NOTIONAL_USDC,
  meetsMinNotional,
  notional,
  parseUsdc,
  usdc,
  ZERO_USDC,
} from '../../../src/domain/usdc.ts';

const CENTS = tickGrid('0.01');
const MILLS = tickGrid('0.001');

describe('an amount of USDC', () => {
  it.each([
    { wire: '12.345678', text: '12.345678' },
    { wire: 0.1, text: '0.1' },
    { wire: '-3.50', text: '-3.5' },
    { wire: '0', text: '0' },
  ])('$wire is read exactly', ({ wire, text }) => {
    expect(parseUsdc(wire).toString()).toBe(text);
  });

  it.each(['', 'ten', '1,5', Number.NaN, Number.POSITIVE_INFINITY, '$5'])(
    '%s is refused',
    (wire) => {
      expect(() => parseUsdc(wire)).toThrow('not a number');
    },
  );

  it('adds without the errors of binary fractions', () => {
    expect(usdc('0.1').plus('0.2').eq('0.3')).toBe(true);
    expect(ZERO_USDC.isZero()).toBe(true);
  });
});

describe('the value of an order', () => {
  it.each([
    { grid: CENTS, count: 29, quantity: 100, value: '29' },
    { grid: CENTS, count: 57, quantity: 0.000001, value: '5.7e-7' },
    { grid: MILLS, count: 333, quantity: 3, value: '0.999' },
    { grid: MILLS, count: 999, quantity: 9_000_000, value: '8991000' },
  ])(
    'is $value for $quantity shares at $count ticks of $grid.tickSize',
    ({ grid, count, quantity, value }) => {
      expect(notional(grid, ticks(grid, count), shares(quantity)).toString()).toBe(value);
    },
  );

  it.each([
    { count: 1, micro: 100_000_000, meets: true },
    { count: 1, micro: 99_999_999, meets: false },
    { count: 99, micro: 1_010_102, meets: true },
    { count: 99, micro: 1_010_101, meets: false },
    { count: 50, micro: 2_000_000, meets: true },
    { count: 50, micro: 1_999_999, meets: false },
  ])(
    'meets the minimum: $meets for $micro micro-shares at $count cents',
    ({ count, micro, meets }) => {
      expect(meetsMinNotional(CENTS, ticks(CENTS, count), microShares(micro))).toBe(meets);
    },
  );

  it('meets the minimum exactly when it is at least that much', () => {
    const near = fc.integer({ min: 900_000, max: 1_100_000_000 });
    const any = fc.integer({ min: 1, max: MICRO_SHARES_MAX });
    fc.assert(
      fc.property(
        fc.constantFrom(CENTS, MILLS),
        fc.integer({ min: 1, max: 99 }),
        fc.oneof(near, any),
        (grid, count, micro) => {
          const price = ticks(grid, count);
          const quantity = microShares(micro);
          const isEnough = notional(grid, price, quantity).gte(MIN_NOTIONAL_USDC);
          expect(meetsMinNotional(grid, price, quantity)).toBe(isEnough);
        },
      ),
      { numRuns: 500 },
    );
  });
});
