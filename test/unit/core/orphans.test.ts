// Orders of the account that this core never sent.

import { describe, expect, it } from 'vitest';
import { orderHash } from '../../../src/domain/ids.ts';
import { shares } from '../../../src/domain/shares.ts';
import { EngineDriver, reportOf, settings } from '../../support/engine-driver.ts';

const STRANGER = orderHash('0x5747');

/** An order just like our own bid shows up on the venue beside it. */
function withStranger(orphans: 'cancel' | 'adopt') {
  const driver = new EngineDriver();
  driver.start(settings({ orders: { ...settings().orders, orphans } }));
  driver.healthyBook();
  driver.tick();
  const [bid, ask] = driver.acceptPlacements();
  if (bid === undefined || ask === undefined) throw new Error('a bid and an ask were placed');
  const listed = [
    reportOf(STRANGER, bid.order),
    reportOf(bid.hash, bid.order),
    reportOf(ask.hash, ask.order),
  ];
  driver.run(6_000, () => driver.answerReads(listed));
  const requests = driver.take('cancelOrders');
  const cancelled = requests.flatMap((each) => each.orderHashes);
  return { driver, listed, requests, cancelled, bid };
}

describe('an order that was never sent from here', () => {
  it.each(['cancel', 'adopt'] as const)('is reported once, by policy %s', (orphans) => {
    const { driver } = withStranger(orphans);
    expect(driver.reported('order.orphan')).toMatchObject([{ orderHash: STRANGER }]);
  });

  it('is cancelled whatever it offers, and no order of ours', () => {
    expect(withStranger('cancel').cancelled).toEqual([STRANGER]);
  });

  it('is cancelled again when its cancel failed and it is still seen', () => {
    const { driver, listed, requests } = withStranger('cancel');
    let unanswered = requests;
    driver.run(12_000, () => {
      for (const { requestId } of unanswered) {
        const outcome = { kind: 'accepted', cancelled: 0, failed: 1 } as const;
        driver.tell({ kind: 'cancelled', requestId, outcome });
      }
      unanswered = driver.take('cancelOrders');
      driver.answerReads(listed);
    });
    const states = driver.reported('order.moved').filter((each) => each.orderHash === STRANGER);
    expect(states.filter((each) => each.signal === 'cancelSent').length).toBeGreaterThan(1);
  });

  it('is planned with like any order of ours where it is adopted: one of two alike is too many', () => {
    const { cancelled, bid } = withStranger('adopt');
    expect(cancelled).toHaveLength(1);
    expect([STRANGER, bid.hash]).toContain(cancelled[0]);
  });

  it('does not lend its hash to an unknown order that is like it', () => {
    const driver = new EngineDriver();
    driver.start();
    driver.healthyBook();
    driver.tick();
    const [write] = driver.placements();
    const [order] = write?.orders ?? [];
    if (!write || !order) throw new Error('orders were placed');
    const outcome = { kind: 'unknown', cause: 'timeout', detail: 'test' } as const;
    const outcomes = write.orders.map(({ intentId }) => ({ intentId, outcome }));
    driver.tell({ kind: 'placed', requestId: write.requestId, outcomes });
    driver.update(STRANGER, order, { status: 'OPEN', filled: 0, remaining: 20 });
    const listed = [{ ...reportOf(STRANGER, order), quantity: shares(20) }];
    driver.run(2_000, () => driver.answerReads(listed));
    driver.run(12_000, () => driver.answerReads([]));
    expect(driver.reported('order.orphan')).toHaveLength(1);
    expect(driver.reported('order.filled')).toEqual([]);
    const found = driver.reported('order.moved').filter(({ from }) => from === 'unknown');
    expect(found.filter(({ orderHash: hash }) => hash === STRANGER)).toEqual([]);
  });
});
