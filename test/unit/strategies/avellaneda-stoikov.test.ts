import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/paper/crowd/random.ts';
import { type AvellanedaStoikovParams, strategy } from '../../../strategies/avellaneda-stoikov.ts';
import { quoteContext } from '../../support/strategy-context.ts';
import { itKeepsTheRules } from '../../support/strategy-properties.ts';
import { fineContext, finePrices } from './fine.ts';
import { codes, prices, touch } from './scenes.ts';

const PARAMS: AvellanedaStoikovParams = {
  riskAversion: 0.02,
  horizonSec: 600,
  fillDecay: 60,
  inventoryWeight: 1,
  varPriorPerHour: 0.3,
  levels: 1,
  levelStep: 0.01,
  size: 50,
};

/** One unit of the published example is this much of a price, so that 100 lies in the middle. */
const SCALE = 1 / 200;
const LOT = 20;

/** The published market, scaled: s, sigma, k and gamma keep their ratios. */
function scaled(
  at: { readonly s: number; readonly q: number; readonly sigma: number },
  model: {
    readonly gamma: number;
    readonly tau: number;
    readonly k: number;
    readonly weight?: number;
  },
) {
  const price = at.s * SCALE;
  const slope = price * (1 - price);
  const scene = {
    fair: price,
    varPerSec: ((at.sigma * SCALE) / slope) ** 2,
    yesShares: Math.max(0, at.q * LOT),
    noShares: Math.max(0, -at.q * LOT),
    maxPosition: 1_000_000,
  };
  const params = {
    ...PARAMS,
    riskAversion: model.gamma / SCALE / LOT,
    horizonSec: model.tau,
    fillDecay: model.k / SCALE,
    inventoryWeight: model.weight ?? 1,
    size: LOT,
  };
  const { bid, ask } = finePrices(strategy.quote(fineContext(scene, params)));
  return { bid: bid / SCALE, ask: ask / SCALE };
}

describe('avellaneda-stoikov', () => {
  itKeepsTheRules({
    strategy,
    params: fc.record({
      riskAversion: fc.double({ min: 0.000_1, max: 1, noNaN: true }),
      horizonSec: fc.integer({ min: 1, max: 5_000 }),
      fillDecay: fc.double({ min: 5, max: 500, noNaN: true }),
      inventoryWeight: fc.constantFrom(0, 1, 2),
      varPriorPerHour: fc.constantFrom(0, 0.3, 2),
      levels: fc.integer({ min: 1, max: 5 }),
      levelStep: fc.constantFrom(0.001, 0.01, 0.02),
      size: fc.integer({ min: 1, max: 200 }),
    }),
    meetsMinNotional: true,
  });

  it('quotes the worked example: s=100, q=2, gamma=.1, sigma=2, tau=.6, k=1.5', () => {
    const quotes = scaled({ s: 100, q: 2, sigma: 2 }, { gamma: 0.1, tau: 0.6, k: 1.5 });
    expect(quotes.bid).toBeCloseTo(98.754_615, 3);
    expect(quotes.ask).toBeCloseTo(100.285_385, 3);
  });

  it('quotes in ticks around the fair value of a market', () => {
    const scene = { yes: touch(40, 60), fair: 0.5, varPerSec: 1e-4 };
    const targetQuotes = strategy.quote(quoteContext(scene, { ...PARAMS, levels: 2 }));
    // gamma 1 a lot, sigma^2 tau = 6.25e-6 x 600: half of .00375 and ln(1 + 1/60) make .0184.
    expect(prices(targetQuotes, 'bid')).toEqual([48, 47]);
    expect(prices(targetQuotes, 'ask')).toEqual([52, 53]);
  });

  it('says why it quotes nothing without a fair value', () => {
    expect(codes(strategy.quote(quoteContext({}, PARAMS)))).toEqual(['both fair_missing']);
    const old = { yes: touch(40, 60), fairAgeMs: 6_000 };
    expect(codes(strategy.quote(quoteContext(old, PARAMS)))).toEqual(['both fair_stale']);
  });

  it.each([
    { gamma: 0.1, weight: 1, spread: 1.49, profit: 65.0, std: 6.6, q: 0.08, stdQ: 2.9 },
    { gamma: 0.1, weight: 0, spread: 1.49, profit: 68.4, std: 12.7, q: 0.26, stdQ: 8.4 },
    { gamma: 0.01, weight: 1, spread: 1.35, profit: 68.6, std: 8.7, q: 0.12, stdQ: 5.1 },
    { gamma: 0.01, weight: 0, spread: 1.35, profit: 68.8, std: 12.8, q: 0.09, stdQ: 8.7 },
    { gamma: 1, weight: 1, spread: 3.02, profit: 31.4, std: 5.0, q: 0.02, stdQ: 1.7 },
    { gamma: 1, weight: 0, spread: 3.02, profit: 44.0, std: 11.0, q: 0.0, stdQ: 5.1 },
    // Not published: means of 20,000 paths of the formula itself.
    { gamma: 0.5, weight: 1, spread: 2.156, profit: 48.58, std: 5.91, q: 0.01, stdQ: 1.96 },
    { gamma: 0.5, weight: 0, spread: 2.156, profit: 59.8, std: 12.37, q: 0.0, stdQ: 6.97 },
  ])(
    'reproduces the published table: gamma $gamma, inventory weight $weight',
    ({ gamma, weight, ...published }) => {
      const runs = 1_000;
      const found = simulated({ gamma, weight, runs });
      // Both sides are means of a thousand paths; the paper prints them rounded.
      const error = 4 * Math.SQRT2;
      const rounding = 0.05;
      const near = (got: number, wanted: number, standardError: number) =>
        expect(Math.abs(got - wanted)).toBeLessThan(error * standardError + rounding);
      expect(Math.abs(found.spread - published.spread)).toBeLessThan(0.02);
      near(found.profit, published.profit, published.std / Math.sqrt(runs));
      near(found.std, published.std, published.std / Math.sqrt(2 * runs));
      near(found.q, published.q, published.stdQ / Math.sqrt(runs));
      near(found.stdQ, published.stdQ, published.stdQ / Math.sqrt(2 * runs));
    },
  );
});

