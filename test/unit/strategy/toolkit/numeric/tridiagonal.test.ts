import { describe, expect, it } from 'vitest';
import { grown } from '../../../../../src/strategy/toolkit/numeric/tridiagonal.ts';

describe('growth through a tridiagonal matrix', () => {
  it('is the exponential of each entry where rows have no neighbours', () => {
    const alone = { toPrevious: [0, 0], diagonal: [-1, -2], toNext: [0, 0] };
    const [first, second] = grown(alone, [1, 1], 3);
    expect(first).toBe(1);
    expect(second).toBeCloseTo(Math.exp(-3), 14);
  });

  it('is that of a two by two matrix in closed form', () => {
    // The symmetric and the antisymmetric part of the start grow at rates +1 and -1.
    const pair = { toPrevious: [0, 1], diagonal: [0, 0], toNext: [1, 0] };
    const [first, second] = grown(pair, [3, 1], 0.7);
    const grownSum = 4 * Math.exp(0.7);
    const grownDifference = 2 * Math.exp(-0.7);
    const expected = (grownSum - grownDifference) / (grownSum + grownDifference);
    expect(first).toBe(1);
    expect(second).toBeCloseTo(expected, 14);
  });

  it('is the same in one go and in two', () => {
    const rows = Array.from({ length: 41 }, (_, i) => i - 20);
    const matrix = {
      toPrevious: rows.map(() => 0.3),
      diagonal: rows.map((q) => -0.02 * q * q),
      toNext: rows.map(() => 0.5),
    };
    const start = rows.map((q) => Math.exp(-0.01 * q * q));
    const once = grown(matrix, start, 37);
    const twice = grown(matrix, grown(matrix, start, 20), 17);
    once.forEach((value, i) => {
      expect((twice[i] ?? 0) / value).toBeCloseTo(1, 12);
    });
  });

  it('stands still at once for no time, and settles for any long one', () => {
    const matrix = { toPrevious: [0, 1, 1], diagonal: [-1, 0, -4], toNext: [1, 1, 0] };
    expect(grown(matrix, [2, 4, 1], 0)).toEqual([0.5, 1, 0.25]);
    const long = grown(matrix, [2, 4, 1], 1e3);
    const longer = grown(matrix, [2, 4, 1], 1e9);
    longer.forEach((value, i) => {
      expect(value).toBeCloseTo(long[i] ?? Number.NaN, 13);
    });
  });

  it.each([
    [{ toPrevious: [0, -1], diagonal: [0, 0], toNext: [1, 0] }, [1, 1], 'neighbours add'],
    [{ toPrevious: [0, 1], diagonal: [0, Number.NaN], toNext: [1, 0] }, [1, 1], 'finite'],
    [{ toPrevious: [0, 1], diagonal: [0, 0], toNext: [1, 0] }, [1, 0], 'the start is positive'],
  ])('refuses %j from %j', (matrix, start, message) => {
    expect(() => grown(matrix, start, 1)).toThrow(message);
  });
});
