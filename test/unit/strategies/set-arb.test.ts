import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatShares, shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { type SetArbParams, strategy } from '../../../strategies/set-arb.ts';
import { NOW_MS, quoteContext, type Scene } from '../../support/strategy-context.ts';
import { itKeepsTheRules } from '../../support/strategy-properties.ts';
import { codes, prices, touch } from './scenes.ts';

const PARAMS: SetArbParams = { minEdge: 0.01, maxSpend: 1_000, waitMs: 5_000 };

/** YES asks 50 at .30 and 80 at .31; NO asks 60 at .66 and 100 at .68. */
const EXAMPLE: Scene = {
  yes: {
    bids: [],
    asks: [
      [30, 50],
      [31, 80],
    ],
  },
  no: {
    bids: [],
    asks: [
      [66, 60],
      [68, 100],
    ],
  },
  takerRate: 0.03,
};

function takesOf(scene: Scene, params = PARAMS): readonly string[] {
  const { takes = [] } = strategy.quote(quoteContext(scene, params));
  return takes.map(
    ({ leg, side, price, quantity }) => `${side} ${formatShares(quantity)} ${leg} at ${price}`,
  );
}

describe('set-arb', () => {
  itKeepsTheRules({
    strategy,
    params: fc.record({
      minEdge: fc.constantFrom(0.001, 0.01),
      maxSpend: fc.integer({ min: 2, max: 500 }),
      waitMs: fc.constant(5_000),
    }),
  });

  it('takes the worked example: sixty sets, the thinner leg first', () => {
    expect(takesOf(EXAMPLE)).toEqual(['BUY 60 no at 66', 'BUY 60 yes at 31']);
    const [reason] = strategy.quote(quoteContext(EXAMPLE, PARAMS)).reasons;
    expect(reason?.detail).toBe('60 sets gain 1.51691 USDC after fees');
  });

  it('takes nothing while the fee is not known, and says so', () => {
    const { takerRate: _, ...unknown } = EXAMPLE;
    expect(takesOf(unknown)).toEqual([]);
    expect(codes(strategy.quote(quoteContext(unknown, PARAMS)))).toEqual(['both fee_unknown']);
  });

  it('counts the fee of both legs', () => {
    expect(takesOf({ ...EXAMPLE, takerRate: 0 })).toEqual([
      'BUY 130 yes at 31',
      'BUY 130 no at 68',
    ]);
    expect(takesOf({ ...EXAMPLE, takerRate: 0.07 })).toEqual([]);
  });

  it('spends no more than it may, nor more than there is', () => {
    expect(takesOf(EXAMPLE, { ...PARAMS, maxSpend: 20 })).toEqual([
      'BUY 20.55 yes at 30',
      'BUY 20.55 no at 66',
    ]);
    expect(takesOf({ ...EXAMPLE, freeUsdc: 20 })).toEqual([
      'BUY 20.55 yes at 30',
      'BUY 20.55 no at 66',
    ]);
    expect(takesOf({ ...EXAMPLE, maxPosition: 10 })).toEqual([
      'BUY 10 yes at 30',
      'BUY 10 no at 66',
    ]);
  });

  it('sells sets that bring more than one, and only those it has settled', () => {
    const scene: Scene = {
      yes: { bids: [[40, 100]], asks: [] },
      no: { bids: [[64, 30]], asks: [] },
      takerRate: 0.03,
    };
    expect(takesOf(scene)).toEqual([]);
    expect(takesOf({ ...scene, yesShares: 25, noShares: 40 })).toEqual([
      'SELL 25 no at 64',
      'SELL 25 yes at 40',
    ]);
  });

  it('takes the same from the other token when YES and NO change names', () => {
    const rungs = (worst: 1 | -1) =>
      fc
        .uniqueArray(fc.tuple(fc.integer({ min: 20, max: 70 }), fc.integer({ min: 5, max: 300 })), {
          maxLength: 4,
          selector: ([price]) => price,
        })
        .map((found) => found.toSorted(([a], [b]) => worst * (a - b)));
    const asks = rungs(1);
    fc.assert(
      fc.property(asks, asks, fc.constantFrom(0, 0.02, 0.07), (yes, no, takerRate) => {
        const scene: Scene = {
          yes: { bids: [], asks: yes },
          no: { bids: [], asks: no },
          takerRate,
        };
        const swapped: Scene = {
          ...scene,
          yes: { bids: [], asks: no },
          no: { bids: [], asks: yes },
        };
        const turned = takesOf(swapped).map((text) =>
          text.replace(/ (yes|no) /, (_, leg) => (leg === 'yes' ? ' no ' : ' yes ')),
        );
        expect(turned.toSorted()).toEqual(takesOf(scene).toSorted());
      }),
    );
  });

  it('does not take again before the books can have shown the last trade', () => {
    const { memory } = strategy.quote(quoteContext(EXAMPLE, PARAMS));
    const at = (laterMs: number): Scene => ({
      ...EXAMPLE,
      nowMs: NOW_MS + laterMs,
      ...(memory ? { memory } : {}),
    });
    expect(takesOf(at(4_999))).toEqual([]);
    expect(takesOf(at(5_000)).length).toBe(2);
  });

  it('waits for no time that only a clock since set back can have stated', () => {
    const waiting = (untilMs: number): Scene => ({ ...EXAMPLE, memory: { untilMs } });
    expect(takesOf(waiting(NOW_MS + 3_600_000))).toEqual([]);
    expect(takesOf(waiting(NOW_MS + 3_600_001)).length).toBe(2);
    expect(takesOf(waiting(1e300)).length).toBe(2);
  });

  it('withdraws its own orders before it takes', () => {
    const price = ticks(tickGrid('0.01'), 45);
    const remaining = shares(10);
    const queue = undefined;
    const own = { side: 'ask', price, remaining, restingSinceMs: unixMs(0), queue } as const;
    const targetQuotes = strategy.quote(quoteContext({ ...EXAMPLE, ownQuotes: [own] }, PARAMS));
    expect([targetQuotes.takes ?? [], targetQuotes.quotes]).toEqual([[], []]);
    expect(codes(targetQuotes)).toEqual(['both own_orders_first']);
  });

  it('offers what is left of a half trade at the fair price, and only that', () => {
    const scene = { yes: touch(40, 46), fair: 0.43, yesShares: 30, takerRate: 0.03 };
    const targetQuotes = strategy.quote(quoteContext(scene, PARAMS));
    expect(prices(targetQuotes, 'ask')).toEqual([43]);
    expect(prices(targetQuotes, 'bid')).toEqual([]);
    expect(targetQuotes.quotes[0]).toMatchObject({ purpose: 'reduce', quantity: shares(30) });
  });
});
