import { describe, expect } from 'vitest';
import { orderHash, tokenId } from '../../../src/domain/ids.ts';
import type { OrderReport } from '../../../src/domain/order.ts';
import { shares } from '../../../src/domain/shares.ts';
import { ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import {
  EngineDriver,
  GRID,
  listing,
  reportOf,
  settings,
  YES,
} from '../../support/engine-driver.ts';
import { it } from '../../support/runs.ts';

const EXTERNAL = orderHash('0x5747');

const others: OrderReport = {
  orderHash: EXTERNAL,
  tokenId: YES,
  side: 'BUY',
  price: ticks(GRID, 20),
  quantity: shares(70),
  executed: shares(0),
  status: 'OPEN',
  createdAtMs: undefined,
};

/** One on a market that nobody here quotes. */
const elsewhere: OrderReport = {
  ...others,
  orderHash: orderHash('0x5748'),
  tokenId: tokenId('0x9999'),
};

function own(risk = {}) {
  const base = settings();
  return {
    ...base,
    risk: { ...base.risk, ...risk },
    orders: { ...base.orders, scope: 'own' as const },
  };
}

/** The venue lists what it has; cancels take away just what they name. */
class Account {
  readonly driver: EngineDriver;
  open: OrderReport[];
  readonly cancelled: string[] = [];

  constructor(driver: EngineDriver, open: readonly OrderReport[]) {
    this.driver = driver;
    this.open = [...open];
  }

  serve(): void {
    const { driver } = this;
    for (const { requestId, orderHashes } of driver.take('cancelOrders')) {
      const named = new Set<string>(orderHashes);
      const gone = this.open.filter((each) => named.has(each.orderHash));
      this.open = this.open.filter((each) => !named.has(each.orderHash));
      this.cancelled.push(...gone.map((each) => each.orderHash));
      const failed = orderHashes.length - gone.length;
      const outcome = { kind: 'accepted', cancelled: gone.length, failed } as const;
      driver.tell({ kind: 'cancelled', requestId, outcome });
    }
    for (const { order, hash } of driver.acceptPlacements()) {
      this.open.push(reportOf(hash, order));
    }
    driver.answerReads(this.open);
  }

  run(durationMs: number): void {
    this.driver.run(durationMs, () => this.serve());
  }
}

function started(open: readonly OrderReport[] = [others, elsewhere], risk = {}): Account {
  const driver = new EngineDriver();
  const account = new Account(driver, open);
  driver.settings(own(risk));
  driver.tell({ kind: 'socketOpened' });
  driver.tell({ kind: 'authenticated' });
  account.run(3_000);
  driver.healthyBook();
  account.run(6_000);
  return account;
}

const allSent = (driver: EngineDriver) => driver.take('cancelAll');

describe('a daemon that cancels its own orders only', () => {
  it('starts beside the orders of others, tells of each once, and quotes', () => {
    const { driver, open, cancelled } = started();
    expect(driver.reported('start.cleared')).toMatchObject([{ scope: 'own', leftAlone: 2 }]);
    expect(cancelled).toEqual([]);
    expect(open).toHaveLength(4);
    expect(allSent(driver)).toEqual([]);
    expect(driver.reported('order.external')).toHaveLength(2);
    expect(driver.engine.view()).toMatchObject({ cancelScope: 'own', ordersOfOthers: 2 });
  });

  it('never meets the order of somebody else on the account, and quotes right behind it', () => {
    const nearer = { ...others, side: 'SELL' as const, price: ticks(GRID, 45) };
    const { driver, open } = started([nearer]);
    const [market] = driver.engine.view().markets;
    const own = open.filter(({ orderHash: each }) => each !== EXTERNAL);
    // That order asks 0.45 for YES: a bid for YES goes to 0.44 at most.
    expect(own.filter(({ tokenId }) => tokenId === YES).map(({ price }) => price)).toEqual([44]);
    expect(own).toHaveLength(2);
    expect(market).toMatchObject({ bidReason: undefined, askReason: undefined });
  });

  it('says that it is in the way where the grid has no price behind it', () => {
    const { driver } = started([{ ...others, side: 'SELL' as const, price: ticks(GRID, 1) }]);
    const [market] = driver.engine.view().markets;
    expect(market?.bidReason).toMatchObject({ code: 'order_of_others_met' });
    expect(market?.bidReason?.detail).toContain(`${EXTERNAL} at 0.01`);
    expect(market?.askReason).toBeUndefined();
  });

  it.each(['kill', 'shutdown'] as const)('names its orders one by one at a %s', (order) => {
    const account = started();
    account.driver.operator(order);
    account.run(3_000);
    const { driver, open, cancelled } = account;
    expect(driver.reported('kill.confirmed')).toMatchObject([
      { scope: 'own', leftAlone: 2, cancelled: 2 },
    ]);
    expect(cancelled).toHaveLength(2);
    expect(open.map((each) => each.orderHash)).toEqual([EXTERNAL, elsewhere.orderHash]);
    expect(allSent(driver)).toEqual([]);
  });

  it('pauses without touching others, and counts them as long as they rest', () => {
    const account = started();
    account.driver.operator('pause');
    account.run(2_000);
    expect(account.open.map((each) => each.orderHash)).toEqual([EXTERNAL, elsewhere.orderHash]);
    account.open = [];
    account.run(12_000);
    expect(account.driver.engine.view().ordersOfOthers).toBe(0);
  });

  it('counts an order of somebody else no more when its settlement failed and no list shows it', () => {
    const account = started([others]);
    const { driver } = account;
    const update = { ...others, marketId: undefined, filledQuantity: shares(0) };
    const matched = { ...update, status: 'MATCHED', remaining: shares(0) } as const;
    driver.tell({ kind: 'orderUpdate', update: matched });
    const failed = { reason: 'reverted', marketId: undefined, side: 'BUY' } as const;
    driver.tell({ kind: 'tradeFailed', ...failed, quantity: others.quantity });
    expect(driver.engine.view().ordersOfOthers).toBe(1);
    account.open = account.open.filter((each) => each.orderHash !== EXTERNAL);
    account.run(12_000);
    expect(driver.engine.view()).toMatchObject({ ordersOfOthers: 0 });
    expect(driver.engine.view().ordersByState).toMatchObject({ cancelUnresolved: 0 });
    expect(account.cancelled).not.toContain(EXTERNAL);
  });

  it('counts the orders of others where limits bind the account', () => {
    const { open } = started([others, elsewhere], { maxOpenOrders: 3 });
    expect(open).toHaveLength(3);
  });

  it('does not take the quotes of others for its own', () => {
    const { driver } = started([others], { maxOpenOrders: 1 });
    const [market] = driver.engine.view().markets;
    expect(market?.ownBids).toEqual([]);
    expect(market?.bidReason?.code).toBe('max_open_orders');
  });

  it('does not quote into an order of somebody else on its account', () => {
    const ask = { ...others, side: 'SELL', price: ticks(GRID, 47) } as const;
    const account = started([ask]);
    const bids = account.open.filter((each) => each.side === 'BUY' && each.tokenId === YES);
    expect(bids.every((each) => each.price < 47)).toBe(true);
  });

  it('cancels what turns out to be its own: an intent without an answer', () => {
    const driver = new EngineDriver();
    driver.start(own());
    driver.healthyBook();
    driver.tick();
    const [bid] = driver.answerPlacements({ kind: 'unknown', cause: 'timeout', detail: 'x' });
    if (!bid) throw new Error('a bid was placed');
    const account = new Account(driver, [others, reportOf(orderHash('0x1a7e'), bid)]);
    driver.operator('kill');
    account.run(45_000);
    expect(account.cancelled).toEqual(['0x1a7e']);
    expect(driver.reported('kill.confirmed')).toHaveLength(1);
  });

  it('cancels at a kill what a list shows only when it could arrive no more', () => {
    const driver = new EngineDriver();
    driver.start(own());
    driver.healthyBook();
    driver.tick();
    const [bid] = driver.answerPlacements({ kind: 'unknown', cause: 'timeout', detail: 'x' });
    if (!bid) throw new Error('a bid was placed');
    const account = new Account(driver, [others]);
    account.run(20_000);
    account.open.push(reportOf(orderHash('0x1a7e'), bid));
    driver.operator('kill');
    driver.run(25_000, () => {
      driver.answerCancels();
      for (const { requestId } of driver.take('readOpenOrders')) {
        const askedAtMs = unixMs(driver.nowMs);
        const outcome = { kind: 'notSent', detail: 'no answer in 10000 ms' } as const;
        driver.tell({ kind: 'openOrders', requestId, askedAtMs, outcome });
      }
    });
    account.run(45_000);
    expect(account.cancelled).toContain('0x1a7e');
    expect(account.cancelled).not.toContain(EXTERNAL);
    expect(driver.reported('kill.confirmed')).toHaveLength(1);
  });

  it('cancels what came back: an order of its own that had ended', () => {
    const account = started();
    const bid = account.open.find((each) => each.price === 48);
    if (!bid) throw new Error('a bid rests');
    account.open = account.open.filter((each) => each !== bid);
    account.driver.tell({
      kind: 'orderUpdate',
      update: {
        ...bid,
        marketId: undefined,
        status: 'CANCELLED',
        filledQuantity: shares(0),
        remaining: undefined,
      },
    });
    account.run(130_000);
    account.open.push(bid);
    account.run(12_000);
    expect(account.cancelled).toContain(bid.orderHash);
    expect(account.cancelled).not.toContain(EXTERNAL);
  });

  it('goes on cancelling what came back of its own when the settings leave others alone from now on', () => {
    const driver = new EngineDriver();
    driver.start();
    driver.healthyBook();
    driver.tick();
    const [bid] = driver.acceptPlacements();
    if (!bid) throw new Error('a bid rests');
    driver.operator('pause');
    driver.tick();
    driver.answerCancels();
    const account = new Account(driver, [reportOf(bid.hash, bid.order), others]);
    driver.run(6_000, () => {
      driver.answerCancels([bid.hash, EXTERNAL]);
      driver.answerReads(account.open);
    });
    driver.settings(own());
    account.run(30_000);
    expect(account.cancelled).toEqual([bid.hash]);
  });

  it('takes them for its own when the settings say so', () => {
    const account = started();
    account.driver.settings(settings());
    account.run(12_000);
    const left = account.open.map((each) => each.orderHash);
    expect(left).not.toContain(EXTERNAL);
    expect(left).not.toContain(elsewhere.orderHash);
  });
});

describe('a new run that cancels its own orders only', () => {
  it('removes what previous runs left, ended or not, and nothing else', ({ runs }) => {
    const before = started();
    const [bid, ask] = before.open.filter((each) => each.quantity !== others.quantity);
    if (!bid || !ask) throw new Error('two quotes rest');
    // One of them had ended as far as the previous run knew, and rests all the same.
    before.driver.tell({
      kind: 'orderUpdate',
      update: {
        ...ask,
        marketId: undefined,
        status: 'CANCELLED',
        filledQuantity: shares(0),
        remaining: undefined,
      },
    });
    before.driver.tick();
    const driver = runs.restored(before.driver, own());
    const account = new Account(driver, before.open);
    driver.tell({ kind: 'socketOpened' });
    driver.tell({ kind: 'authenticated' });
    account.run(4_000);
    expect(new Set(account.cancelled)).toEqual(new Set([bid.orderHash, ask.orderHash]));
    expect(driver.reported('start.cleared')).toMatchObject([{ scope: 'own', leftAlone: 2 }]);
    expect(allSent(driver)).toEqual([]);
  });

  it('knows its orders again though the tick size changed while nobody ran', ({ runs }) => {
    const before = started();
    const mine = before.open.filter((each) => each.quantity !== others.quantity);
    const driver = runs.restored(before.driver, own());
    const account = new Account(driver, before.open);
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing('0.001')] } });
    driver.tell({ kind: 'socketOpened' });
    driver.tell({ kind: 'authenticated' });
    account.run(12_000);
    expect(new Set(account.cancelled)).toEqual(new Set(mine.map((each) => each.orderHash)));
  });

  it('cancels what arrives late in a market that it does not quote any more', ({ runs }) => {
    const before = new EngineDriver();
    before.start(own());
    before.healthyBook();
    before.tick();
    const [bid] = before.answerPlacements({ kind: 'unknown', cause: 'timeout', detail: 'x' });
    if (!bid) throw new Error('a bid was placed');
    const driver = runs.restored(before, { ...own(), markets: [] });
    const account = new Account(driver, []);
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [] } });
    driver.tell({ kind: 'socketOpened' });
    driver.tell({ kind: 'authenticated' });
    account.run(12_000);
    expect(driver.reported('start.cleared')).toHaveLength(1);
    account.open.push(reportOf(orderHash('0x1a7e'), bid));
    account.run(12_000);
    expect(account.cancelled).toEqual(['0x1a7e']);
    // When nothing of ours can arrive any more, the same order is somebody else's.
    account.run(60_000);
    account.open.push(reportOf(orderHash('0x1a7f'), bid));
    account.run(12_000);
    expect(account.cancelled).toEqual(['0x1a7e']);
    runs.ledger.commit(driver.records);
    expect(runs.ledger.load().orders.filter((each) => !each.isExternal)).toEqual([]);
  });
});
