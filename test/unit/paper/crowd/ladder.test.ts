import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tickGrid } from '../../../../src/domain/ticks.ts';
import { ladderPrices } from '../../../../src/paper/crowd/ladder.ts';

const CENTS = tickGrid('0.01');
const ANYWHERE = { bidMax: Number.POSITIVE_INFINITY, askMin: Number.NEGATIVE_INFINITY };

describe('a ladder of prices', () => {
  it('starts half a spread from the view and goes on at round prices', () => {
    const shape = { centerTicks: 50.4, halfSpreadTicks: 2, spacingTicks: 5, levels: 4 };
    expect(ladderPrices(CENTS, 'bid', shape, ANYWHERE)).toEqual([48, 45, 40, 35]);
    expect(ladderPrices(CENTS, 'ask', shape, ANYWHERE)).toEqual([53, 55, 60, 65]);
  });

  it('does not repeat a best price that is round itself', () => {
    const shape = { centerTicks: 47, halfSpreadTicks: 2, spacingTicks: 5, levels: 3 };
    expect(ladderPrices(CENTS, 'bid', shape, ANYWHERE)).toEqual([45, 40, 35]);
    const above = { ...shape, centerTicks: 53 };
    expect(ladderPrices(CENTS, 'ask', above, ANYWHERE)).toEqual([55, 60, 65]);
  });

  it('steps back where it would trade at once', () => {
    const shape = { centerTicks: 50, halfSpreadTicks: 1, spacingTicks: 1, levels: 3 };
    expect(ladderPrices(CENTS, 'bid', shape, { ...ANYWHERE, bidMax: 46 })).toEqual([46, 45, 44]);
    expect(ladderPrices(CENTS, 'ask', shape, { ...ANYWHERE, askMin: 54 })).toEqual([54, 55, 56]);
  });

  it('has fewer levels near the ends of the range, never an illegal price', () => {
    const shape = { centerTicks: 2.5, halfSpreadTicks: 1, spacingTicks: 1, levels: 4 };
    expect(ladderPrices(CENTS, 'bid', shape, ANYWHERE)).toEqual([1]);
    expect(ladderPrices(CENTS, 'bid', { ...shape, centerTicks: 1 }, ANYWHERE)).toEqual([]);
  });

  it('is sorted best first, distinct, within its distance and never across the view', () => {
    const shapes = fc.record({
      centerTicks: fc.double({ min: 0.5, max: 99.5, noNaN: true }),
      halfSpreadTicks: fc.double({ min: 0, max: 10, noNaN: true }),
      spacingTicks: fc.integer({ min: 1, max: 7 }),
      levels: fc.integer({ min: 1, max: 12 }),
    });
    fc.assert(
      fc.property(shapes, fc.constantFrom('bid' as const, 'ask' as const), (shape, side) => {
        const sign = side === 'bid' ? -1 : 1;
        const distances = ladderPrices(CENTS, side, shape, ANYWHERE).map(
          (price) => sign * (price - shape.centerTicks),
        );
        expect(distances.every((each) => each >= shape.halfSpreadTicks - 1e-9)).toBe(true);
        expect(distances).toEqual([...new Set(distances)].sort((a, b) => a - b));
        const reach = shape.halfSpreadTicks + 1 + shape.levels * shape.spacingTicks;
        expect(distances.every((each) => each <= reach)).toBe(true);
        expect(distances.length).toBeLessThanOrEqual(shape.levels);
      }),
    );
  });
});
