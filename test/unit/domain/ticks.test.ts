import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  complement,
  decimalOf,
  formatPrice,
  parsePrice,
  parseTickSize,
  plainCount,
  priceNumber,
  type TickGrid,
  type TickSize,
  tickGrid,
  ticks,
  ticksWithin,
} from '../../../src/domain/ticks.ts';

const CENTS = tickGrid('0.01');
const MILLS = tickGrid('0.001');

function everyTick(grid: TickGrid): readonly number[] {
  return Array.from({ length: grid.ticksPerUnit - 1 }, (_, index) => index + 1);
}

describe('a price of the wire', () => {
  it.each([
    { grid: CENTS, wire: '0.29', count: 29 },
    { grid: CENTS, wire: 0.29, count: 29 },
    { grid: CENTS, wire: 0.57, count: 57 },
    { grid: CENTS, wire: '0.290', count: 29 },
    { grid: CENTS, wire: '.5', count: 50 },
    { grid: CENTS, wire: '29e-2', count: 29 },
    { grid: CENTS, wire: '0.01', count: 1 },
    { grid: CENTS, wire: '0.99', count: 99 },
    { grid: MILLS, wire: 0.001, count: 1 },
    { grid: MILLS, wire: '0.999', count: 999 },
    { grid: MILLS, wire: 0.29, count: 290 },
    { grid: MILLS, wire: 1e-3, count: 1 },
  ])('$wire is $count ticks of $grid.tickSize, exactly', ({ grid, wire, count }) => {
    expect(parsePrice(grid, wire)).toBe(count);
  });

  it.each([CENTS, MILLS])('comes back from text for every tick of $tickSize', (grid) => {
    const back = everyTick(grid).map((count) =>
      parsePrice(grid, formatPrice(grid, ticks(grid, count))),
    );
    expect(back).toEqual(everyTick(grid));
  });

  it.each([CENTS, MILLS])('comes back from a JSON number for every tick of $tickSize', (grid) => {
    const back = everyTick(grid).map((count) => {
      const text = JSON.stringify({ price: priceNumber(grid, ticks(grid, count)) });
      return parsePrice(grid, JSON.parse(text).price);
    });
    expect(back).toEqual(everyTick(grid));
  });

  it.each([
    { grid: CENTS, wire: '0.295' },
    { grid: CENTS, wire: 0.001 },
    { grid: CENTS, wire: 0.1 + 0.2 },
    { grid: MILLS, wire: '0.0005' },
    { grid: MILLS, wire: '0.2900001' },
  ])('$wire between two ticks of $grid.tickSize is refused, not rounded', ({ grid, wire }) => {
    expect(() => parsePrice(grid, wire)).toThrow('not on the tick grid');
  });

  it.each([0, 1, '0', '1', '1.00', -0.01, '-0.29', 2, '29'])(
    '%s outside of the price range is refused',
    (wire) => {
      expect(() => parsePrice(CENTS, wire)).toThrow('not on the tick grid');
    },
  );

  it.each([
    '',
    ' 0.29',
    '0,29',
    'abc',
    '0x1d',
    '1e',
    '0.2.9',
    'NaN',
    'Infinity',
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '0.29 ',
    '0.2_9',
    `0.${'0'.repeat(100)}1`,
  ])('%s is no number and is refused', (wire) => {
    expect(() => parsePrice(CENTS, wire)).toThrow('not on the tick grid');
  });
});

describe('a tick size of the wire', () => {
  it.each([
    { wire: '0.01', size: '0.01' },
    { wire: 0.01, size: '0.01' },
    { wire: '0.010', size: '0.01' },
    { wire: '0.001', size: '0.001' },
    { wire: 0.001, size: '0.001' },
    { wire: '1e-3', size: '0.001' },
  ] satisfies readonly { wire: string | number; size: TickSize }[])(
    '$wire is $size',
    ({ wire, size }) => {
      expect(parseTickSize(wire).tickSize).toBe(size);
      expect(parseTickSize(wire)).toBe(tickGrid(size));
    },
  );

  it.each(['0.1', 0.0001, 0, 1, '', 'cent'])('%s is refused: no default stands in', (wire) => {
    expect(() => parseTickSize(wire)).toThrow('neither 0.01 nor 0.001');
  });
});

describe('a count of ticks', () => {
  it.each([0, 100, -1, 1.5, Number.NaN])('%s is no price', (count) => {
    expect(() => ticks(CENTS, count)).toThrow('assertion failed');
    expect(ticksWithin(CENTS, count)).toBeUndefined();
  });

  it.each([1, 50, 99])('%s is a price', (count) => {
    expect(ticks(CENTS, count)).toBe(count);
    expect(ticksWithin(CENTS, count)).toBe(count);
  });

  it.each([CENTS, MILLS])('is mirrored into the other outcome and back, tick $tickSize', (grid) => {
    for (const count of everyTick(grid)) {
      const price = ticks(grid, count);
      expect(complement(grid, price) + price).toBe(grid.ticksPerUnit);
      expect(complement(grid, complement(grid, price))).toBe(price);
    }
  });

  it.each([
    { grid: CENTS, count: 5, text: '0.05' },
    { grid: CENTS, count: 50, text: '0.50' },
    { grid: MILLS, count: 5, text: '0.005' },
    { grid: MILLS, count: 500, text: '0.500' },
  ])('reads $text', ({ grid, count, text }) => {
    expect(formatPrice(grid, ticks(grid, count))).toBe(text);
    expect(String(decimalOf(text))).toBe(String(priceNumber(grid, ticks(grid, count))));
  });
});

describe('a plain number', () => {
  const parts = fc.constantFrom(100, 1_000, 1_000_000);
  const digits = fc.integer({ min: 0, max: 999_999_999 });
  const decimals = fc.integer({ min: 0, max: 7 });

  it('counts as the decimal of its text does, or is left to it', () => {
    fc.assert(
      fc.property(digits, decimals, parts, (count, places, partsPerUnit) => {
        const text = new Decimal(count).div(10 ** places).toFixed(places);
        const exact = new Decimal(text).times(partsPerUnit);
        for (const wire of [text, Number(text)]) {
          const plain = plainCount(wire, partsPerUnit);
          if (exact.isInteger() && places < 7) expect(plain).toBe(exact.toNumber());
          else expect(plain === undefined || exact.eq(plain)).toBe(true);
        }
      }),
    );
  });

  it.each([
    '',
    ' 1',
    '1 ',
    '-1',
    '+1',
    '.5',
    '5.',
    '1e2',
    '0x1',
    '1_0',
    'NaN',
    'Infinity',
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    0.1 + 0.2,
    1e16,
  ])('is not %o', (wire) => {
    expect(plainCount(wire, 100)).toBeUndefined();
  });

  it('is never minus zero', () => {
    expect(plainCount(-0, 100)).toBe(0);
    expect(plainCount(0, 100)).toBe(0);
    expect(plainCount('0.00', 1_000_000)).toBe(0);
  });
});
