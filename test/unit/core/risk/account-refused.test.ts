// A venue that keeps the account from trading, against a strategy that goes on asking for quotes: only what
// reduces positions goes out, and one order asks at a slow pace whether it is over.

import { describe, expect, it } from 'vitest';
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
function restricted(code: string): TerseVenue {
  const venue = new TerseVenue(4);
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

  it('is asked by one order, ever more slowly, whatever moves or comes back', () => {
    const venue = restricted(code);
    const beginMs = venue.driver.nowMs;
    venue.writes.length = 0;
    venue.run(250_000, () => {
      if (venue.driver.nowMs % 25_000 === 0) venue.showBooks();
    });
    const asked = venue.writes.map(({ atMs }) => Math.round((atMs - beginMs) / 1_000));
    expect(venue.writes.every(({ markets }) => markets.length === 1)).toBe(true);
    const waits = asked.slice(1).map((sec, at) => sec - (asked[at] ?? 0));
    expect(waits).toEqual([4, 8, 16, 32, 60, 60, 60]);
    expect(venue.open.size).toBe(0);
  });

  it('quotes as before once that order is accepted', () => {
    const venue = restricted(code);
    venue.run(10_000);
    venue.judge = () => undefined;
    venue.run(2_000);
    expect(venue.open.size).toBe(0);
    venue.run(5_000);
    for (let at = 0; at < 4; at += 1) expect(venue.sidesOf(at)).toBe(2);
    expect(trips(venue)).toHaveLength(3);
    expect(venue.driver.reported('control.eased')).toHaveLength(3);
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

  it('is asked anew by the resume of an operator', () => {
    const venue = restricted(code);
    venue.judge = () => undefined;
    venue.driver.operator('resume');
    venue.run(5_000);
    expect(venue.sidesOf(0)).toBe(2);
  });
});
