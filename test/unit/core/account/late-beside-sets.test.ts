// Whose match a settlement was is found out while a split is under way, too: its proof may take minutes,
// and a life that ends meanwhile would leave what was counted wrong for good.

import { describe, expect, it } from 'vitest';
import { shares } from '../../../../src/domain/shares.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import { EngineDriver, holding, MARKET, settings, YES } from '../../../support/engine-driver.ts';
import { bid, wishing } from '../../../support/wished.ts';

const HELD = holding(10_000, 0, 0);

/** The chain told of 20 shares at 0.47, and soon after the user channel of the match it was of. */
function settledAhead(): EngineDriver {
  const driver = new EngineDriver([wishing(() => [bid(48, 30), bid(47, 20)])]);
  driver.start(settings(), HELD);
  driver.healthyBook();
  driver.run(1_500, () => driver.answerReads([], HELD));
  const live = driver.acceptPlacements();
  const at = (price: number) => {
    const found = live.find(({ order }) => order.price === price);
    if (found === undefined) throw new Error(`nothing rests at ${price}`);
    return found;
  };
  const dear = at(48);
  driver.update(dear.hash, dear.order, { status: 'MATCHED', filled: 30, remaining: 0 });
  driver.tell({
    kind: 'tradeSettled',
    tradeId: 't-1',
    marketId: MARKET,
    tokenId: YES,
    side: 'BUY',
    price: usdc(0.47),
    quantity: shares(20),
  });
  const cheap = at(47);
  driver.update(cheap.hash, cheap.order, { status: 'MATCHED', filled: 20, remaining: 0 });
  return driver;
}

const profit = (driver: EngineDriver) => Number(driver.engine.view().markets[0]?.pnlUsdc);

describe('a settlement that was taken for a part of another match', () => {
  it.each([false, true])('goes to its own beside a split under way: %s', (isSplitting) => {
    const driver = settledAhead();
    if (isSplitting) {
      driver.sets({ id: 'w', by: 'test', action: 'split', marketId: MARKET, amount: shares(50) });
      for (const { requestId } of driver.take('changeSets')) {
        const outcome = { kind: 'accepted', txHash: '0xabc' } as const;
        driver.tell({ kind: 'setsChanged', requestId, outcome });
      }
    }
    driver.tick();
    const before = profit(driver);
    driver.run(40_000, () => {
      driver.healthyBook();
      driver.answerReads([], HELD);
      driver.answerCancels();
      driver.placements();
    });
    expect(profit(driver) - before).toBeCloseTo(-0.2, 9);
  });
});
