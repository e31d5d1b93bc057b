import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import type { PublicTrade } from '../../../src/strategy/index.ts';
import { type GlftParams, strategy } from '../../../strategies/glft.ts';
import { NOW_MS, quoteContext } from '../../support/strategy-context.ts';
import { itKeepsTheRules } from '../../support/strategy-properties.ts';
import { fineContext, finePrices } from './fine.ts';
import { prices, touch } from './scenes.ts';

/** The tutorial of hftbacktest, one tick of it taken as a thousandth of a price. */
const TUTORIAL: GlftParams = {
  riskAversion: 5,
  fillRate: 2.986_162_360_812_285,
  fillDecay: 42.357_411_150_840_49,
  fits: false,
  adverseMove: 0,
  varPriorPerHour: 0.3,
  levels: 1,
  levelStep: 0.01,
  size: 10,
};
const HALF_SPREAD = 0.020_472_085_338_443_71;
const SKEW_PER_LOT = 0.009_763_268_650_292_27;

/** sigma = 10.69 ticks per square root of a second at a price of one half. */
const SCENE = { fair: 0.5, varPerSec: (0.010_69 / 0.25) ** 2, maxPosition: 1_000_000 };

describe('glft', () => {
  itKeepsTheRules({
    strategy,
    params: fc.record({
      riskAversion: fc.double({ min: 0.000_1, max: 1, noNaN: true }),
      fillRate: fc.double({ min: 0.001, max: 5, noNaN: true }),
      fillDecay: fc.double({ min: 5, max: 500, noNaN: true }),
      fits: fc.boolean(),
      adverseMove: fc.constantFrom(0, 0.002, 0.01),
      varPriorPerHour: fc.constantFrom(0, 0.3, 2),
      levels: fc.integer({ min: 1, max: 5 }),
      levelStep: fc.constantFrom(0.001, 0.01),
      size: fc.integer({ min: 1, max: 200 }),
    }),
    meetsMinNotional: true,
  });

  it('quotes the published half spread of the tutorial without a position', () => {
    const { bid, ask } = finePrices(strategy.quote(fineContext(SCENE, TUTORIAL)));
    expect(0.5 - bid).toBeCloseTo(HALF_SPREAD, 5);
    expect(ask - 0.5).toBeCloseTo(HALF_SPREAD, 5);
  });

  it('says what is out of range under the largest of all parameters', () => {
    const params = { ...TUTORIAL, fillDecay: 10_000, adverseMove: 0.5 };
    const { quotes, reasons } = strategy.quote(quoteContext(SCENE, params));
    expect(quotes).toEqual([]);
    expect(reasons.map(({ code }) => code)).toEqual(['out_of_range', 'out_of_range']);
    expect(reasons.map(({ detail }) => detail).join()).not.toContain('NaN');
  });

  it('leans by the published skew of the tutorial, three lots long', () => {
    const long = { ...SCENE, yesShares: 30 };
    const { bid, ask } = finePrices(strategy.quote(fineContext(long, TUTORIAL)));
    expect(0.5 - bid).toBeCloseTo(HALF_SPREAD + 3 * SKEW_PER_LOT, 5);
    expect(ask - 0.5).toBeCloseTo(HALF_SPREAD - 3 * SKEW_PER_LOT, 5);
  });

  it('keeps half of an adverse move away on each side', () => {
    const still = { ...SCENE, varPerSec: 0 };
    const { bid: near } = finePrices(strategy.quote(fineContext(still, TUTORIAL)));
    const wary = { ...TUTORIAL, adverseMove: 0.01 };
    const { bid: far } = finePrices(strategy.quote(fineContext(still, wary)));
    expect(near - far).toBeCloseTo(0.005, 5);
  });

  it('fits the fill rate to trades, and quotes nearer where few of them reach far', () => {
    const params = { ...TUTORIAL, fits: true, fillDecay: 5 };
    const scene = { yes: touch(40, 60), fair: 0.5, varPerSec: 0 };
    const before = strategy.quote(quoteContext(scene, params));
    const near = Array.from({ length: 32 }, (_, index) => trade(index, index % 4 === 0 ? 3 : 1));
    const first = { ...scene, trades: near, nowMs: NOW_MS + 40_000, ...memoryOf(before) };
    const after = strategy.quote(quoteContext(first, params));
    expect(prices(after, 'bid')[0]).toBeGreaterThan(prices(before, 'bid')[0] ?? 0);
    expect(after.memory).toMatchObject({ atMs: NOW_MS + 32_000 });
  });

  it('counts each trade once', () => {
    const params = { ...TUTORIAL, fits: true };
    const scene = { yes: touch(40, 60), trades: [trade(1, 1)], nowMs: NOW_MS + 40_000 };
    const once = strategy.quote(quoteContext({ ...scene, memory: counted() }, params));
    const again = { ...scene, ...memoryOf(once) };
    expect(strategy.quote(quoteContext(again, params)).memory).toBeUndefined();
  });
});

function counted() {
  return { reaching: Array.from({ length: 40 }, () => 0), sinceMs: NOW_MS, atMs: NOW_MS };
}

function memoryOf(targetQuotes: ReturnType<typeof strategy.quote>) {
  return targetQuotes.memory === undefined ? {} : { memory: targetQuotes.memory };
}

function trade(index: number, depth: number): PublicTrade {
  const price = ticks(tickGrid('0.01'), 50 + depth);
  return { atMs: unixMs(NOW_MS + (index + 1) * 1_000), price, size: shares(10), taker: 'buys' };
}
