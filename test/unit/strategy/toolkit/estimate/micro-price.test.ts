import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shares } from '../../../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../../../src/domain/ticks.ts';
import {
  type Json,
  type MicroPriceCounts,
  memoryFault,
  microPriceAdjustments,
  microPriceTicks,
  newMicroPriceCounts,
  restored,
  type Touch,
  touchChainOf,
  touchState,
  withMicroPriceTouch,
} from '../../../../../src/strategy/index.ts';

const GRID = tickGrid('0.01');
const SHAPE = { imbalanceBuckets: 3, spreadTicksMax: 2 };

/** Rows bid-light, balanced, bid-heavy; moves of a cent down and up. */
const CHAIN = {
  still: [
    [0.6, 0.15, 0.05],
    [0.1, 0.6, 0.1],
    [0.05, 0.15, 0.6],
  ],
  moving: [
    [0.15, 0.05],
    [0.1, 0.1],
    [0.05, 0.15],
  ],
  afterMove: [
    [0.04, 0.06, 0.1],
    [0.06, 0.08, 0.06],
    [0.1, 0.06, 0.04],
  ],
  moves: [-0.01, 0.01],
};

function touch(bid: number, spread: number, bidSize: number, askSize: number): Touch {
  return {
    bid: ticks(GRID, bid),
    ask: ticks(GRID, bid + spread),
    bidSize: shares(bidSize),
    askSize: shares(askSize),
  };
}

const touches = fc.record({
  bid: fc.integer({ min: 40, max: 44 }),
  spread: fc.integer({ min: 1, max: 3 }),
  bidSize: fc.integer({ min: 1, max: 9 }),
  askSize: fc.integer({ min: 1, max: 9 }),
});

describe('the micro-price of a chain', () => {
  it('until the next move, and in the limit, is that of the check case', () => {
    const first = microPriceAdjustments(CHAIN, 1) ?? [];
    expect(first[0]).toBeCloseTo(-0.0022222, 7);
    expect(first[1]).toBeCloseTo(0, 12);
    expect(first[2]).toBeCloseTo(0.0022222, 7);
    const limit = microPriceAdjustments(CHAIN, 60) ?? [];
    expect(limit[0]).toBeCloseTo(-0.0019608, 7);
    expect(limit[2]).toBeCloseTo(0.0019608, 7);
  });

  it('needs six terms and no more', () => {
    const six = microPriceAdjustments(CHAIN) ?? [];
    expect(six[2]).toBeCloseTo(0.0019608, 7);
  });

  it('does not exist where the middle never moves', () => {
    const frozen = { ...CHAIN, still: [[1, 0, 0], ...CHAIN.still.slice(1)] };
    expect(microPriceAdjustments(frozen)).toBeUndefined();
  });
});

