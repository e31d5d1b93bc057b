import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Belief, type BeliefParams, logOdds } from '../../../../src/paper/crowd/belief.ts';
import { seededRandom } from '../../../../src/paper/crowd/random.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const QUIET: BeliefParams = {
  variancePerHour: 0.6,
  jumpsPerHour: 0,
  jumpVariance: 0,
  resolvesAfterMs: undefined,
};

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Ends of many beliefs that start alike, each after its own steps. */
function ends(
  count: number,
  start: readonly number[],
  params: BeliefParams,
  stepsMs: readonly number[],
): readonly (readonly number[])[] {
  return Array.from({ length: count }, (_, index) => {
    const belief = new Belief(start, params, seededRandom(`path-${index}`));
    for (const stepMs of stepsMs) belief.step(stepMs);
    return belief.probabilities();
  });
}

function first(path: readonly number[]): number {
  return path[0] ?? Number.NaN;
}

describe('the belief of one event', () => {
  it('has the moments of the exact law: p0 = 0.3 and variance 0.6', () => {
    // Far horizons add next to nothing, and without edges the law is exact.
    const params = { ...QUIET, resolvesAfterMs: 1e15 };
    const odds = ends(20_000, [0.3, 0.7], params, [HOUR_MS]).map((path) => logOdds(first(path)));
    const centre = mean(odds);
    expect(centre).toBeCloseTo(-0.967298, 1);
    expect(Math.abs(centre + 0.967298)).toBeLessThan(0.02);
    expect(Math.abs(mean(odds.map((each) => (each - centre) ** 2)) - 0.6756)).toBeLessThan(0.02);
  });

  it.each([
    { name: 'in one coarse step', params: QUIET, stepsMs: [HOUR_MS / 2] },
    { name: 'in many fine steps', params: QUIET, stepsMs: new Array<number>(40).fill(30_000) },
    {
      name: 'with news',
      params: { ...QUIET, jumpsPerHour: 20, jumpVariance: 0.1 },
      stepsMs: new Array<number>(20).fill(30_000),
    },
    {
      name: 'to its horizon',
      params: { ...QUIET, resolvesAfterMs: HOUR_MS },
      stepsMs: new Array<number>(60).fill(60_000),
    },
  ])('is a martingale $name', ({ params, stepsMs }) => {
    const paths = ends(4_000, [0.45, 0.55], params, stepsMs).map(first);
    const centre = mean(paths);
    const deviation = Math.sqrt(mean(paths.map((path) => (path - centre) ** 2)) / paths.length);
    expect(Math.abs(centre - 0.45)).toBeLessThan(3.5 * deviation);
  });

  it('is a martingale for each of several outcomes, and they sum to one', () => {
    const start = [0.5, 0.3, 0.15, 0.05];
    const params = { ...QUIET, resolvesAfterMs: DAY_MS };
    const paths = ends(4_000, start, params, new Array<number>(12).fill(2 * HOUR_MS - 1));
    for (const path of paths) expect(path.reduce((sum, each) => sum + each, 0)).toBeCloseTo(1, 9);
    start.forEach((probability, index) => {
      const values = paths.map((path) => path[index] ?? Number.NaN);
      const deviation = Math.sqrt((probability * (1 - probability)) / values.length);
      expect(Math.abs(mean(values) - probability)).toBeLessThan(4 * deviation);
    });
  });

  it('ends at the outcome it had in mind when a horizon is reached', () => {
    for (let seed = 0; seed < 50; seed += 1) {
      const params = { ...QUIET, resolvesAfterMs: 600_000 };
      const belief = new Belief([0.4, 0.6], params, seededRandom(seed));
      for (let step = 0; step < 6_000; step += 1) belief.step(100);
      expect(belief.isResolved).toBe(true);
      expect(belief.probabilities()[belief.winner]).toBeGreaterThan(0.98);
    }
  });

  it('resolves to each outcome as often as it was believed', () => {
    const params = { ...QUIET, resolvesAfterMs: 1_000 };
    const wins = Array.from({ length: 5_000 }, (_, seed) => {
      const belief = new Belief([0.2, 0.8], params, seededRandom(seed));
      belief.step(1_000);
      return belief.winner === 0 ? 1 : 0;
    });
    expect(Math.abs(mean(wins) - 0.2)).toBeLessThan(0.02);
  });

  it('stays strictly between 0 and 1 whatever it goes through', () => {
    const params = fc.record({
      variancePerHour: fc.double({ min: 0, max: 500, noNaN: true }),
      jumpsPerHour: fc.double({ min: 0, max: 100, noNaN: true }),
      jumpVariance: fc.double({ min: 0, max: 10, noNaN: true }),
      resolvesAfterMs: fc.option(fc.integer({ min: 1, max: DAY_MS }), { nil: undefined }),
    });
    const start = fc.array(fc.double({ min: 0.01, max: 1, noNaN: true }), {
      minLength: 2,
      maxLength: 6,
    });
    const steps = fc.array(fc.integer({ min: 0, max: HOUR_MS }), { maxLength: 60 });
    fc.assert(
      fc.property(fc.integer(), start, params, steps, (seed, weights, belief, stepsMs) => {
        const walk = new Belief(weights, belief, seededRandom(seed));
        for (const stepMs of stepsMs) {
          walk.step(stepMs);
          for (const probability of walk.probabilities()) {
            expect(probability > 0 && probability < 1).toBe(true);
          }
        }
      }),
    );
  });

  it('goes on for ever without a horizon: it nears both ends and leaves them again', () => {
    const belief = new Belief([0.5, 0.5], { ...QUIET, variancePerHour: 2 }, seededRandom('long'));
    const seen: number[] = [];
    for (let minute = 0; minute < 60 * 24 * 60; minute += 1) {
      belief.step(60_000);
      seen.push(first(belief.probabilities()));
    }
    expect(Math.min(...seen)).toBeGreaterThan(0.02);
    expect(Math.max(...seen)).toBeLessThan(0.98);
    const crossings = seen.filter((each, index) => (seen[index - 1] ?? 0) < 0.5 !== each < 0.5);
    expect(crossings.length).toBeGreaterThan(20);
    expect(seen.slice(-10_000).some((each) => each > 0.2 && each < 0.8)).toBe(true);
  });

  it('takes news as it is announced and shares the rest among the others', () => {
    const belief = new Belief([0.5, 0.3, 0.2], QUIET, seededRandom(4));
    belief.announce(0, 0.8);
    const [a, b, c] = belief.probabilities();
    expect(a).toBeCloseTo(0.8, 9);
    expect((b ?? 0) / (c ?? 1)).toBeCloseTo(1.5, 9);
    expect(() => belief.announce(0, 1)).toThrow(/strictly between/);
  });

  it('does not move while no time passes', () => {
    const belief = new Belief([0.5, 0.5], QUIET, seededRandom(4));
    belief.step(0);
    belief.step(-5);
    expect(first(belief.probabilities())).toBe(0.5);
  });

  it('refuses weights that are no belief', () => {
    expect(() => new Belief([1], QUIET, seededRandom(1))).toThrow(/two outcomes/);
    expect(() => new Belief([1, 0], QUIET, seededRandom(1))).toThrow(/positive/);
  });
});
