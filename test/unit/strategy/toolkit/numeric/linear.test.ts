import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { solved, times, UNKNOWNS_MAX } from '../../../../../src/strategy/toolkit/numeric/linear.ts';

const entry = fc.integer({ min: -9, max: 9 });

describe('a small linear system', () => {
  it('is solved even where the first pivot is zero', () => {
    const matrix = [
      [0, 2],
      [3, 1],
    ];
    expect(solved(matrix, [4, 5])).toEqual([1, 2]);
  });

  it('gives back the right side when its solution is put in', () => {
    const systems = fc.integer({ min: 1, max: 8 }).chain((n) =>
      fc.record({
        matrix: fc.array(fc.array(entry, { minLength: n, maxLength: n }), {
          minLength: n,
          maxLength: n,
        }),
        right: fc.array(entry, { minLength: n, maxLength: n }),
      }),
    );
    fc.assert(
      fc.property(systems, ({ matrix, right }) => {
        // A dominant diagonal is never singular.
        const dominant = matrix.map((row, i) => row.map((x, j) => (i === j ? 100 + x : x)));
        const solution = solved(dominant, right) ?? [];
        times(dominant, solution).forEach((value, i) => {
          expect(value).toBeCloseTo(right[i] ?? Number.NaN, 10);
        });
      }),
    );
  });

  it('has no solution when its rows depend on each other', () => {
    const matrix = [
      [1, 2],
      [2, 4],
    ];
    expect(solved(matrix, [1, 1])).toBeUndefined();
  });

  it('has a bound on its size', () => {
    const rows = Array.from({ length: UNKNOWNS_MAX + 1 }, () => [1]);
    expect(() => solved(rows, [])).toThrow('within its bound');
  });
});
