// What the venue shows is evidence only of the time it was shown for, and of the order it fits.

import { describe, expect, it } from 'vitest';
import { type OrderHash, orderHash } from '../../../src/domain/ids.ts';
import type { LimitOrder, OrderReport } from '../../../src/domain/order.ts';
import { shares } from '../../../src/domain/shares.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import {
  balances,
  EngineDriver,
  level,
  NO,
  reportOf,
  settings,
  YES,
} from '../../support/engine-driver.ts';

function quoting(change: Parameters<typeof settings>[0] = {}): EngineDriver {
  const driver = new EngineDriver();
  driver.start(settings(change));
  driver.healthyBook();
  driver.tick();
  return driver;
}

const view = (driver: EngineDriver) => driver.engine.view();
const states = (driver: EngineDriver) => view(driver).ordersByState;

/** The answers of one batch, item by item. */
function answer(driver: EngineDriver, outcomeOf: (index: number) => 'accepted' | 'missing') {
  const [write] = driver.placements();
  if (!write) throw new Error('something was placed');
  const outcomes = write.orders.map((order, index) => ({
    intentId: order.intentId,
    outcome:
      outcomeOf(index) === 'accepted'
        ? ({ kind: 'accepted', orderHash: orderHash(`0xc${index}`) } as const)
        : ({ kind: 'unknown', cause: 'missing', detail: 'no item' } as const),
  }));
  driver.tell({ kind: 'placed', requestId: write.requestId, outcomes });
  return write.orders;
}

function list(driver: EngineDriver, value: readonly OrderReport[], askedAtMs = driver.nowMs): void {
  for (const { requestId } of driver.take('readOpenOrders')) {
    const outcome = { kind: 'ok', value } as const;
    driver.tell({ kind: 'openOrders', requestId, askedAtMs: unixMs(askedAtMs), outcome });
  }
}

const moved = (driver: EngineDriver, hash: OrderHash) =>
  driver.reported('order.moved').filter((each) => each.orderHash === hash);

describe('a batch that is answered in half', () => {
  it('leaves just the items without an answer unknown, and resends none while they keep their slots', () => {
    const driver = quoting();
    const orders = answer(driver, (index) => (index === 0 ? 'accepted' : 'missing'));
    expect(states(driver)).toMatchObject({ resting: 1, unknown: 1 });
    const [first] = orders;
    if (!first) throw new Error('a bid was placed');
    driver.run(9_000, () => driver.answerReads([reportOf(orderHash('0xc0'), first)]));
    expect(states(driver)).toMatchObject({ resting: 1, unknown: 1 });
    expect(driver.placements()).toEqual([]);
  });

  it('finds the item that did arrive by what it is, and only that one', () => {
    const driver = quoting();
    const [first, second] = answer(driver, () => 'missing');
    if (!first || !second) throw new Error('a bid and an ask were placed');
    const found = orderHash('0xf00d');
    driver.run(2_000, () => driver.answerReads([reportOf(found, second)]));
    expect(states(driver)).toMatchObject({ resting: 1, unknown: 1 });
    expect(moved(driver, found).at(-1)).toMatchObject({ to: 'resting', side: second.side });
  });
});

