// What one book may cost the others: with the connection all of them are lost, and all quotes.

import { describe, expect, it } from 'vitest';
import type { Event, Market } from '../../../../src/domain/market.ts';
import type { PlaceOutcome } from '../../../../src/domain/message.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { TRUST_DEFAULTS } from '../../../../src/domain/trust.ts';
import {
  balances,
  EngineDriver,
  level,
  listing,
  settings,
  YES,
} from '../../../support/engine-driver.ts';
import { listedEvent } from '../../../support/listed-event.ts';
import { pass, QUIET } from './trusted-books.ts';

const TRUST = { ...TRUST_DEFAULTS, ownOrderAuditMs: 0, auditsPerSec: 0 };
const TEN_MINUTES_MS = 600_000;

/** The usual market, and another one of its event of which no book is ever told. */
function listingBeside(change: Partial<Market>, count = 1): Event {
  const event = listing();
  const others = listedEvent('other', count).markets.map((market) => ({ ...market, ...change }));
  return { ...event, markets: [...event.markets, ...others] };
}

/** @returns How often the connection was replaced in ten minutes. */
function reconnects(
  driver: EngineDriver,
  each: () => void,
  onNew = () => driver.healthyBook(),
): number {
  let count = 0;
  driver.run(TEN_MINUTES_MS, () => {
    each();
    driver.answerCancels();
    if (driver.take('reconnect').length === 0) return;
    count += 1;
    driver.tell({ kind: 'socketLost', reason: 'asked for' });
    driver.tell({ kind: 'socketOpened' });
    driver.tell({ kind: 'authenticated' });
    onNew();
  });
  return count;
}

describe('a market that nobody may quote', () => {
  it.each([
    ['it is closed', { status: 'closed' }],
    ['it is resolved', { status: 'resolved' }],
    ['it has no book', { enableOrderBook: false }],
  ] as const)('costs no other its connection where no snapshot comes: %s', (_, change) => {
    const driver = new EngineDriver();
    driver.start(settings({ trust: TRUST }));
    const value = [listingBeside(change)];
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value } });
    driver.healthyBook();
    const count = reconnects(driver, () => {
      for (const _asked of driver.take('readCatalogue')) {
        driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value } });
      }
      driver.answerReads([], balances());
      driver.acceptPlacements();
    });
    expect(count).toBe(0);
    const [quoted] = driver.engine.view().markets;
    expect(quoted?.bookStates).toEqual({ yes: 'trusted', no: 'trusted' });
  });
});

describe('a book of an open market that no connection brings', () => {
  it.each([1, 10])(
    'costs the others theirs ever less often, also where it is of %i markets',
    (count) => {
      const driver = new EngineDriver();
      driver.start(settings({ trust: TRUST }));
      const value = [listingBeside({}, count)];
      driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value } });
      driver.healthyBook();
      const others = () => {
        for (const _asked of driver.take('readCatalogue')) {
          driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value } });
        }
        driver.answerReads([], balances());
        driver.acceptPlacements();
      };
      // At once, and then a minute, two, four and eight later.
      expect(reconnects(driver, others)).toBe(4);
      expect(reconnects(driver, others)).toBe(1);
    },
  );
});

describe('a venue that sends no book at all', () => {
  it('is asked for another connection as often as at first, for hours: it costs nobody anything', () => {
    const driver = new EngineDriver();
    driver.start(settings({ trust: TRUST }));
    const inTenMinutes = () =>
      reconnects(
        driver,
        () => driver.answerReads([], balances()),
        () => {},
      );
    for (let tens = 0; tens < 6; tens += 1) expect(inTenMinutes()).toBeGreaterThanOrEqual(5);
  });
});

describe('a market of which every order is refused', () => {
  it.each(['market_paused', 'tick_size_violation'])(
    'costs no other its connection while its books are right: %s',
    (code) => {
      const params = { halfSpreadTicks: 2, levels: 5, levelSpacingTicks: 1, size: 50 };
      const choice = { event: 'rain', market: undefined, strategy: 'ladder', params };
      const refusal = { code, message: 'no', httpStatus: 422, retryAfterMs: undefined };
      const refused: PlaceOutcome = { kind: 'refused', refusal };
      const driver = new EngineDriver();
      driver.start(settings({ trust: TRUST, markets: [choice] }));
      driver.healthyBook();
      const count = reconnects(driver, () => {
        driver.answerReads([], balances());
        driver.answerPlacements(refused);
        if (driver.take('resubscribe').length > 0) driver.healthyBook();
      });
      expect(driver.reported('book.doubt').length).toBeGreaterThan(0);
      expect(count).toBe(0);
    },
  );
});

describe('a tick size that changes while a book is read over REST', () => {
  it.each([
    ['beyond the old grid', 480],
    ['within it', 28],
  ])('leaves the answer to nobody: a price %s', (_, price) => {
    const driver = new EngineDriver();
    driver.start(settings({ trust: QUIET }));
    driver.healthyBook();
    driver.tick();
    driver.acceptPlacements();
    driver.tell({ kind: 'bookUnreadable', tokenId: YES, detail: 'half a frame' });
    // Cancels stay without an answer, so that the market cannot leave its grid at once.
    pass(driver, 7_100);
    const reads = driver.take('readBook');
    expect(reads).toHaveLength(1);
    driver.bid(YES, level(47, 9));
    const finer = { kind: 'ok', value: [listing('0.001')] } as const;
    driver.tell({ kind: 'catalogue', outcome: finer });
    const value = { bids: [level(price, 500)], asks: [level(price + 4, 500)] };
    for (const { requestId, tokenId } of reads) {
      const askedAtMs = unixMs(driver.nowMs);
      driver.tell({
        kind: 'bookRead',
        requestId,
        tokenId,
        askedAtMs,
        outcome: { kind: 'ok', value },
      });
    }
    driver.tick();
    expect(driver.engine.view().markets[0]?.bookStates.yes).toBe('resyncing');
  });
});

describe('a market that gets an order book', () => {
  it('is quoted within seconds, though no snapshot of it came before, and costs no other its connection', () => {
    const driver = new EngineDriver();
    driver.start(settings({ trust: TRUST }));
    let value = [listingBeside({ enableOrderBook: false })];
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value } });
    driver.healthyBook();
    const [{ yes, no } = expect.fail('another market is listed')] = listedEvent('other').markets;
    const answer = () => {
      for (const _asked of driver.take('readCatalogue')) {
        driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value } });
      }
      driver.answerReads([], balances());
      driver.acceptPlacements();
      for (const { tokenId } of driver.take('resubscribe')) {
        if (!value.some(({ markets }) => markets.every((market) => market.enableOrderBook)))
          continue;
        if (tokenId === yes.tokenId) driver.book(tokenId, [level(48, 500)], [level(52, 500)]);
        if (tokenId === no.tokenId) driver.book(tokenId, [], []);
      }
    };
    expect(reconnects(driver, answer)).toBe(0);
    const other = () =>
      driver.engine.view().markets.find(({ yesTokenId }) => yesTokenId === yes.tokenId);
    expect(other()?.bidReason?.detail).toContain('enableOrderBook: false');
    value = [listingBeside({})];
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value } });
    let count = 0;
    driver.run(5_000, () => {
      answer();
      driver.answerCancels();
      count += driver.take('reconnect').length;
    });
    expect(count).toBe(0);
    expect(other()?.bookStates).toEqual({ yes: 'trusted', no: 'trusted' });
    expect(other()?.ownBids.length).toBeGreaterThan(0);
  });
});
