// Two orders on the venue that are alike to the last digit, and only one of them can be ours: where others
// trade on the account, ours may not be left, none is taken for ours twice, and what is cancelled is told.

import { describe, expect } from 'vitest';
import { type OrderHash, orderHash } from '../../../../src/domain/ids.ts';
import type { CoreSettings } from '../../../../src/domain/input.ts';
import type { LimitOrder, OrderReport } from '../../../../src/domain/order.ts';
import { tickGrid, ticks } from '../../../../src/domain/ticks.ts';
import { EngineDriver, listing, reportOf, settings, YES } from '../../../support/engine-driver.ts';
import { toldBook } from '../../../support/listed-account.ts';
import { it } from '../../../support/runs.ts';

const EXTERNAL = orderHash('0x5747');
const OURS = orderHash('0x0175');
const ASK = orderHash('0xa5c0');
/** What is sent is taken for 37 s by these settings, and a list after that is the last that may show it. */
const OVER_MS = 45_000;

const own = (): CoreSettings => ({ ...settings(), orders: { ...settings().orders, scope: 'own' } });

/** The venue as it is: it lists what rests, and a cancel takes away what it names. */
class Account {
  readonly driver: EngineDriver;
  readonly cancelled: string[] = [];
  open: OrderReport[] = [];

  constructor(driver: EngineDriver) {
    this.driver = driver;
  }

  /** Orders like this one rest. */
  add(order: LimitOrder, ...hashes: readonly OrderHash[]): void {
    for (const hash of hashes) this.open.push(reportOf(hash, order));
  }

  run(durationMs: number): void {
    this.driver.run(durationMs, () => this.#serve());
  }

  get left(): readonly string[] {
    return this.open.map((each) => each.orderHash);
  }

  #serve(): void {
    const { driver } = this;
    // A fresh book: what is wanted stays where it is.
    if (driver.nowMs % 1_000 === 0) driver.healthyBook();
    for (const { requestId, orderHashes } of driver.take('cancelOrders')) {
      const named = new Set<string>(orderHashes);
      const gone = this.open.filter((each) => named.has(each.orderHash));
      this.open = this.open.filter((each) => !named.has(each.orderHash));
      this.cancelled.push(...gone.map((each) => each.orderHash));
      const failed = orderHashes.length - gone.length;
      const outcome = { kind: 'accepted', cancelled: gone.length, failed } as const;
      driver.tell({ kind: 'cancelled', requestId, outcome });
    }
    for (const { order, hash } of driver.acceptPlacements()) this.add(order, hash);
    driver.answerReads(this.open);
  }
}

/** A bid of ours has no answer, and its ask rests. */
function unanswered(value = own()): { account: Account; bid: LimitOrder } {
  const driver = new EngineDriver();
  driver.start(value);
  driver.healthyBook();
  driver.tick();
  const account = new Account(driver);
  return { account, bid: loseAnswer(account) };
}

/** The venue says nothing of the bid that was just sent, and accepts all the others. */
function loseAnswer(account: Account): LimitOrder {
  const [write] = account.driver.placements();
  const bid = write?.orders.find((order) => order.side === 'BUY' && order.tokenId === YES);
  if (write === undefined || bid === undefined) throw new Error('a bid was placed');
  const outcomes = write.orders.map((order) => {
    const { intentId } = order;
    if (order === bid) {
      return { intentId, outcome: { kind: 'unknown', cause: 'timeout', detail: 'x' } } as const;
    }
    account.add(order, ASK);
    return { intentId, outcome: { kind: 'accepted', orderHash: ASK } } as const;
  });
  account.driver.tell({ kind: 'placed', requestId: write.requestId, outcomes });
  return bid;
}

const told = ({ driver }: Account) =>
  driver.reported('order.external').map((each) => each.orderHash);
const found = ({ driver }: Account) =>
  driver.reported('order.moved').filter(({ from, to }) => from === 'unknown' && to === 'resting');

describe('two orders alike, and one of ours without an answer', () => {
  it.each([
    [EXTERNAL, OURS],
    [OURS, EXTERNAL],
  ])('one is taken for it, the other is cancelled and reported: %s before %s', (first, second) => {
    const { account, bid } = unanswered();
    account.add(bid, first, second);
    account.run(2_000);
    expect(found(account)).toMatchObject([{ orderHash: first }]);
    expect(account.cancelled).toEqual([second]);
    expect(told(account)).toEqual([second]);
  });

  it('ours that comes later is not left beside the one that was taken for it', () => {
    const { account, bid } = unanswered();
    account.add(bid, EXTERNAL);
    account.run(10_000);
    expect(found(account)).toMatchObject([{ orderHash: EXTERNAL }]);
    expect(account.cancelled).toEqual([]);
    account.add(bid, OURS);
    account.run(10_000);
    expect(account.cancelled).toEqual([OURS]);
    expect(told(account)).toEqual([OURS]);
    expect(found(account)).toHaveLength(1);
  });

  it('what comes when ours can arrive no more is somebody else’s, and is left alone', () => {
    const { account, bid } = unanswered();
    account.add(bid, OURS);
    account.run(OVER_MS);
    account.add(bid, EXTERNAL);
    account.run(10_000);
    expect(account.cancelled).toEqual([]);
    expect(account.driver.engine.view().ordersOfOthers).toBe(1);
  });

  it('the reports of an external order that is taken for ours leaves ours no less', () => {
    const { account, bid } = unanswered();
    account.driver.update(EXTERNAL, bid, { status: 'OPEN', filled: 0, remaining: 50 });
    account.run(10_000);
    account.add(bid, EXTERNAL, OURS);
    account.run(10_000);
    expect(account.cancelled).toEqual([OURS]);
  });
});

