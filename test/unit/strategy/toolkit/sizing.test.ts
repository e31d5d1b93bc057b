import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { microShares, shares } from '../../../../src/domain/shares.ts';
import { complement, tickGrid, ticks } from '../../../../src/domain/ticks.ts';
import { meetsMinNotional } from '../../../../src/domain/usdc.ts';
import {
  quantityMin,
  quantityMinOfEitherLeg,
  quotedQuantity,
} from '../../../../src/strategy/index.ts';

const CENT = tickGrid('0.01');
const HUNDREDTH = shares(0.01);

const grids = fc.constantFrom(CENT, tickGrid('0.001'));
const priced = grids.chain((grid) =>
  fc.record({
    grid: fc.constant(grid),
    price: fc.integer({ min: 1, max: grid.ticksPerUnit - 1 }).map((count) => ticks(grid, count)),
    step: fc.constantFrom(1, 10_000, 1_000_000, 5_000_000).map(microShares),
  }),
);

describe('the smallest quantity', () => {
  it.each([
    [1, 100],
    [99, 1.02],
    [50, 2],
    [33, 3.04],
  ])('at %s cents is %s shares in steps of a hundredth', (cents, count) => {
    expect(quantityMin(CENT, ticks(CENT, cents), HUNDREDTH)).toBe(shares(count));
  });

  it('is legal, in whole steps, and a step less is not legal', () => {
    fc.assert(
      fc.property(priced, ({ grid, price, step }) => {
        const least = quantityMin(grid, price, step);
        expect(meetsMinNotional(grid, price, least)).toBe(true);
        expect(least % step).toBe(0);
        expect(meetsMinNotional(grid, price, microShares(least - step))).toBe(false);
      }),
    );
  });

  it('of either leg is legal for YES and for NO', () => {
    fc.assert(
      fc.property(priced, ({ grid, price, step }) => {
        const least = quantityMinOfEitherLeg(grid, price, step);
        expect(meetsMinNotional(grid, price, least)).toBe(true);
        expect(meetsMinNotional(grid, complement(grid, price), least)).toBe(true);
      }),
    );
  });
});

describe('the quantity of a quote', () => {
  const targetQuotes = { min: shares(2), room: shares(50), step: HUNDREDTH };

  it.each([
    [25, 25],
    [25.019, 25.01],
    [0.5, 2],
    [80, 50],
    [1e15, 50],
    [Number.POSITIVE_INFINITY, 50],
  ])('wanted as %s shares is %s', (wanted, quoted) => {
    expect(quotedQuantity({ ...targetQuotes, shares: wanted })).toBe(shares(quoted));
  });

  it.each([0, -3, Number.NaN])('wanted as %s shares is no quote', (wanted) => {
    expect(quotedQuantity({ ...targetQuotes, shares: wanted })).toBeUndefined();
  });

  it('does not exist where caps do not leave the minimum', () => {
    expect(quotedQuantity({ ...targetQuotes, shares: 25, room: shares(1.99) })).toBeUndefined();
    expect(quotedQuantity({ ...targetQuotes, shares: 25, room: microShares(-5) })).toBeUndefined();
    expect(quotedQuantity({ ...targetQuotes, shares: 1, room: shares(2) })).toBe(shares(2));
  });

  it('stays between the minimum and the room, in whole steps', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.01, max: 1e5, noNaN: true }),
        fc.integer({ min: 0, max: 1e10 }),
        priced,
        (wanted, room, { grid, price, step }) => {
          const min = quantityMin(grid, price, step);
          const quoted = quotedQuantity({ shares: wanted, min, room: microShares(room), step });
          expect(quoted === undefined).toBe(Math.floor(room / step) * step < min);
          if (quoted === undefined) return;
          expect(quoted % step).toBe(0);
          expect(quoted).toBeGreaterThanOrEqual(min);
          expect(quoted).toBeLessThanOrEqual(room);
        },
      ),
    );
  });

  it('needs a step', () => {
    expect(() => quotedQuantity({ ...targetQuotes, shares: 1, step: microShares(0) })).toThrow(
      'step',
    );
  });
});
