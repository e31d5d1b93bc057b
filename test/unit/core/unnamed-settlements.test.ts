// The older settlement frame names no token: what is known tells whose it is, or nobody's.

import { describe, expect, it } from 'vitest';
import { shares } from '../../../src/domain/shares.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import { EngineDriver, level, NO, settings, YES } from '../../support/engine-driver.ts';

/** Bids for 50 shares of either outcome matched, at 0.38 and 0.58, and wait for their settlement. */
function matched(): EngineDriver {
  const driver = new EngineDriver();
  const params = { halfSpreadTicks: 2, levels: 1, levelSpacingTicks: 1, size: 50 };
  driver.start(
    settings({ markets: [{ event: 'rain', market: undefined, strategy: 'ladder', params }] }),
  );
  driver.book(YES, [level(38, 500)], [level(42, 500)]);
  driver.book(NO, [], []);
  driver.tick();
  for (const { hash, order } of driver.acceptPlacements()) {
    driver.update(hash, order, { status: 'MATCHED', remaining: 0 });
  }
  return driver;
}

function settle(driver: EngineDriver, side: 'BUY' | 'SELL', price: number): void {
  const unnamed = { tradeId: `t-${price}`, tokenId: undefined, marketId: undefined } as const;
  const quantity = shares(50);
  driver.tell({ kind: 'tradeSettled', ...unnamed, side, price: usdc(price), quantity });
}

const view = (driver: EngineDriver) => driver.engine.view().markets[0];

describe('a settlement that names no token', () => {
  it.each([
    { price: 0.38, settledYes: '50', settledNo: '0', why: 'of the match at just its price' },
    {
      price: 0.58,
      settledYes: '0',
      settledNo: '50',
      why: 'of the only match that allows its price',
    },
    { price: 0.45, settledYes: '0', settledNo: '50', why: 'of the only match that paid as much' },
    { price: 0.2, settledYes: '0', settledNo: '0', why: 'of nobody when it may be of either' },
    { price: 0.7, settledYes: '0', settledNo: '0', why: 'of nobody when no match paid as much' },
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
