// The tick size of a market changes: the same number of ticks is another price from then on.

import { describe, expect } from 'vitest';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { type UnixMs, unixMs } from '../../../src/domain/time.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import {
  balances,
  EngineDriver,
  level,
  listing,
  MARKET,
  NO,
  reportOf,
  settings,
  YES,
} from '../../support/engine-driver.ts';
import { it } from '../../support/runs.ts';

type Quote = ReturnType<EngineDriver['acceptPlacements']>[number];

function relist(driver: EngineDriver): void {
  driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing('0.001')] } });
}

/** A quote at 48 of 100 was cancelled, and the market is back with a thousand ticks. */
function regridded(): { driver: EngineDriver; bid: Quote } {
  const driver = new EngineDriver();
  driver.start();
  driver.healthyBook();
  driver.tick();
  const quotes = driver.acceptPlacements();
  const [bid] = quotes;
  if (bid === undefined) throw new Error('a bid was placed');
  relist(driver);
  driver.tick();
  expect(driver.answerCancels()).toContain(bid.hash);
  for (const { hash, order } of quotes) driver.update(hash, order, { status: 'CANCELLED' });
  driver.tick();
  expect(driver.reported('market.listed')).toHaveLength(2);
  return { driver, bid };
}

const look = (driver: EngineDriver, held: number, durationMs = 200_000): void => {
  const position = { tokenId: YES, marketId: MARKET, shareAmount: shares(held) };
  const shown = balances({ positions: [{ ...position, onHoldShareAmount: shares(0) }] });
  driver.run(durationMs, () => {
    driver.book(YES, [level(480, 500)], [level(520, 500)]);
    driver.book(NO);
    if (driver.take('readCatalogue').length > 0) relist(driver);
    driver.answerReads([], shown);
  });
};

it('books on the new grid are asked for at once: their tokens stay subscribed, and nothing else would bring them', () => {
  const { driver } = regridded();
  driver.run(100);
  expect(driver.take('resubscribe').map(({ tokenId }) => tokenId)).toEqual([YES, NO]);
});

it('late reports of an order from before is of shares that traded, and of no price on the new grid', () => {
  const { driver, bid } = regridded();
  driver.update(bid.hash, bid.order, { status: 'CANCELLED', filled: 20 });
  const price = usdc('0.48');
  const trade = { side: 'BUY', price, quantity: shares(20), tokenId: YES } as const;
  driver.tell({ kind: 'tradeSettled', tradeId: 't-1', marketId: MARKET, ...trade });
  look(driver, 20);
  const [market] = driver.engine.view().markets;
  expect(market?.positionYes).toBe('20');
  const flows = driver.records.filter((each) => each.kind === 'flows').at(-1);
  expect(flows).toMatchObject({ flows: { cashNano: -9_600_000_000 } });
});

it('and where nobody reports its settlement, balances say what there is', () => {
  const { driver, bid } = regridded();
  driver.update(bid.hash, bid.order, { status: 'CANCELLED', filled: 20 });
  look(driver, 0, 12_000);
  look(driver, 20, 400_000);
  expect(driver.engine.view().markets[0]?.positionYes).toBe('20');
});

describe('an order that matched just before', () => {
  function matched(): EngineDriver {
    const driver = new EngineDriver();
    driver.start();
    driver.healthyBook();
    driver.tick();
    const [bid, ask] = driver.acceptPlacements();
    if (bid === undefined || ask === undefined) throw new Error('both sides were placed');
    driver.update(bid.hash, bid.order, { status: 'MATCHED', filled: 50, remaining: 0 });
    relist(driver);
    driver.tick();
    driver.answerCancels();
    driver.update(ask.hash, ask.order, { status: 'CANCELLED' });
    return driver;
  }

  it('keeps no quotes away while it settles', () => {
    const driver = matched();
    look(driver, 0, 1_000);
    expect(driver.acceptPlacements().length).toBeGreaterThanOrEqual(2);
    const [market] = driver.engine.view().markets;
    expect(market).toMatchObject({ tickSize: '0.001', positionYes: '50', settledYes: '0' });
    const trade = { side: 'BUY', price: usdc('0.48'), quantity: shares(50), tokenId: YES } as const;
    driver.tell({ kind: 'tradeSettled', tradeId: 't-1', marketId: MARKET, ...trade });
    expect(driver.engine.view().markets[0]).toMatchObject({ positionYes: '50', settledYes: '50' });
  });

  it('gives its shares back where it fails, and counts until its order is known not to rest', () => {
    const driver = matched();
    look(driver, 0, 1_000);
    const failed = { side: 'BUY', quantity: shares(50), reason: 'reverted' } as const;
    driver.tell({ kind: 'tradeFailed', marketId: MARKET, ...failed });
    const yes = driver.engine.view().markets[0]?.positions?.yes;
    expect(yes).toMatchObject({ low: '0', expected: '0', high: '50' });
  });
});

