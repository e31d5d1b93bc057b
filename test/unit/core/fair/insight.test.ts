// What own fills do to the fair value of one market.

import { describe, expect, it } from 'vitest';
import { MarketBook } from '../../../../src/core/book/axis.ts';
import { BookMirror } from '../../../../src/core/book/mirror.ts';
import { OwnSizes } from '../../../../src/core/book/own.ts';
import { MarketInsight } from '../../../../src/core/fair/insight.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../../src/domain/ticks.ts';
import { addMs, unixMs } from '../../../../src/domain/time.ts';
import type { AxisSide } from '../../../../src/strategy/index.ts';
import { level } from '../../../support/engine-driver.ts';

const GRID = tickGrid('0.01');

class Watched {
  readonly #yes = new BookMirror(GRID, 50);
  readonly insight = new MarketInsight(
    GRID,
    new MarketBook(
      { mirror: this.#yes, own: new OwnSizes(GRID) },
      { mirror: new BookMirror(GRID, 50), own: new OwnSizes(GRID) },
    ),
  );
  nowMs = unixMs(1_795_000_000_000);

  show(bid: number, ask: number): void {
    const bids = [level(bid, 500)];
    this.#yes.onSnapshot({ bids, asks: [level(ask, 500)], venueTs: undefined }, this.nowMs);
  }

  run(seconds: number): void {
    for (let passed = 0; passed < seconds; passed += 1) {
      this.nowMs = addMs(this.nowMs, 1_000);
      this.insight.update([], this.nowMs);
    }
  }

  fill(side: AxisSide, price: number): void {
    this.insight.onFill({ side, price: ticks(GRID, price), quantity: shares(50) }, this.nowMs);
  }

  get price(): number {
    return this.insight.fairAt(this.nowMs)?.price ?? Number.NaN;
  }
}

/** Asks of a minute ago that have lost three cents each: takers seem to know. */
function losing(): Watched {
  const watched = new Watched();
  for (let fill = 0; fill < 6; fill += 1) {
    watched.show(88, 90);
    watched.run(2);
    watched.fill('ask', 90);
    watched.show(92, 94);
    watched.run(70);
  }
  return watched;
}

describe('the fair value', () => {
  it('follows each fill of a moment as far as the one before it', () => {
    const watched = losing();
    const logOdds = [0, 1, 2].map(() => {
      watched.fill('ask', 95);
      return watched.insight.fairAt(watched.nowMs)?.logOdds ?? Number.NaN;
    });
    const [first = 0, second = 0, third = 0] = logOdds;
    expect(second).toBeGreaterThan(first);
    expect(third - second).toBeCloseTo(second - first, 9);
  });

  it.each(['bid', 'ask'] as const)(
    'is a probability after any number of fills of a %s in a moment',
    (side) => {
      const watched = losing();
      for (let fill = 0; fill < 1_000; fill += 1) watched.fill(side, side === 'bid' ? 1 : 99);
      expect(watched.price).toBeGreaterThan(0);
      expect(watched.price).toBeLessThan(1);
      expect(() => watched.insight.toxicity.view(watched.nowMs, watched.price)).not.toThrow();
      watched.run(5);
      expect(watched.price).toBeCloseTo(0.93, 2);
    },
  );
});
