import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { varianceFraction, varianceFractionSmall } from '../../../../../src/strategy/index.ts';

const TABLE = [
  [0.003, 0.5, 0.0007],
  [0.003, 0.3, 0.0006],
  [0.003, 0.1, 0.0003],
  [0.003, 0.03, 0.0001],
  [0.03, 0.5, 0.0074],
  [0.03, 0.3, 0.0063],
  [0.03, 0.1, 0.0027],
  [0.03, 0.03, 0.0009],
  [0.3, 0.5, 0.07],
  [0.3, 0.3, 0.0605],
  [0.3, 0.1, 0.0287],
  [0.3, 0.03, 0.0099],
  [1, 0.5, 0.2041],
  [1, 0.3, 0.1838],
  [1, 0.1, 0.1039],
  [1, 0.03, 0.042],
  [3, 0.5, 0.4619],
  [3, 0.3, 0.437],
  [3, 0.1, 0.319],
  [3, 0.03, 0.1848],
] as const;

const price = fc.double({ min: 0.001, max: 0.999, noNaN: true });
const variance = fc.double({ min: 1e-9, max: 500, noNaN: true });

describe('the share of the variance that falls into the horizon', () => {
  it.each(TABLE)('for v %s at p %s is %s', (v, p, expected) => {
    expect(Math.round(varianceFraction(p, v) * 1e4) / 1e4).toBe(expected);
  });

  it('is the same for YES and NO, lies between 0 and 1, and grows with the variance', () => {
    fc.assert(
      fc.property(price, variance, (p, v) => {
        const rho = varianceFraction(p, v);
        expect(rho).toBeGreaterThan(0);
        expect(rho).toBeLessThanOrEqual(1);
        expect(varianceFraction(1 - p, v) / rho).toBeCloseTo(1, 9);
        expect(varianceFraction(p, v * 1.1)).toBeGreaterThanOrEqual(rho * (1 - 1e-12));
      }),
    );
  });

  it('is p(1-p) v while that is small, to as many digits as there are', () => {
    fc.assert(
      fc.property(price, fc.double({ min: 1e-12, max: 1e-8, noNaN: true }), (p, v) => {
        expect(varianceFraction(p, v) / varianceFractionSmall(p, v)).toBeCloseTo(1, 6);
      }),
    );
    expect(varianceFraction(0.4, 0.01) / varianceFractionSmall(0.4, 0.01)).toBeCloseTo(1, 2);
  });

  it('is what a plain integral gives', () => {
    const plain = (p: number, v: number) => {
      const density = (l: number, mean: number) =>
        Math.exp(-((l - mean) ** 2) / (2 * v)) / Math.sqrt(2 * Math.PI * v);
      const step = Math.sqrt(v) / 400;
      let total = 0;
      for (let l = -v - 12 * Math.sqrt(v); l < v + 12 * Math.sqrt(v); l += step) {
        const [yes, no] = [density(l, v / 2), density(l, -v / 2)];
        const either = p * yes + (1 - p) * no;
        total += either === 0 ? 0 : (step * yes * no) / either;
      }
      return 1 - total;
    };
    for (const [p, v] of [
      [0.03, 0.3],
      [0.42, 2.5],
      [0.9, 12],
    ] as const) {
      expect(varianceFraction(p, v)).toBeCloseTo(plain(p, v), 9);
    }
  });

  it('is nothing without variance and everything when the outcome is known', () => {
    expect(varianceFraction(0.3, 0)).toBe(0);
    expect(varianceFraction(0.3, 399)).toBeCloseTo(1, 12);
    expect(varianceFraction(0.3, 401)).toBe(1);
    expect(() => varianceFraction(0.3, -1)).toThrow('logitVar');
    expect(() => varianceFraction(0, 1)).toThrow('between 0 and 1');
  });
});
