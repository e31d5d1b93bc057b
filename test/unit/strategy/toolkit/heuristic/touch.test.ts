import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shares } from '../../../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../../../src/domain/ticks.ts';
import {
  type AxisBook,
  bestLevelOf,
  improvedTouch,
  pricePastDust,
  skewedTouch,
  type Touch,
  ticksAtOrBelow,
} from '../../../../../src/strategy/index.ts';
import { contextOf, NO_PRICES, USUAL } from '../../../strategies/contexts.ts';

const GRID = tickGrid('0.01');
const SIZES = { bid: shares(75), ask: shares(375) };

function touch(bid: number, bidSize: number, ask: number, askSize: number): Touch {
  return {
    bid: ticks(GRID, bid),
    ask: ticks(GRID, ask),
    bidSize: shares(bidSize),
    askSize: shares(askSize),
  };
}

describe('one tick before the touch', () => {
  it('where it shows enough, at it where it does not, as in the check case', () => {
    expect(improvedTouch(touch(31, 90, 36, 300), SIZES)).toEqual({ bid: 32, ask: 36 });
    expect(improvedTouch(touch(31, 70, 36, 400), SIZES)).toEqual({ bid: 31, ask: 35 });
  });

  it('never at or through the other side', () => {
    expect(improvedTouch(touch(31, 90, 32, 400), SIZES)).toEqual({ bid: 31, ask: 32 });
    expect(improvedTouch(touch(31, 90, 33, 400), SIZES)).toEqual({ bid: 31, ask: 33 });
    expect(improvedTouch(touch(31, 90, 33, 300), SIZES)).toEqual({ bid: 32, ask: 33 });
  });
});

describe('the best level that shows enough', () => {
  const deep = { ...USUAL, yes: { bids: [48, 45], asks: [52, 57] }, no: NO_PRICES };
  const { book } = contextOf(deep, {});

  it('is the touch where that does', () => {
    expect(bestLevelOf(book, 'bid', shares(100))).toBe(48);
    expect(bestLevelOf(book, 'ask', shares(100))).toBe(52);
  });

  it('is absent where none does', () => {
    expect(bestLevelOf(book, 'bid', shares(101))).toBeUndefined();
    expect(bestLevelOf(book, 'ask', shares(101))).toBeUndefined();
  });
});

describe('the best price past dust', () => {
  const book = (sizes: Readonly<Record<number, number>>): AxisBook => {
    const down = Object.keys(sizes).map(Number).toReversed();
    const size = (price: number) => shares(sizes[price] ?? 0);
    const best = down[0];
    return {
      ...contextOf(USUAL, {}).book,
      bestBid: () => (best === undefined ? undefined : ticks(GRID, best)),
      bidSizeAt: size,
      nextBid: (price) => {
        const next = down.find((each) => each < price);
        return next === undefined ? undefined : ticks(GRID, next);
      },
    };
  };

  it('is the touch where more than dust rests', () => {
    expect(pricePastDust(book({ 47: 100, 48: 5 }), 'bid')).toBe(48);
  });

  it('passes over a few shares before everybody else', () => {
    expect(pricePastDust(book({ 45: 100, 47: 2, 48: 2 }), 'bid')).toBe(45);
  });

  it('counts what rests together: three shares and three are no dust', () => {
    expect(pricePastDust(book({ 45: 100, 47: 3, 48: 3 }), 'bid')).toBe(47);
  });

  it('is the touch where a whole side is dust, and absent where nothing rests', () => {
    expect(pricePastDust(book({ 40: 1, 48: 1 }), 'bid')).toBe(48);
    expect(pricePastDust(book({}), 'bid')).toBeUndefined();
  });
});

describe('bids for both tokens around a skewed price', () => {
  const model = {
    fairPrice: 0.33,
    tickPrice: 0.01,
    volatilityPrice: 0.005,
    toxicityPrice: 0.001,
    inventoryShares: 200,
    positionUsdMax: 1_000,
    riskFactor: 1,
    halfSpreadPriceMax: 0.03,
  };

  it('are those of the check case', () => {
    const { reservation, halfSpread, bidYes, bidNo } = skewedTouch(model);
    expect(halfSpread).toBeCloseTo(0.028, 12);
    expect(reservation).toBeCloseTo(0.32967, 6);
    expect(ticksAtOrBelow(GRID, bidYes)).toBe(30);
    expect(ticksAtOrBelow(GRID, bidNo)).toBe(64);
  });

  it('stay within the widest half spread allowed', () => {
    expect(skewedTouch({ ...model, toxicityPrice: 0.01 }).halfSpread).toBe(0.03);
    const unbounded = { ...model, toxicityPrice: 0.01, halfSpreadPriceMax: undefined };
    expect(skewedTouch(unbounded).halfSpread).toBeCloseTo(0.046, 12);
  });

  it('never cost a dollar together, and fall for YES with what is held', () => {
    fc.assert(
      fc.property(fc.integer({ min: -9_000, max: 9_000 }), (inventoryShares) => {
        const { bidYes, bidNo } = skewedTouch({ ...model, inventoryShares });
        expect(bidYes + bidNo).toBeLessThan(1);
        const more = skewedTouch({ ...model, inventoryShares: inventoryShares + 100 });
        expect(more.bidYes).toBeLessThanOrEqual(bidYes);
        expect(more.bidNo).toBeGreaterThanOrEqual(bidNo);
      }),
    );
  });
});
