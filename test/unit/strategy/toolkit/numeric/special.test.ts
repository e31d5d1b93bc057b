import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lambertW, logSumExp, normalCdf, softmax } from '../../../../../src/strategy/index.ts';
import { log1pExp } from '../../../../../src/strategy/toolkit/numeric/special.ts';

describe('ln(1 + e^x)', () => {
  it('is finite where e^x is not', () => {
    expect(log1pExp(1_000)).toBe(1_000);
    expect(log1pExp(-1_000)).toBe(0);
    expect(log1pExp(0)).toBeCloseTo(Math.LN2, 15);
    expect(log1pExp(-40)).toBeCloseTo(4.248354255291589e-18, 30);
  });
});

describe('the logarithm of a sum of exponentials', () => {
  it('neither overflows nor underflows', () => {
    expect(logSumExp([1_000, 1_000])).toBeCloseTo(1_000 + Math.LN2, 12);
    expect(logSumExp([-1_000, -1_000])).toBeCloseTo(-1_000 + Math.LN2, 12);
  });

  it('has the shares of its terms as slopes, which add up to one', () => {
    const values = fc.array(fc.double({ min: -500, max: 500, noNaN: true }), { minLength: 1 });
    fc.assert(
      fc.property(values, (xs) => {
        const total = softmax(xs).reduce((a, b) => a + b, 0);
        expect(total).toBeCloseTo(1, 12);
        expect(logSumExp(xs)).toBeGreaterThanOrEqual(Math.max(...xs));
      }),
    );
  });
});

describe('the normal distribution', () => {
  it.each([
    [0, 0.5],
    [1, 0.8413447460685429],
    [-1.96, 0.024997895148220435],
    [3, 0.9986501019683699],
    [-6, 9.865876450376946e-10],
  ])('at %s is %s', (z, expected) => {
    expect(normalCdf(z)).toBeCloseTo(expected, 14);
  });

  it('is 0 and 1 far out, and its tails mirror each other', () => {
    expect([normalCdf(-40), normalCdf(40)]).toEqual([0, 1]);
    fc.assert(
      fc.property(fc.double({ min: -9, max: 9, noNaN: true }), (z) => {
        expect(normalCdf(z) + normalCdf(-z)).toBeCloseTo(1, 14);
      }),
    );
  });
});

describe("Lambert's W", () => {
  it('solves w e^w = x from nothing to the largest numbers', () => {
    fc.assert(
      fc.property(fc.double({ min: -300, max: 300, noNaN: true }), (exponent) => {
        const x = 10 ** exponent;
        const w = lambertW(x);
        expect(w).toBeGreaterThan(0);
        const miss = Math.abs(Math.log(w) + w - Math.log(x));
        expect(miss).toBeLessThan(1e-12 * (1 + Math.abs(Math.log(x))));
      }),
    );
    expect(lambertW(0)).toBe(0);
    expect(lambertW(Math.E)).toBeCloseTo(1, 15);
  });

  it('refuses a negative number and what is no number', () => {
    expect(() => lambertW(-0.1)).toThrow('zero or a positive number');
    expect(() => lambertW(Number.NaN)).toThrow('zero or a positive number');
  });
});
