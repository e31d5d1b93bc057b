import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addShares,
  formatShares,
  MICRO_SHARES_MAX,
  maxShares,
  microShares,
  minShares,
  parseShares,
  shares,
  sharesNumber,
  subtractShares,
} from '../../../src/domain/shares.ts';

const anyQuantity = fc.integer({ min: 0, max: MICRO_SHARES_MAX }).map(microShares);

describe('a quantity of the wire', () => {
  it.each([
    { wire: '50', micro: 50_000_000 },
    { wire: 50, micro: 50_000_000 },
    { wire: '12.5', micro: 12_500_000 },
    { wire: 0.1, micro: 100_000 },
    { wire: 4.89, micro: 4_890_000 },
    { wire: '0.000001', micro: 1 },
    { wire: 1e-6, micro: 1 },
    { wire: '1.0000000', micro: 1_000_000 },
    { wire: 0, micro: 0 },
    { wire: '0.000', micro: 0 },
    { wire: -0, micro: 0 },
    { wire: '-0', micro: 0 },
    { wire: 9_000_000, micro: MICRO_SHARES_MAX },
  ])('$wire is $micro micro-shares, exactly', ({ wire, micro }) => {
    expect(Object.is(parseShares(wire), micro)).toBe(true);
  });

  it.each([
    -1,
    '-0.5',
    '0.0000001',
    1e-7,
    9_000_000.000001,
    1e300,
    '',
    'many',
    '1,000',
    Number.NaN,
    Number.NEGATIVE_INFINITY,
    '0x10',
  ])('%s is refused', (wire) => {
    expect(() => parseShares(wire)).toThrow('whole number of micro-shares');
  });

  it('comes back from text and from a JSON number for any quantity', () => {
    fc.assert(
      fc.property(anyQuantity, (quantity) => {
        expect(parseShares(formatShares(quantity))).toBe(quantity);
        const text = JSON.stringify({ size: sharesNumber(quantity) });
        expect(parseShares(JSON.parse(text).size)).toBe(quantity);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a quantity', () => {
  it.each([
    { micro: 12_500_000, text: '12.5' },
    { micro: 50_000_000, text: '50' },
    { micro: 1, text: '0.000001' },
    { micro: 0, text: '0' },
    { micro: -1_500_000, text: '-1.5' },
    { micro: -1, text: '-0.000001' },
    { micro: 10_010_000, text: '10.01' },
  ])('reads $text', ({ micro, text }) => {
    expect(formatShares(microShares(micro))).toBe(text);
  });

  it.each([
    { count: 50, micro: 50_000_000 },
    { count: 0.1 + 0.2, micro: 300_000 },
    { count: 1.005, micro: 1_005_000 },
    { count: 0.000_000_9, micro: 0 },
    { count: -2.5, micro: -2_500_000 },
  ])('of $count shares is $micro micro-shares', ({ count, micro }) => {
    expect(shares(count)).toBe(micro);
  });

  it.each([0.5, Number.NaN, MICRO_SHARES_MAX + 1, -MICRO_SHARES_MAX - 1])(
    'is never %s',
    (count) => {
      expect(() => microShares(count)).toThrow('assertion failed');
    },
  );

  it('stays exact when a price of any grid multiplies the largest', () => {
    expect(Number.isSafeInteger(MICRO_SHARES_MAX * 999)).toBe(true);
  });

  it('adds, subtracts and compares as whole numbers do', () => {
    const half = fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }).map(microShares);
    fc.assert(
      fc.property(half, half, (a, b) => {
        expect(subtractShares(addShares(a, b), b)).toBe(a);
        expect(minShares(a, b)).toBe(Math.min(a, b));
        expect(maxShares(a, b)).toBe(Math.max(a, b));
      }),
    );
  });

  it('refuses a sum beyond what stays exact', () => {
    const most = microShares(MICRO_SHARES_MAX);
    expect(() => addShares(most, microShares(1))).toThrow('assertion failed');
  });
});
