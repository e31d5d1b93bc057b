// A placement is known by the hash of one that a list showed, and its late answer names another one.

import { describe, expect } from 'vitest';
import { type OrderHash, orderHash } from '../../../../src/domain/ids.ts';
import type { LimitOrder } from '../../../../src/domain/order.ts';
import { EngineDriver, listing, reportOf, settings, YES } from '../../../support/engine-driver.ts';
import { ListedAccount } from '../../../support/listed-account.ts';
import { it } from '../../../support/runs.ts';

const SHOWN = orderHash('0x5747');
const ANSWERED = orderHash('0x0175');
const ASK = orderHash('0xa5c0');

type Scope = 'account' | 'own';
const SCOPES: readonly Scope[] = ['account', 'own'];

const scoped = (scope: Scope) => ({
  ...settings(),
  orders: { ...settings().orders, scope },
});

/** The bid has no answer yet and is taken for what the list shows; the ask rests. */
function adopted(scope: Scope) {
  const driver = new EngineDriver();
  driver.start(scoped(scope));
  driver.healthyBook();
  driver.tick();
  const [write] = driver.placements();
  const bid = write?.orders.find((order) => order.side === 'BUY' && order.tokenId === YES);
  const ask = write?.orders.find((order) => order !== bid);
  if (!write || !bid || !ask) throw new Error('a bid and an ask were placed');
  const outcomes = [
    {
      intentId: bid.intentId,
      outcome: { kind: 'unknown', cause: 'timeout', detail: 'x' } as const,
    },
    { intentId: ask.intentId, outcome: { kind: 'accepted', orderHash: ASK } as const },
  ];
  driver.tell({ kind: 'placed', requestId: write.requestId, outcomes });
  const account = new ListedAccount(driver, 'accepts');
  account.open = [reportOf(SHOWN, bid), reportOf(ASK, ask)];
  account.run(6_000);
  const answer = (hash: OrderHash) =>
    driver.tell({
      kind: 'placed',
      requestId: write.requestId,
      outcomes: [{ intentId: bid.intentId, outcome: { kind: 'accepted', orderHash: hash } }],
    });
  return { driver, account, bid, answer };
}

const states = (driver: EngineDriver) => driver.engine.view().ordersByState;
const position = (driver: EngineDriver) => driver.engine.view().markets[0]?.positionYes;
const bidsOf = (account: ListedAccount, bid: LimitOrder) =>
  account.open.filter(({ tokenId, price }) => tokenId === YES && price === bid.price);

describe('an order that its late answer names otherwise', () => {
  it.for(SCOPES)('counts beside the one that was shown, and is reported, %s', (scope) => {
    const { driver, answer } = adopted(scope);
    expect(states(driver).resting).toBe(2);
    answer(ANSWERED);
    expect(states(driver).resting).toBe(3);
    expect(driver.reported('order.anomaly')).toMatchObject([
      { orderHash: SHOWN, signal: 'ack', detail: expect.stringContaining(ANSWERED) },
    ]);
  });

  it.for(SCOPES)('does not rest beside it: one of the two is cancelled, %s', (scope) => {
    const { driver, account, bid, answer } = adopted(scope);
    answer(ANSWERED);
    account.open.push(reportOf(ANSWERED, bid));
    account.run(8_000);
    expect(bidsOf(account, bid)).toHaveLength(1);
    expect(account.cancelled).toHaveLength(1);
    expect(driver.reported('order.anomaly')).toHaveLength(1);
  });

  it.for(SCOPES)('has what it trades counted apart from what the other trades, %s', (scope) => {
    const { driver, bid, answer } = adopted(scope);
    driver.update(SHOWN, bid, { status: 'PARTIALLY_FILLED', filled: 20, remaining: 30 });
    driver.update(ANSWERED, bid, { status: 'PARTIALLY_FILLED', filled: 10, remaining: 40 });
    answer(ANSWERED);
    expect(position(driver)).toBe('30');
    driver.update(SHOWN, bid, { status: 'FILLED', filled: 50, remaining: 0 });
    expect(position(driver)).toBe('60');
  });

  it.for(SCOPES)('is ours, too, where a list had shown it as nobody’s before, %s', (scope) => {
    const { driver, account, bid, answer } = adopted(scope);
    driver.operator('pause');
    account.run(1_000);
    account.open.push(reportOf(ANSWERED, bid));
    driver.run(6_000, () => driver.answerReads(account.open));
    answer(ANSWERED);
    const kept = driver.records.findLast(
      (each) => each.kind === 'order' && each.order.orderHash === ANSWERED,
    );
    expect(kept).toMatchObject({ order: { isExternal: false } });
    account.run(6_000);
    expect(account.open.map((each) => each.orderHash)).not.toContain(ANSWERED);
  });

  it('is cancelled by a next run, and so is the other', ({ runs }) => {
    const { driver, bid, answer } = adopted('own');
    answer(ANSWERED);
    driver.tick();
    const next = new ListedAccount(runs.restored(driver, scoped('own')), 'accepts');
    next.open = [reportOf(SHOWN, bid), reportOf(ANSWERED, bid)];
    next.driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
    next.driver.tell({ kind: 'socketOpened' });
    next.driver.tell({ kind: 'authenticated' });
    next.run(4_000);
    expect(next.cancelled).toEqual(expect.arrayContaining([SHOWN, ANSWERED]));
  });

  it('changes nothing where it names the same', () => {
    const { driver, answer } = adopted('account');
    answer(SHOWN);
    expect(states(driver).resting).toBe(2);
    expect(driver.reported('order.anomaly')).toEqual([]);
  });
});

describe('an answer that names another order of ours which still rests', () => {
  /** Its ask has traded, and the answer to the next ask names the bid. */
  function mixedUp() {
    const driver = new EngineDriver();
    driver.start(settings());
    driver.healthyBook();
    driver.tick();
    const resting = driver.acceptPlacements();
    const bid = resting.find(({ order }) => order.side === 'BUY' && order.tokenId === YES);
    const ask = resting.find((each) => each !== bid);
    if (!bid || !ask) throw new Error('a bid and an ask rest');
    driver.update(ask.hash, ask.order, { status: 'CANCELLED' });
    driver.run(2_000);
    const [write] = driver.placements();
    const next = write?.orders[0];
    if (!write || !next || write.orders.length > 1) throw new Error('the ask is placed again');
    const outcome = { kind: 'accepted', orderHash: bid.hash } as const;
    driver.tell({
      kind: 'placed',
      requestId: write.requestId,
      outcomes: [{ intentId: next.intentId, outcome }],
    });
    return { driver, bid, next };
  }

  it('leaves its own outcome unknown, and that other one as it is', () => {
    const { driver, bid } = mixedUp();
    expect(states(driver)).toMatchObject({ resting: 1, unknown: 1 });
    expect(driver.reported('order.anomaly')).toMatchObject([
      { signal: 'ack', detail: expect.stringContaining(bid.hash) },
    ]);
    driver.update(bid.hash, bid.order, { status: 'PARTIALLY_FILLED', filled: 20, remaining: 30 });
    expect(position(driver)).toBe('20');
  });

  it('is found by what it asks for in the next list, and quoted on', () => {
    const { driver, bid, next } = mixedUp();
    const account = new ListedAccount(driver, 'accepts');
    const found = orderHash('0xf0');
    account.open = [reportOf(bid.hash, bid.order), reportOf(found, next)];
    account.run(8_000);
    expect(states(driver)).toMatchObject({ resting: 2, unknown: 0 });
    expect(account.open.map((each) => each.orderHash).toSorted()).toEqual(
      [bid.hash, found].toSorted(),
    );
  });
});
