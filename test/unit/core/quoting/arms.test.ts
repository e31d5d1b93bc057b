import { describe, expect, it } from 'vitest';
import type { MarketArms } from '../../../../src/domain/arms.ts';
import { orderHash, requestId } from '../../../../src/domain/ids.ts';
import type { Level } from '../../../../src/domain/message.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { EngineDriver, level, MARKET, NO, settings, YES } from '../../../support/engine-driver.ts';

const ARMED = settings({ orders: { ...settings().orders, armedCancels: true } });

/** Two quotes rest around a book of 48 and 52: a bid at 48 and an ask at 52, as a BUY of NO at 48. */
function quoting(value = ARMED, bids: readonly Level[] = [level(48, 500), level(46, 500)]) {
  const driver = new EngineDriver();
  driver.start(value);
  driver.book(YES, bids, [level(52, 500), level(55, 500)]);
  driver.book(NO, [], []);
  driver.tick();
  const [bid, ask] = driver.acceptPlacements();
  driver.tick();
  if (bid === undefined || ask === undefined) throw new Error('both sides are quoted');
  return { driver, bid: bid.hash, ask: ask.hash, order: bid.order };
}

function standing({ armed }: EngineDriver): MarketArms | undefined {
  const last = armed.at(-1);
  return last?.kind === 'arm' ? last.arms : undefined;
}

function fire(driver: EngineDriver, side: 'bids' | 'asks') {
  const arms = standing(driver);
  const arm = arms?.[side];
  if (arms === undefined || arm === undefined) throw new Error(`${side} are armed`);
  const orderHashes = arm.orders.map((each) => each.orderHash);
  const { marketId, version } = arms;
  const { requestId: request } = arm;
  driver.step({
    kind: 'fired',
    atMs: unixMs(driver.nowMs),
    ...{ marketId, version, requestId: request, orderHashes },
  });
  return { request, orderHashes };
}

describe('what a plan arms', () => {
  it('is each quote with the last middle at which it is right', () => {
    const { driver, bid, ask } = quoting();
    const arms = standing(driver);
    expect(arms?.marketId).toBe(MARKET);
    expect([arms?.bid, arms?.ask]).toEqual([48, 52]);
    expect(arms?.bids?.orders).toEqual([{ orderHash: bid, rightTo: 100 }]);
    expect(arms?.asks?.orders).toEqual([{ orderHash: ask, rightTo: 100 }]);
  });

  it('leaves the room of a tolerance, and half a tick of a middle that the strategy rounds', () => {
    const orders = { ...ARMED.orders, priceToleranceTicks: 2 };
    const { driver } = quoting({ ...ARMED, orders }, [level(47, 500), level(46, 500)]);
    // A middle of 49.5: the target of the bid is 47 until it falls below 49, and may lie 2 above it.
    expect(standing(driver)?.bids?.orders[0]?.rightTo).toBe(2 * (49 - 2));
    expect(standing(driver)?.asks?.orders[0]?.rightTo).toBe(2 * (50 + 2));
  });

  it('knows what is behind the best level of others where one token alone shows it', () => {
    const { driver } = quoting();
    expect(standing(driver)?.askEnd).toEqual({ tokenId: YES, side: 'ask', price: 52, next: 55 });
    driver.book(NO, [level(48, 10)], []);
    driver.tick();
    expect(standing(driver)?.askEnd).toBeUndefined();
  });

  it('is nothing where the setting is off', () => {
    const { driver } = quoting(settings());
    expect(driver.armed).toEqual([]);
  });

  it('is not said again while nothing of it changes', () => {
    const { driver } = quoting();
    const before = driver.armed.length;
    driver.bid(YES, level(40, 7));
    driver.tick();
    driver.tick(2_000);
    expect(driver.armed.length).toBe(before);
    driver.bid(YES, level(49, 500));
    driver.tick();
    expect(driver.armed.length).toBe(before + 1);
    expect(standing(driver)?.version).toBeGreaterThan(0);
  });

  it('leaves out an order that has traded in part, which the venue may refuse to cancel', () => {
    const { driver, bid, order } = quoting();
    driver.update(bid, order, { status: 'PARTIALLY_FILLED', filled: 5, remaining: 45 });
    driver.tick();
    expect(standing(driver)?.bids).toBeUndefined();
    expect(standing(driver)?.asks?.orders).toHaveLength(1);
  });

  it('leaves out an order whose cancel has failed before', () => {
    const { driver } = quoting();
    const { request } = fire(driver, 'bids');
    const failed = { kind: 'accepted', cancelled: 0, failed: 1 } as const;
    driver.tell({ kind: 'cancelled', requestId: request, outcome: failed });
    driver.tick();
    expect(standing(driver)?.bids).toBeUndefined();
  });

  it.each(['pause', 'kill', 'shutdown'] as const)('ends with a %s', (kind) => {
    const { driver } = quoting();
    driver.operator(kind);
    driver.tick();
    expect(driver.armed.at(-1)).toEqual({ kind: 'disarm', marketId: undefined });
  });

  it('ends when the ledger cannot be written, and when the account has no session', () => {
    const { driver } = quoting();
    driver.ledgerFault('no space left');
    driver.tick();
    expect(driver.armed.at(-1)).toEqual({ kind: 'disarm', marketId: undefined });
    const other = quoting().driver;
    other.tell({ kind: 'socketLost', reason: 'gone' });
    other.tick();
    expect(other.armed.at(-1)).toEqual({ kind: 'disarm', marketId: undefined });
  });

  it('ends for a market whose book cannot be trusted', () => {
    const { driver } = quoting();
    driver.tell({ kind: 'bookUnreadable', tokenId: YES, detail: 'size: not a number' });
    driver.tick();
    expect(driver.armed.at(-1)).toEqual({ kind: 'disarm', marketId: MARKET });
  });
});

