// The venue lets the account have fewer open orders than its document says, and than are wanted for.

import { describe, expect, it } from 'vitest';
import { OrderCeiling } from '../../../src/core/orders/taught.ts';
import type { OrderHash } from '../../../src/domain/ids.ts';
import type { PlaceOutcome } from '../../../src/domain/message.ts';
import type { LimitOrder } from '../../../src/domain/order.ts';
import { unixMs } from '../../../src/domain/time.ts';
import {
  balances,
  EngineDriver,
  holding,
  level,
  NO,
  reportOf,
  settings,
  YES,
} from '../../support/engine-driver.ts';
import { TerseVenue } from '../../support/terse-venue.ts';

const LADDER = { halfSpreadTicks: 2, levels: 5, levelSpacingTicks: 1, size: 50 };

/** Has room for so many orders; an item of a batch that is refused has prose only. */
class FullVenue {
  readonly driver = new EngineDriver();
  readonly open = new Map<OrderHash, LimitOrder>();
  max: number;
  mostOpen = 0;
  refused = 0;

  constructor(max: number) {
    this.max = max;
    const market = { event: 'rain', market: undefined, strategy: 'ladder', params: LADDER };
    this.driver.start(settings({ markets: [market] }));
    this.show(46, 54);
    this.driver.book(NO, [], []);
  }

  show(bid: number, ask: number): void {
    this.driver.book(YES, [level(bid, 500)], [level(ask, 500)]);
  }

  pass(durationMs: number): void {
    this.driver.run(durationMs, () => {
      for (const hash of this.driver.answerCancels()) this.#end(hash as OrderHash);
      this.#place();
      const listed = [...this.open].map(([hash, order]) => reportOf(hash, order));
      this.driver.answerReads(listed, balances());
    });
  }

  /** Prices on the YES axis, the nearest first. */
  prices(): { readonly bids: readonly number[]; readonly asks: readonly number[] } {
    const of = (token: string, axis: (price: number) => number) =>
      [...this.open.values()].filter(({ tokenId }) => tokenId === token).map((o) => axis(o.price));
    const bids = of(YES, (price) => price).sort((a, b) => b - a);
    return { bids, asks: of(NO, (price) => 100 - price).sort((a, b) => a - b) };
  }

  #end(hash: OrderHash): void {
    const order = this.open.get(hash);
    if (order === undefined) return;
    this.open.delete(hash);
    this.driver.update(hash, order, { status: 'CANCELLED' });
  }

  #place(): void {
    for (const { requestId, orders } of this.driver.placements()) {
      const outcomes = orders.map((order) => ({
        intentId: order.intentId,
        outcome: this.#outcome(order, orders.length > 1),
      }));
      this.driver.tell({ kind: 'placed', requestId, outcomes });
    }
  }

  #outcome(order: LimitOrder, isInBatch: boolean): PlaceOutcome {
    if (this.open.size >= this.max) return this.#refusal(isInBatch);
    const hash = `0xc${order.intentId.replace(/\D/g, '')}` as OrderHash;
    this.open.set(hash, order);
    this.mostOpen = Math.max(this.mostOpen, this.open.size);
    return { kind: 'accepted', orderHash: hash };
  }

  #refusal(isInBatch: boolean): PlaceOutcome {
    this.refused += 1;
    const message = 'Too many open orders for this account';
    const bare = { message, retryAfterMs: undefined };
    const refusal = isInBatch
      ? { ...bare, code: undefined, httpStatus: undefined }
      : { ...bare, code: 'max_open_orders' as const, httpStatus: 422 };
    return { kind: 'refused', refusal };
  }
}

describe("at the venue's ceiling of open orders", () => {
  it('the nearest levels of both sides rest', () => {
    const venue = new FullVenue(6);
    venue.pass(5_000);
    expect(venue.prices()).toEqual({ bids: [48, 47], asks: [52, 53] });
  });

  it('they follow the market, and outer levels give way to them', () => {
    const venue = new FullVenue(6);
    venue.pass(5_000);
    venue.show(42, 50);
    venue.pass(1_000);
    expect(venue.prices()).toEqual({ bids: [44, 43], asks: [48, 49] });
  });

  it('both sides are quoted while the ceiling holds, and few orders are refused', () => {
    const venue = new FullVenue(6);
    venue.pass(5_000);
    venue.refused = 0;
    for (let passed = 0; passed < 120_000; passed += 1_000) {
      venue.show(passed % 2_000 === 0 ? 44 : 46, 54);
      venue.pass(1_000);
      const { bids, asks } = venue.prices();
      expect(bids.length).toBeGreaterThan(0);
      expect(asks.length).toBeGreaterThan(0);
    }
    expect(venue.refused).toBeLessThanOrEqual(20);
  });

  it('all levels come back when it is gone', () => {
    const venue = new FullVenue(6);
    venue.pass(5_000);
    venue.max = 2_000;
    venue.pass(150_000);
    expect(venue.open.size).toBe(10);
  });
});

