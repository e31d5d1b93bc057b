import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AmmParams, strategy } from '../../../strategies/amm.ts';
import { quoteContext } from '../../support/strategy-context.ts';
import { itKeepsTheRules } from '../../support/strategy-properties.ts';
import { amounts, codes, touch } from './scenes.ts';

const EXAMPLE: AmmParams = {
  spread: 0.02,
  step: 0.01,
  depth: 0.05,
  priceMin: 0.05,
  priceMax: 0.95,
  maxCollateral: 50,
};

const OPEN = { yes: touch(10, 60), fair: 0.3, maxPosition: 1_000 };

describe('amm', () => {
  itKeepsTheRules({
    strategy,
    params: fc.record({
      spread: fc.constantFrom(0.001, 0.01, 0.03),
      step: fc.constantFrom(0.001, 0.01, 0.02),
      depth: fc.constantFrom(0.02, 0.05, 0.2),
      priceMin: fc.constant(0.05),
      priceMax: fc.constant(0.95),
      maxCollateral: fc.integer({ min: 1, max: 1_000 }),
    }),
    meetsMinNotional: true,
  });

  it('quotes the worked example: P=.3, 300 shares held and 50 of collateral for bids', () => {
    const targetQuotes = strategy.quote(quoteContext({ ...OPEN, yesShares: 300 }, EXAMPLE));
    expect(amounts(targetQuotes, 'bid')).toEqual([
      '28 x 67.13',
      '27 x 36.33',
      '26 x 38.4',
      '25 x 40.69',
    ]);
    expect(amounts(targetQuotes, 'ask')).toEqual([
      '32 x 128.42',
      '33 x 59.78',
      '34 x 57.12',
      '35 x 54.66',
    ]);
  });

  it('quotes by a curve over all prices, of which a coarse grid has fewer', () => {
    const params = { ...EXAMPLE, priceMin: 0.001, priceMax: 0.999 };
    const targetQuotes = strategy.quote(quoteContext(OPEN, params));
    expect(targetQuotes.quotes).toHaveLength(8);
  });

  it('weighs the same on both sides without a position', () => {
    const targetQuotes = strategy.quote(quoteContext(OPEN, EXAMPLE));
    const [bid] = amounts(targetQuotes, 'bid');
    const [ask] = amounts(targetQuotes, 'ask');
    expect(bid?.split(' x ')[1]).toBe(ask?.split(' x ')[1]);
  });

  it('quotes on where more of an outcome was sold than is known to be held', () => {
    const targetQuotes = strategy.quote(quoteContext({ ...OPEN, noShares: -20 }, EXAMPLE));
    expect(targetQuotes.quotes).toHaveLength(8);
  });

  it('binds no more collateral than it may, nor more than there is', () => {
    for (const [freeUsdc, most] of [
      [1_000, 50],
      [30, 30],
    ] as const) {
      const { quotes } = strategy.quote(quoteContext({ ...OPEN, freeUsdc }, EXAMPLE));
      const cost = quotes.reduce((total, { side, price, quantity }) => {
        const paid = side === 'bid' ? price : 100 - price;
        return total + (paid / 100) * (quantity / 1e6);
      }, 0);
      expect(cost).toBeLessThanOrEqual(most * 1.02);
      expect(cost).toBeGreaterThan(most * 0.7);
    }
  });

  it('stays away outside its curve, and says so', () => {
    const targetQuotes = strategy.quote(
      quoteContext({ ...OPEN, yes: touch(1, 5), fair: 0.03 }, EXAMPLE),
    );
    expect(codes(targetQuotes)).toEqual(['both outside_curve']);
  });
});
