// A list that was read before the catalogue counts prices on the finest grid, and may be taken in after it.

import { expect, it } from 'vitest';
import { orderHash } from '../../../src/domain/ids.ts';
import type { OrderReport } from '../../../src/domain/order.ts';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { EngineDriver, NO } from '../../support/engine-driver.ts';

function strange(price: number): OrderReport {
  return {
    orderHash: orderHash('0xdead'),
    tokenId: NO,
    side: 'BUY',
    price: ticks(tickGrid('0.001'), price),
    ticksPerUnit: 1_000,
    quantity: shares(20),
    executed: shares(0),
    status: 'OPEN',
    createdAtMs: undefined,
  };
}

function listing(report: OrderReport): EngineDriver {
  const driver = new EngineDriver();
  driver.start();
  driver.run(6_000, () => {
    driver.answerReads([report]);
  });
  return driver;
}

it("is taken in on the grid of each order's market", () => {
  const driver = listing(strange(290));
  expect(driver.reported('order.orphan')).toHaveLength(1);
  expect(driver.answerCancels()).toContain('0xdead');
});

it('is no list where a price is on no grid of its market', () => {
  const driver = listing(strange(295));
  expect(driver.reported('order.orphan')).toEqual([]);
});
