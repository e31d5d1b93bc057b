// A venue that keeps the account from trading, against a strategy that goes on asking for quotes: only what
// reduces positions goes out, and one order asks at a slow pace whether it is over.

import { describe, expect, it } from 'vitest';
import { orderHash } from '../../../../src/domain/ids.ts';
import type { PlaceOutcome } from '../../../../src/domain/message.ts';
import { EngineDriver, holding, settings } from '../../../support/engine-driver.ts';
import { TerseVenue } from '../../../support/terse-venue.ts';
import { ask, bid, controlled, placed, wishing } from '../../../support/wanted.ts';

const CODES = ['account_restricted', 'geo_restricted'] as const;
const ASKED_ON = { ...settings(), risk: controlled().risk };

const refusal = (code: string): PlaceOutcome => ({
  kind: 'refused',
  refusal: { code, message: 'not this account', httpStatus: 403, retryAfterMs: undefined },
});

/** It is restricted from now on: what rests stays, until a market moves. */
function restricted(code: string, markets = 4): TerseVenue {
  const venue = new TerseVenue(markets);
  venue.judge = () => code;
  venue.start(ASKED_ON);
  return venue;
}

const trips = (venue: TerseVenue) =>
  venue.driver.reported('control.tripped').map(({ control, raisedTo }) => [control, raisedTo]);