const STEPS = 200;
const DT = 1 / STEPS;
const SIGMA = 2;
const K = 1.5;
const A = 140;

/**
 * The experiment of the paper: 200 steps, fills by chance on each side, a coin for each move of the
 * price. The even benchmark holds the time-average spread, which is that of half the horizon.
 */
function simulated(run: {
  readonly gamma: number;
  readonly weight: number;
  readonly runs: number;
}) {
  const random = seededRandom(`table/${run.gamma}/${run.weight}`);
  const profits: number[] = [];
  const finals: number[] = [];
  let spreadSum = 0;
  const quotesOf = memoised(run);
  for (let path = 0; path < run.runs; path += 1) {
    let [s, q, cash] = [100, 0, 0];
    for (let step = 0; step < STEPS; step += 1) {
      const tau = run.weight === 0 ? 0.5 + DT / 2 : 1 - step * DT;
      const { below, above } = quotesOf(q, tau);
      spreadSum += below + above;
      if (random.chance(A * Math.exp(-K * above) * DT)) [q, cash] = [q - 1, cash + s + above];
      if (random.chance(A * Math.exp(-K * below) * DT)) [q, cash] = [q + 1, cash - s + below];
      s += random.chance(0.5) ? SIGMA * Math.sqrt(DT) : -SIGMA * Math.sqrt(DT);
    }
    profits.push(cash + q * s);
    finals.push(q);
  }
  return {
    spread: spreadSum / run.runs / STEPS,
    profit: mean(profits),
    std: deviation(profits),
    q: mean(finals),
    stdQ: deviation(finals),
  };
}

/** Distances do not depend on the price: each position and moment is asked for once. */
function memoised({ gamma, weight }: { readonly gamma: number; readonly weight: number }) {
  const known = new Map<string, { readonly below: number; readonly above: number }>();
  return (q: number, tau: number) => {
    const key = `${q}/${tau}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const { bid, ask } = scaled({ s: 100, q, sigma: SIGMA }, { gamma, tau, k: K, weight });
    const quotes = { below: 100 - bid, above: ask - 100 };
    known.set(key, quotes);
    return quotes;
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length;
}

function deviation(values: readonly number[]): number {
  const middle = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
}