describe('a cancel that has fired', () => {
  it('is under way as any other: it is not sent again, and its answer ends the order', () => {
    const { driver, bid } = quoting();
    const { request, orderHashes } = fire(driver, 'bids');
    expect(orderHashes).toEqual([bid]);
    driver.bid(YES, { price: level(48, 0).price, size: level(48, 0).size });
    driver.tick();
    const named = driver.take('cancelOrders').flatMap((each) => each.orderHashes);
    expect(named).not.toContain(bid);
    expect(driver.engine.view().ordersByState.cancelling).toBeGreaterThan(0);
    const done = { kind: 'accepted', cancelled: 1, failed: 0 } as const;
    driver.tell({ kind: 'cancelled', requestId: request, outcome: done });
    expect(driver.engine.view().ordersByState.cancelled).toBe(1);
  });

  it('is kept in the ledger', () => {
    const { driver, bid } = quoting();
    driver.records.length = 0;
    fire(driver, 'bids');
    const kept = driver.records.flatMap((each) => (each.kind === 'order' ? [each.order] : []));
    expect(kept.map((each) => [each.orderHash, each.state])).toEqual([[bid, 'cancelling']]);
  });

  it('was right where the decision behind it does not want the order either', () => {
    const { driver } = quoting();
    fire(driver, 'bids');
    driver.bid(YES, level(48, 0));
    driver.tick();
    expect(driver.engine.view().armed).toEqual({
      ...{ fired: 1, right: 1, wrong: 0 },
      ...{ placed: 0, unwanted: 0 },
    });
  });

  it('was wrong where the decision would have left it, and the next one waits for more', () => {
    const { driver } = quoting();
    fire(driver, 'bids');
    driver.tick();
    expect(driver.engine.view().armed).toEqual({
      ...{ fired: 1, right: 0, wrong: 1 },
      ...{ placed: 0, unwanted: 0 },
    });
    driver.acceptPlacements();
    driver.answerCancels();
    driver.tick();
    expect(standing(driver)?.asks?.orders[0]?.rightTo).toBe(101);
  });

  it('takes another request the next time', () => {
    const { driver } = quoting();
    const { request } = fire(driver, 'asks');
    driver.tell({
      kind: 'cancelled',
      requestId: request,
      outcome: { kind: 'accepted', cancelled: 1, failed: 0 },
    });
    driver.tick();
    driver.acceptPlacements();
    driver.tick();
    expect(standing(driver)?.asks?.requestId).not.toBe(request);
  });

  it('of an order that has ended meanwhile changes nothing but its own answer', () => {
    const { driver } = quoting();
    const version = 1;
    driver.step({
      kind: 'fired',
      atMs: unixMs(driver.nowMs),
      marketId: MARKET,
      version,
      requestId: requestId(9_999),
      orderHashes: [orderHash('0xdead')],
    });
    driver.tick();
    expect(driver.engine.view().ordersByState.cancelling).toBe(0);
  });

  it('pauses a market whose targets do not follow the middle, after it was wrong time and again', () => {
    const { driver } = quoting();
    for (let round = 0; round < 5; round += 1) {
      const { request } = fire(driver, 'bids');
      driver.tick();
      driver.tell({
        kind: 'cancelled',
        requestId: request,
        outcome: { kind: 'accepted', cancelled: 1, failed: 0 },
      });
      driver.tick();
      driver.acceptPlacements();
      driver.tick();
    }
    expect(driver.armed.at(-1)).toEqual({ kind: 'disarm', marketId: MARKET });
    expect(driver.engine.view().armed?.wrong).toBe(5);
  });
});
