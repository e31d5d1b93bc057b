import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shares } from '../../../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../../../src/domain/ticks.ts';
import {
  fairTicks,
  isTouchMeaningful,
  sizeImbalance,
  type Touch,
  touchOf,
  weightedMid,
} from '../../../../../src/strategy/index.ts';
import { contextOf, NO_PRICES, USUAL } from '../../../strategies/contexts.ts';

const GRID = tickGrid('0.01');

function touch(bid: number, ask: number, bidSize = 100, askSize = 100): Touch {
  return {
    bid: ticks(GRID, bid),
    ask: ticks(GRID, ask),
    bidSize: shares(bidSize),
    askSize: shares(askSize),
  };
}

describe('the weighted middle', () => {
  it('is that of the published rows', () => {
    const row = { bid: 14.33, ask: 14.34, bidSize: 20, askSize: 471 };
    expect(sizeImbalance(20, 471)).toBeCloseTo(0.040733, 6);
    expect(weightedMid(row)).toBeCloseTo(14.330407, 6);
  });

  it('lies inside the touch, nearer to the side that shows less', () => {
    const size = fc.double({ min: 0.001, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(size, size, (bidSize, askSize) => {
        const price = weightedMid({ bid: 40, ask: 41, bidSize, askSize });
        expect(price).toBeGreaterThanOrEqual(40);
        expect(price).toBeLessThanOrEqual(41);
        expect(price > 40.5).toBe(bidSize > askSize && price !== 40.5);
      }),
    );
  });

  it('does not exist for a touch without size', () => {
    expect(() => sizeImbalance(0, 0)).toThrow('touchSize');
  });
});

describe('the touch of a book', () => {
  it('has both prices and sizes of others', () => {
    expect(touchOf(contextOf(USUAL, {}).book)).toEqual(touch(48, 52));
  });

  it('is absent when a side is empty', () => {
    const oneSided = { ...USUAL, yes: { bids: [48], asks: [] }, no: NO_PRICES };
    expect(touchOf(contextOf(oneSided, {}).book)).toBeUndefined();
  });
});

describe('the fair price of a touch', () => {
  it('is its middle without an estimate', () => {
    expect(fairTicks(GRID, touch(40, 43), undefined)).toBe(41.5);
  });

  it('follows an estimate by half a tick at most: sizes can be bait', () => {
    expect(fairTicks(GRID, touch(40, 43), 41.7)).toBe(41.7);
    expect(fairTicks(GRID, touch(40, 43), 42.9)).toBe(42);
    expect(fairTicks(GRID, touch(40, 43), 30)).toBe(41);
  });

  it('does not follow one that rests on a remainder', () => {
    expect(isTouchMeaningful(GRID, touch(40, 43))).toBe(true);
    expect(isTouchMeaningful(GRID, touch(40, 43, 2.4))).toBe(false);
    expect(isTouchMeaningful(GRID, touch(3, 4, 40, 20))).toBe(false);
    expect(fairTicks(GRID, touch(40, 43, 2.4), 42)).toBe(41.5);
  });
});
