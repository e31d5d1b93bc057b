// Every state that may end has a deadline, and missing it has the consequence that the table states.

import { describe, expect, it } from 'vitest';
import { type DeadlineTiming, pastDeadline } from '../../../../src/core/orders/deadlines.ts';
import type { OwnOrder } from '../../../../src/core/orders/own-order.ts';
import { orderHash } from '../../../../src/domain/ids.ts';
import {
  LIVE_STATES,
  type LiveState,
  ORDER_ENDS,
  ORDER_MOVES,
} from '../../../../src/domain/order.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import { balances, EngineDriver, reportOf, YES } from '../../../support/engine-driver.ts';
import { ownOrder } from '../../../support/own-orders.ts';

const BORN_MS = 1_000_000;
const TIMING: DeadlineTiming = {
  answerMs: 25_000,
  reconcileMs: 5_000,
  slotUntilMs: (order) => unixMs(order.sentAtMs + 37_000),
};

/** When each state has lasted too long, in ms after it began. */
const LASTS_MS: Readonly<Record<LiveState, number>> = {
  intended: 25_000,
  sending: 25_000,
  unknown: 37_000,
  resting: 20_000,
  partiallyFilled: 20_000,
  cancelling: 25_000,
  cancelUnresolved: 20_000,
  matched: 60_000,
  settling: 60_000,
};

function aged(state: OwnOrder['state']): OwnOrder {
  return ownOrder({ state, sentAtMs: unixMs(BORN_MS), stateSinceMs: unixMs(BORN_MS) });
}

describe('the deadline of a state', () => {
  it.each(LIVE_STATES)('of %s passes in its time, and not before', (state) => {
    const order = aged(state);
    const lastMs = BORN_MS + LASTS_MS[state];
    expect(pastDeadline(order, unixMs(lastMs - 1), TIMING)).toBe(undefined);
    expect(pastDeadline(order, unixMs(lastMs), TIMING)).toBe(ORDER_MOVES[state].deadline.remedy);
  });

  it.each(ORDER_ENDS)('does not exist for %s', (state) => {
    expect(pastDeadline(aged(state), unixMs(BORN_MS * 2), TIMING)).toBe(undefined);
  });

  it('is put off by every sight of the order, and asked about again while there is none', () => {
    const order = { ...aged('resting'), seenAtMs: unixMs(BORN_MS + 15_000) };
    expect(pastDeadline(order, unixMs(BORN_MS + 34_999), TIMING)).toBe(undefined);
    const reminded = { ...order, remindedAtMs: unixMs(BORN_MS + 35_000) };
    expect(pastDeadline(reminded, unixMs(BORN_MS + 39_999), TIMING)).toBe(undefined);
    expect(pastDeadline(reminded, unixMs(BORN_MS + 40_000), TIMING)).toBe('readOrders');
  });
});

function quoting(): EngineDriver {
  const driver = new EngineDriver();
  driver.start();
  driver.healthyBook();
  driver.tick();
  return driver;
}

const states = (driver: EngineDriver) => driver.engine.view().ordersByState;

