// A market that was taken out of the settings and dropped is over: whatever was still under way about
// its books must not come back, least of all when a market of the same id is quoted again.

import { describe, expect, it } from 'vitest';
import { intentId, marketId, orderHash, tokenId } from '../../../../src/domain/ids.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { ticks } from '../../../../src/domain/ticks.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { TRUST_DEFAULTS } from '../../../../src/domain/trust.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import {
  balances,
  EngineDriver,
  GRID,
  holding,
  level,
  MARKET,
  NO,
  NOTHING_STORED,
  settings,
  YES,
} from '../../../support/engine-driver.ts';

const SETTINGS = settings({
  trust: {
    ...TRUST_DEFAULTS,
    silenceFactor: 0,
    ownOrderAuditMs: 0,
    auditsPerSec: 2,
    auditAgeMs: 500,
  },
});

/** Answers audits; what REST shows has moved on, which only a book that hears of it knows. */
function answerBooks(driver: EngineDriver): number {
  const moved = { bids: [level(48, 123)], asks: [level(52, 500)] };
  const asked = driver.answerBooks((tokenId) => (tokenId === YES ? moved : { bids: [], asks: [] }));
  return asked.filter((tokenId) => tokenId === YES).length;
}

/**
 * A market of which one audit found a difference, taken out before the second opinion.
 * @param traded - Shares that its bid had traded.
 */
function leaving(traded = 0): EngineDriver {
  const driver = new EngineDriver();
  driver.start(SETTINGS);
  driver.healthyBook();
  driver.tick();
  const orders = driver.acceptPlacements();
  for (let found = 0; found === 0; driver.tick()) found = answerBooks(driver);
  driver.run(600);
  driver.settings({ ...SETTINGS, markets: [] });
  driver.tick();
  driver.answerCancels();
  for (const { hash, order } of orders) {
    const filled = order.tokenId === YES ? traded : 0;
    driver.update(hash, order, { status: 'CANCELLED', filled });
  }
  driver.tick();
  driver.reports.length = 0;
  return driver;
}

/** It is gone: what had matched has waited for the chain for as long as a market does. */
function left(traded = 0): EngineDriver {
  const driver = leaving(traded);
  if (traded > 0) driver.run(60_000);
  expect(driver.engine.view().markets).toEqual([]);
  driver.reports.length = 0;
  return driver;
}

/** The venue goes on: its answers name no order of ours. */
function pass(driver: EngineDriver, durationMs: number): void {
  driver.run(durationMs, () => {
    answerBooks(driver);
    driver.answerReads([], balances());
  });
}

describe('a market that has left', () => {
  it('is not uncertain, read or subscribed again for an audit that was under way', () => {
    const driver = left();
    pass(driver, 20_000);
    expect(driver.reported('book.doubt')).toEqual([]);
    expect(driver.take('resubscribe')).toEqual([]);
  });

  it('counts what a match of its last order cost, once it settles', () => {
    const driver = left(5);
    const trade = { tradeId: 't-1', tokenId: YES, marketId: MARKET, side: 'BUY' } as const;
    driver.tell({ kind: 'tradeSettled', ...trade, price: usdc('0.48'), quantity: shares(20) });
    driver.settings(SETTINGS);
    driver.book(YES, [level(38, 500)], [level(42, 500)]);
    driver.book(NO, [], []);
    driver.tick();
    // Twenty bought at 0.48, of which five were reported before it left: worth 0.40 each now.
    const [market] = driver.engine.view().markets;
    expect(market).toMatchObject({ positionYes: '20', pnlUsdc: '-1.600000' });
  });

  it('gives back what a match of its last order cost, once that has failed', () => {
    const driver = leaving(5);
    const trade = { reason: 'reverted', marketId: undefined, side: 'BUY' } as const;
    driver.run(15_000);
    driver.tell({ kind: 'tradeFailed', ...trade, quantity: shares(5) });
    driver.tick();
    expect(driver.engine.view().markets).toEqual([]);
    driver.settings(SETTINGS);
    driver.healthyBook();
    driver.tick();
    const [market] = driver.engine.view().markets;
    expect(market).toMatchObject({ positionYes: '0', pnlUsdc: '0.000000' });
  });

  it('takes in a settlement without a name while its last match waits for one', () => {
    const driver = leaving(5);
    const trade = { tradeId: 't-1', tokenId: undefined, marketId: undefined, side: 'BUY' } as const;
    driver.run(15_000);
    driver.tell({ kind: 'tradeSettled', ...trade, price: usdc('0.48'), quantity: shares(5) });
    expect(driver.reported('trade.settled')).toMatchObject([{ tokenId: YES }]);
    driver.tick();
    expect(driver.engine.view().markets).toEqual([]);
  });

  it('cancels nothing of the market that takes its place', () => {
    const driver = left();
    pass(driver, 5_000);
    driver.settings(SETTINGS);
    driver.book(YES, [level(48, 123)], [level(52, 500)]);
    driver.healthyBook();
    driver.tick();
    expect(driver.acceptPlacements()).not.toEqual([]);
    driver.run(5_000, () => driver.answerReads(driver.openReports().slice(-2), balances()));
    expect(driver.take('cancelOrders')).toEqual([]);
  });
});

describe('an order of a previous run whose market is not quoted any more', () => {
  /** It rested when that run died: the start has cleared the account. */
  function started(): EngineDriver {
    const driver = new EngineDriver();
    const agoMs = unixMs(driver.nowMs - 60_000);
    const order = {
      intentId: intentId('old-1'),
      ...{ marketId: marketId('m-gone'), tokenId: tokenId('0x77'), orderHash: orderHash('0xdead') },
      ...({ leg: 'yes', side: 'BUY', price: ticks(GRID, 40), ticksPerUnit: 100 } as const),
      ...{ quantity: shares(50), executed: shares(0), isExternal: false },
      ...({
        sentAtMs: agoMs,
        confirmedAtMs: agoMs,
        state: 'resting',
        stateSinceMs: agoMs,
      } as const),
      ...{ settingsVersion: undefined, expiresAtMs: undefined, refusalCode: undefined },
    };
    driver.restore({ ...NOTHING_STORED, cashNano: 10_000_000_000_000, orders: [order] });
    driver.start();
    return driver;
  }

  it('may have traded for as long as balances lag, and no longer', () => {
    const driver = started();
    expect(driver.engine.view().account.pnlUncertaintyUsdc).toBe('30.000000');
    driver.run(175_000, () => driver.answerReads([]));
    expect(driver.engine.view().account.pnlUncertaintyUsdc).toBe('0.000000');
  });

  it('keeps no cash that was taken out from being booked', () => {
    const driver = started();
    driver.run(175_000, () => driver.answerReads([]));
    driver.run(100_000, () => driver.answerReads([], holding(9_900, 0, 0)));
    expect(driver.reported('cash.adopted')).toMatchObject([{ amountUsdc: '-100.000000' }]);
  });
});
