// A feed that tells of our own orders long after the venue has answered for them.

import { describe, expect, it } from 'vitest';
import type { Strategy } from '../../../../src/strategy/index.ts';
import { strategy as avellanedaStoikov } from '../../../../strategies/avellaneda-stoikov.ts';
import { strategy as bands } from '../../../../strategies/bands.ts';
import { strategy as glft } from '../../../../strategies/glft.ts';
import { strategy as inventorySkew } from '../../../../strategies/inventory-skew.ts';
import { strategy as logitInventory } from '../../../../strategies/logit-inventory.ts';
import { strategy as touchQueue } from '../../../../strategies/touch-queue.ts';
import { LateVenue } from '../../../support/late-venue.ts';

const LATE_MS = [400, 1_000, 3_000];

/** Prices that a bid went to, one after the other. */
function moves({ bids }: LateVenue): readonly number[] {
  return bids.filter((price, index) => price !== bids[index - 1]);
}

/** Where bids end when others come nearer, and how many are placed in a minute when prices have been calm. */
function pricesAfterUpdate(
  delayMs: number,
  strategy: Strategy,
): { readonly last: number; readonly later: number } {
  const venue = new LateVenue(delayMs, { strategy });
  venue.pass(20_000);
  venue.others('ask', 56, 300);
  venue.pass(180_000);
  const settled = venue.bids.length;
  venue.pass(60_000);
  return { last: venue.bids.at(-1) ?? 0, later: venue.bids.length - settled };
}

function doubts({ driver }: LateVenue): readonly string[] {
  return driver.reported('book.doubt').map(({ signal, detail }) => `${signal}: ${detail}`);
}

/** The best bid of others, as the daemon sees it. */
function bestBid({ driver }: LateVenue): string | undefined {
  return driver.engine.view().markets[0]?.bestBid;
}

describe('a quote in a late feed', () => {
  it.each([100, ...LATE_MS])('does not follow its own last one: %s ms', (delayMs) => {
    const venue = new LateVenue(delayMs);
    venue.pass(20_000);
    venue.others('ask', 56, 300);
    venue.pass(60_000);
    expect(moves(venue)).toEqual([48, 46]);
  });

  // `GET /time` tells whole seconds: five readings leave a tenth of one open.
  it.each(LATE_MS.flatMap((delayMs) => [-130, 130].map((byMs) => ({ delayMs, byMs }))))(
    'does not where the clocks are known to a tenth of a second: $delayMs ms, $byMs ms off',
    ({ delayMs, byMs }) => {
      const venue = new LateVenue(delayMs, { stampsBehindMs: byMs });
      venue.pass(20_000);
      venue.others('ask', 56, 300);
      venue.pass(60_000);
      expect(moves(venue)).toEqual([48, 46]);
    },
  );

  it('stops doing so where the feed has become late just now', () => {
    const venue = new LateVenue(100);
    venue.pass(20_000);
    venue.delayMs = 3_000;
    venue.others('ask', 56, 300);
    venue.pass(40_000);
    const before = venue.bids.length;
    venue.pass(60_000);
    expect(venue.bids.slice(before)).toEqual([]);
    expect(venue.bids.at(-1)).toBe(46);
  });

  const strategies = [avellanedaStoikov, bands, glft, inventorySkew, logitInventory, touchQueue];
  it.each(strategies.map((strategy) => [strategy.name, strategy as Strategy] as const))(
    'comes to rest where it would in one that is in time: %s',
    (_, strategy) => {
      const inTime = pricesAfterUpdate(0, strategy);
      for (const delayMs of LATE_MS) {
        const late = pricesAfterUpdate(delayMs, strategy);
        // What a strategy learns of how fast prices move may differ by a tick.
        expect(Math.abs(late.last - inTime.last)).toBeLessThanOrEqual(1);
        expect(late.later).toBe(inTime.later);
      }
    },
  );
});

describe('an order in the place of one of its size that has just ended', () => {
  it.each([100, ...LATE_MS])('is no reason to doubt the book: %s ms', (delayMs) => {
    const venue = new LateVenue(delayMs);
    venue.pass(20_000);
    // Both changes may share a flush, and then no frame tells of either.
    for (let ended = 0; ended < 10; ended += 1) {
      venue.endOwn();
      venue.pass(5_000 + 70 * ended);
    }
    expect(venue.bids).toEqual(new Array(11).fill(48));
    venue.pass(60_000);
    expect(venue.bids).toHaveLength(11);
    expect(doubts(venue)).toEqual([]);
    expect(bestBid(venue)).toBe('0.40');
  });

  it.each([100, ...LATE_MS])('is none where neither has shown yet: %s ms', (delayMs) => {
    const venue = new LateVenue(delayMs);
    venue.pass(20_000);
    for (let ended = 0; ended < 10; ended += 1) {
      venue.endOwn();
      venue.pass(350);
    }
    venue.pass(60_000);
    expect(new Set(venue.bids)).toEqual(new Set([48]));
    expect(doubts(venue)).toEqual([]);
    expect(bestBid(venue)).toBe('0.40');
  });
});

describe('orders in the places of those that ended, twice in a book', () => {
  it.each([
    ...[50, ...LATE_MS].map((delayMs) => ({ delayMs, stampsBehindMs: 0 })),
    { delayMs: 50, stampsBehindMs: 4_000 },
  ])(
    'are no reason to doubt it, however often: $delayMs ms, stamps $stampsBehindMs ms behind',
    ({ delayMs, stampsBehindMs }) => {
      const venue = new LateVenue(delayMs, { levels: 2, stampsBehindMs });
      venue.pass(20_000);
      for (let ended = 0; ended < 10; ended += 1) {
        venue.endOwn();
        venue.pass(4_800);
      }
      venue.pass(60_000);
      expect(venue.bids).toHaveLength(22);
      expect(doubts(venue)).toEqual([]);
    },
  );
});

describe('a level of others where an order of its size has ended', () => {
  it.each([100, ...LATE_MS])('is theirs once the feed has reported the end: %s ms', (delayMs) => {
    const venue = new LateVenue(delayMs);
    venue.pass(20_000);
    venue.others('bid', 48, 50);
    venue.pass(delayMs + 500);
    expect(bestBid(venue)).toBe('0.48');
    venue.endOwn();
    venue.driver.operator('pause');
    venue.pass(300 + 1.5 * delayMs);
    venue.pass(500);
    expect(bestBid(venue)).toBe('0.48');
  });

  it('is theirs within seconds where the stamps of the feed are behind and the feed is not', () => {
    const venue = new LateVenue(100, { stampsBehindMs: 4_000 });
    venue.others('ask', 56, 300);
    venue.pass(20_000);
    venue.others('bid', 46, 50);
    venue.pass(2_000);
    venue.driver.operator('pause');
    venue.endOwn();
    venue.pass(7_000);
    expect(bestBid(venue)).toBe('0.46');
    expect(doubts(venue)).toEqual([]);
  });
});