describe('a core whose venue does not answer', () => {
  it('takes a placement for unknown when its answer is past the deadline, and resends nothing', () => {
    const driver = quoting();
    expect(states(driver)).toMatchObject({ intended: 2, sending: 0 });
    driver.tick();
    expect(states(driver)).toMatchObject({ intended: 0, sending: 2 });
    const [write] = driver.placements();
    driver.run(24_500, () => driver.answerReads([]));
    expect(states(driver).sending).toBe(2);
    driver.run(1_000, () => driver.answerReads([]));
    expect(states(driver)).toMatchObject({ sending: 0, unknown: 2 });
    expect(driver.reported('order.past_deadline')[0]).toMatchObject({
      state: 'sending',
      remedy: 'noAnswer',
    });
    expect(driver.placements()).toEqual([]);
    // The answer comes after all: it is still the answer.
    const outcomes = (write?.orders ?? []).map((order, index) => ({
      intentId: order.intentId,
      outcome: { kind: 'accepted', orderHash: orderHash(`0xbb${index}`) } as const,
    }));
    if (write) driver.tell({ kind: 'placed', requestId: write.requestId, outcomes });
    expect(states(driver)).toMatchObject({ unknown: 0, resting: 2 });
  });

  it('asks for the list until an unknown placement gives its slot back, and then once more', () => {
    const driver = quoting();
    driver.answerPlacements({ kind: 'unknown', cause: 'timeout', detail: 'x' });
    driver.run(9_000, () => driver.answerReads([]));
    expect(states(driver).unknown).toBe(2);
    driver.run(3_000, () => driver.answerReads([]));
    expect(driver.reported('order.moved').filter((each) => each.to === 'absent')).toHaveLength(2);
  });

  it('calls a cancel without an answer unconfirmed, and cancels again', () => {
    const driver = quoting();
    const live = driver.acceptPlacements();
    const listed = live.map(({ hash, order }) => reportOf(hash, order));
    driver.book(YES, [], []);
    driver.tick();
    expect(states(driver).cancelling).toBe(2);
    expect(driver.take('cancelOrders')).toHaveLength(1);
    driver.run(26_000, () => driver.answerReads(listed));
    expect(driver.reported('order.past_deadline')[0]).toMatchObject({
      state: 'cancelling',
      remedy: 'noAnswer',
    });
    driver.run(6_000, () => driver.answerReads(listed));
    expect(driver.take('cancelOrders').length).toBeGreaterThan(0);
  });

  it('asks for resting orders again and again when lists fail', () => {
    const driver = quoting();
    driver.acceptPlacements();
    let asked = 0;
    driver.run(60_000, () => {
      for (const { requestId } of driver.take('readOpenOrders')) {
        asked += 1;
        const outcome = { kind: 'unknown', cause: 'timeout', detail: 'x' } as const;
        const askedAtMs = unixMs(driver.nowMs);
        driver.tell({ kind: 'openOrders', requestId, askedAtMs, outcome });
      }
    });
    expect(asked).toBeGreaterThan(10);
    expect(states(driver).resting).toBe(2);
    expect(driver.reported('order.past_deadline')[0]).toMatchObject({
      state: 'resting',
      remedy: 'readOrders',
    });
  });
});

describe('an order that matched', () => {
  const settled = (tradeId: string, quantity: number) =>
    ({
      kind: 'tradeSettled',
      tradeId,
      side: 'BUY',
      tokenId: YES,
      marketId: undefined,
      price: usdc('0.48'),
      quantity: shares(quantity),
    }) as const;

  function matched() {
    const driver = quoting();
    const [bid] = driver.acceptPlacements();
    if (bid === undefined) throw new Error('a bid was placed');
    driver.update(bid.hash, bid.order, { status: 'MATCHED', remaining: 0 });
    return { driver, bid };
  }

  it('is matched until some of it settles, settling until all of it has, and then filled', () => {
    const { driver } = matched();
    expect(states(driver)).toMatchObject({ matched: 1, settling: 0 });
    driver.tell(settled('t-1', 20));
    expect(states(driver)).toMatchObject({ matched: 0, settling: 1 });
    driver.tell(settled('t-2', 30));
    expect(states(driver)).toMatchObject({ settling: 0, filled: 1 });
  });

  it('is in doubt when the chain refuses it, and ends when a cancel and a list say that it rests nowhere', () => {
    const { driver, bid } = matched();
    const failed = { reason: 'reverted', marketId: undefined, side: 'BUY' } as const;
    driver.tell({ kind: 'tradeFailed', ...failed, quantity: shares(50) });
    expect(states(driver)).toMatchObject({ matched: 0, cancelUnresolved: 1 });
    driver.tick();
    driver.answerCancels([bid.hash]);
    driver.run(3_000, () => driver.answerReads([]));
    expect(states(driver)).toMatchObject({ matched: 0, cancelUnresolved: 0, cancelled: 1 });
  });

  it('asks for balances when settlement is past the deadline, and ends when they show it', () => {
    const { driver, bid } = matched();
    const { tokenId } = bid.order;
    const held = { tokenId, onHoldShareAmount: shares(0), shareAmount: shares(50) };
    const market = driver.engine.view().markets[0];
    if (market === undefined) throw new Error('there is one market');
    const positions = [{ ...held, marketId: market.marketId }];
    driver.run(62_000, () => driver.answerReads([]));
    expect(driver.reported('order.past_deadline').map((each) => each.remedy)).toContain(
      'readBalances',
    );
    expect(states(driver).matched).toBe(1);
    const account = balances({ cashBalance: usdc(9_976), positions });
    driver.run(20_000, () => driver.answerReads([], account));
    expect(states(driver)).toMatchObject({ matched: 0, filled: 1 });
  });
});
