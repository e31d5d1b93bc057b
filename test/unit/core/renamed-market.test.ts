// The venue may list a market under another id: its tokens, and so its books and orders, are what they were.

import { describe, expect } from 'vitest';
import { marketId } from '../../../src/domain/ids.ts';
import type { Balances } from '../../../src/domain/message.ts';
import { shares } from '../../../src/domain/shares.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import {
  balances,
  EngineDriver,
  holding,
  level,
  listing,
  MARKET,
  NO,
  reportOf,
  settings,
  YES,
} from '../../support/engine-driver.ts';
import { it } from '../../support/runs.ts';

const listed = listing();
const RENAMED = {
  ...listed,
  markets: listed.markets.map((each) => ({ ...each, id: marketId('m-2') })),
};

/** What rests on a venue that accepts and cancels everything. */
class Venue {
  readonly #driver: EngineDriver;
  readonly #account: Balances;
  resting: ReturnType<EngineDriver['acceptPlacements']> = [];

  constructor(driver: EngineDriver, account = balances()) {
    this.#driver = driver;
    this.#account = account;
  }

  run(durationMs: number): void {
    const driver = this.#driver;
    driver.run(durationMs, () => {
      if (driver.take('readCatalogue').length > 0) rename(driver);
      const cancelled = driver.answerCancels();
      for (const { hash, order } of this.resting)
        if (cancelled.includes(hash)) driver.update(hash, order, { status: 'CANCELLED' });
      const staying = this.resting.filter(({ hash }) => !cancelled.includes(hash));
      this.resting = [...staying, ...driver.acceptPlacements()];
      const open = this.resting.map(({ hash, order }) => reportOf(hash, order));
      driver.answerReads(open, this.#account);
      driver.answerTrades({ kind: 'ok', value: [] });
    });
  }

  get prices(): readonly number[] {
    return this.resting.map(({ order }) => order.price);
  }
}

function rename(driver: EngineDriver): void {
  driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [RENAMED] } });
}

describe('a market that is listed under another id', () => {
  it('is quoted under that one by books that move, once the old one has left', () => {
    const driver = new EngineDriver();
    const venue = new Venue(driver);
    driver.start();
    driver.healthyBook();
    venue.run(200);
    expect(venue.prices).toEqual([48, 48]);
    rename(driver);
    venue.run(1_000);
    expect(driver.take('subscribe').at(-1)?.tokenIds).toEqual([YES, NO]);
    driver.book(YES, [level(38, 500)], [level(42, 500)]);
    driver.book(NO, [], []);
    venue.run(1_000);
    expect(driver.engine.view().markets.map((each) => each.marketId)).toEqual(['m-2']);
    expect(venue.prices).toEqual([38, 58]);
  });

  it.each(['pause', 'kill'] as const)('is not quoted after a %s of what it was', (stop) => {
    const driver = new EngineDriver();
    const venue = new Venue(driver);
    driver.start();
    driver.healthyBook();
    venue.run(200);
    driver.operator({ kind: 'stopMarket', by: 'test', marketId: MARKET, stop });
    rename(driver);
    venue.run(3_000);
    driver.book(YES, [level(38, 500)], [level(42, 500)]);
    driver.book(NO, [], []);
    venue.run(1_000);
    expect(venue.prices).toEqual([]);
    const { markets, stoppedMarkets } = driver.engine.view();
    expect(markets.map((each) => each.marketId)).toEqual(['m-2']);
    expect(stoppedMarkets).toMatchObject([{ marketId: 'm-2', stop, isConfirmed: true }]);
    driver.operator({ kind: 'resumeMarket', by: 'test', marketId: marketId('m-2') });
    venue.run(1_000);
    expect(venue.prices).toEqual([38, 58]);
  });

  it('is confirmed as killed when what was sent under the other one can arrive no more', () => {
    const driver = new EngineDriver();
    const venue = new Venue(driver);
    driver.start();
    driver.healthyBook();
    driver.tick();
    driver.answerPlacements({ kind: 'unknown', cause: 'timeout', detail: 'no answer' });
    driver.operator({ kind: 'stopMarket', by: 'test', marketId: MARKET, stop: 'kill' });
    rename(driver);
    venue.run(30_000);
    expect(driver.engine.view().markets.map((each) => each.marketId)).toEqual(['m-2']);
    expect(driver.reported('market.kill_confirmed')).toEqual([]);
    venue.run(12_000);
    expect(driver.reported('market.kill_confirmed')).toMatchObject([{ marketId: 'm-2' }]);
  });

  it.for(['pause', 'kill'] as const)(
    'is not quoted after a %s of what it was in the run before',
    (stop, { runs }) => {
      const before = new EngineDriver();
      before.start();
      before.operator({ kind: 'stopMarket', by: 'test', marketId: MARKET, stop });
      before.tick();
      const driver = runs.restored(before);
      rename(driver);
      driver.tell({ kind: 'socketOpened' });
      driver.tell({ kind: 'authenticated' });
      const venue = new Venue(driver);
      venue.run(3_000);
      driver.healthyBook();
      venue.run(1_000);
      expect(venue.prices).toEqual([]);
      expect(driver.engine.view().stoppedMarkets).toMatchObject([{ marketId: 'm-2', stop }]);
    },
  );

  it('is not quoted after a pause of what it was, where the venue listed neither for a while', () => {
    const driver = new EngineDriver();
    driver.start();
    driver.operator({ kind: 'stopMarket', by: 'test', marketId: MARKET, stop: 'pause' });
    const value = [{ ...listed, markets: [] }];
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value } });
    driver.tick();
    expect(driver.engine.view().markets).toEqual([]);
    rename(driver);
    const venue = new Venue(driver);
    venue.run(1_000);
    driver.healthyBook();
    venue.run(1_000);
    expect(venue.prices).toEqual([]);
    expect(driver.engine.view().stoppedMarkets).toMatchObject([{ marketId: 'm-2' }]);
  });

  it('counts the shares of the old one once', () => {
    const driver = new EngineDriver();
    const usual = settings();
    driver.start({ ...usual, risk: { ...usual.risk, maxLossUsdc: 60 } });
    driver.healthyBook();
    driver.tick();
    const bought = driver.acceptPlacements().find(({ order }) => order.tokenId === YES);
    if (bought === undefined) throw new Error('a bid was placed');
    const { hash, order } = bought;
    driver.update(hash, order, { status: 'MATCHED', filled: 50, remaining: 0 });
    const at = { tradeId: 't-1', side: 'BUY', tokenId: YES, marketId: MARKET } as const;
    driver.tell({ kind: 'tradeSettled', ...at, price: usdc('0.48'), quantity: shares(50) });
    driver.update(hash, order, { status: 'FILLED', filled: 50, remaining: 0 });
    const venue = new Venue(driver, holding(9_976, 50, 0));
    rename(driver);
    venue.run(180_000);
    driver.healthyBook();
    venue.run(2_000);
    expect(driver.engine.view().markets.map((each) => each.marketId)).toEqual(['m-2']);
    expect(venue.prices.toSorted()).toEqual([48, 52]);
  });
});
