// How the fair value of one market follows its books over outages.

import { describe, expect, it } from 'vitest';
import { FairEstimator } from '../../../../src/core/fair/estimator.ts';
import { NO_SHARES, shares } from '../../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../../src/domain/ticks.ts';
import { addMs, unixMs } from '../../../../src/domain/time.ts';
import type { AxisBook } from '../../../../src/strategy/index.ts';

const GRID = tickGrid('0.01');
const START = unixMs(1_795_000_000_000);

function shown(bid: number, ask: number): AxisBook {
  return {
    bestBid: () => ticks(GRID, bid),
    bestAsk: () => ticks(GRID, ask),
    bidSizeAt: () => NO_SHARES,
    askSizeAt: () => NO_SHARES,
    nextBid: () => undefined,
    nextAsk: () => undefined,
  };
}

type Books = { readonly yes?: AxisBook; readonly no?: AxisBook };

/** An estimator that is asked every 50 ms, as the loop does, books or none. */
class Watch {
  readonly estimator = new FairEstimator(GRID);
  nowMs = START;

  run(durationMs: number, { yes, no }: Books = {}): void {
    for (let passed = 0; passed < durationMs; passed += 50) {
      this.nowMs = addMs(this.nowMs, 50);
      const { nowMs } = this;
      this.estimator.step({
        yes,
        no,
        tradeTicks: undefined,
        takerBalance: 0,
        external: undefined,
        nowMs,
      });
    }
  }

  get value() {
    const value = this.estimator.valueAt(this.nowMs, undefined);
    if (value === undefined) throw new Error('a book was shown');
    return value;
  }

  /** Books that moved for ten minutes, by no more than what is expected of them, around 0.33. */
  unsettled(): void {
    for (let round = 0; round < 20; round += 1) {
      const [bid, ask] = round % 2 === 0 ? [29, 36] : [31, 38];
      this.run(30_000, { yes: shown(bid, ask), no: shown(bid, ask) });
    }
  }
}

describe('the fair value after an outage', () => {
  it('is what the books show as they come back, however often it was asked for without them', () => {
    const watch = new Watch();
    watch.unsettled();
    watch.run(20 * 60_000);
    expect(watch.value.ageMs).toBe(20 * 60_000);
    const { logOddsVar } = watch.value;
    expect(logOddsVar).toBeGreaterThan(0.1);
    watch.run(50, { yes: shown(20, 27), no: shown(20, 27) });
    expect(watch.value.ageMs).toBe(0);
    expect(watch.value.price).toBeGreaterThan(0.23);
    expect(watch.value.price).toBeLessThan(0.24);
    expect(watch.value.logOddsVar).toBeLessThan(logOddsVar / 10);
  });

  it('takes a book that comes back whole, though the other one was there all the time', () => {
    const both = new Watch();
    const alone = new Watch();
    for (const watch of [both, alone]) watch.run(10_000, { yes: shown(20, 70) });
    both.run(50, { yes: shown(20, 70), no: shown(30, 32) });
    alone.run(2_000, { yes: shown(20, 70), no: shown(30, 32) });
    expect(both.value.price).toBeCloseTo(alone.value.price, 2);
    expect(both.value.price).toBeCloseTo(0.31, 2);
  });

  it('counts looks that follow each other at once for the time between them', () => {
    const watch = new Watch();
    watch.run(10_000, { yes: shown(29, 36) });
    const before = watch.value.price;
    watch.run(50, { yes: shown(27, 34) });
    const once = before - watch.value.price;
    watch.run(1_950, { yes: shown(27, 34) });
    expect(once).toBeGreaterThan(0);
    expect(before - watch.value.price).toBeGreaterThan(10 * once);
  });
});

describe('a price from outside', () => {
  it.each([5e-324, 1e-310, 1e-306, 1e300, Number.MAX_VALUE])(
    'that states a variance of %d moves the value, and is no end of it',
    (logOddsVar) => {
      const watch = new Watch();
      watch.run(5_000, { yes: shown(48, 52) });
      const before = watch.value;
      for (let look = 0; look < 3; look += 1) {
        watch.nowMs = addMs(watch.nowMs, 50);
        const { nowMs } = watch;
        watch.estimator.step({
          ...{ yes: shown(48, 52), no: undefined, tradeTicks: undefined, takerBalance: 0 },
          external: { price: 0.9, logOddsVar, atMs: nowMs },
          nowMs,
        });
      }
      expect(watch.value.price).toBeGreaterThan(before.price);
      expect(watch.value.price).toBeLessThanOrEqual(0.9);
    },
  );
});

describe('the fair value beside dust', () => {
  const deep = (ask: number, dusty: boolean): AxisBook => ({
    ...shown(48, dusty ? 49 : ask),
    askSizeAt: (price) => shares(price === 49 ? 2 : 100),
    nextAsk: (price) => (price < ask ? ticks(GRID, ask) : undefined),
  });

  it('stays where it was when two shares come to rest a tick before everybody else', () => {
    const values = [false, true].map((dusty) => {
      const watch = new Watch();
      watch.run(10_000, { yes: deep(52, false) });
      watch.run(10_000, { yes: deep(52, dusty) });
      return watch.value.price;
    });
    expect(values[1]).toBe(values[0]);
  });
});
