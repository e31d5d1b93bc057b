import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unixMs } from '../../../../../src/domain/time.ts';
import {
  bipowerVariation,
  jumpVariation,
  logit,
  realisedVariance,
  type Variation,
  varianceRates,
  withVariationSample,
} from '../../../../../src/strategy/index.ts';

const PRICES = [0.3, 0.31, 0.3, 0.36, 0.35];
const FOREVER = { halfLifeSec: Number.POSITIVE_INFINITY, sampleSecMin: 0 };

function gathered(
  values: readonly number[],
  sampling = FOREVER,
  secondsApart = 1,
): Variation | undefined {
  return values.reduce<Variation | undefined>((state, value, i) => {
    const atMs = unixMs(1_000 * i * secondsApart);
    return withVariationSample(state, { value, atMs }, sampling);
  }, undefined);
}

describe('variance of sampled values', () => {
  const logits = PRICES.map(logit);

  it('in log-odds is that of the check case', () => {
    expect(realisedVariance(logits)).toBeCloseTo(0.080307, 6);
    expect(bipowerVariation(logits)).toBeCloseTo(0.042305, 6);
    expect(jumpVariation(logits)).toBeCloseTo(0.080307 - 0.042305, 5);
  });

  it('has no jump part where bipower variation is the larger', () => {
    expect(jumpVariation([0, 1, 0, 1, 0, 1])).toBe(0);
  });

  it('gathered one by one without forgetting is the same', () => {
    const state = gathered(logits);
    expect(state?.realised).toBeCloseTo(realisedVariance(logits), 14);
    expect(state?.bipower).toBeCloseTo(bipowerVariation(logits), 14);
    expect(state?.realisedSec).toBe(4);
    expect(state?.bipowerSec).toBe(3);
  });
});

describe('a running variance', () => {
  it('is per second, whatever the distance of its samples', () => {
    const steady = [0, 0.1, 0.2, 0.3, 0.4];
    expect(varianceRates(gathered(steady, FOREVER, 4))?.totalVarPerSec).toBeCloseTo(0.0025, 12);
  });

  it('tells a single jump from the bustle around it', () => {
    const bustle = Array.from({ length: 400 }, (_, i) => (i % 2 === 0 ? 0 : 0.01));
    const jumped = bustle.map((x, i) => (i < 200 ? x : x + 1));
    const rates = varianceRates(gathered(jumped));
    expect(rates?.jumpVarPerSec).toBeGreaterThan(0.8 / 400);
    expect(rates?.continuousVarPerSec).toBeLessThan(0.1 / 400 + 2 * 0.01 ** 2);
  });

  it('skips values that follow too soon, so that a bouncing touch is no volatility', () => {
    const bounce = Array.from({ length: 121 }, (_, i) => (i % 2 === 0 ? 0.5 : 0.505));
    expect(varianceRates(gathered(bounce))?.totalVarPerSec).toBeCloseTo(2.5e-5, 10);
    const sampled = gathered(bounce, { ...FOREVER, sampleSecMin: 30 });
    expect(varianceRates(sampled)).toMatchObject({ totalVarPerSec: 0, jumpVarPerSec: 0 });
  });

  it('forgets by half-life', () => {
    const wild = [0, 1, 0, 1, 0];
    const state = gathered([...wild, ...Array.from({ length: 200 }, () => 0)], {
      halfLifeSec: 10,
      sampleSecMin: 0,
    });
    expect(varianceRates(state)?.totalVarPerSec).toBeLessThan(1e-5);
  });

  it('is not known before the second move, and never negative', () => {
    expect(varianceRates(undefined)).toBeUndefined();
    expect(varianceRates(gathered([1]))).toBeUndefined();
    expect(varianceRates(gathered([1, 2]))).toBeUndefined();
    const values = fc.array(fc.double({ min: -9, max: 9, noNaN: true }), { minLength: 3 });
    fc.assert(
      fc.property(values, (xs) => {
        const rates = varianceRates(gathered(xs, { halfLifeSec: 5, sampleSecMin: 0 }));
        expect(rates?.continuousVarPerSec).toBeGreaterThanOrEqual(0);
        expect(rates?.jumpVarPerSec).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it('goes on from what was written as JSON as if nothing had happened', () => {
    const logits = PRICES.map(logit);
    const stored: Variation = JSON.parse(JSON.stringify(gathered(logits.slice(0, 3))));
    const rest = logits.slice(3).reduce<Variation>((state, value, i) => {
      return withVariationSample(state, { value, atMs: unixMs(3_000 + 1_000 * i) }, FOREVER);
    }, stored);
    expect(rest).toEqual(gathered(logits));
  });
});
