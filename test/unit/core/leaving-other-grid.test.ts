// A market leaves the settings, and the venue refuses to cancel what rests there. Its tick size changes meanwhile: the
// same number of ticks is ten times the price.

import { expect } from 'vitest';
import { type MarketId, marketId } from '../../../src/domain/ids.ts';
import type { TickSize } from '../../../src/domain/ticks.ts';
import {
  EngineDriver,
  holding,
  level,
  listing,
  MARKET,
  NO,
  settings,
  YES,
} from '../../support/engine-driver.ts';
import { it } from '../../support/runs.ts';

const ACCOUNT = holding(10_000, 400, 0);

/** 400 shares at 0.05, and quotes that nobody can cancel, on a market that was taken out. */
class Leaving {
  readonly driver = new EngineDriver();
  readonly #stuck: readonly string[];
  #tickSize: TickSize = '0.01';
  #id: MarketId = MARKET;

  constructor() {
    this.driver.start(settings(), ACCOUNT);
    this.books(4, 6);
    this.driver.tick();
    this.#stuck = this.driver.acceptPlacements().map(({ hash }) => hash);
    this.run(2_000);
    this.driver.settings(settings({ markets: [] }));
    this.run(4_000);
  }

  get market() {
    return this.driver.engine.view().markets[0];
  }

  books(bid: number, ask: number): void {
    this.driver.book(YES, [level(bid, 500)], [level(ask, 500)]);
    this.driver.book(NO);
  }

  relist(tickSize: TickSize, id = MARKET): void {
    this.#tickSize = tickSize;
    this.#id = id;
    this.#list();
    this.run(1_000);
  }

  #list(): void {
    const event = listing(this.#tickSize);
    const value = [{ ...event, markets: event.markets.map((each) => ({ ...each, id: this.#id })) }];
    this.driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value } });
  }

  run(durationMs: number): void {
    const { driver } = this;
    driver.run(durationMs, () => {
      driver.answerCancels(this.#stuck);
      driver.answerTrades({ kind: 'ok', value: [] });
      if (driver.take('readCatalogue').length > 0) this.#list();
      driver.answerReads(driver.openReports(), ACCOUNT);
      driver.answerBooks(() => ({ bids: [level(480, 500)], asks: [level(520, 500)] }));
    });
  }
}

it('its shares are worth what its books said before, and not ten times as much', () => {
  const leaving = new Leaving();
  leaving.relist('0.001');
  leaving.books(35, 39);
  leaving.run(10_000);
  expect(leaving.market?.pnlUsdc).toBe('0.000000');
});

it('nor where it is listed under another id by then', () => {
  const leaving = new Leaving();
  leaving.relist('0.01', marketId('m-other'));
  expect(leaving.market).toMatchObject({ bookStates: { yes: 'trusted', no: 'trusted' } });
  leaving.relist('0.001', marketId('m-other'));
  leaving.books(35, 39);
  leaving.run(10_000);
  expect(leaving.market?.pnlUsdc).toBe('0.000000');
});

it('and its book over REST is none of this grid', () => {
  const leaving = new Leaving();
  leaving.relist('0.001');
  leaving.driver.tell({ kind: 'bookUnreadable', tokenId: YES, detail: 'a price off its grid' });
  leaving.run(60_000);
  expect(leaving.market?.pnlUsdc).toBe('0.000000');
});

it('put back as it was, it is not quoted by books that have missed what happened meanwhile', () => {
  const leaving = new Leaving();
  leaving.relist('0.001');
  leaving.relist('0.01');
  leaving.driver.settings(settings());
  leaving.run(500);
  expect(leaving.market?.bookStates).toEqual({ yes: 'resyncing', no: 'resyncing' });
  leaving.books(20, 24);
  leaving.run(500);
  expect(leaving.market).toMatchObject({ bestBid: '0.20', bestAsk: '0.24' });
});
