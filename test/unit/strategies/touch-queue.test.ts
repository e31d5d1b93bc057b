import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import type { OwnQuote } from '../../../src/strategy/index.ts';
import { strategy, type TouchQueueParams } from '../../../strategies/touch-queue.ts';
import { NOW_MS, quoteContext } from '../../support/strategy-context.ts';
import { itKeepsTheRules } from '../../support/strategy-properties.ts';
import { codes, prices, touch } from './scenes.ts';

/** The rates of the worked example by the minute: m=.08, nu=.004, th_up=th_dn=.01 a second. */
const EXAMPLE: TouchQueueParams = {
  size: 40,
  lotShares: 10,
  tradesPerMinute: 4.8,
  movesPerMinute: 0.6,
  cancelsPerLotMinute: 0.24,
  sweptLossTicks: 1,
  stepBackAt: 0.3,
  pullAt: 0.6,
};

function own(price: number, ahead: number): OwnQuote {
  const remaining = shares(40);
  const queue = { ahead: shares(ahead), behind: shares(0) };
  const at = ticks(tickGrid('0.01'), price);
  return { side: 'bid', price: at, remaining, restingSinceMs: unixMs(NOW_MS), queue };
}

describe('touch-queue', () => {
  itKeepsTheRules({
    strategy,
    params: fc.record({
      size: fc.integer({ min: 1, max: 200 }),
      lotShares: fc.integer({ min: 1, max: 100 }),
      tradesPerMinute: fc.constantFrom(0, 1, 20),
      movesPerMinute: fc.constantFrom(0, 0.5, 5),
      cancelsPerLotMinute: fc.constantFrom(0, 0.25),
      sweptLossTicks: fc.constantFrom(0, 1, 3),
      stepBackAt: fc.constantFrom(0, 0.3, 1),
      pullAt: fc.constantFrom(0.2, 0.6, 1),
    }),
    meetsMinNotional: true,
  });

  it('joins both touches of a short queue and stands behind those of a long one', () => {
    // V with .5 cent of edge and 1 cent of loss: 3 lots ahead pay, 8 do not.
    const short = strategy.quote(quoteContext({ yes: touch(50, 51, 10) }, EXAMPLE));
    expect([prices(short, 'bid'), prices(short, 'ask')]).toEqual([[50], [51]]);
    const long = strategy.quote(quoteContext({ yes: touch(50, 51, 400) }, EXAMPLE));
    expect([prices(long, 'bid'), prices(long, 'ask')]).toEqual([[49], [52]]);
  });

  it('stays in a long queue once most of it has gone before it', () => {
    const scene = { yes: touch(50, 51, 400), ownQuotes: [own(50, 5)] };
    expect(prices(strategy.quote(quoteContext(scene, EXAMPLE)), 'bid')).toEqual([50]);
  });

  it('leaves a touch where its fills have lost', () => {
    const scene = { yes: touch(50, 51, 10), toxicity: { markout10sUsdc: -0.002 } };
    expect(prices(strategy.quote(quoteContext(scene, EXAMPLE)), 'bid')).toEqual([49]);
  });

  it('does not follow a fair value that drifts inside the touch', () => {
    for (const fair of [0.502, 0.508]) {
      const scene = { yes: touch(50, 51, 10), fair };
      expect(prices(strategy.quote(quoteContext(scene, EXAMPLE)), 'bid')).toEqual([50]);
    }
  });

  it('does not join a touch beyond the fair value', () => {
    const scene = { yes: touch(50, 51, 10), fair: 0.485 };
    const targetQuotes = strategy.quote(quoteContext(scene, EXAMPLE));
    expect([prices(targetQuotes, 'bid'), prices(targetQuotes, 'ask')]).toEqual([[48], [51]]);
  });

  it.each([
    { held: 149, bids: [50], asks: [51] },
    { held: 150, bids: [49], asks: [51] },
    { held: 299, bids: [49], asks: [51] },
    { held: 300, bids: [], asks: [51] },
  ])('with $held of 500 held, bids at $bids and asks at $asks', ({ held, bids, asks }) => {
    const scene = { yes: touch(50, 51, 10), yesShares: held };
    const targetQuotes = strategy.quote(quoteContext(scene, EXAMPLE));
    expect([prices(targetQuotes, 'bid'), prices(targetQuotes, 'ask')]).toEqual([bids, asks]);
    if (bids.length === 0) expect(codes(targetQuotes)).toEqual(['bid position_limit']);
  });

  it('counts how often the touches move, and believes it once it has seen enough', () => {
    let memory = strategy.quote(quoteContext({ yes: touch(50, 51, 10) }, EXAMPLE)).memory;
    let nowMs = NOW_MS;
    for (let step = 0; step < 20; step += 1) {
      nowMs += 1_000;
      const low = 50 - (step % 2);
      const scene = { yes: touch(low, low + 1, 10), nowMs, ...(memory ? { memory } : {}) };
      memory = strategy.quote(quoteContext(scene, EXAMPLE)).memory;
    }
    const scene = { yes: touch(49, 50, 10), nowMs, ...(memory ? { memory } : {}) };
    // A touch that moves every second leaves or sweeps nearly every order.
    expect(prices(strategy.quote(quoteContext(scene, EXAMPLE)), 'bid')).toEqual([48]);
  });

  it('counts from now on where the clock was set back, and keeps what it counts', () => {
    const later = [0.5, NOW_MS + 86_400_000, NOW_MS + 86_400_000];
    const memory = { bid: 49, ask: 50, bidUp: later, bidDown: later, askUp: later, askDown: later };
    const kept = strategy.quote(quoteContext({ yes: touch(50, 51, 10), memory }, EXAMPLE)).memory;
    expect(kept).toMatchObject({
      bidUp: [1.5, NOW_MS, NOW_MS],
      bidDown: [0.5, NOW_MS, NOW_MS],
    });
  });
});
