// A latch that lets only what reduces through, over quotes that have to be renewed before their dates.

import { describe, expect, it } from 'vitest';
import { GTD_DEFAULTS } from '../../../src/domain/input.ts';
import { RISK_CONTROL_DEFAULTS } from '../../../src/domain/risk.ts';
import { shares } from '../../../src/domain/shares.ts';
import { balances, EngineDriver, level, MARKET, NO, YES } from '../../support/engine-driver.ts';
import { ask, bid, controlled, wishing } from '../../support/wanted.ts';

const HELD = balances({
  positions: [
    {
      tokenId: YES,
      marketId: MARKET,
      shareAmount: shares(100),
      onHoldShareAmount: shares(0),
    },
  ],
});

/** Long of 100 YES, with a day's loss that leaves only what reduces. */
function reducing(): EngineDriver {
  const driver = new EngineDriver([wishing(() => [bid(40, 100), ask(52, 100)])]);
  const { loss } = RISK_CONTROL_DEFAULTS;
  const base = controlled({
    collar: { ...RISK_CONTROL_DEFAULTS.collar, tradesThrough: 0, fairThrough: 0 },
    loss: { ...loss, dayUsdc: 5, dayAction: 'reduce-only', warnPart: 1 },
  });
  driver.start(
    { ...base, orders: { ...base.orders, timeInForce: 'GTD', gtd: GTD_DEFAULTS } },
    HELD,
  );
  driver.healthyBook();
  driver.run(100);
  driver.book(YES, [level(30, 500)], [level(34, 500)]);
  driver.book(NO, [], []);
  driver.run(100);
  return driver;
}

describe('quotes with dates under a latch of reduce-only', () => {
  it('are renewed, and never offer more than is held', () => {
    const driver = reducing();
    expect(driver.reported('control.tripped').map((each) => each.raisedTo)).toEqual([
      'reduce-only',
    ]);
    const gone = new Set<string>();
    let most = 0;
    let placed = 0;
    driver.run(900_000, () => {
      placed += driver.acceptPlacements().length;
      const open = driver.openReports().filter((each) => !gone.has(each.orderHash));
      const reduces = (each: (typeof open)[number]) =>
        each.side === 'SELL' ? each.tokenId === YES : each.tokenId === NO;
      const added = open.filter((each) => !reduces(each));
      if (driver.nowMs > 1_700_000_010_000) expect(added).toEqual([]);
      const offered = open.filter(reduces).reduce((sum, each) => sum + each.quantity, 0);
      most = Math.max(most, offered / 1e6);
      for (const hash of driver.answerCancels()) gone.add(hash);
      driver.answerReads(
        open.filter((each) => !gone.has(each.orderHash)),
        HELD,
      );
    });
    expect(most).toBe(100);
    // One every two minutes or so.
    expect(placed).toBeGreaterThan(5);
  });
});