describe.each(CODES)('an account that is kept from trading, as %s', (code) => {
  it('is reduce-only, for a stated time, and halts nothing', () => {
    const venue = restricted(code);
    expect(trips(venue)).toEqual([['account_refused', 'reduce-only']]);
    expect(venue.driver.engine.view()).toMatchObject({ phase: 'quoting' });
    expect(venue.reasonOf(0)).toMatchObject({ code: 'account_refused' });
    expect(venue.reasonOf(0)?.detail).toContain(code);
  });

  it('is asked by one order, in a tenth of the time that it lasts and each minute at least, whatever moves or comes back', () => {
    const venue = restricted(code);
    const beginMs = venue.driver.nowMs;
    venue.writes.length = 0;
    venue.run(1_000_000, () => {
      if (venue.driver.nowMs % 25_000 === 0) venue.showBooks();
    });
    const asked = venue.writes.map(({ atMs }) => atMs - beginMs);
    expect(venue.writes.every(({ markets }) => markets.length === 1)).toBe(true);
    for (const [at, ms] of asked.entries()) {
      if (at === 0) continue;
      const waitMs = ms - (asked[at - 1] ?? 0);
      // It was restricted up to three seconds before it was looked at.
      expect(waitMs).toBeGreaterThanOrEqual(Math.min(Math.max(2_000, ms / 11), 60_000));
      expect(waitMs).toBeLessThanOrEqual(
        Math.min(Math.max(2_000, (ms + 3_000) / 10), 60_000) + 300,
      );
    }
    expect(venue.open.size).toBe(0);
  });

  it('quotes as before once that order is accepted, which takes a tenth more than the venue does', () => {
    for (const [markets, lastedMs] of [
      [4, 10_000],
      [4, 100_000],
      [1, 100_000],
    ] as const) {
      const venue = restricted(code, markets);
      venue.run(lastedMs - 3_000);
      expect(venue.open.size).toBe(0);
      venue.judge = () => undefined;
      venue.run(Math.max(2_000, lastedMs / 10) + 500);
      for (let at = 0; at < markets; at += 1) expect(venue.sidesOf(at)).toBe(2);
      expect(venue.driver.reported('control.eased')).toHaveLength(trips(venue).length);
    }
  });

  it('goes on selling what it holds, and nothing else', () => {
    const driver = new EngineDriver([wishing(() => [bid(45, 50), ask(52, 50)])]);
    driver.start(controlled(), holding(1_000, 100, 0));
    driver.healthyBook();
    driver.run(100);
    driver.answerPlacements(refusal(code));
    driver.run(1_900, () => {
      if (driver.nowMs % 100 === 0) driver.healthyBook();
      driver.answerReads([], holding(1_000, 100, 0));
    });
    expect(new Set(placed(driver).map(([what]) => what))).toEqual(new Set(['SELL YES']));
  });

  it('asks as slowly beside sells that are taken, and with the sides that were refused meanwhile once a buy is', () => {
    const refused = refusal(code);
    let isRestricted = true;
    let areSellsTaken = true;
    let wanted = [bid(45, 20), ask(52, 20)];
    const driver = new EngineDriver([wishing(() => wanted)]);
    driver.start(controlled(), holding(1_000, 100, 0));
    const buys: number[] = [];
    const sells: number[] = [];
    const goOn = (durationMs: number) =>
      driver.run(durationMs, () => {
        if (driver.nowMs % 100 === 0) driver.healthyBook();
        for (const { requestId, orders } of driver.placements()) {
          const outcomes = orders.map(({ intentId, side }, at) => {
            (side === 'BUY' ? buys : sells).push(driver.nowMs);
            const isTaken = !isRestricted || (side === 'SELL' && areSellsTaken);
            const hash = orderHash(`0xcc${intentId}${at}`.replaceAll('-', ''));
            return {
              intentId,
              outcome: isTaken ? ({ kind: 'accepted', orderHash: hash } as const) : refused,
            };
          });
          driver.tell({ kind: 'placed', requestId, outcomes });
        }
        driver.answerReads([], holding(1_000, 100, 0));
        driver.answerCancels();
      });
    goOn(200_000);
    expect(buys.length).toBeGreaterThan(10);
    expect(buys.length).toBeLessThanOrEqual(40);
    // In the moment in which a buy would ask a sell goes, and is taken.
    wanted = [];
    const eased = driver.reported('control.eased').length;
    while (driver.reported('control.eased').length === eased) goOn(50);
    wanted = [ask(53, 20)];
    sells.length = 0;
    while (sells.length === 0) goOn(50);
    wanted = [bid(45, 20), ask(52, 20)];
    buys.length = 0;
    goOn(15_000);
    expect(buys).toHaveLength(1);
    areSellsTaken = false;
    sells.length = 0;
    goOn(60_000);
    expect(sells.length).toBeLessThanOrEqual(20);
    isRestricted = false;
    buys.length = 0;
    sells.length = 0;
    while (buys.length === 0) goOn(50);
    goOn(500);
    expect(sells.length).toBeGreaterThan(0);
  });

  /** A buy was refused three seconds ago, and nothing is wanted now. */
  function refusedAndEased() {
    let wanted = [bid(45, 20)];
    const driver = new EngineDriver([wishing(() => wanted)]);
    driver.start(controlled(), holding(1_000, 200, 0));
    driver.healthyBook();
    driver.run(100);
    driver.answerPlacements(refusal(code));
    wanted = [];
    driver.run(3_000);
    const want = (next: typeof wanted): void => {
      wanted = next;
    };
    return { driver, want };
  }

  it('writes what it sells together, also where nothing is bought that could ask for it', () => {
    const { driver, want } = refusedAndEased();
    expect(driver.reported('control.eased')).toHaveLength(1);
    for (const prices of [
      [52, 53, 54],
      [55, 56, 57],
    ]) {
      want(prices.map((price) => ask(price, 20)));
      driver.healthyBook();
      driver.tick();
      const sold = driver.acceptPlacements().map(({ order }) => [order.side, order.price]);
      expect(sold).toEqual(prices.map((price) => ['SELL', price]));
    }
  });

  it('asks by one order that is bought, beside all that is sold in the same moment', () => {
    const { driver, want } = refusedAndEased();
    want([bid(45, 20), bid(44, 20), ask(52, 20), ask(53, 20)]);
    driver.healthyBook();
    driver.tick();
    const sides = driver.placements().map(({ orders }) => orders.map(({ side }) => side));
    expect(sides).toEqual([['BUY'], ['SELL', 'SELL']]);
    driver.run(500);
    expect(driver.placements()).toEqual([]);
  });

  it('is asked anew by the resume of an operator', () => {
    const venue = restricted(code);
    venue.judge = () => undefined;
    venue.driver.operator('resume');
    venue.run(5_000);
    expect(venue.sidesOf(0)).toBe(2);
  });
});
