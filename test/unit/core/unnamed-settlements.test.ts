// The older settlement frame names no token: what is known tells whose it is, or nobody's.

import { describe, expect, it } from 'vitest';
import { marketId } from '../../../src/domain/ids.ts';
import { shares } from '../../../src/domain/shares.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import { EngineDriver, level, NO, settings, YES } from '../../support/engine-driver.ts';

/** Bids for so many shares of both outcomes, or of one, matched, at 0.38 and 0.58, and wait for their settlement. */
function matched(size = 50, tokens = [YES, NO]): EngineDriver {
  const driver = new EngineDriver();
  const params = { halfSpreadTicks: 2, levels: 1, levelSpacingTicks: 1, size };
  driver.start(
    settings({ markets: [{ event: 'rain', market: undefined, strategy: 'ladder', params }] }),
  );
  driver.book(YES, [level(38, 500)], [level(42, 500)]);
  driver.book(NO, [], []);
  driver.tick();
  for (const { hash, order } of driver.acceptPlacements()) {
    if (tokens.includes(order.tokenId)) {
      driver.update(hash, order, { status: 'MATCHED', remaining: 0 });
    }
  }
  return driver;
}

function settle(driver: EngineDriver, side: 'BUY' | 'SELL', price: number, size = 50): void {
  const unnamed = { tradeId: `t-${price}`, tokenId: undefined, marketId: undefined } as const;
  const quantity = shares(size);
  driver.tell({ kind: 'tradeSettled', ...unnamed, side, price: usdc(price), quantity });
}

const view = (driver: EngineDriver) => driver.engine.view().markets[0];

describe('a settlement that names no token', () => {
  it.each([
    { price: 0.38, settledYes: '50', settledNo: '0', why: 'of the fill at just its price' },
    {
      price: 0.58,
      settledYes: '0',
      settledNo: '50',
      why: 'of the other fill where that has its price',
    },
    { price: 0.45, settledYes: '0', settledNo: '0', why: 'of nobody until balances say it' },
  ])('at $price is $why', ({ price, settledYes, settledNo }) => {
    const driver = matched();
    expect(view(driver)).toMatchObject({ positionYes: '50', positionNo: '50' });
    settle(driver, 'BUY', price);
    expect(view(driver)).toMatchObject({
      positionYes: '50',
      positionNo: '50',
      settledYes,
      settledNo,
    });
  });
});

describe('a settlement of somebody else that names no token', () => {
  it.each([
    { price: 0.38, settledYes: '50' },
    { price: 0.35, settledYes: '0' },
    { price: 0.65, settledYes: '0' },
  ])(
    'at $price is of the only match, a bid at 0.38, where that has its price',
    ({ price, settledYes }) => {
      const driver = matched(50, [YES]);
      expect(view(driver)).toMatchObject({ positionYes: '50', settledYes: '0' });
      settle(driver, 'BUY', price);
      expect(view(driver)).toMatchObject({ positionYes: '50', settledYes });
    },
  );

  it('is of no match when each is smaller, whatever they are together', () => {
    const driver = matched(20);
    driver.book(YES, [level(36, 500)], [level(40, 500)]);
    driver.tick();
    for (const { hash, order } of driver.acceptPlacements()) {
      driver.update(hash, order, { status: 'MATCHED', remaining: 0 });
    }
    expect(view(driver)).toMatchObject({ positionYes: '40', positionNo: '40' });
    settle(driver, 'BUY', 0.5, 38);
    expect(view(driver)).toMatchObject({ positionYes: '40', positionNo: '40', settledNo: '0' });
  });
});

describe('a failed settlement', () => {
  it('that is reported once leaves the market quoted', () => {
    const driver = matched(80);
    fail(driver, 80);
    driver.tick();
    expect(view(driver)).toMatchObject({ positionYes: '0' });
    expect(view(driver)?.bidReason?.code).not.toBe('position_unconfirmed');
  });
});

function fail(driver: EngineDriver, size: number): void {
  const unnamed = { reason: 'reverted', marketId: marketId(YES), side: 'BUY' } as const;
  driver.tell({ kind: 'tradeFailed', ...unnamed, quantity: shares(size) });
}
