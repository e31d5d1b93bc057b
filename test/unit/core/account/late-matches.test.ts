// A match that nobody has told the end of for a minute may have failed: what it changed is not sure.

import { describe, expect, it } from 'vitest';
import { shares } from '../../../../src/domain/shares.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import type { Quote } from '../../../../src/strategy/index.ts';
import { balances, EngineDriver, MARKET, YES } from '../../../support/engine-driver.ts';
import { ask, bid, controlled, placed, wishing } from '../../../support/wished.ts';

const HELD = balances({
  cashBalance: usdc(10_000),
  positions: [
    { tokenId: YES, marketId: MARKET, shareAmount: shares(100), onHoldShareAmount: shares(0) },
  ],
});
const STOP = {
  failures: 1,
  intervalMs: 3_600_000,
  action: 'stop-adding',
  coolOffMs: 600_000,
} as const;

/** Long of 100 YES, sold 130 by matches of so long ago, and stopped from adding since just now. */
function stopped(matchedMs: number): {
  driver: EngineDriver;
  wish: (quotes: readonly Quote[]) => void;
} {
  let wished: readonly Quote[] = [ask(52, 100)];
  const driver = new EngineDriver([wishing(() => wished)]);
  const wish = (quotes: readonly Quote[]): void => {
    wished = quotes;
    driver.run(1_500, () => answer(driver));
  };
  driver.start(controlled({ settlements: STOP }), HELD);
  driver.healthyBook();
  for (const quotes of [[ask(52, 100)], [ask(53, 30)]]) {
    wished = quotes;
    driver.run(1_500, () => driver.answerReads([], HELD));
    for (const { hash, order } of driver.acceptPlacements()) {
      driver.update(hash, order, { status: 'MATCHED', remaining: 0 });
    }
  }
  wished = [];
  driver.run(matchedMs, () => answer(driver));
  const unknown = { reason: 'reverted', marketId: undefined, side: 'BUY' } as const;
  driver.tell({ kind: 'tradeFailed', ...unknown, quantity: shares(500) });
  return { driver, wish };
}

function answer(driver: EngineDriver): void {
  driver.healthyBook();
  driver.answerCancels();
  driver.answerReads([], HELD);
}

describe('a control that stops what adds', () => {
  it('lets go what leads towards zero after matches of a moment ago', () => {
    const { driver, wish } = stopped(5_000);
    expect(driver.engine.view().markets[0]).toMatchObject({ positionYes: '0', positionNo: '30' });
    wish([bid(48, 20)]);
    expect(placed(driver)).toEqual([['BUY YES', 48, 20]]);
  });

  it('holds it back when matches that nobody told the end of may never have been', () => {
    const { driver, wish } = stopped(61_000);
    expect(driver.engine.view().markets[0]).toMatchObject({ positionYes: '0', positionNo: '30' });
    wish([bid(48, 20), ask(54, 20)]);
    expect(placed(driver)).toEqual([]);
    expect(driver.engine.view().markets[0]).toMatchObject({
      bidReason: { code: 'stop_adding' },
      askReason: { code: 'stop_adding' },
    });
  });
});