describe('a kill while one of two orders alike may be ours', () => {
  it('cancels both', () => {
    const { account, bid } = unanswered();
    account.add(bid, EXTERNAL, OURS);
    account.driver.operator('kill');
    account.run(OVER_MS + 5_000);
    expect(account.left).toEqual([]);
    expect(account.driver.reported('kill.confirmed')).toMatchObject([{ leftAlone: 0 }]);
  });

  it('is confirmed no earlier than ours can arrive no more, and cancels it', () => {
    const { account, bid } = unanswered();
    account.add(bid, EXTERNAL);
    account.driver.operator('kill');
    account.run(25_000);
    expect(account.left).toEqual([]);
    expect(account.driver.engine.view().phase).toBe('killing');
    account.add(bid, OURS);
    account.run(20_000);
    expect(account.cancelled).toEqual([ASK, EXTERNAL, OURS]);
    expect(account.driver.engine.view().phase).toBe('killed');
  });

  it('leaves alone what was somebody else’s before anything like it was sent', () => {
    const { bid } = unanswered();
    const driver = new EngineDriver();
    driver.start(own());
    const later = new Account(driver);
    later.add(bid, EXTERNAL);
    driver.operator('pause');
    later.run(6_000);
    expect(told(later)).toEqual([EXTERNAL]);
    driver.operator('resume');
    driver.healthyBook();
    for (let turn = 0; turn < 100 && driver.sent.every(isNoPlacement); turn += 1) driver.tick();
    const again = loseAnswer(later);
    expect(again).toMatchObject({ price: bid.price, quantity: bid.quantity });
    later.add(again, OURS);
    later.run(6_000);
    expect(found(later)).toMatchObject([{ orderHash: OURS }]);
    driver.operator('kill');
    later.run(OVER_MS);
    expect(later.left).toEqual([EXTERNAL]);
    expect(driver.engine.view().phase).toBe('killed');
  });

  it('waits no longer where the whole account is meant', () => {
    const { account, bid } = unanswered(settings());
    account.add(bid, OURS);
    account.run(5_000);
    account.open = [];
    account.driver.operator('kill');
    account.driver.run(3_000, () => {
      account.driver.answerCancels();
      account.driver.answerReads([]);
    });
    expect(account.driver.engine.view().phase).toBe('killed');
  });
});

describe('whoever comes after a daemon that took one of two for its own', () => {
  it('the guard looks for the other as long as it may come', () => {
    const { account, bid } = unanswered();
    account.add(bid, EXTERNAL);
    account.run(5_000);
    const book = toldBook(account.driver);
    const both = [reportOf(EXTERNAL, bid), reportOf(OURS, bid)];
    const onFinestGrid = both.map((each) => ({ ...each, price: milli(each.price) }));
    expect(book.among(onFinestGrid)).toHaveLength(2);
    account.run(OVER_MS);
    expect(toldBook(account.driver).among(onFinestGrid)).toHaveLength(1);
    expect(toldBook(account.driver).unansweredSinceMs).toBeUndefined();
  });

  it('the next run leaves neither', ({ runs }) => {
    const { account, bid } = unanswered();
    account.add(bid, EXTERNAL);
    account.run(5_000);
    const next = nextRun(runs.restored(account.driver, own()));
    next.add(bid, EXTERNAL, OURS);
    next.run(4_000);
    expect(next.cancelled).toEqual(expect.arrayContaining([EXTERNAL, OURS]));
    expect(next.open.filter(isBefore)).toEqual([]);
  });

  it('the next run leaves neither where nobody had seen one before the catalogue', ({ runs }) => {
    const { account, bid } = unanswered();
    const driver = runs.restored(account.driver, own());
    const next = new Account(driver);
    next.add(bid, EXTERNAL, OURS);
    driver.tell({ kind: 'socketOpened' });
    driver.tell({ kind: 'authenticated' });
    next.run(1_000);
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
    next.run(4_000);
    expect(next.cancelled).toEqual(expect.arrayContaining([EXTERNAL, OURS]));
    expect(next.open.filter(isBefore)).toEqual([]);
  });

  it('the next run leaves neither where nobody had seen one', ({ runs }) => {
    const { account, bid } = unanswered();
    const next = nextRun(runs.restored(account.driver, own()));
    next.add(bid, EXTERNAL, OURS);
    next.run(4_000);
    expect(next.cancelled).toEqual(expect.arrayContaining([EXTERNAL, OURS]));
    expect(next.open.filter(isBefore)).toEqual([]);
  });
});

const isNoPlacement = ({ kind }: { readonly kind: string }) => kind !== 'placeOrders';

const isBefore = ({ orderHash: hash }: OrderReport) => hash === EXTERNAL || hash === OURS;

function nextRun(driver: EngineDriver): Account {
  driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
  driver.tell({ kind: 'socketOpened' });
  driver.tell({ kind: 'authenticated' });
  return new Account(driver);
}

/** Without a catalogue a list is read in thousandths. */
function milli(price: OrderReport['price']): OrderReport['price'] {
  return ticks(tickGrid('0.001'), price * 10);
}
