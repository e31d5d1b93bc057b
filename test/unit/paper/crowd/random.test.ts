import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Random, seededRandom } from '../../../../src/paper/crowd/random.ts';

function draws(count: number, draw: () => number): readonly number[] {
  return Array.from({ length: count }, draw);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function variance(values: readonly number[]): number {
  const centre = mean(values);
  return mean(values.map((value) => (value - centre) ** 2));
}

describe('seeded chance', () => {
  it('draws the same from the same seed', () => {
    const first = seededRandom('a seed');
    const second = seededRandom('a seed');
    expect(draws(50, () => first.uniform())).toEqual(draws(50, () => second.uniform()));
  });

  it('draws otherwise from another seed, be it off by one', () => {
    const starts = draws(2_000, () => 0).map((_, seed) => seededRandom(seed).uniform());
    expect(new Set(starts).size).toBe(2_000);
    expect(mean(starts)).toBeCloseTo(0.5, 1);
  });

  it('gives a split stream the same draws whatever its parent drew before', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.nat({ max: 50 }), (seed, name, before) => {
        const fresh = seededRandom(seed);
        const used = seededRandom(seed);
        draws(before, () => used.normal());
        const [a, b] = [fresh.split(name), used.split(name)];
        expect(draws(5, () => a.uniform())).toEqual(draws(5, () => b.uniform()));
      }),
    );
  });

  it('gives streams of different names unrelated draws', () => {
    const parent = seededRandom(1);
    const [a, b] = [parent.split('maker-1'), parent.split('maker-2')];
    const products = draws(20_000, () => (a.uniform() - 0.5) * (b.uniform() - 0.5));
    expect(Math.abs(mean(products))).toBeLessThan(0.003);
  });

  it.each<[string, (random: Random) => number, number, number]>([
    ['uniform', (random) => random.uniform(), 0.5, 1 / 12],
    ['normal', (random) => random.normal(), 0, 1],
    ['exponential', (random) => random.exponential(3), 3, 9],
    ['poisson', (random) => random.poisson(2.5), 2.5, 2.5],
    ['poisson of a large mean', (random) => random.poisson(80), 80, 80],
    ['whole', (random) => random.whole(1, 6), 3.5, 35 / 12],
    ['log of lognormal', (random) => Math.log(random.lognormal(40, 0.5)), Math.log(40), 0.25],
  ])('has the mean and variance of its law: %s', (_name, draw, expectedMean, expectedVariance) => {
    const random = seededRandom('laws');
    const values = draws(50_000, () => draw(random));
    const deviation = Math.sqrt(expectedVariance / values.length);
    expect(Math.abs(mean(values) - expectedMean)).toBeLessThan(5 * deviation);
    expect(variance(values) / expectedVariance).toBeGreaterThan(0.95);
    expect(variance(values) / expectedVariance).toBeLessThan(1.05);
  });

  it('stays within [0, 1) and within whole bounds', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: -9, max: 9 }), fc.nat(9), (seed, min, span) => {
        const random = seededRandom(seed);
        const uniform = random.uniform();
        expect(uniform >= 0 && uniform < 1).toBe(true);
        const whole = random.whole(min, min + span);
        expect(Number.isInteger(whole) && whole >= min && whole <= min + span).toBe(true);
      }),
    );
  });

  it('fills each tenth of the unit evenly', () => {
    const random = seededRandom('tenths');
    const counts = new Array<number>(10).fill(0);
    for (const value of draws(100_000, () => random.uniform())) {
      counts[Math.floor(value * 10)] = (counts[Math.floor(value * 10)] ?? 0) + 1;
    }
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500);
  });

  it('refuses a mean count beyond what doubles can carry', () => {
    expect(() => seededRandom(1).poisson(501)).toThrow(/exact range/);
    expect(() => seededRandom(1).poisson(-1)).toThrow(/exact range/);
  });
});
