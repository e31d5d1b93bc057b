import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  exclusiveLogOdds,
  logit,
  logitWidth,
  PROBABILITY_MIN,
  sigmoid,
  sigmoidCurvature,
  sigmoidSlope,
} from '../../../../src/strategy/index.ts';

const probability = fc.double({ min: 0.001, max: 0.999, noNaN: true });

describe('log-odds', () => {
  it('of a price come back as the price, and those of NO are those of YES turned round', () => {
    fc.assert(
      fc.property(probability, (p) => {
        expect(sigmoid(logit(p))).toBeCloseTo(p, 14);
        expect(logit(1 - p)).toBeCloseTo(-logit(p), 11);
      }),
    );
  });

  it('stay finite at 0 and 1, as far from one half as the smallest probability in use', () => {
    expect(logit(0)).toBe(logit(PROBABILITY_MIN));
    expect(logit(1)).toBeCloseTo(-logit(0), 6);
    expect(logit(0.5)).toBe(0);
  });

  it.each([-0.1, 1.1, Number.NaN])('of %s do not exist', (p) => {
    expect(() => logit(p)).toThrow('a probability lies from 0 to 1');
  });

  it('map to 0 and 1 when they are huge, without overflow', () => {
    expect([sigmoid(-1e4), sigmoid(1e4)]).toEqual([0, 1]);
  });

  it('have p(1-p) and p(1-p)(1-2p) as derivatives of their inverse', () => {
    const step = 1e-4;
    fc.assert(
      fc.property(probability, (p) => {
        const x = logit(p);
        const slope = (sigmoid(x + step) - sigmoid(x - step)) / (2 * step);
        const bend = (sigmoid(x + step) - 2 * sigmoid(x) + sigmoid(x - step)) / step ** 2;
        expect(sigmoidSlope(p)).toBeCloseTo(slope, 8);
        expect(sigmoidCurvature(p)).toBeCloseTo(bend, 6);
      }),
    );
  });

  it('turn a width of a cent into more of them the nearer the price is to an end', () => {
    expect(logitWidth(0.01, 0.5)).toBeCloseTo(0.04, 12);
    expect(logitWidth(0.01, 0.05)).toBeCloseTo(0.2105263, 6);
    expect(() => logitWidth(0.01, 1)).toThrow('between 0 and 1');
  });
});

describe('log-odds of exclusive outcomes', () => {
  const several = fc.array(fc.double({ min: -9, max: 9, noNaN: true }), {
    minLength: 2,
    maxLength: 40,
  });

  it('are shifted together until the probabilities add up to one', () => {
    fc.assert(
      fc.property(several, (logOdds) => {
        const shifted = exclusiveLogOdds(logOdds);
        const total = shifted.map(sigmoid).reduce((a, b) => a + b, 0);
        expect(total).toBeCloseTo(1, 9);
        const shift = (shifted[0] ?? 0) - (logOdds[0] ?? 0);
        shifted.forEach((x, i) => {
          expect(x - (logOdds[i] ?? 0)).toBeCloseTo(shift, 9);
        });
      }),
    );
  });

  it('stay as they are when they already do', () => {
    const prices = [0.2, 0.5, 0.3];
    exclusiveLogOdds(prices.map(logit)).forEach((x, i) => {
      expect(sigmoid(x)).toBeCloseTo(prices[i] ?? 0, 12);
    });
  });

  it('need two outcomes or more', () => {
    expect(() => exclusiveLogOdds([0.3])).toThrow('two or more');
  });
});
