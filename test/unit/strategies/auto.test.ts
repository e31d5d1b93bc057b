import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AutoParams, strategy } from '../../../strategies/auto.ts';
import { quoteContext } from '../../support/strategy-context.ts';
import { itKeepsTheRules } from '../../support/strategy-properties.ts';
import { codes, prices, touch } from './scenes.ts';

const USUAL: AutoParams = {
  size: 50,
  levels: 3,
  leanPart: 0.25,
  edgeTicksMin: 0.5,
  spreadPart: 0.6,
  flowWeight: 2,
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

  it('joins the touch, and stands back a tick where its price under the rule is too near', () => {
    // The touch is two ticks from the price, further than the edge of 1.2 ticks: join it, and a tick more a level.
    const joins = strategy.quote(quoteContext({ yes: touch(48, 52), fair: 0.5 }, USUAL));
    expect(prices(joins, 'bid')).toEqual([48, 47, 46]);
    expect(prices(joins, 'ask')).toEqual([52, 53, 54]);
    // A price of 0.489 leaves 0.9 ticks to the bid, less than that edge.
    const near = strategy.quote(quoteContext({ yes: touch(48, 52), fair: 0.489 }, USUAL));
    expect(prices(near, 'bid')[0]).toBe(47);
  });

  it('never improves on the others, however much it holds', () => {
    const heavy = { yes: touch(48, 52), fair: 0.5, yesShares: 400 };
    expect(prices(strategy.quote(quoteContext(heavy, USUAL)), 'ask')[0]).toBe(52);
  });

  it('leans by a quarter of its distance for every quote that it holds, on any price and grid', () => {
    // Twenty ticks between the touches: a distance of six and a lean of 1.5 a quote, behind a touch ten away.
    const flat = { yes: touch(300, 320), fair: 0.31, tickSize: '0.001' } as const;
    const bid = (held: number) =>
      prices(strategy.quote(quoteContext({ ...flat, yesShares: held }, USUAL)), 'bid')[0] ?? 0;
    expect(bid(200) - bid(400)).toBeGreaterThanOrEqual(5);
    expect(bid(200) - bid(400)).toBeLessThanOrEqual(7);
  });

  it('stands back where others stand apart', () => {
    const near = strategy.quote(quoteContext({ yes: touch(48, 52), fair: 0.5 }, USUAL));
    const far = strategy.quote(quoteContext({ yes: touch(40, 60), fair: 0.5 }, USUAL));
    expect(prices(near, 'bid')[0]).toBe(48);
    expect(prices(far, 'bid')[0]).toBe(40);
  });

  it('says why it quotes nothing without a fair value', () => {
    expect(codes(strategy.quote(quoteContext({}, USUAL)))).toEqual(['both fair_missing']);
  });
});