describe('an order that is just like an intent without an answer', () => {
  function unknown(offsetMs = 0) {
    const driver = new EngineDriver();
    driver.tell({ kind: 'clockOffset', offsetMs, roundTripMs: 10 });
    driver.start();
    // The venue stamps its frames by its own clock.
    driver.book(YES, [level(48, 500)], [level(52, 500)], -offsetMs);
    driver.book(NO, [], [], -offsetMs);
    driver.tick();
    const [bid] = driver.answerPlacements({ kind: 'unknown', cause: 'timeout', detail: 'x' });
    if (!bid) throw new Error('a bid was placed');
    return { driver, bid, sentAtMs: driver.nowMs };
  }

  const created = (order: LimitOrder, createdAtMs: number): OrderReport => ({
    ...reportOf(orderHash('0xbeef'), order),
    createdAtMs: unixMs(createdAtMs),
  });

  it('is somebody else’s when it was there before the intent was sent', () => {
    const { driver, bid, sentAtMs } = unknown();
    driver.run(1_000, () => driver.answerReads([created(bid, sentAtMs - 60_000)]));
    expect(driver.reported('order.external')).toMatchObject([{ orderHash: '0xbeef' }]);
    expect(states(driver).unknown).toBe(2);
  });

  it('is somebody else’s when it came after the intent could arrive', () => {
    const { driver, bid, sentAtMs } = unknown();
    driver.run(1_000, () => driver.answerReads([created(bid, sentAtMs + 120_000)]));
    expect(driver.reported('order.external')).toHaveLength(1);
    expect(states(driver).unknown).toBe(2);
  });

  it('is the intent when it came in its time, by the clock of the venue', () => {
    const { driver, bid, sentAtMs } = unknown(300_000);
    driver.run(1_000, () => driver.answerReads([created(bid, sentAtMs + 300_500)]));
    expect(driver.reported('order.external')).toEqual([]);
    expect(states(driver)).toMatchObject({ unknown: 1, resting: 1 });
  });
});

describe('the proof of a kill', () => {
  it('waits longer for an unanswered placement that a fast clock dated ahead', () => {
    const kill = (offsetMs: number): number => {
      const driver = quoting();
      driver.answerPlacements({ kind: 'unknown', cause: 'timeout', detail: 'x' });
      driver.tell({ kind: 'clockOffset', offsetMs, roundTripMs: 10 });
      const startedAtMs = driver.nowMs;
      driver.operator('kill');
      for (let turn = 0; turn < 2_000 && view(driver).phase !== 'killed'; turn += 1) {
        driver.answerReads([]);
        driver.answerCancels();
        driver.tick(250);
      }
      return driver.nowMs - startedAtMs;
    };
    const usualMs = kill(0);
    expect(usualMs).toBeGreaterThan(36_000);
    expect(kill(-20_000) - usualMs).toBeGreaterThan(19_000);
  });
});

describe('an answer that is older than another', () => {
  it('says nothing about open orders any more', () => {
    const driver = quoting();
    const [bid, ask] = driver.acceptPlacements();
    if (!bid || !ask) throw new Error('a bid and an ask were placed');
    const both = [reportOf(bid.hash, bid.order), reportOf(ask.hash, ask.order)];
    // A read that hangs is given up after a minute, and another one is sent.
    driver.run(6_000);
    const [hung] = driver.take('readOpenOrders');
    const hungAtMs = driver.nowMs;
    driver.run(70_000, () => list(driver, both));
    const outcome = { kind: 'ok', value: [] } as const;
    if (!hung) throw new Error('a list was asked for');
    for (let told = 0; told < 3; told += 1) {
      const { requestId } = hung;
      driver.tell({ kind: 'openOrders', requestId, askedAtMs: unixMs(hungAtMs), outcome });
    }
    expect(states(driver).resting).toBe(2);
    expect(driver.take('readOpenOrders')).toEqual([]);
  });

  it('does not take cash back to what it was', () => {
    const driver = quoting();
    driver.run(6_000);
    const [hung] = driver.take('readBalances');
    const hungAtMs = driver.nowMs;
    if (!hung) throw new Error('balances were asked for');
    const now = balances({ cashBalance: usdc(9_000), availableBalance: usdc(9_000) });
    driver.run(80_000, () => driver.answerReads(driver.openReports(), now));
    expect(view(driver).account.cashUsdc).toBe('9000.000000');
    const { requestId } = hung;
    const outcome = { kind: 'ok', value: balances() } as const;
    driver.tell({ kind: 'balances', requestId, askedAtMs: unixMs(hungAtMs), outcome });
    expect(view(driver).account.cashUsdc).toBe('9000.000000');
  });
});

