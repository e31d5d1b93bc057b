// A list that was read before the catalogue counts prices on the finest grid, and may be taken in after it.

import { expect, it } from 'vitest';
import { orderHash } from '../../../../src/domain/ids.ts';
import type { OrderReport } from '../../../../src/domain/order.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../../src/domain/ticks.ts';
import { EngineDriver, NO, reportOf } from '../../../support/engine-driver.ts';

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
  expect(driver.reported('order.external')).toHaveLength(1);
  expect(driver.answerCancels()).toContain('0xdead');
});

it('says of a price that is on no grid of its market where it counts, and the rest of the list stays a list', () => {
  // A computed price of a market order, or an order from before the tick size changed.
  const driver = listing(strange(295));
  expect(driver.reported('order.external')).toHaveLength(1);
  expect(driver.answerCancels()).toContain('0xdead');
});

it('confirms a kill when such an order is gone, and none while it rests', () => {
  const driver = new EngineDriver();
  driver.start();
  driver.operator('kill');
  const run = (open: readonly OrderReport[]) =>
    driver.run(3_000, () => {
      driver.answerReads(open);
      driver.answerCancels();
    });
  run([strange(295)]);
  expect(driver.reported('kill.confirmed')).toEqual([]);
  run([]);
  expect(driver.reported('kill.confirmed')).toHaveLength(1);
});

it('takes no order off the grid for a placement of ours without an answer', () => {
  const driver = new EngineDriver();
  driver.start();
  driver.healthyBook();
  driver.tick();
  const orders = driver.answerPlacements({ kind: 'unknown', cause: 'timeout', detail: '' });
  const [bid] = orders;
  if (bid === undefined) throw new Error('a bid was placed');
  const like = { ...reportOf(orderHash('0xdead'), bid), ticksPerUnit: 1_000 } as const;
  const off = { ...like, price: ticks(tickGrid('0.001'), bid.price) };
  driver.run(6_000, () => driver.answerReads([off]));
  expect(driver.reported('order.external')).toHaveLength(1);
  expect(driver.answerCancels()).toContain('0xdead');
});
