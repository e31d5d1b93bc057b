// In the own scope, a placement whose answer was lost, on a venue that may have restated it.

import { expect, it } from 'vitest';
import { orderHash } from '../../../../src/domain/ids.ts';
import type { LimitOrder, OrderReport } from '../../../../src/domain/order.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { EngineDriver, reportOf, settings, YES } from '../../../support/engine-driver.ts';

const CAPPED = orderHash('0xca00');

type Scope = 'account' | 'own';

/** The answer to a bid is lost, and lists show what `listed` makes of it. */
function lost(
  listed: (bid: LimitOrder, sentAtMs: number) => readonly OrderReport[],
  scope: Scope = 'own',
) {
  const driver = new EngineDriver();
  driver.start({ ...settings(), orders: { ...settings().orders, scope } });
  driver.tell({ kind: 'clockOffset', offsetMs: 0, roundTripMs: 10 });
  driver.healthyBook();
  driver.tick();
  const sentAtMs = driver.nowMs;
  const sent = driver.answerPlacements({ kind: 'unknown', cause: 'timeout', detail: 'x' });
  const bid = sent.find(({ side, tokenId }) => side === 'BUY' && tokenId === YES);
  if (bid === undefined) throw new Error('a bid was placed');
  const cancelled: string[] = [];
  driver.run(120_000, () => {
    cancelled.push(...driver.answerCancels());
    driver.answerReads(
      listed(bid, sentAtMs).filter((report) => !cancelled.includes(report.orderHash)),
    );
  });
  return { driver, bid, cancelled };
}

const capped = (bid: LimitOrder, createdAtMs?: number): OrderReport => ({
  ...reportOf(CAPPED, bid),
  quantity: shares(20),
  createdAtMs: createdAtMs === undefined ? undefined : unixMs(createdAtMs),
});
const told = ({ driver }: ReturnType<typeof lost>) => driver.reported('order.possibly_own');

it('is reported once with what came just then, and that is left alone', () => {
  const scene = lost((bid) => [capped(bid)]);
  expect(told(scene)).toEqual([
    {
      event: 'order.possibly_own',
      tokenId: YES,
      side: 'BUY',
      price: '0.48',
      quantity: '50',
      orderHashes: [CAPPED],
      count: 1,
    },
  ]);
  expect(scene.cancelled).toEqual([]);
});

it.each([
  ['in the second it was sent', 1_000, 1],
  ['long before', -60_000, 0],
  ['when it could arrive no more', 200_000, 0],
])('may be an order that came into being %s, or not', (_when, afterMs, count) => {
  const scene = lost((bid, sentAtMs) => [capped(bid, sentAtMs + afterMs)]);
  expect(told(scene)).toHaveLength(count);
});

it('is no order on the other side', () => {
  expect(told(lost((bid) => [{ ...capped(bid), side: 'SELL' }]))).toEqual([]);
});

it('needs no word where it is found as it was sent', () => {
  const found = (bid: LimitOrder) => [reportOf(orderHash('0xf0'), bid), capped(bid)];
  expect(told(lost(found))).toEqual([]);
});

it('needs no word where all of the account is ours: it is cancelled', () => {
  const scene = lost((bid) => [capped(bid)], 'account');
  expect(told(scene)).toEqual([]);
  expect(scene.cancelled).toEqual([CAPPED]);
});
