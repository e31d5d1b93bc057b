// A settlement that failed, where no match that waits is so large: what it was of may have been taken
// for settled by another's settlement, or is told of only later.

import { describe, expect, it } from 'vitest';
import type { Balances } from '../../../../src/domain/message.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import { balances, EngineDriver, MARKET, settings, YES } from '../../../support/engine-driver.ts';

type Quote = ReturnType<EngineDriver['acceptPlacements']>[number];

/** Two bids of 50 rest, at 0.48 and 0.47. */
function quoting() {
  const driver = new EngineDriver();
  const params = { halfSpreadTicks: 2, levels: 2, levelSpacingTicks: 1, size: 50 };
  driver.start(settings({ markets: settings().markets.map((each) => ({ ...each, params })) }));
  driver.healthyBook();
  driver.tick();
  const [near, far] = driver.acceptPlacements().filter(({ order }) => order.tokenId === YES);
  if (!near || !far) throw new Error('two bids were placed');
  return { driver, near, far };
}

function match(driver: EngineDriver, { hash, order }: Quote): void {
  driver.update(hash, order, { status: 'MATCHED', remaining: 0 });
}

function settle(driver: EngineDriver, size: number, tradeId = 't-1'): void {
  const of = { tradeId, tokenId: YES, marketId: MARKET, side: 'BUY' } as const;
  driver.tell({ kind: 'tradeSettled', ...of, price: usdc('0.48'), quantity: shares(size) });
}

function fail(driver: EngineDriver, size: number, marketId: string | undefined = MARKET): void {
  const of = { reason: 'reverted', marketId: marketId as typeof MARKET, side: 'BUY' } as const;
  driver.tell({ kind: 'tradeFailed', ...of, quantity: shares(size) });
}

function held(count: number): Balances {
  const cash = 10_000 - count * 0.48;
  const position = { tokenId: YES, marketId: MARKET, onHoldShareAmount: shares(0) };
  return balances({
    cashBalance: usdc(cash),
    availableBalance: usdc(cash),
    positions: [{ ...position, shareAmount: shares(count) }],
  });
}

const view = (driver: EngineDriver) => {
  const [market] = driver.engine.view().markets;
  if (market === undefined) throw new Error('there is one market');
  return market;
};

describe('shares that another settlement was taken for', () => {
  /** The far bid settled before anybody told of its match, and the near one was taken for it. */
  function failedAfterAll() {
    const world = quoting();
    settle(world.driver, 50);
    match(world.driver, world.near);
    expect(view(world.driver)).toMatchObject({ positionYes: '50', settledYes: '50' });
    fail(world.driver, 50);
    return world;
  }

  it('fail without taking back what did settle', () => {
    const { driver } = failedAfterAll();
    driver.tick();
    expect(view(driver)).toMatchObject({ positionYes: '50', settledYes: '50' });
    expect(driver.reported('trade.failed')).toMatchObject([{ reversed: false }]);
  });

  it('stop the market as soon as a match of just as much is told, and positions say', () => {
    const { driver, far } = failedAfterAll();
    match(driver, far);
    driver.tick();
    expect(view(driver)).toMatchObject({ positionYes: '100' });
    expect(view(driver).bidReason?.code).toBe('position_unproven');
    driver.run(170_000, () => driver.answerReads([], held(50)));
    expect(view(driver)).toMatchObject({ positionYes: '50', settledYes: '50' });
    expect(view(driver).bidReason?.code).not.toBe('position_unproven');
  });

  it('are no matter to an order that left only afterwards', () => {
    const { driver, near, far } = failedAfterAll();
    driver.update(far.hash, far.order, { status: 'CANCELLED', filled: 0 });
    driver.update(near.hash, near.order, { status: 'FILLED', filled: 50, remaining: 0 });
    driver.tick(1_000);
    const [later] = driver.acceptPlacements().filter(({ order }) => order.tokenId === YES);
    if (later === undefined) throw new Error('a bid was placed');
    match(driver, later);
    driver.tick();
    expect(view(driver).bidReason?.code).not.toBe('position_unproven');
  });

  it('are no matter to a match of another size, nor two minutes later', () => {
    const { driver, far } = failedAfterAll();
    driver.update(far.hash, far.order, { status: 'PARTIALLY_FILLED', filled: 20, remaining: 30 });
    driver.tick();
    expect(view(driver).bidReason?.code).not.toBe('position_unproven');
    driver.nowMs += 120_000;
    driver.update(far.hash, far.order, { status: 'MATCHED', filled: 50, remaining: 0 });
    driver.tick();
    expect(view(driver).bidReason?.code).not.toBe('position_unproven');
  });
});

describe('a failure that is larger than what waits', () => {
  /** Of 50 that matched, 30 settled in another's name; all 50 fail. */
  function withRest(): EngineDriver {
    const { driver, near } = quoting();
    settle(driver, 30);
    match(driver, near);
    expect(view(driver)).toMatchObject({ positionYes: '50', settledYes: '30' });
    return driver;
  }

  it('doubts the token of a match whose other part was taken for settled', () => {
    const driver = withRest();
    fail(driver, 50);
    driver.tick();
    expect(view(driver).bidReason?.code).toBe('position_unproven');
    driver.run(170_000, () => driver.answerReads([], held(30)));
    expect(view(driver)).toMatchObject({ positionYes: '30', settledYes: '30' });
  });

  it('says nothing of one that never was so large, nor of another market', () => {
    const driver = withRest();
    fail(driver, 80);
    fail(driver, 50, 'm-other');
    driver.tick();
    expect(view(driver)).toMatchObject({ positionYes: '50' });
    expect(view(driver).bidReason?.code).not.toBe('position_unproven');
  });
});
