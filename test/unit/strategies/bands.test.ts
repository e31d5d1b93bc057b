import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import type { OwnQuote } from '../../../src/strategy/index.ts';
import { type BandsParams, strategy } from '../../../strategies/bands.ts';
import { quoteContext } from '../../support/strategy-context.ts';
import { itKeepsTheRules } from '../../support/strategy-properties.ts';
import { amounts, codes, touch } from './scenes.ts';

/** The bands of the published test: .02/.03/.04 with 10/20/50 and .04/.05/.06 with 20/30/40. */
const PUBLISHED: BandsParams = {
  nearMarginMin: 0.02,
  nearMarginAvg: 0.03,
  nearMarginMax: 0.04,
  nearAmountMin: 10,
  nearAmountAvg: 20,
  nearAmountMax: 50,
  middleMarginMin: 0.04,
  middleMarginAvg: 0.05,
  middleMarginMax: 0.06,
  middleAmountMin: 20,
  middleAmountAvg: 30,
  middleAmountMax: 40,
  farMarginMin: 0.06,
  farMarginAvg: 0.06,
  farMarginMax: 0.07,
  farAmountMin: 0,
  farAmountAvg: 0,
  farAmountMax: 0,
};

const OPEN = { yes: touch(30, 70), fair: 0.5 };

function own(side: 'bid' | 'ask', price: number, quantity: number): OwnQuote {
  return {
    side,
    price: ticks(tickGrid('0.01'), price),
    remaining: shares(quantity),
    restingSinceMs: unixMs(0),
    queue: undefined,
  };
}

const anyBands: fc.Arbitrary<BandsParams> = fc
  .record({
    start: fc.constantFrom(0.001, 0.01, 0.02),
    width: fc.constantFrom(0.01, 0.02, 0.05),
    least: fc.integer({ min: 0, max: 50 }),
    more: fc.integer({ min: 0, max: 100 }),
    isFarOff: fc.boolean(),
  })
  .map(({ start, width, least, more, isFarOff }) => ({
    nearMarginMin: start,
    nearMarginAvg: start,
    nearMarginMax: start + width,
    nearAmountMin: least,
    nearAmountAvg: least + more,
    nearAmountMax: least + 2 * more + 1,
    middleMarginMin: start + width,
    middleMarginAvg: start + width,
    middleMarginMax: start + 2 * width,
    middleAmountMin: least,
    middleAmountAvg: least + more,
    middleAmountMax: least + 2 * more + 1,
    farMarginMin: start + 2 * width,
    farMarginAvg: start + 2 * width,
    farMarginMax: start + 3 * width,
    farAmountMin: isFarOff ? 0 : least,
    farAmountAvg: isFarOff ? 0 : least + more,
    farAmountMax: isFarOff ? 0 : least + 2 * more + 1,
  }));

describe('bands', () => {
  itKeepsTheRules({ strategy, params: anyBands, meetsMinNotional: true });

  it('fills the published bands around the published order with cash alone', () => {
    const scene = { ...OPEN, freeUsdc: 100, ownQuotes: [own('bid', 48, 5)] };
    const targetQuotes = strategy.quote(quoteContext(scene, PUBLISHED));
    expect(amounts(targetQuotes, 'bid')).toEqual(['48 x 5', '47 x 15', '45 x 30']);
  });

  it('fills them with thirty shares of the other token and thirty of cash', () => {
    const scene = { ...OPEN, freeUsdc: 30, noShares: 30, ownQuotes: [own('bid', 48, 5)] };
    const targetQuotes = strategy.quote(quoteContext(scene, PUBLISHED));
    // SELL 15 NO at 53, SELL 15 NO at 55 and BUY 15 YES at 45: the leg is for the engine to choose.
    expect(amounts(targetQuotes, 'bid')).toEqual(['48 x 5', '47 x 15', '45 x 30']);
  });

  it('leaves what it cannot pay', () => {
    const scene = { ...OPEN, freeUsdc: 30, ownQuotes: [own('bid', 48, 5)] };
    const targetQuotes = strategy.quote(quoteContext(scene, PUBLISHED));
    // Half of the cash is for each side: 7.05 go to 47, 7.95 buy 17.666666 at 45.
    expect(amounts(targetQuotes, 'bid')).toEqual(['48 x 5', '47 x 15', '45 x 17.666666']);
  });

  it('keeps an order where it stands as long as its band has it', () => {
    const scene = { ...OPEN, ownQuotes: [own('bid', 48, 20), own('bid', 46, 30)] };
    const moved = { ...scene, fair: 0.507 };
    for (const at of [scene, moved]) {
      const targetQuotes = strategy.quote(quoteContext(at, PUBLISHED));
      expect(amounts(targetQuotes, 'bid')).toEqual(['48 x 20', '46 x 30']);
    }
  });

  it('cuts a band that holds too much, nearest first', () => {
    const orders = [own('bid', 48, 30), own('bid', 47, 30), own('bid', 45, 30)];
    const targetQuotes = strategy.quote(quoteContext({ ...OPEN, ownQuotes: orders }, PUBLISHED));
    expect(amounts(targetQuotes, 'bid')).toEqual(['47 x 30', '45 x 30']);
  });

  it('refuses bands that overlap on the grid, and says so', () => {
    const overlapping = { ...PUBLISHED, middleMarginMin: 0.03 };
    const targetQuotes = strategy.quote(quoteContext(OPEN, overlapping));
    expect(codes(targetQuotes)).toEqual(['both bands_unusable']);
  });
});
