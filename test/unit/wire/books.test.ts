import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WireError } from '../../../src/domain/errors.ts';
import { tokenId } from '../../../src/domain/ids.ts';
import { MICRO_SHARES_MAX, microShares, sharesNumber } from '../../../src/domain/shares.ts';
import { formatPrice, priceNumber, tickGrid, ticks } from '../../../src/domain/ticks.ts';
import {
  parseBook,
  parseMidpoint,
  readLevelPrice,
  readLevelSize,
} from '../../../src/wire/books.ts';

const CENT = tickGrid('0.01');
const MILLI = tickGrid('0.001');
const GRIDS = [CENT, MILLI];

describe('a level', () => {
  it('reads every legal price of both grids exactly, as number and as text', () => {
    for (const grid of GRIDS) {
      for (let count = 1; count < grid.ticksPerUnit; count += 1) {
        const price = ticks(grid, count);
        expect(readLevelPrice(priceNumber(grid, price), grid)).toBe(count);
        expect(readLevelPrice(formatPrice(grid, price), grid)).toBe(count);
      }
    }
  });

  it('takes the noise of doubles off a price, and no more than that', () => {
    expect(readLevelPrice(0.1 + 0.2, CENT)).toBe(30);
    expect(readLevelPrice(1 - 0.43, CENT)).toBe(57);
    for (const wire of [0.2999, 0.30001, '0.3000001', 0, 1, -0.3, '', '0x1', 'Infinity', 1e300]) {
      expect(() => readLevelPrice(wire, CENT)).toThrow(WireError);
    }
  });

  it('reads every micro-share count it could be sent', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9_000_000_000_000 }), (count) => {
        expect(readLevelSize(sharesNumber(microShares(count)))).toBe(count);
      }),
    );
  });

  it.each([
    [10.000000000000002, 10_000_000],
    [0.1 + 0.2, 300_000],
    [1e-9, 1],
    ['0.0000004', 1],
    [-0, 0],
    [0, 0],
    [10_000_000, MICRO_SHARES_MAX],
    ['250000000.5', MICRO_SHARES_MAX],
  ])('reads the size %s as %s micro-shares', (wire, expected) => {
    expect(readLevelSize(wire)).toBe(expected);
  });

  it.each([[-1], [1e13], ['NaN'], [''], [Number.POSITIVE_INFINITY], ['1e200']])(
    'refuses the size %s',
    (wire) => {
      expect(() => readLevelSize(wire)).toThrow(WireError);
    },
  );
});

describe('a book over REST', () => {
  const LEVELS = { bids: [{ price: 0.3, size: 2 }], asks: [{ price: '0.31', size: '1.5' }] };
  const SIDES = {
    bids: [{ price: 30, size: 2_000_000 }],
    asks: [{ price: 31, size: 1_500_000 }],
  };

  it('reads with and without tokenId and ts', () => {
    expect(parseBook(LEVELS, CENT)).toEqual({ ...SIDES, venueTs: undefined });
    expect(parseBook({ ...LEVELS, tokenId: '0xa1', ts: 5 }, CENT)).toEqual({
      ...SIDES,
      venueTs: 5,
    });
  });

  it('is no answer where it is the book of another token than was asked for', () => {
    const read = (shown: unknown) =>
      parseBook({ ...LEVELS, tokenId: shown }, CENT, tokenId('0xa1'));
    expect(() => read('0xa2')).toThrow('book.tokenId: 0xa1 expected, and not 0xa2');
    for (const shown of ['0xa1', '0xA1', undefined, null, 'yes-161', 161])
      expect(read(shown)).toMatchObject(SIDES);
  });

  it.each(['bids', 'asks'] as const)('is not guessed where its %s name a price twice', (side) => {
    const twice = [
      { price: 0.3, size: 2 },
      { price: '0.30', size: 1 },
    ];
    const wire = { bids: [], asks: [], [side]: twice };
    expect(() => parseBook(wire, CENT)).toThrow(`book.${side}[1]: price twice`);
  });

  it('leaves out a level of size zero', () => {
    expect(parseBook({ bids: [{ price: 0.3, size: 0 }], asks: [] }, CENT).bids).toEqual([]);
  });

  it('is read whole where a level has more shares than can be counted', () => {
    const wire = { ...LEVELS, bids: [...LEVELS.bids, { price: 0.01, size: 10_000_000 }] };
    const bids = [...SIDES.bids, { price: 1, size: MICRO_SHARES_MAX }];
    expect(parseBook(wire, CENT)).toMatchObject({ bids, asks: SIDES.asks });
  });

  it('names the level it cannot read', () => {
    const wire = { ...LEVELS, asks: [LEVELS.asks[0], { price: 0.315, size: 1 }] };
    expect(() => parseBook(wire, CENT)).toThrow('book.asks[1]');
    expect(parseBook(wire, MILLI).asks).toHaveLength(2);
  });
});

describe('a middle', () => {
  it('may lie between ticks, never outside 0 to 1', () => {
    expect(parseMidpoint({ mid: 0.305 }).toFixed()).toBe('0.305');
    expect(parseMidpoint({ mid: '0.305' }).toFixed()).toBe('0.305');
    for (const mid of ['2', -0.1, null, 'x']) expect(() => parseMidpoint({ mid })).toThrow('mid');
  });
});
