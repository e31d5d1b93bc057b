import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AutoParams, strategy } from '../../../strategies/auto.ts';
import { quoteContext } from '../../support/strategy-context.ts';
import { itKeepsTheRules } from '../../support/strategy-properties.ts';
import { codes, prices, touch } from './scenes.ts';

const USUAL: AutoParams = {
  size: 50,
  levels: 3,
  leanPart: 0.5,
  edgeTicksMin: 1,
  spreadPart: 0.6,
  flowWeight: 1,
};

describe('auto', () => {
  itKeepsTheRules({
    strategy,
    params: fc.record({
      size: fc.integer({ min: 1, max: 200 }),
      levels: fc.integer({ min: 1, max: 5 }),
      leanPart: fc.constantFrom(0.1, 0.5, 2),
      edgeTicksMin: fc.constantFrom(0, 1, 3),
      spreadPart: fc.constantFrom(0, 0.6, 2),
      flowWeight: fc.constantFrom(0, 1),
    }),
    meetsMinNotional: true,
  });

  it('keeps a tick, and moves half a tick for each of its own quotes', () => {
    // Half a tick each way is the mean of a quote's own price; a tick of edge; rounded outwards.
    const quotes = strategy.quote(quoteContext({ yes: touch(48, 52), fair: 0.5 }, USUAL));
    expect(prices(quotes, 'bid')).toEqual([48, 47]);
    expect(prices(quotes, 'ask')).toEqual([52, 53]);
  });

  it('leans by half its distance for every quote that it holds, on any price and grid', () => {
    // Ten ticks between the touches: a distance of six, and three for each quote of fifty.
    const flat = { yes: touch(300, 320), fair: 0.31, tickSize: '0.001' } as const;
    const bid = (held: number) =>
      prices(strategy.quote(quoteContext({ ...flat, yesShares: held }, USUAL)), 'bid')[0] ?? 0;
    expect(bid(0) - bid(100)).toBeGreaterThanOrEqual(5);
    expect(bid(0) - bid(100)).toBeLessThanOrEqual(7);
  });

  it('stands back where others stand apart', () => {
    const near = strategy.quote(quoteContext({ yes: touch(48, 52), fair: 0.5 }, USUAL));
    const far = strategy.quote(quoteContext({ yes: touch(40, 60), fair: 0.5 }, USUAL));
    expect(prices(near, 'bid')[0]).toBe(48);
    // 0.6 of ten ticks, and a quarter of that, the mean lean of its own shares.
    expect(prices(far, 'bid')[0]).toBe(42);
  });

  it('says why it quotes nothing without a fair value', () => {
    expect(codes(strategy.quote(quoteContext({}, USUAL)))).toEqual(['both fair_missing']);
  });
});
