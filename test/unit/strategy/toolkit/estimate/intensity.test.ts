import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unixMs } from '../../../../../src/domain/time.ts';
import {
  fillDecayPerPriceOf,
  fitIntensity,
  fittedIntensity,
  newDepthCounts,
  withDepthReach,
} from '../../../../../src/strategy/index.ts';

const FOREVER = Number.POSITIVE_INFINITY;
const at = (seconds: number) => unixMs(1_700_000_000_000 + 1_000 * seconds);

describe('the fit of fill rates', () => {
  it('finds the published parameters in points without noise', () => {
    const points = [1, 2, 3, 4].map((distance) => ({
      distance,
      ratePerSec: 2 * Math.exp(-0.1 * distance),
      weight: 1,
    }));
    const fit = fitIntensity(points);
    expect(fit?.fillRatePerSec).toBeCloseTo(2, 12);
    expect(fit?.fillDecay).toBeCloseTo(0.1, 12);
  });

  it('finds any parameters, whatever the weights', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.01, max: 50, noNaN: true }),
        fc.double({ min: 0.01, max: 2, noNaN: true }),
        fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 2, maxLength: 9 }),
        (rate, decay, weights) => {
          const points = weights.map((weight, i) => ({
            distance: i + 1,
            ratePerSec: rate * Math.exp(-decay * (i + 1)),
            weight,
          }));
          const fit = fitIntensity(points);
          expect(fit?.fillDecay).toBeCloseTo(decay, 9);
          expect((fit?.fillRatePerSec ?? 0) / rate).toBeCloseTo(1, 9);
        },
      ),
    );
  });

  it.each([
    ['nothing', []],
    ['one distance', [{ distance: 1, ratePerSec: 2, weight: 3 }]],
    [
      'rates that rise with distance',
      [
        { distance: 1, ratePerSec: 1, weight: 1 },
        { distance: 2, ratePerSec: 2, weight: 1 },
      ],
    ],
    [
      'depths that nothing reached',
      [
        { distance: 1, ratePerSec: 1, weight: 1 },
        { distance: 2, ratePerSec: 0, weight: 1 },
      ],
    ],
  ])('has no answer for %s', (_, points) => {
    expect(fitIntensity(points)).toBeUndefined();
  });
});

describe('trades counted by depth', () => {
  const range = { nowMs: at(100), halfLifeSec: FOREVER, ticksFrom: 1, ticksTo: 3, countMin: 1 };

  it('reach every quote nearer than themselves', () => {
    const reaches = [1, 1, 1, 1, 2, 2, 3];
    const counts = reaches.reduce(
      (state, reachTicks, i) => withDepthReach(state, { reachTicks, atMs: at(i) }, FOREVER),
      newDepthCounts(at(0), 5),
    );
    // 7 trades reached one tick, 3 two and 1 three, in 100 s.
    const points = [7, 3, 1].map((count, i) => ({
      distance: i + 1,
      ratePerSec: count / 100,
      weight: count,
    }));
    expect(fittedIntensity(counts, range)).toEqual(fitIntensity(points));
    const deeper = fittedIntensity(counts, { ...range, countMin: 3 });
    expect(deeper).toEqual(fitIntensity(points.slice(0, 2)));
  });

  it('count at the last depth when they go beyond it, and nowhere when they reach nothing', () => {
    let counts = newDepthCounts(at(0), 2);
    counts = withDepthReach(counts, { reachTicks: 40, atMs: at(1) }, FOREVER);
    counts = withDepthReach(counts, { reachTicks: 0.9, atMs: at(2) }, FOREVER);
    expect(counts.reaching).toEqual([0, 1]);
  });

  it('keep their rate while they go on, and lose it when they stop', () => {
    let counts = newDepthCounts(at(0), 4);
    for (let second = 1; second <= 2_000; second += 1) {
      const reachTicks = second % 4 === 0 ? 2 : 1;
      counts = withDepthReach(counts, { reachTicks, atMs: at(second) }, 100);
    }
    const fitAt = (nowMs: ReturnType<typeof at>, countMin: number) =>
      fittedIntensity(counts, { ...range, nowMs, halfLifeSec: 100, ticksTo: 2, countMin });
    const rateAtOne = (fitAt(at(2_000), 1)?.fillRatePerSec ?? 0) / 4;
    expect(rateAtOne).toBeGreaterThan(0.98);
    expect(rateAtOne).toBeLessThan(1.02);
    expect(fitAt(at(4_000), 1)).toBeUndefined();
  });

  it('say nothing before any time has passed', () => {
    expect(fittedIntensity(newDepthCounts(at(100), 3), range)).toBeUndefined();
    expect(() => newDepthCounts(at(0), 101)).toThrow('DEPTH_TICKS_MAX');
  });

  it('are fitted per tick and used per price', () => {
    expect(fillDecayPerPriceOf(0.5, 100)).toBe(50);
  });
});
