// What is concluded of a market from frames, rejections and silence, against a venue that says no more than
// the document promises.

import { describe, expect, it } from 'vitest';
import { RISK_CONTROL_DEFAULTS } from '../../../src/domain/risk.ts';
import { level, settings } from '../../support/engine-driver.ts';
import { type BatchAnswer, TerseVenue } from '../../support/terse-venue.ts';

/** A market to which nothing happens is looked at this often. */
const PLAN_MS = 1_050;
const CONTROLLED = { ...settings(), risk: { ...settings().risk, ...RISK_CONTROL_DEFAULTS } };

function quoting(count: number): TerseVenue {
  const venue = new TerseVenue(count);
  venue.start(CONTROLLED);
  for (let at = 0; at < count; at += 1) expect(venue.sidesOf(at)).toBe(2);
  return venue;
}

/** A frame says that the first market is paused, and it is. */
function paused(): TerseVenue {
  const venue = quoting(1);
  venue.status(0, 'PAUSE', 'paused');
  venue.conditions.set(venue.idOf(0), 'market_paused');
  venue.run(1_000);
  expect(venue.sidesOf(0)).toBe(0);
  venue.writes.length = 0;
  return venue;
}

/** It lasts for five minutes, and was asked about just now: the next order would ask in half a minute. */
function askedLate(): TerseVenue {
  const venue = paused();
  venue.run(300_000);
  const before = venue.writes.length;
  while (venue.writes.length === before) venue.run(100);
  return venue;
}

describe('a pause whose end nobody announces', () => {
  it('is left by one order that asks and is accepted', () => {
    const venue = paused();
    venue.run(20_000);
    venue.conditions.clear();
    venue.run(60_000);
    expect(venue.sidesOf(0)).toBe(2);
    expect(venue.driver.reported('market.status').at(-1)).toMatchObject({ status: 'open' });
  });

  it('is asked about by one order at a time, in a tenth of the time that it has lasted, and each minute at least', () => {
    const venue = paused();
    const beginMs = venue.driver.nowMs - 1_000;
    venue.run(1_200_000);
    const asked = venue.writes.map(({ atMs }) => atMs - beginMs);
    expect(venue.writes.every(({ markets }) => markets.length === 1)).toBe(true);
    for (const [at, ms] of asked.entries()) {
      const waitMs = ms - (asked[at - 1] ?? 0);
      expect(waitMs).toBeGreaterThanOrEqual(2_000);
      expect(waitMs).toBeLessThanOrEqual(Math.min(Math.max(2_000, ms / 10), 60_000) + PLAN_MS);
    }
    expect(asked.filter((ms) => ms <= 600_000).length).toBeLessThanOrEqual(45);
    expect(asked.filter((ms) => ms > 600_000).length).toBeLessThanOrEqual(10);
  });

  it('costs a tenth more than the venue takes, and two seconds at least', () => {
    for (const lastedMs of [9_000, 16_000, 100_000]) {
      const venue = paused();
      venue.run(lastedMs - 1_000);
      venue.conditions.clear();
      venue.run(Math.max(2_000, lastedMs / 10) + PLAN_MS + 500);
      expect(venue.sidesOf(0), `after ${lastedMs} ms`).toBe(2);
    }
  });

  it('says what it considers it, since when, on what evidence, and when it asks', () => {
    const venue = paused();
    const sinceMs = venue.reasonOf(0)?.sinceMs;
    expect(venue.reasonOf(0)).toMatchObject({
      code: 'market_paused',
      detail: 'considered paused: a frame says "PAUSE"',
      clears: 'the venue reopens it, or accepts one order that asks in 2 s',
    });
    venue.run(60_000);
    expect(venue.reasonOf(0)).toMatchObject({
      code: 'market_paused',
      detail: 'considered paused: an order was rejected with market_paused',
      sinceMs,
    });
  });

  it('is asked about sooner after a snapshot', () => {
    const venue = askedLate();
    venue.conditions.clear();
    venue.run(2_000);
    expect(venue.sidesOf(0)).toBe(0);
    venue.showBooks();
    venue.run(10_000);
    expect(venue.sidesOf(0)).toBe(2);
  });

  it('is asked about at once over a new connection', () => {
    const venue = askedLate();
    venue.conditions.clear();
    venue.driver.tell({ kind: 'socketLost', reason: 'cut' });
    venue.run(500);
    venue.driver.tell({ kind: 'socketOpened' });
    venue.driver.tell({ kind: 'authenticated' });
    venue.showBooks();
    venue.run(PLAN_MS + 500);
    expect(venue.sidesOf(0)).toBe(2);
  });

  it('is not begun anew by the rejection of an order that left before it ended', () => {
    const venue = paused();
    venue.driver.run(3_000);
    const [asked] = venue.driver.placements();
    if (asked === undefined) throw new Error('one order asks');
    venue.conditions.clear();
    venue.status(0, 'RESUME', 'open');
    const outcome = {
      kind: 'refused',
      refusal: { code: 'market_paused', message: 'x', httpStatus: 422, retryAfterMs: undefined },
    } as const;
    const outcomes = asked.orders.map(({ intentId }) => ({ intentId, outcome }));
    venue.driver.tell({ kind: 'placed', requestId: asked.requestId, outcomes });
    venue.run(200);
    expect(venue.driver.reported('market.status').at(-1)).toMatchObject({ status: 'open' });
    expect(venue.sidesOf(0)).toBe(2);
  });

  it('is over when a frame says so, or the catalogue lists the market as open again', () => {
    const told = paused();
    told.conditions.clear();
    told.status(0, 'RESUME', 'open');
    told.run(500);
    expect(told.sidesOf(0)).toBe(2);
    const listed = paused();
    const list = (status: 'open' | 'closed') => {
      const value = [{ ...listed.event, status }];
      listed.driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value } });
    };
    list('closed');
    listed.run(500);
    expect(listed.reasonOf(0)?.code).toBe('market_closed');
    listed.conditions.clear();
    list('open');
    listed.run(500);
    expect(listed.sidesOf(0)).toBe(2);
  });

  it('is not ended by the acceptance of an order that left before it', () => {
    const venue = new TerseVenue(1);
    venue.start({ ...CONTROLLED, markets: [] });
    venue.driver.settings(CONTROLLED);
    venue.showBooks();
    venue.driver.tick();
    venue.status(0, 'PAUSE', 'paused');
    venue.run(1_000);
    expect(venue.writes).toHaveLength(1);
    expect(venue.reasonOf(0)?.code).toBe('market_paused');
  });
});