describe('the micro-price learnt from touches', () => {
  it('tells spreads and imbalances apart, and mirrors them', () => {
    expect(touchState(SHAPE, touch(40, 1, 1, 9))).toBe(0);
    expect(touchState(SHAPE, touch(40, 1, 5, 5))).toBe(1);
    expect(touchState(SHAPE, touch(40, 1, 9, 1))).toBe(2);
    expect(touchState(SHAPE, touch(40, 2, 9, 1))).toBe(5);
    expect(touchState(SHAPE, touch(40, 3, 9, 1))).toBeUndefined();
    fc.assert(
      fc.property(touches, ({ bid, bidSize, askSize }) => {
        const state = touchState(SHAPE, touch(bid, 1, bidSize, askSize)) ?? 0;
        expect(touchState(SHAPE, touch(bid, 1, askSize, bidSize))).toBe(2 - state);
      }),
    );
  });

  it('counts moves of the middle and what stays still, and starts anew after a wide spread', () => {
    const path = [
      touch(40, 1, 9, 1),
      touch(40, 1, 8, 1),
      touch(41, 1, 5, 5),
      touch(41, 3, 5, 5),
      touch(30, 1, 5, 5),
      touch(30, 2, 5, 5),
    ];
    const counts = path.reduce(withMicroPriceTouch, newMicroPriceCounts(SHAPE));
    expect(counts.still[2]).toEqual([0, 0, 1, 0, 0, 0]);
    expect(counts.moving[2]).toEqual([0, 0, 0, 1]);
    expect(counts.afterMove[2]).toEqual([0, 1, 0, 0, 0, 0]);
    // From 30-31 to 30-32 the middle rose by one half tick.
    expect(counts.moving[1]).toEqual([0, 0, 1, 0]);
  });

  it('makes rows of probabilities that add up to one, whatever was seen', () => {
    fc.assert(
      fc.property(fc.array(touches, { maxLength: 60 }), (path) => {
        const counts = path
          .map(({ bid, spread, bidSize, askSize }) => touch(bid, spread, bidSize, askSize))
          .reduce(withMicroPriceTouch, newMicroPriceCounts(SHAPE));
        const chain = touchChainOf(counts, 2);
        chain.still.forEach((row, i) => {
          const total = (xs: readonly number[]) => xs.reduce((a, b) => a + b, 0);
          expect(total(row) + total(chain.moving[i] ?? [])).toBeCloseTo(1, 12);
          expect(total(row) + total(chain.afterMove[i] ?? [])).toBeCloseTo(1, 12);
        });
        const adjustments = microPriceAdjustments(chain) ?? [];
        // Bids for asks turns every adjustment round.
        for (const [state, mirror] of [
          [0, 2],
          [1, 1],
          [3, 5],
          [4, 4],
        ] as const) {
          expect(adjustments[state]).toBeCloseTo(-(adjustments[mirror] ?? Number.NaN), 9);
        }
      }),
    );
  });

  it('moves to where heavy bids have pushed the middle before', () => {
    const push = [touch(40, 1, 9, 1), touch(41, 1, 5, 5), touch(41, 1, 9, 1), touch(42, 1, 5, 5)];
    const rest = [touch(40, 1, 5, 5), touch(40, 1, 9, 1)];
    const path = Array.from({ length: 50 }, () => [...push, ...rest]).flat();
    const counts = path.reduce(withMicroPriceTouch, newMicroPriceCounts(SHAPE));
    const adjustments = microPriceAdjustments(touchChainOf(counts, 1)) ?? [];
    const heavy = microPriceTicks(SHAPE, adjustments, touch(40, 1, 9, 1)) ?? 0;
    const light = microPriceTicks(SHAPE, adjustments, touch(40, 1, 1, 9)) ?? 0;
    expect(heavy).toBeGreaterThan(40.9);
    expect(light).toBeCloseTo(81 - heavy, 9);
    expect(microPriceTicks(SHAPE, adjustments, touch(40, 3, 1, 9))).toBeUndefined();
  });

  it('halves counts before they grow without end', () => {
    const start = newMicroPriceCounts(SHAPE);
    const full: MicroPriceCounts = {
      ...start,
      still: start.still.map((row) => row.map((_, j) => (j === 0 ? 99_990 : 0))),
      moving: start.moving.map(() => [0, 5, 5, 0]),
      afterMove: start.afterMove.map((row) => row.map((_, j) => (j === 1 ? 10 : 0))),
    };
    const counts = [touch(40, 1, 1, 9), touch(40, 1, 1, 9)].reduce(withMicroPriceTouch, full);
    expect(counts.still[0]?.[0]).toBe(49_996);
    expect(counts.moving[0]).toEqual([0, 2, 2, 0]);
    expect(counts.still[1]).toEqual(full.still[1]);
  });

  it('fits into the memory of a strategy and comes back from it', () => {
    const shape = { imbalanceBuckets: 5, spreadTicksMax: 2 };
    const counts = withMicroPriceTouch(newMicroPriceCounts(shape), touch(40, 1, 9, 1));
    const memory: Json = counts;
    expect(memoryFault(memory)).toBeUndefined();
    const back = restored(JSON.parse(JSON.stringify(memory)), newMicroPriceCounts(shape));
    expect(back).toEqual(counts);
    expect(restored(memory, newMicroPriceCounts(SHAPE))).toBeUndefined();
  });

  it('has a bound on its states', () => {
    expect(() => newMicroPriceCounts({ imbalanceBuckets: 9, spreadTicksMax: 8 })).toThrow('states');
    expect(() => newMicroPriceCounts({ imbalanceBuckets: 4, spreadTicksMax: 1 })).toThrow('odd');
  });
});
