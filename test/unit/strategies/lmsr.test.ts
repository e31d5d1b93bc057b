import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lmsrTradeCostUsd } from '../../../src/strategy/index.ts';
import { type LmsrParams, strategy } from '../../../strategies/lmsr.ts';
import { quoteContext } from '../../support/strategy-context.ts';
import { itKeepsTheRules } from '../../support/strategy-properties.ts';
import { fineContext, finePrices } from './fine.ts';
import { amounts, prices, touch } from './scenes.ts';

const EXAMPLE: LmsrParams = { lossBudget: 250 * Math.LN2, edge: 0.004, levels: 3, size: 25 };

describe('lmsr', () => {
  itKeepsTheRules({
    strategy,
    params: fc.record({
      lossBudget: fc.integer({ min: 5, max: 500 }),
      edge: fc.constantFrom(0, 0.004, 0.02),
      levels: fc.integer({ min: 1, max: 5 }),
      size: fc.integer({ min: 1, max: 200 }),
    }),
    meetsMinNotional: true,
  });

  it('quotes the worked example: fair .42, q=60, b=250, s=25, edge .004', () => {
    const scene = { yes: touch(20, 60), fair: 0.42, yesShares: 60 };
    const targetQuotes = strategy.quote(quoteContext(scene, EXAMPLE));
    expect(prices(targetQuotes, 'bid')).toEqual([34, 32, 30]);
    expect(prices(targetQuotes, 'ask')).toEqual([38, 41, 43]);
  });

  it.each([
    { b: 10, cost: 0.5622 },
    { b: 100, cost: 0.5062 },
    { b: 1, cost: 0.9217 },
  ])('asks the published cost of one share after (5, 3) with b=$b', ({ b, cost }) => {
    // A rule that has sold (5, 3) prices the first outcome at S(2/b); one share costs what is printed.
    const fair = 1 / (1 + Math.exp(-2 / b));
    const params = { lossBudget: b * Math.LN2, edge: 0, levels: 1, size: 1 };
    const scene = { fair, maxPosition: 1_000_000 };
    const context = fineContext(scene, { ...params, size: 1 });
    // One share is worth less than 1.00 USDC: the size is raised, the price is that of one share.
    expect(finePrices(strategy.quote(context)).ask).toBeCloseTo(cost, 4);
    expect(lmsrTradeCostUsd([5, 3], { outcome: 0, shares: 1 }, b)).toBeCloseTo(cost, 4);
  });

  it('bids near one with little more than a share: the purchase must make 1.00 USDC', () => {
    const scene = {
      tickSize: '0.001',
      yes: touch(996, 999),
      fair: 0.9971,
      maxPosition: 100,
    } as const;
    const params = { lossBudget: 50, edge: 0, levels: 1, size: 1 };
    const targetQuotes = strategy.quote(quoteContext(scene, params));
    expect(amounts(targetQuotes, 'bid')).toEqual(['997 x 1.01']);
  });

  it('keeps the edge that its own fills ask for', () => {
    const scene = { yes: touch(20, 80), fair: 0.5, toxicity: { informedShare: 0.1 } };
    const targetQuotes = strategy.quote(quoteContext(scene, { ...EXAMPLE, levels: 1 }));
    // .25 ln(1.1/.9) = .0502 below an average of .4875.
    expect(prices(targetQuotes, 'bid')).toEqual([43]);
  });
});