describe('shares whose settlement failed', () => {
  it('count as live again when the venue lets them rest again', () => {
    const driver = quoting();
    const [bid, ask] = driver.acceptPlacements();
    if (!bid || !ask) throw new Error('a bid and an ask were placed');
    const listed = [reportOf(bid.hash, bid.order), reportOf(ask.hash, ask.order)];
    driver.update(bid.hash, bid.order, { status: 'PARTIALLY_FILLED', filled: 20, remaining: 30 });
    const failed = { reason: 'reverted', marketId: undefined, side: 'BUY' } as const;
    driver.tell({ kind: 'tradeFailed', ...failed, quantity: shares(20) });
    // They may rest again, and so they count as if they did before any list says so.
    expect(view(driver).markets[0]?.ownBids).toMatchObject([{ quantity: '50' }]);
    expect(view(driver).markets[0]?.positionYes).toBe('0');
    driver.run(10_000, () => {
      driver.answerPlacements({ kind: 'notSent', detail: 'nothing more leaves in this test' });
      driver.answerReads(listed);
    });
    expect(view(driver).markets[0]?.ownBids).toMatchObject([{ quantity: '50' }]);
    // It trades for good now, and is counted once.
    driver.update(bid.hash, bid.order, { status: 'FILLED', filled: 50, remaining: 0 });
    expect(view(driver).markets[0]?.positionYes).toBe('50');
  });
});

describe('found by the simulation', () => {
  it('stormy 3 and 9: the rest of an order counts when its cancel overtook a match', () => {
    const driver = quoting({
      risk: {
        ...settings().risk,
        maxPositionShares: 60,
        maxUncertainShares: 500,
      },
    });
    const [bid] = driver.acceptPlacements();
    if (!bid) throw new Error('a bid was placed');
    driver.book(YES, [level(44, 500)], [level(48, 500)]);
    driver.book(NO, [], []);
    driver.tick();
    driver.answerCancels();
    driver.run(1_000, () => driver.answerReads([]));
    // Cancelled, says the answer; what had traded before, nobody has said. 50 more would be too many.
    const bids = driver.placements().flatMap((each) => each.orders);
    expect(bids.filter((each) => each.side === 'BUY' && each.tokenId === YES)).toEqual([]);
    driver.update(bid.hash, bid.order, { status: 'CANCELLED', filled: 0 });
    driver.run(3_000, () => driver.answerReads([]));
    const after = driver.placements().flatMap((each) => each.orders);
    expect(after.filter((each) => each.side === 'BUY' && each.tokenId === YES)).toHaveLength(1);
  });

  it('stormy 4: an update of an unknown placement is of the one of its own quantity', () => {
    const driver = new EngineDriver();
    driver.start(
      settings({
        markets: [
          {
            event: 'rain',
            market: undefined,
            strategy: 'ladder',
            params: { halfSpreadTicks: 2, levels: 1, levelSpacingTicks: 1, size: 50 },
          },
        ],
      }),
    );
    driver.healthyBook();
    driver.tick();
    const [one] = driver.answerPlacements({ kind: 'unknown', cause: 'timeout', detail: 'x' });
    if (!one) throw new Error('a bid was placed');
    // The same price again, for more shares: the target quotes has grown.
    const bigger = { halfSpreadTicks: 2, levels: 1, levelSpacingTicks: 1, size: 120 };
    driver.settings(
      settings({
        markets: [{ event: 'rain', market: undefined, strategy: 'ladder', params: bigger }],
      }),
    );
    driver.run(500, () => driver.answerReads([]));
    const more = driver.answerPlacements({ kind: 'unknown', cause: 'timeout', detail: 'x' });
    const two = more.find((each) => each.price === one.price && each.tokenId === one.tokenId);
    if (!two) throw new Error('more of the bid was placed');
    expect(two.quantity).not.toBe(one.quantity);
    const hash = orderHash('0x70');
    driver.update(hash, two, { status: 'OPEN', filled: 0, remaining: two.quantity / 1e6 });
    driver.run(8_000, () => driver.answerReads([]));
    const found = moved(driver, hash);
    expect(found[0]).toMatchObject({ from: 'unknown', quantity: String(two.quantity / 1e6) });
  });
});

