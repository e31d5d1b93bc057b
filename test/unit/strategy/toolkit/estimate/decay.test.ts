import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unixMs } from '../../../../../src/domain/time.ts';
import {
  decayFactor,
  ewma,
  meanOf,
  newRate,
  ratePerSec,
  type TimedValue,
  withMeanEvent,
  withRateCount,
} from '../../../../../src/strategy/index.ts';

const at = (seconds: number) => unixMs(1_700_000_000_000 + seconds * 1_000);
const seen = (value: number, seconds: number): TimedValue => ({ value, atMs: at(seconds) });

describe('a moving average of what lasts', () => {
  it('is that of the check case', () => {
    const first = ewma(undefined, seen(2, 0), 10);
    const second = ewma(first, seen(4, 5), 10);
    const third = ewma(second, seen(0, 20), 10);
    expect(first.value).toBe(2);
    expect(second.value).toBeCloseTo(2.585786, 6);
    expect(third.value).toBeCloseTo(0.914214, 6);
  });

  it('lies between the values it has seen', () => {
    const values = fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: 1 });
    fc.assert(
      fc.property(values, (xs) => {
        const mean = xs.reduce<TimedValue | undefined>(
          (m, x, i) => ewma(m, seen(x, i), 3),
          undefined,
        );
        expect(mean?.value).toBeLessThanOrEqual(Math.max(...xs) + 1e-12);
        expect(mean?.value).toBeGreaterThanOrEqual(Math.min(...xs) - 1e-12);
      }),
    );
  });

  it('takes time that runs backwards for no time, and keeps the later one', () => {
    const mean = ewma(seen(2, 10), seen(9, 4), 10);
    expect(mean).toEqual(seen(2, 10));
  });

  it('refuses what is no number', () => {
    expect(() => ewma(undefined, seen(Number.NaN, 0), 10)).toThrow('value is a finite number');
    expect(() => decayFactor(1, -1)).toThrow('halfLifeSec');
  });
});

describe('a mean of events', () => {
  it('counts two events at one instant both', () => {
    const one = withMeanEvent(undefined, { ...seen(1, 0), weight: 1 }, 10);
    const two = withMeanEvent(one, { ...seen(4, 0), weight: 2 }, 10);
    const now = { nowMs: at(0), halfLifeSec: 10 };
    expect(meanOf(two, { value: 0, weight: 0 }, now)).toBe(3);
  });

  it('returns to what was believed beforehand as evidence fades', () => {
    const mean = withMeanEvent(undefined, { ...seen(1, 0), weight: 4 }, 10);
    const prior = { value: 0, weight: 1 };
    expect(meanOf(mean, prior, { nowMs: at(0), halfLifeSec: 10 })).toBeCloseTo(0.8, 12);
    expect(meanOf(mean, prior, { nowMs: at(20), halfLifeSec: 10 })).toBeCloseTo(0.5, 12);
    expect(meanOf(mean, prior, { nowMs: at(1e5), halfLifeSec: 10 })).toBeCloseTo(0, 12);
    expect(meanOf(undefined, prior, { nowMs: at(0), halfLifeSec: 10 })).toBe(0);
  });
});

describe('a rate of events', () => {
  it('is known from the first second on, without being drawn to zero', () => {
    let rate = newRate(at(0));
    for (let second = 1; second <= 300; second += 1) {
      rate = withRateCount(rate, { count: 2, atMs: at(second) }, 60);
      const known = ratePerSec(rate, { nowMs: at(second), halfLifeSec: 60 });
      expect(known).toBeGreaterThan(1.99);
      expect(known).toBeLessThan(2.05);
    }
  });

  it('is not known before any time has passed', () => {
    expect(ratePerSec(newRate(at(0)), { nowMs: at(0), halfLifeSec: 60 })).toBeUndefined();
  });

  it('falls by half in a half-life without events, once it has settled', () => {
    const rate = withRateCount(newRate(at(-1e6)), { count: 5, atMs: at(0) }, 60);
    const now = ratePerSec(rate, { nowMs: at(0), halfLifeSec: 60 }) ?? 0;
    expect(ratePerSec(rate, { nowMs: at(60), halfLifeSec: 60 })).toBeCloseTo(now / 2, 12);
  });

  it('with an infinite half-life is events over seconds', () => {
    const forever = Number.POSITIVE_INFINITY;
    const rate = withRateCount(newRate(at(0)), { count: 6, atMs: at(2) }, forever);
    expect(ratePerSec(rate, { nowMs: at(4), halfLifeSec: forever })).toBe(1.5);
  });
});