describe('the condition of some markets among many', () => {
  it('is asked about with a quarter of the writes at most, each market in its turn, and says what it waits for', () => {
    const orders = { ...settings().orders, writesPer10s: 40 };
    const venue = new TerseVenue(12);
    venue.start({ ...CONTROLLED, orders });
    const healthy = [10, 11];
    for (let at = 0; at < 10; at += 1) {
      venue.status(at, 'PAUSE', 'paused');
      venue.conditions.set(venue.idOf(at), 'market_paused');
    }
    venue.run(5_000);
    venue.writes.length = 0;
    venue.run(60_000, () => {
      for (const at of healthy) expect(venue.sidesOf(at)).toBeGreaterThanOrEqual(1);
      for (let at = 0; at < 10; at += 1) expect(venue.reasonOf(at)?.code).toBe('market_paused');
    });
    const asked = Array.from({ length: 10 }, (_, at) => venue.writesOf(at).length);
    expect(Math.min(...asked)).toBeGreaterThanOrEqual(4);
    const all = asked.reduce((sum, count) => sum + count, 0);
    expect(all).toBeLessThanOrEqual((6 * orders.writesPer10s) / 4);
    for (const at of healthy) expect(venue.sidesOf(at)).toBe(2);
  });

  it.each<BatchAnswer>(['itemsInProse', 'rejectedWhole'])(
    'costs the others no quote, trips nothing and is named, batches: %s',
    (batches) => {
      const venue = new TerseVenue(10);
      venue.batches = batches;
      for (let at = 0; at < 6; at += 1) venue.conditions.set(venue.idOf(at), 'market_paused');
      venue.start(CONTROLLED);
      const healthy = [6, 7, 8, 9];
      for (const at of healthy) expect(venue.sidesOf(at)).toBe(2);
      venue.run(120_000, () => {
        for (const at of healthy) expect(venue.sidesOf(at)).toBeGreaterThanOrEqual(1);
      });
      expect(venue.driver.reported('control.tripped')).toEqual([]);
      for (const at of healthy) expect(venue.sidesOf(at)).toBe(2);
      for (let at = 0; at < 6; at += 1) {
        expect(venue.reasonOf(at)).toMatchObject({ code: 'market_paused' });
      }
    },
  );

  it('is named in the words of the venue where it never gives a code', () => {
    const venue = new TerseVenue(2);
    venue.hasCodes = false;
    venue.conditions.set(venue.idOf(0), 'market_paused');
    venue.start(CONTROLLED);
    venue.run(120_000);
    expect(venue.reasonOf(0)).toMatchObject({
      code: 'refused_without_code',
      detail: expect.stringContaining('"This order cannot be placed now."'),
    });
    expect(venue.sidesOf(1)).toBe(2);
    const tripped = venue.driver.reported('control.tripped');
    expect(tripped.map(({ marketId }) => marketId)).not.toContain(undefined);
  });
});