describe('while nothing of ours is open', () => {
  it('a refusal for the number of orders keeps quotes away for seconds, and no level for longer', () => {
    const venue = new FullVenue(0);
    venue.pass(3_000);
    expect(venue.refused).toBeGreaterThan(0);
    venue.max = 2_000;
    venue.pass(8_000);
    expect(venue.open.size).toBe(10);
  });
});

describe('while a few of very many orders are open', () => {
  it('a venue that still counts what has ended for a second keeps no side bare for longer than ten', () => {
    const venue = new TerseVenue(20);
    venue.batches = 'rejectedWhole';
    let untilMs = Number.POSITIVE_INFINITY;
    venue.judge = () => {
      const { nowMs } = venue.driver;
      if (venue.open.size < 4 || nowMs >= untilMs) return undefined;
      untilMs = Math.min(untilMs, nowMs + 1_000);
      return 'max_open_orders';
    };
    const { driver } = venue;
    driver.settings(settings({ risk: { ...settings().risk, maxLossUsdc: 100_000 } }));
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [venue.event] } });
    driver.tell({ kind: 'socketOpened' });
    driver.tell({ kind: 'authenticated' });
    // The books of two markets come first, and what they want is taken.
    for (const { yes, no } of venue.event.markets.slice(0, 2)) {
      driver.book(yes.tokenId, [level(48, 500)], [level(52, 500)]);
      driver.book(no.tokenId, [], []);
    }
    venue.run(1_500);
    expect(venue.open.size).toBe(4);
    venue.showBooks();
    venue.run(1_000);
    expect(venue.open.size).toBe(4);
    venue.run(10_000);
    expect(venue.open.size).toBe(40);
  });
});

/** A quote of one order and one of two, since the account has 20 of the 50 shares of a side; all of them rest. */
function atOwnCeiling(yes: number, no: number) {
  const driver = new EngineDriver();
  const params = { ...LADDER, levels: 1 };
  const market = { event: 'rain', market: undefined, strategy: 'ladder', params };
  const own = settings({ markets: [market] });
  driver.start({ ...own, risk: { ...own.risk, maxOpenOrders: 3 } }, holding(10_000, yes, no));
  driver.book(YES, [level(46, 500)], [level(54, 500)]);
  driver.book(NO, [], []);
  driver.tick();
  const resting = driver.acceptPlacements();
  driver.tick();
  return { driver, resting };
}

describe('at the limit of open orders', () => {
  it.each([
    ['an ask', 20, 0, 50, 58],
    ['a bid', 0, 20, 42, 50],
  ])(
    '%s of two orders places the one that fits while others are being cancelled',
    (_, yes, no, bid, ask) => {
      const { driver, resting } = atOwnCeiling(yes, no);
      expect(resting).toHaveLength(3);
      driver.book(YES, [level(bid, 500)], [level(ask, 500)]);
      driver.run(500);
      expect(driver.placements()).toEqual([]);
      const [gone] = resting.filter(({ order }) => order.side === 'SELL');
      if (gone === undefined) throw new Error('a sell was placed');
      driver.update(gone.hash, gone.order, { status: 'CANCELLED' });
      const placed: LimitOrder[] = [];
      driver.run(500, () => {
        placed.push(...driver.acceptPlacements().map(({ order }) => order));
      });
      expect(placed).toHaveLength(1);
    },
  );
});

/** Each try for more was refused, as soon as there was one: the waits between them are as long as they get. */
function tried(open: number): { readonly ceiling: OrderCeiling; readonly atMs: number } {
  const ceiling = new OrderCeiling();
  let atMs = 10_000;
  for (const waitMs of [0, 1_000, 2_000, 4_000, 8_000, 16_000]) {
    atMs += waitMs;
    ceiling.onRefused(open, unixMs(atMs));
  }
  return { ceiling, atMs };
}

