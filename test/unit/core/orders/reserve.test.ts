// What each class of writes leaves to those before it.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WRITE_CLASSES } from '../../../../src/core/quoting/market.ts';
import { writesOf } from '../../../../src/core/sending/budget.ts';

const LEGAL = { perWindow: 300, reservePart: 0.1 };

function all(view: { perWindow: number; reservePart: number; marketsQuoted: number }) {
  return WRITE_CLASSES.map((each) => writesOf(each, view));
}

describe('the reserve of the write budget', () => {
  it.each([
    { markets: 0, expected: [300, 285, 285, 270] },
    { markets: 100, expected: [300, 285, 285, 270] },
    // 300 positions take 20 writes, 600 sides 40.
    { markets: 300, expected: [300, 280, 280, 240] },
    { markets: 5_000, expected: [300, 240, 240, 150] },
  ])('of $markets markets leaves reduce, repair, renew and improve $expected', (row) => {
    expect(all({ ...LEGAL, marketsQuoted: row.markets })).toEqual(row.expected);
  });

  it('is one write for positions and one for bare sides in a small budget of one market', () => {
    expect(all({ perWindow: 10, reservePart: 0.1, marketsQuoted: 1 })).toEqual([10, 9, 9, 8]);
  });

  it('never keeps more than half from any class, and never more from a higher one', () => {
    const views = fc.record({
      perWindow: fc.integer({ min: 1, max: 300 }),
      reservePart: fc.double({ min: 0, max: 0.5, noNaN: true }),
      marketsQuoted: fc.integer({ min: 0, max: 10_000 }),
    });
    fc.assert(
      fc.property(views, (view) => {
        const [reduce = 0, repair = 0, renew = 0, improve = 0] = all(view);
        expect(reduce).toBe(view.perWindow);
        expect(repair).toBe(renew);
        expect(repair).toBeLessThanOrEqual(reduce);
        expect(improve).toBeLessThanOrEqual(repair);
        expect(improve).toBeGreaterThanOrEqual(view.perWindow / 2 - 1e-9);
      }),
    );
  });
});
