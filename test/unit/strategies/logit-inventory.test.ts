import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { varianceFraction } from '../../../src/strategy/index.ts';
import { type LogitInventoryParams, strategy } from '../../../strategies/logit-inventory.ts';
import { quoteContext } from '../../support/strategy-context.ts';
import { itKeepsTheRules } from '../../support/strategy-properties.ts';
import { prices, touch } from './scenes.ts';

const EXAMPLE: LogitInventoryParams = {
  lossBudget: 120 * Math.LN2,
  horizonSec: 1_800,
  informedPrior: 0.05,
  fillDecay: 60,
  jumpPremium: 0.001,
  doubt: 1,
  varPriorPerHour: 0.3,
  levels: 1,
  levelStepLogit: 0.04,
  size: 40,
};

/** The variance rate at which rho of the horizon is what the example states. */
function rateOf(rho: number, probability: number, horizonSec: number): number {
  let [low, high] = [0, 10];
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (varianceFraction(probability, middle) < rho) low = middle;
    else high = middle;
  }
  return low / horizonSec;
}

const SCENE = {
  yes: touch(40, 44),
  fair: 0.42,
  yesShares: 120,
  varPerSec: rateOf(0.08, 0.42, 1_800),
};

describe('logit-inventory', () => {
  itKeepsTheRules({
    strategy,
    params: fc.record({
      lossBudget: fc.integer({ min: 5, max: 500 }),
      horizonSec: fc.integer({ min: 60, max: 20_000 }),
      informedPrior: fc.double({ min: 0, max: 0.5, noNaN: true }),
      fillDecay: fc.double({ min: 5, max: 500, noNaN: true }),
      jumpPremium: fc.constantFrom(0, 0.001, 0.01),
      doubt: fc.constantFrom(0, 1, 2),
      varPriorPerHour: fc.constantFrom(0, 0.3, 2),
      levels: fc.integer({ min: 1, max: 5 }),
      levelStepLogit: fc.constantFrom(0.01, 0.04, 0.2),
      size: fc.integer({ min: 1, max: 200 }),
    }),
    meetsMinNotional: true,
  });

  it('quotes the worked example: fair .42, q=120, b=120, rho=.08, mu=.05', () => {
    const targetQuotes = strategy.quote(quoteContext(SCENE, EXAMPLE));
    expect(prices(targetQuotes, 'bid')).toEqual([37]);
    expect(prices(targetQuotes, 'ask')).toEqual([43]);
  });

  it('comes up to the touch from its best price, and no further than break-even', () => {
    const patient = { ...EXAMPLE, fillDecay: 12, informedPrior: 0.02, jumpPremium: 0 };
    const flat = { ...SCENE, yesShares: 0 };
    const alone = strategy.quote(quoteContext({ ...flat, yes: touch(10, 90) }, patient));
    expect(prices(alone, 'bid')).toEqual([33]);
    const crowded = strategy.quote(quoteContext({ ...flat, yes: touch(39, 90) }, patient));
    expect(prices(crowded, 'bid')).toEqual([39]);
    const beyond = strategy.quote(quoteContext({ ...flat, yes: touch(41, 90) }, patient));
    expect(prices(beyond, 'bid')).toEqual([41]);
    const wary = { ...patient, informedPrior: 0.1 };
    const dear = strategy.quote(quoteContext({ ...flat, yes: touch(41, 90) }, wary));
    expect(prices(dear, 'bid')).toEqual([37]);
  });

  it('says how far an order may stay when it need not move', () => {
    const patient = { ...EXAMPLE, fillDecay: 12, informedPrior: 0.02, jumpPremium: 0 };
    const scene = { ...SCENE, yes: touch(10, 90), yesShares: 0 };
    const [bid] = strategy.quote(quoteContext(scene, patient)).quotes;
    expect(bid).toMatchObject({ side: 'bid', price: 33, worst: 41 });
  });

  it('leans with all of its inventory once the answer is due within the horizon', () => {
    const far = { ...SCENE, leftMs: 86_400_000 };
    const due = { ...SCENE, leftMs: 600_000 };
    const best = (scene: typeof far) =>
      prices(strategy.quote(quoteContext(scene, EXAMPLE)), 'ask')[0] ?? 0;
    expect(best(far)).toBe(43);
    // S(logit .42 - 1 + floor): a long position is offered well below the fair price.
    expect(best(due)).toBeLessThan(best(far));
  });

  it('moves by a tick at most from one second to the next, also where the horizon begins', () => {
    const asked = (leftMs: number) =>
      prices(strategy.quote(quoteContext({ ...SCENE, leftMs }, EXAMPLE)), 'ask')[0] ?? 0;
    for (const sec of [3_600, 2_700, 1_800, 900]) {
      const before = asked((sec + 1) * 1_000);
      expect(Math.abs(before - asked((sec - 1) * 1_000)), `${sec} s`).toBeLessThanOrEqual(1);
    }
    expect(asked(1_800_000)).toBeLessThan(asked(3_600_000) - 1);
  });
});
