// A kill whose requests hang: each is made anew long before it is given up, and what it did counts.

import { describe, expect, it } from 'vitest';
import type { RequestId } from '../../../src/domain/ids.ts';
import { EngineDriver } from '../../support/engine-driver.ts';

function killed(): EngineDriver {
  const driver = new EngineDriver();
  driver.start();
  driver.healthyBook();
  driver.tick();
  driver.acceptPlacements();
  driver.operator('kill');
  return driver;
}

function answer(driver: EngineDriver, requestId: RequestId, cancelled: number): void {
  const outcome = { kind: 'accepted', cancelled, failed: 0 } as const;
  driver.tell({ kind: 'cancelled', requestId, outcome });
}

describe('a kill', () => {
  it('cancels again when nobody has answered for a second and a half, and then at growing distances', () => {
    const driver = killed();
    driver.run(1_400);
    expect(driver.take('cancelAll')).toHaveLength(1);
    driver.run(300);
    expect(driver.take('cancelAll')).toHaveLength(1);
    driver.run(2_500);
    expect(driver.take('cancelAll')).toHaveLength(0);
    driver.run(700);
    expect(driver.take('cancelAll')).toHaveLength(1);
  });

  it('looks again when the list does not come, and is confirmed by the next one', () => {
    const driver = killed();
    driver.run(200, () => driver.answerCancels());
    driver.take('readOpenOrders');
    driver.run(1_700);
    expect(driver.reported('kill.confirmed')).toEqual([]);
    driver.run(4_000, () => driver.answerReads([]));
    expect(driver.reported('kill.confirmed')).toHaveLength(1);
  });

  it('counts what a cancel did whose answer came after the next one had left', () => {
    const driver = killed();
    driver.run(1_700);
    const [first, second] = driver.take('cancelAll');
    if (!first || !second) throw new Error('the cancel was made anew');
    answer(driver, second.requestId, 0);
    answer(driver, first.requestId, 2);
    driver.run(4_000, () => driver.answerReads([]));
    expect(driver.reported('kill.confirmed')).toMatchObject([{ cancelled: 2 }]);
  });

  it('gives a venue that is slow twice the time that its last answer took', () => {
    const driver = killed();
    driver.run(1_400);
    const [first] = driver.take('cancelAll');
    if (!first) throw new Error('a cancel left');
    answer(driver, first.requestId, 2);
    driver.run(100);
    expect(driver.take('readOpenOrders').length).toBeGreaterThan(0);
    const left = driver.nowMs;
    while (driver.take('readOpenOrders').length === 0 && driver.nowMs < left + 9_000) driver.tick();
    expect(driver.nowMs - left).toBeGreaterThan(2_500);
  });
});