describe('a list that was asked for before the orders of the old grid ended', () => {
  /** It is answered when the market is back, and shows what rested then. */
  function overtaken(scope: 'account' | 'own', executed = 0) {
    const driver = new EngineDriver();
    driver.start({ ...settings(), orders: { ...settings().orders, scope } });
    driver.healthyBook();
    driver.tick();
    const quotes = driver.acceptPlacements();
    driver.run(10_000, () => {
      if (driver.nowMs % 1_000 === 0) driver.healthyBook();
      for (const { requestId } of driver.take('readBalances')) {
        const outcome = { kind: 'ok', value: balances() } as const;
        driver.tell({ kind: 'balances', requestId, askedAtMs: unixMs(driver.nowMs), outcome });
      }
    });
    const [asked] = driver.take('readOpenOrders');
    if (asked === undefined) throw new Error('a list was asked for');
    const askedAtMs = unixMs(driver.nowMs);
    driver.tick();
    relist(driver);
    driver.tick();
    driver.answerCancels();
    for (const { hash, order } of quotes) driver.update(hash, order, { status: 'CANCELLED' });
    driver.tick();
    expect(driver.reported('market.listed')).toHaveLength(2);
    const { ticksPerUnit } = tickGrid('0.01');
    const shown = quotes.map(({ hash, order }) => ({
      ...reportOf(hash, order, executed),
      ticksPerUnit,
    }));
    const list = (atMs: UnixMs) =>
      driver.tell({
        kind: 'openOrders',
        requestId: asked.requestId,
        askedAtMs: atMs,
        outcome: { kind: 'ok', value: shown },
      });
    return { driver, quotes, list, askedAtMs };
  }

  it.for(['account', 'own'] as const)('raises nobody’s orders, %s', (scope) => {
    const { driver, list, askedAtMs } = overtaken(scope);
    list(askedAtMs);
    driver.tick();
    expect(driver.reported('order.external')).toEqual([]);
    expect(driver.engine.view().ordersByState.resting).toBe(0);
    expect(driver.take('cancelOrders')).toEqual([]);
  });

  it('is no word on them where a later one shows them, too: they are cancelled again', () => {
    const { driver, quotes, list } = overtaken('account');
    driver.tick();
    list(unixMs(driver.nowMs));
    driver.tick();
    const named = driver.take('cancelOrders').flatMap(({ orderHashes }) => orderHashes);
    expect(named).toEqual(expect.arrayContaining(quotes.map(({ hash }) => hash)));
  });
});

it('a market that was paused is paused on the new grid: nobody says so again', () => {
  const driver = new EngineDriver();
  driver.start();
  driver.healthyBook();
  driver.tick();
  const quotes = driver.acceptPlacements();
  driver.tell({ kind: 'marketStatus', tokenId: YES, status: 'paused', word: 'PAUSE' });
  relist(driver);
  driver.tick();
  driver.answerCancels();
  for (const { hash, order } of quotes) driver.update(hash, order, { status: 'CANCELLED' });
  driver.tick();
  expect(driver.reported('market.listed')).toHaveLength(2);
  look(driver, 0, 20_000);
  expect(driver.engine.view().markets[0]?.bidReason?.code).toBe('market_paused');
  driver.tell({ kind: 'marketStatus', tokenId: YES, status: 'open', word: 'OPEN' });
  look(driver, 0, 2_000);
  expect(driver.engine.view().markets[0]?.bidReason?.code).not.toBe('market_paused');
});

it('an order of a previous run is not over because its market is back on another grid', ({
  runs,
}) => {
  const first = new EngineDriver();
  first.start();
  first.healthyBook();
  first.tick();
  const [bid] = first.acceptPlacements();
  if (bid === undefined) throw new Error('a bid was placed');
  first.tick();
  const after = runs.restored(first);
  after.settings(settings());
  relist(after);
  after.tell({ kind: 'socketOpened' });
  after.tell({ kind: 'authenticated' });
  const { price, side, tokenId, quantity } = bid.order;
  const shown = { orderHash: bid.hash, tokenId, side, quantity, status: 'OPEN' } as const;
  const onNew = { price: ticks(tickGrid('0.001'), price * 10), ticksPerUnit: 1000 } as const;
  const resting = { ...shown, ...onNew, executed: shares(0), createdAtMs: undefined };
  const rests = (isOn: boolean) => () => {
    if (after.take('readCatalogue').length > 0) relist(after);
    after.answerCancels();
    after.answerReads(isOn ? [resting] : []);
  };
  const ended = () =>
    after.records.filter(
      (each) =>
        each.kind === 'order' &&
        each.order.orderHash === bid.hash &&
        each.order.state === 'cancelled',
    );
  after.run(5_000, rests(true));
  expect(ended()).toEqual([]);
  after.run(60_000, rests(false));
  expect(ended()).toHaveLength(1);
});