describe('what a refusal for the number of orders teaches', () => {
  it('nothing before the first one', () => {
    const ceiling = new OrderCeiling();
    expect(ceiling.max(unixMs(0))).toBe(2_000);
    expect(ceiling.levelsMax(3, unixMs(0))).toBe(Number.POSITIVE_INFINITY);
    expect(ceiling.isReached(1_000)).toBe(false);
  });

  it('nothing so near to the documented ceiling that orders on their way out explain it', () => {
    const ceiling = new OrderCeiling();
    expect(ceiling.isReached(1_995)).toBe(true);
    ceiling.onRefused(1_995, unixMs(0));
    expect(ceiling.max(unixMs(0))).toBe(2_000);
    expect(ceiling.levelsMax(100, unixMs(0))).toBe(Number.POSITIVE_INFINITY);
  });

  it('nothing about a rejection without a code while many more are open: there is room by now', () => {
    const ceiling = new OrderCeiling();
    ceiling.onRefused(8, unixMs(0));
    const open = [7, 8, 10, 11, 200];
    expect(open.map((count) => ceiling.isReached(count))).toEqual([
      false,
      true,
      true,
      false,
      false,
    ]);
  });

  it('no more than a step less, whatever has traded since the venue counted', () => {
    const ceiling = new OrderCeiling();
    ceiling.onRefused(8, unixMs(0));
    ceiling.onRefused(3, unixMs(1_000));
    expect(ceiling.max(unixMs(1_000))).toBe(7);
    ceiling.onRefused(3, unixMs(2_000));
    expect(ceiling.max(unixMs(2_000))).toBe(6);
    ceiling.onRefused(9, unixMs(3_000));
    expect(ceiling.max(unixMs(3_000))).toBe(9);
    const large = new OrderCeiling();
    large.onRefused(500, unixMs(0));
    large.onRefused(120, unixMs(1_000));
    expect(large.max(unixMs(1_000))).toBe(450);
  });

  it('no limit of levels any more once the documented ceiling is tried again', () => {
    const ceiling = new OrderCeiling();
    ceiling.onRefused(1_600, unixMs(0));
    expect(ceiling.levelsMax(100, unixMs(0))).toBe(7);
    expect(ceiling.levelsMax(100, unixMs(30_000))).toBe(Number.POSITIVE_INFINITY);
  });

  it.each([
    { open: 8, afterMs: 999, max: 8 },
    { open: 8, afterMs: 1_000, max: 10 },
    { open: 8, afterMs: 2_000, max: 14 },
    { open: 8, afterMs: 3_000, max: 22 },
    { open: 1, afterMs: 1_000, max: 2 },
    { open: 1, afterMs: 11_000, max: 2_000 },
    { open: 0, afterMs: 0, max: 2_000 },
    { open: 8, afterMs: -5_000, max: 8 },
  ])('$open open orders are the most, $afterMs ms later $max', ({ open, afterMs, max }) => {
    const ceiling = new OrderCeiling();
    ceiling.onRefused(open, unixMs(10_000));
    expect(ceiling.max(unixMs(10_000 + afterMs))).toBe(max);
  });

  it.each([
    { open: 8, afterMs: 29_999, max: 8 },
    { open: 8, afterMs: 30_000, max: 10 },
    { open: 8, afterMs: 60_000, max: 14 },
    { open: 8, afterMs: 90_000, max: 22 },
    { open: 1, afterMs: 30_000, max: 2 },
    { open: 1, afterMs: 330_000, max: 2_000 },
    { open: 1_850, afterMs: 60_000, max: 2_000 },
  ])(
    '$open, of which each try to have more was refused, are the most $afterMs ms later for $max',
    ({ open, afterMs, max }) => {
      expect(tried(open).ceiling.max(unixMs(tried(open).atMs + afterMs))).toBe(max);
    },
  );

  it('that what was not refused for minutes may be tried soon again', () => {
    const { ceiling, atMs } = tried(8);
    const laterMs = atMs + 300_000;
    ceiling.onRefused(8, unixMs(laterMs));
    expect(ceiling.max(unixMs(laterMs + 999))).toBe(8);
    expect(ceiling.max(unixMs(laterMs + 1_000))).toBe(10);
  });

  it.each([
    { open: 8, markets: 2, levels: 1 },
    { open: 8, markets: 1, levels: 3 },
    { open: 200, markets: 10, levels: 9 },
    { open: 3, markets: 10, levels: 1 },
    { open: 8, markets: 0, levels: 3 },
  ])('$open for $markets markets leave $levels levels a side', ({ open, markets, levels }) => {
    const ceiling = new OrderCeiling();
    ceiling.onRefused(open, unixMs(0));
    expect(ceiling.levelsMax(markets, unixMs(0))).toBe(levels);
  });
});
