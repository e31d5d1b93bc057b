// The simulation of the published paper, on the model functions alone.

import { describe, expect, it } from 'vitest';
import { type AvellanedaStoikov, avellanedaStoikov } from '../../../../../src/strategy/index.ts';

const PATHS = 1_000;
const STEPS = 200;
const DT = 1 / STEPS;
const SIGMA = 2;
const K = 1.5;
const A = 140;

const INVENTORY = [
  { gamma: 0.1, spread: 1.49, profit: 65, profitStd: 6.6, finalQ: 0.08, qStd: 2.9 },
  { gamma: 0.01, spread: 1.35, profit: 68.6, profitStd: 8.7, finalQ: 0.12, qStd: 5.1 },
  { gamma: 1, spread: 3.02, profit: 31.4, profitStd: 5, finalQ: 0.02, qStd: 1.7 },
] as const;

const SYMMETRIC = [
  { gamma: 0.1, profit: 68.4, finalQ: 0.26, qStd: 8.4 },
  { gamma: 0.01, profit: 68.8, finalQ: 0.09, qStd: 8.7 },
  { gamma: 1, profit: 44, finalQ: 0, qStd: 5.1 },
] as const;

describe.each(INVENTORY)('1,000 paths of the inventory strategy at gamma $gamma', (published) => {
  const model = modelOf(published.gamma);
  const paths = run((fairPrice, inventoryLots, timeLeftSec) =>
    avellanedaStoikov({ ...model, fairPrice, inventoryLots, timeLeftSec }),
  );

  it('quote the published mean spread', () => {
    expect(meanSpread(published.gamma)).toBeCloseTo(published.spread, 1);
  });

  it('earn the published profit with the published deviation, within four standard errors', () => {
    expect(errorsOfMean(paths.profits, published.profit, published.profitStd)).toBeLessThan(4);
    expect(errorsOfDeviation(paths.profits, published.profitStd)).toBeLessThan(4);
  });

  it('end with the published inventory, within four standard errors', () => {
    expect(errorsOfMean(paths.finals, published.finalQ, published.qStd)).toBeLessThan(4);
    expect(errorsOfDeviation(paths.finals, published.qStd)).toBeLessThan(4);
  });
});

describe.each(SYMMETRIC)('1,000 paths of the symmetric strategy at gamma $gamma', (published) => {
  const spread = meanSpread(published.gamma);
  const paths = run((s) => ({ bid: s - spread / 2, ask: s + spread / 2 }));
  const exact = exactSymmetric(spread);

  it('earn what the closed form says', () => {
    expect(errorsOfMean(paths.profits, exact.profit, exact.profitStd)).toBeLessThan(4);
    expect(errorsOfDeviation(paths.profits, exact.profitStd)).toBeLessThan(4);
  });

  it('agree with the published profit and inventory', () => {
    expect(errorsOfMean(paths.profits, published.profit, exact.profitStd)).toBeLessThan(4);
    expect(errorsOfMean(paths.finals, published.finalQ, published.qStd)).toBeLessThan(4);
    expect(errorsOfDeviation(paths.finals, published.qStd)).toBeLessThan(4);
  });
});

it('the closed form of the symmetric strategy at gamma 0.1 is 68.22, 13.46 and 8.40', () => {
  const { profit, profitStd, qStd } = exactSymmetric(meanSpread(0.1));
  expect(profit).toBeCloseTo(68.22, 2);
  expect(profitStd).toBeCloseTo(13.46, 2);
  expect(qStd).toBeCloseTo(8.4, 2);
});

function modelOf(gamma: number): AvellanedaStoikov {
  return {
    fairPrice: 100,
    inventoryLots: 0,
    riskAversionPerUsd: gamma,
    priceVolPerSqrtSec: SIGMA,
    timeLeftSec: 1,
    fillDecayPerPrice: K,
  };
}

/** The time average of the spread, over the steps at which it is quoted. */
function meanSpread(gamma: number): number {
  const spreads = Array.from({ length: STEPS }, (_, step) => {
    const { bid, ask } = avellanedaStoikov({ ...modelOf(gamma), timeLeftSec: 1 - step * DT });
    return ask - bid;
  });
  return mean(spreads);
}

type Paths = { readonly profits: readonly number[]; readonly finals: readonly number[] };
type Quoter = (s: number, q: number, left: number) => { bid: number; ask: number };

function run(quote: Quoter): Paths {
  const random = uniform(20_081_103);
  const profits: number[] = [];
  const finals: number[] = [];
  for (let path = 0; path < PATHS; path += 1) {
    let [s, q, cash] = [100, 0, 0];
    for (let step = 0; step < STEPS; step += 1) {
      const { bid, ask } = quote(s, q, 1 - step * DT);
      const sold = random() < A * Math.exp(-K * (ask - s)) * DT;
      const bought = random() < A * Math.exp(-K * (s - bid)) * DT;
      cash += (sold ? ask : 0) - (bought ? bid : 0);
      q += (bought ? 1 : 0) - (sold ? 1 : 0);
      s += random() < 0.5 ? SIGMA * Math.sqrt(DT) : -SIGMA * Math.sqrt(DT);
    }
    profits.push(cash + q * s);
    finals.push(q);
  }
  return { profits, finals };
}

/** Moments without simulation: fills do not depend on inventory. */
function exactSymmetric(spread: number) {
  const hit = A * Math.exp((-K * spread) / 2) * DT;
  const v = 2 * hit * (1 - hit);
  const carried = (SIGMA ** 2 * DT * v * STEPS * (STEPS + 1)) / 2;
  return {
    profit: STEPS * hit * spread,
    profitStd: Math.sqrt(STEPS * v * (spread / 2) ** 2 + carried),
    qStd: Math.sqrt(STEPS * v),
  };
}

/**
 * Standard errors between a mean and the expected one. Both are of 1,000 paths, so that their
 * difference has twice the variance of one.
 */
function errorsOfMean(values: readonly number[], expected: number, deviation: number): number {
  return Math.abs(mean(values) - expected) / (deviation * Math.sqrt(2 / PATHS));
}

/** The same for a deviation: its own is that of a mean over the root of two, twice over. */
function errorsOfDeviation(values: readonly number[], expected: number): number {
  return Math.abs(deviationOf(values) - expected) / (expected / Math.sqrt(PATHS));
}

function mean(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0) / values.length;
}

function deviationOf(values: readonly number[]): number {
  const centre = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - centre) ** 2)));
}

/** A small seeded generator (mulberry32's mixing), uniform on 0 to 1. */
function uniform(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
