// What an order is held to after an outage, through the whole engine.

import { describe, expect, it } from 'vitest';
import { EngineDriver, level, NO, YES } from '../../../support/engine-driver.ts';
import { ask, controlled, placed, wishing } from '../../../support/wanted.ts';

const OFF = { fairThrough: 0, fairAway: 0, tradesThrough: 0, tradesAway: 0, tradesMs: 300_000 };

function around(driver: EngineDriver, middle: number): void {
  driver.book(YES, [level(middle - 3, 500)], [level(middle + 4, 500)]);
  driver.book(NO, [level(96 - middle, 500)], [level(103 - middle, 500)]);
}

/** Both books around 0.33, moving by a tick or two, for ten minutes: as much is expected of them later. */
function unsettled(driver: EngineDriver): void {
  for (let round = 0; round < 20; round += 1) {
    around(driver, round % 2 === 0 ? 32 : 34);
    driver.run(30_000, () => driver.answerReads([]));
  }
}

describe('the first order after an outage', () => {
  it('is held to the books as they are, not to a value from before', () => {
    const driver = new EngineDriver([wishing(() => [ask(36, 50)])]);
    driver.start(controlled({ collar: { ...OFF, fairAway: 0.1, blind: 'hold' } }));
    unsettled(driver);
    expect(placed(driver)).not.toEqual([]);
    driver.tell({ kind: 'socketLost', reason: 'test' });
    driver.run(20 * 60_000, () => {
      driver.answerReads([]);
      driver.answerCancels();
    });
    driver.tell({ kind: 'socketOpened' });
    driver.tell({ kind: 'authenticated' });
    // The market is looked at a moment before its books come, as it is on every tick.
    driver.tick(20);
    around(driver, 23);
    driver.run(1_000, () => driver.answerReads([]));
    const [market] = driver.engine.view().markets;
    expect(Number(market?.fair?.price)).toBeCloseTo(0.235, 2);
    expect(placed(driver)).toEqual([]);
    expect(market?.askReason?.code).toBe('collar_fair');
  });
});
