// Shares that no earlier life of ours knew: whoever brought them may have traded until just now, and
// what balances show of them may lag behind that, so that their market waits until they have been quiet.

import { describe, expect, it } from 'vitest';
import type { SettledTrade } from '../../../src/domain/message.ts';
import { shares } from '../../../src/domain/shares.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import {
  balances,
  EngineDriver,
  holding,
  knowing,
  MARKET,
  NO,
  NOTHING_STORED,
  settings,
  YES,
} from '../../support/engine-driver.ts';

const READING = settings({ timing: { ...settings().timing, tradesMs: 5_000 } });
const LAG_MS = settings().timing.positionLagMs;

const view = (driver: EngineDriver) => {
  const [market] = driver.engine.view().markets;
  if (market === undefined) throw new Error('there is one market');
  return market;
};

const reasonOf = (driver: EngineDriver) => view(driver).bidReason?.code;

/** The venue goes on as it is, and shows so much. */
function pass(driver: EngineDriver, durationMs: number, account = balances()): void {
  driver.run(durationMs, () => {
    if (driver.nowMs % 1_000 === 0) driver.healthyBook();
    driver.answerReads([], account);
    driver.answerTrades({ kind: 'ok', value: [] });
    driver.answerCancels();
  });
}

function trade(tradeId: string, tokenId: SettledTrade['tokenId']): SettledTrade {
  const marketId = tokenId === undefined ? undefined : MARKET;
  return { tradeId, side: 'BUY', tokenId, marketId, price: usdc(0.5), quantity: shares(33) };
}

/** A life without a memory, on an account that shows so much, and a history that lists so much. */
function firstLife(account = balances(), trades: readonly SettledTrade[] = []): EngineDriver {
  const driver = new EngineDriver();
  driver.restore(NOTHING_STORED);
  driver.start(READING, account, trades);
  driver.healthyBook();
  driver.tick();
  return driver;
}

describe('a first life', () => {
  it('on an empty account quotes at once', () => {
    expect(firstLife().placements()).not.toEqual([]);
  });

  it.each([
    ['YES', holding(10_000, 80, 0)],
    ['NO', holding(10_000, 0, 80)],
  ])('that finds shares of %s waits until they were quiet for the lag', (_, account) => {
    const driver = firstLife(account);
    expect(reasonOf(driver)).toBe('position_unproven');
    pass(driver, LAG_MS - 10_000, account);
    expect(driver.placements()).toEqual([]);
    expect(reasonOf(driver)).toBe('position_unproven');
    pass(driver, 20_000, account);
    expect(driver.placements()).not.toEqual([]);
  });

  it('begins with what balances show after the lag, and calls it no profit', () => {
    const driver = firstLife(holding(10_000, 80, 0));
    pass(driver, LAG_MS / 2, holding(10_000, 80, 0));
    pass(driver, LAG_MS, holding(10_000, 113, 0));
    expect(view(driver)).toMatchObject({ positionYes: '113', pnlUsdc: '0.000000' });
    expect(driver.placements()).not.toEqual([]);
  });

  it.each([
    ['of a token', trade('t-1', YES)],
    ['of the other one', trade('t-1', NO)],
    ['that names none', trade('t-1', undefined)],
  ])('whose first history lists a trade %s waits for what it may have brought', (_, listed) => {
    const driver = firstLife(balances(), [listed]);
    expect(reasonOf(driver)).toBe('position_unproven');
    pass(driver, LAG_MS + 20_000);
    expect(driver.placements()).not.toEqual([]);
  });

  it('takes its own trade on a later page for nobody else', () => {
    const driver = firstLife();
    driver.acceptPlacements();
    driver.run(6_000, () => driver.answerTrades({ kind: 'ok', value: [trade('t-1', YES)] }));
    expect(reasonOf(driver)).not.toBe('position_unproven');
  });
});

describe('a life with a memory', () => {
  it('quotes shares at once that the one before it knew', () => {
    const account = holding(10_000, 80, 0);
    const driver = new EngineDriver();
    driver.restore(knowing(account));
    driver.start(READING, account, [trade('t-1', YES)]);
    driver.healthyBook();
    driver.tick();
    expect(driver.placements()).not.toEqual([]);
  });
});

describe('a market that comes to be quoted later', () => {
  function joins(before = balances(), now = before): EngineDriver {
    const driver = new EngineDriver();
    driver.restore(before.positions.length > 0 ? knowing(before) : NOTHING_STORED);
    driver.start({ ...READING, markets: [] }, before);
    pass(driver, 20_000, now);
    driver.settings(READING);
    driver.healthyBook();
    driver.tick();
    return driver;
  }

  it('quotes at once where nothing was traded by hand', () => {
    const driver = joins();
    pass(driver, 1_000);
    expect(driver.placements()).not.toEqual([]);
  });

  it.each([
    ['were bought', balances(), holding(10_000, 80, 0)],
    ['grew', holding(10_000, 80, 0), holding(10_000, 113, 0)],
    ['were sold', holding(10_000, 80, 0), balances()],
  ])('waits where shares %s since this life began', (_, before, now) => {
    const driver = joins(before, now);
    expect(reasonOf(driver)).toBe('position_unproven');
    expect(driver.placements()).toEqual([]);
    pass(driver, LAG_MS + 30_000, now);
    expect(view(driver)).toMatchObject({
      positionYes:
        now.positions.length > 0 ? String((now.positions[0]?.shareAmount ?? 0) / 1e6) : '0',
      pnlUsdc: '0.000000',
    });
    expect(driver.placements()).not.toEqual([]);
  });
});