describe('a market that is listed without an order book', () => {
  /** The first market has none any more, or has it again. */
  function list(venue: TerseVenue, enableOrderBook: boolean): void {
    const markets = venue.event.markets.map((market, at) =>
      at === 0 ? { ...market, enableOrderBook } : market,
    );
    venue.event = { ...venue.event, markets };
  }

  function without(): TerseVenue {
    const venue = quoting(2);
    list(venue, false);
    venue.driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [venue.event] } });
    venue.writes.length = 0;
    return venue;
  }

  it('is sent nothing, and named as that', () => {
    const venue = without();
    venue.run(30_000);
    expect(venue.sidesOf(0)).toBe(0);
    expect(venue.writesOf(0)).toEqual([]);
    expect(venue.sidesOf(1)).toBe(2);
    expect(venue.reasonOf(0)).toMatchObject({
      code: 'market_closed',
      detail: 'the catalogue lists it as without an order book (enableOrderBook: false)',
    });
  });

  it('is looked for each second at first, then in a tenth of the time for which it has been closed', () => {
    const venue = without();
    const beginMs = venue.driver.nowMs;
    venue.catalogueReadsMs.length = 0;
    venue.run(50_000);
    const readSec = venue.catalogueReadsMs.map((atMs) => (atMs - beginMs) / 1_000);
    expect(readSec.filter((sec) => sec <= 10)).toHaveLength(10);
    for (const [at, sec] of readSec.entries()) {
      const before = readSec[at - 1] ?? 0;
      expect(sec - before).toBeLessThanOrEqual(Math.max(1, before / 10) + 0.3);
    }
    expect(readSec.length).toBeLessThanOrEqual(30);
  });

  it('is quoted again soon after it has one again', () => {
    const venue = without();
    venue.run(12_000);
    list(venue, true);
    venue.run(10_000);
    expect(venue.sidesOf(0)).toBe(2);
  });
});

describe('an event that one read of the catalogue lacks', () => {
  it('is looked for at once, and quoted again as soon as it is listed', () => {
    const venue = quoting(2);
    venue.driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [] } });
    venue.run(500);
    expect(venue.open.size).toBe(0);
    for (let waited = 0; waited < 5_000; waited += 500) {
      venue.run(500);
      for (const at of [0, 1])
        venue.driver.book(venue.tokenOf(at), [level(48, 500)], [level(52, 500)]);
    }
    for (const at of [0, 1]) expect(venue.sidesOf(at)).toBe(2);
  });

  it('costs no read where it was taken out of the configuration', () => {
    const venue = quoting(1);
    venue.catalogueReadsMs.length = 0;
    venue.driver.settings({ ...CONTROLLED, markets: [] });
    venue.run(20_000);
    expect(venue.catalogueReadsMs).toEqual([]);
  });
});

describe('a batch that is rejected in prose', () => {
  it('is one rejection of each side, and none that a breaker counts', () => {
    const params = { halfSpreadTicks: 2, levels: 4, levelSpacingTicks: 1, size: 10 };
    const markets = settings().markets.map((market) => ({ ...market, params }));
    const refusals = { side: 3, market: 3, account: 3, intervalMs: 60_000, coolOffMs: 60_000 };
    const venue = new TerseVenue(1);
    venue.hasCodes = false;
    const risk = { ...CONTROLLED.risk, refusals: { ...refusals, action: 'reduce-only' } as const };
    const driver = venue.driver;
    venue.start({ ...CONTROLLED, risk, markets });
    expect(venue.open.size).toBe(8);
    // The middle moves by so much that all levels are placed anew.
    venue.judge = () => 'invalid_parameter';
    driver.book(venue.tokenOf(0), [level(28, 500)], [level(32, 500)]);
    while (driver.reported('order.refused').length === 0) venue.run(50);
    expect(driver.reported('order.refused').length).toBeGreaterThanOrEqual(4);
    expect(driver.reported('control.tripped')).toEqual([]);
    expect(venue.reasonOf(0)).toMatchObject({ clears: 'tried again in 1 s' });
  });
});

describe('a clock that the venue calls off', () => {
  it('costs a second, since it has been measured by the time that the refusal is known', () => {
    const venue = new TerseVenue(3);
    venue.judge = () => 'expired_timestamp';
    venue.start(CONTROLLED);
    expect(venue.reasonOf(0)?.code).toBe('expired_timestamp');
    // A batch is told in prose, and its markets one by one.
    expect(venue.writes.length).toBeLessThanOrEqual(8);
    venue.judge = () => undefined;
    venue.run(1_500);
    for (let at = 0; at < 3; at += 1) expect(venue.sidesOf(at)).toBe(2);
  });
});
