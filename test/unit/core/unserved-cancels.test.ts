// A venue whose cancel of everything fails or hangs, while its lists and its cancels by name work.

import { describe, expect, it } from 'vitest';
import { MassCancel } from '../../../src/core/session/mass-cancel.ts';
import { requestId } from '../../../src/domain/ids.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { settings } from '../../support/engine-driver.ts';
import { TerseVenue } from '../../support/terse-venue.ts';

function quoting(): TerseVenue {
  const venue = new TerseVenue(2);
  venue.start();
  expect(venue.open.size).toBe(4);
  return venue;
}

describe('a cancel of everything that the venue does not serve', () => {
  it.each(['kill', 'shutdown'] as const)(
    'leaves no order at a %s: each goes by its name',
    (order) => {
      const venue = quoting();
      venue.failing.add('account');
      venue.driver.operator(order);
      venue.run(1_000);
      expect(venue.open.size).toBe(0);
      venue.run(20_000);
      expect(venue.driver.reported('kill.confirmed')).toEqual([]);
      venue.failing.clear();
      venue.run(5_000);
      expect(venue.driver.reported('kill.confirmed')).toMatchObject([{ cancelled: 4 }]);
    },
  );

  it('leaves no order where it is never answered either', () => {
    const venue = quoting();
    venue.driver.operator('kill');
    for (let passedMs = 0; passedMs < 13_000; passedMs += 50) {
      venue.driver.take('cancelAll');
      venue.run(50);
    }
    expect(venue.open.size).toBe(0);
    expect(venue.driver.reported('kill.confirmed')).toEqual([]);
  });

  it('is asked for again at once where nobody can look either', () => {
    const venue = quoting();
    venue.failing.add('account').add('reads');
    venue.driver.operator('kill');
    venue.bulkCancels.length = 0;
    venue.run(1_000);
    expect(venue.bulkCancels.length).toBeGreaterThan(2);
  });

  it('keeps no start from quoting for longer than a list may lack an order', () => {
    const venue = new TerseVenue(2);
    venue.failing.add('account');
    venue.start(settings());
    expect(venue.open.size).toBe(0);
    venue.run(4_000);
    expect(venue.driver.reported('start.cleared')).toHaveLength(1);
    expect(venue.open.size).toBe(4);
  });

  it('is confirmed where it is served late each time, though lists are quick', () => {
    const cancel = new MassCancel(unixMs(0), { proofQuietMs: 500, proofDeadlineMs: 10_000 });
    const accepted = { kind: 'accepted', cancelled: 1, failed: 0 } as const;
    const answers = new Map<number, () => void>();
    let confirmedAtMs: number | undefined;
    for (let time = 0; time < 60_000 && confirmedAtMs === undefined; time += 50) {
      const nowMs = unixMs(time);
      answers.get(time)?.();
      const step = cancel.next(nowMs);
      if (step === 'wait') continue;
      const id = requestId(time);
      cancel.onSent({ requestId: id });
      if (step === 'cancel') {
        const atMs = time + 7_000;
        answers.set(atMs, () => cancel.onCancelled(id, accepted, unixMs(atMs)));
        continue;
      }
      const at = { nowMs, askedAtMs: nowMs, mayStillArriveUntilMs: undefined };
      const result = cancel.onOpenOrders(id, { kind: 'ok', value: [] }, at);
      if (result?.kind === 'confirmed') confirmedAtMs = time;
    }
    expect(confirmedAtMs).toBeLessThan(10_000);
  });
});

describe('cancels by name that fail, in the own scope', () => {
  it('leave a kill to be confirmed once nothing of ours is left to name', () => {
    const venue = new TerseVenue(2);
    const usual = settings();
    venue.start({ ...usual, orders: { ...usual.orders, scope: 'own' } });
    const { driver } = venue;
    expect(venue.open.size).toBe(4);
    driver.operator('kill');
    // They are cancelled, and the answer is lost.
    const failed = { kind: 'unknown', cause: 'serverError', detail: '503' } as const;
    for (let passedMs = 0; passedMs < 5_000; passedMs += 50) {
      for (const { requestId, orderHashes } of driver.take('cancelOrders')) {
        for (const hash of orderHashes) venue.end(hash);
        driver.tell({ kind: 'cancelled', requestId, outcome: failed });
      }
      venue.run(50);
    }
    expect(driver.reported('kill.confirmed')).toHaveLength(1);
  });
});