describe('a list that was asked for before an order was accepted', () => {
  it('confirms no kill, though its answer comes after that of the placement', () => {
    const driver = quoting();
    driver.operator('kill');
    driver.run(4_000, () => {
      driver.answerCancels();
      list(driver, []);
    });
    // The placement has been slow: it is answered while a list without its orders is in flight.
    driver.run(300);
    const asked = driver.nowMs;
    const [look] = driver.take('readOpenOrders');
    if (!look) throw new Error('a list was asked for');
    driver.nowMs += 20;
    const accepted = driver.acceptPlacements();
    expect(accepted.length).toBeGreaterThan(0);
    const outcome = { kind: 'ok', value: [] } as const;
    const { requestId } = look;
    driver.tell({ kind: 'openOrders', requestId, askedAtMs: unixMs(asked - 300), outcome });
    expect(driver.reported('kill.confirmed')).toEqual([]);
    expect(view(driver).phase).toBe('killing');

    let open: readonly OrderReport[] = driver.openReports();
    driver.run(8_000, () => {
      list(driver, open);
      if (driver.sent.some(({ kind }) => kind === 'cancelAll')) open = [];
      driver.answerCancels();
    });
    expect(driver.reported('kill.confirmed')).toHaveLength(1);
  });
});

describe('an update of an order that nobody knows', () => {
  it('is about no placement that left after it, however alike', () => {
    const [like] = quoting().acceptPlacements();
    if (!like) throw new Error('something rests');
    const driver = new EngineDriver();
    driver.start(settings());
    // An earlier placement like it was delivered twice, and the channel tells of the other one.
    const other = orderHash('0xdd');
    driver.update(other, like.order, { status: 'OPEN', filled: 0, remaining: 50 });
    driver.run(1_000);
    driver.healthyBook();
    driver.tick();
    const orders = answer(driver, () => 'missing');
    expect(orders[0]).toMatchObject({ price: like.order.price, quantity: like.order.quantity });
    driver.run(8_000, () => list(driver, []));
    expect(moved(driver, other)).toEqual([]);
    expect(states(driver)).toMatchObject({ resting: 0, unknown: 2 });
  });
});

describe('lists that show nothing for a moment, as of a venue that changes over', () => {
  /** Orders that lists have shown for long, and balances that were read before they were placed. */
  function resting() {
    const driver = quoting({ timing: { ...settings().timing, balancesMs: 300_000 } });
    const orders = driver.acceptPlacements();
    driver.run(12_000, () => list(driver, driver.openReports()));
    expect(states(driver)).toMatchObject({ resting: 2 });
    const lockedUsdc =
      orders.reduce((sum, { order }) => sum + order.price * order.quantity, 0) / 1e8;
    return { driver, lockedUsdc };
  }

  it('bring no second order where balances lock what the first ones need', () => {
    const { driver, lockedUsdc } = resting();
    const locking = balances({
      availableBalance: usdc(10_000 - lockedUsdc),
      usdcOnHold: usdc(lockedUsdc),
    });
    driver.run(20_000, () => driver.answerReads([], locking));
    expect(driver.placements()).toEqual([]);
    expect(states(driver)).toMatchObject({ resting: 2 });
  });

  it('bring none within two seconds, whatever balances say', () => {
    const { driver } = resting();
    let missedAtMs = Number.POSITIVE_INFINITY;
    driver.run(8_000, () => {
      if (driver.sent.some(({ kind }) => kind === 'readOpenOrders'))
        missedAtMs = Math.min(missedAtMs, driver.nowMs);
      if (driver.nowMs < missedAtMs + 1_900) {
        list(driver, []);
        expect(driver.placements()).toEqual([]);
      } else list(driver, driver.openReports());
    });
    expect(states(driver)).toMatchObject({ resting: 2 });
  });
});
