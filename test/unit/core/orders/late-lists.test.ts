// A venue acknowledges an order, and a list that was asked for after that does not show it yet: it is read
// from a copy that is seconds behind. The order is there, and no second one is put in its place.

import { describe, expect, it } from 'vitest';
import type { OrderReport } from '../../../../src/domain/order.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import {
  balances,
  EngineDriver,
  GRID,
  level,
  NO,
  reportOf,
  YES,
} from '../../../support/engine-driver.ts';

/** Lists and balances show what was so long ago; the book moves every 1.35 s. */
function bidsAtMost(lagMs: number): number {
  const driver = new EngineDriver();
  driver.start();
  let open: OrderReport[] = [];
  let middle = 50;
  let most = 0;
  const shown: { readonly atMs: number; readonly open: readonly OrderReport[] }[] = [];
  const book = () => {
    driver.book(YES, [level(middle - 2, 500)], [level(middle + 2, 500)]);
    driver.book(NO, [], []);
  };
  const serve = () => {
    if (driver.nowMs % 1_000 === 0) book();
    const named = driver.answerCancels();
    open = open.filter(({ orderHash }) => !named.includes(orderHash));
    for (const { order, hash } of driver.acceptPlacements()) open.push(reportOf(hash, order));
    most = Math.max(most, open.filter(({ tokenId }) => tokenId === YES).length);
    shown.push({ atMs: driver.nowMs, open: [...open] });
    while ((shown[1]?.atMs ?? driver.nowMs) <= driver.nowMs - lagMs && shown.length > 1)
      shown.shift();
    const then = shown[0]?.open ?? [];
    const held = then.reduce(
      (sum, { price, quantity }) => sum + (price / GRID.ticksPerUnit) * (quantity / 1e6),
      0,
    );
    driver.answerReads(then, balances({ usdcOnHold: usdc(held.toFixed(6)) }));
  };
  for (let move = 0; move < 200; move += 1) {
    middle = 45 + ((move * 7) % 11);
    book();
    driver.run(1_350, serve);
  }
  return most;
}

const BUSY = {
  kind: 'refused',
  refusal: { code: 'internal_error', message: '', httpStatus: 500, retryAfterMs: undefined },
} as const;
const UNANSWERED = { kind: 'unknown', cause: 'timeout', detail: 'reset' } as const;

describe('a list that is behind what was acknowledged', () => {
  it.each([0, 1_000, 2_000])('leads to no second order of a side, %d ms', (lagMs) => {
    expect(bidsAtMost(lagMs)).toBe(1);
  });

  it('ends no order whose cancel failed, as of one that is not open yet', () => {
    const driver = new EngineDriver();
    driver.start();
    driver.healthyBook();
    driver.tick();
    const open = driver.acceptPlacements().map(({ hash }) => hash);
    driver.book(YES, [level(40, 500)], [level(44, 500)]);
    driver.run(1_500, () => {
      driver.answerCancels(open);
      driver.answerReads([]);
    });
    expect(driver.engine.view().ordersByState).toMatchObject({ cancelled: 0, absent: 0 });
    driver.run(10_000, () => {
      driver.answerCancels(open);
      driver.answerReads([]);
    });
    expect(driver.engine.view().ordersByState.cancelled).toBe(2);
  });

  it('ends no order whose cancel never left, and the next cancel does', () => {
    const driver = new EngineDriver();
    driver.start();
    driver.healthyBook();
    driver.tick();
    const open = driver.acceptPlacements().map(({ order, hash }) => reportOf(hash, order));
    expect(open).toHaveLength(2);
    driver.book(YES, [level(40, 500)], [level(44, 500)]);
    driver.tick();
    for (const { requestId } of driver.take('cancelOrders')) {
      const outcome = { kind: 'notSent', detail: '64 cancels under way' } as const;
      driver.tell({ kind: 'cancelled', requestId, outcome });
    }
    // The cancel is tried again and not answered yet, and a list of before both orders comes.
    driver.run(1_000, () => driver.answerReads([]));
    expect(driver.engine.view().ordersByState).toMatchObject({ cancelling: 2, cancelled: 0 });
    expect([...driver.answerCancels()].toSorted()).toEqual(
      open.map(({ orderHash }) => orderHash).toSorted(),
    );
    expect(driver.engine.view().ordersByState.cancelled).toBe(2);
  });

  it.each([
    ['never left, of one that is shown as open', { kind: 'notSent', detail: '64 under way' }, true],
    ['is not answered', UNANSWERED, false],
    ['is not answered, of one that is shown as open', UNANSWERED, true],
    ['is refused with all others', BUSY, false],
  ] as const)('ends no order whose cancel %s', (_, outcome, isShown) => {
    const driver = new EngineDriver();
    driver.start();
    driver.healthyBook();
    driver.tick();
    const open = driver.acceptPlacements();
    driver.run(100);
    for (const { order, hash } of isShown ? open : [])
      driver.update(hash, order, { status: 'OPEN' });
    driver.book(YES, [level(40, 500)], [level(44, 500)]);
    driver.tick();
    for (const { requestId } of driver.take('cancelOrders'))
      driver.tell({ kind: 'cancelled', requestId, outcome });
    driver.run(1_000, () => driver.answerReads([]));
    expect(driver.engine.view().ordersByState).toMatchObject({ cancelled: 0, absent: 0 });
    // Whatever is true of them by then, the next cancels are answered and end them.
    const hashes = open.map(({ hash }) => hash);
    driver.run(10_000, () => {
      driver.answerCancels(hashes);
      driver.answerReads([]);
    });
    expect(driver.engine.view().ordersByState).toMatchObject({ cancelled: 2 });
  });
});
