// A venue that takes an order of another quantity or price than was sent, and answers with its hash alone.

import { describe, expect, it } from 'vitest';
import { type OrderHash, orderHash } from '../../../../src/domain/ids.ts';
import type { LimitOrder, OrderReport } from '../../../../src/domain/order.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { EngineDriver, level, NO, reportOf, YES } from '../../../support/engine-driver.ts';
import { ListedAccount } from '../../../support/listed-account.ts';

/** The bid for 50 shares rests, by its answer. */
function resting() {
  const driver = new EngineDriver();
  driver.start();
  driver.healthyBook();
  driver.tick();
  const live = driver.acceptPlacements();
  const bid = live.find(({ order }) => order.side === 'BUY' && order.tokenId === YES);
  if (bid === undefined) throw new Error('a bid was placed');
  const others = live.filter((each) => each !== bid);
  return { driver, others, ...bid };
}

const market = (driver: EngineDriver) => driver.engine.view().markets[0];

/** What the ledger was last reported the order. */
function kept({ records }: EngineDriver, hash: OrderHash) {
  const told = records.flatMap((each) => (each.kind === 'order' ? [each.order] : []));
  return told.findLast((each) => each.orderHash === hash);
}

/** Shares of YES that may have traded without a report. */
function uncertain(driver: EngineDriver): number {
  const items = market(driver)?.positions?.yes.uncertain ?? [];
  return items.reduce((sum, each) => sum + Number(each.shares), 0);
}

const open = (driver: EngineDriver, hash: OrderHash, order: LimitOrder, remaining: number) =>
  driver.update(hash, order, { status: 'OPEN', filled: 0, remaining });

const listed = (hash: OrderHash, order: LimitOrder, quantity: number, executed = 0) => ({
  ...reportOf(hash, order, executed),
  quantity: shares(quantity),
});

describe('an order that rests with less than was sent', () => {
  it('has traded nothing by that, and is what it is from then on', () => {
    const { driver, hash, order } = resting();
    open(driver, hash, order, 20);
    driver.tick();
    expect(market(driver)?.positionYes).toBe('0');
    expect(kept(driver, hash)).toMatchObject({ quantity: shares(20) });
    expect(driver.reported('order.filled')).toEqual([]);
    expect(driver.reported('order.anomaly')).toMatchObject([
      { orderHash: hash, detail: '50 at 0.48 was sent, and the venue has 20 at 0.48' },
    ]);
  });

  it('trades no more than that', () => {
    const { driver, hash, order } = resting();
    open(driver, hash, order, 20);
    driver.update(hash, order, { status: 'MATCHED', filled: 0, remaining: 0 });
    expect(market(driver)?.positionYes).toBe('20');
  });

  it('is that for news that came before its answer, too', () => {
    const driver = new EngineDriver();
    driver.start();
    driver.healthyBook();
    driver.tick();
    const [write] = driver.placements();
    const bid = write?.orders.find(({ side, tokenId }) => side === 'BUY' && tokenId === YES);
    if (write === undefined || bid === undefined) throw new Error('a bid was placed');
    const hash = orderHash('0x4a3d');
    open(driver, hash, bid, 20);
    driver.update(hash, bid, { status: 'MATCHED', filled: 20, remaining: 0 });
    const outcome = { kind: 'accepted', orderHash: hash } as const;
    const outcomes = [{ intentId: bid.intentId, outcome }];
    driver.tell({ kind: 'placed', requestId: write.requestId, outcomes });
    expect(market(driver)?.positionYes).toBe('20');
  });

  it('is that where a list is the first to tell', () => {
    const { driver, others, hash, order } = resting();
    driver.run(6_000, () =>
      driver.answerReads([
        ...others.map((each) => reportOf(each.hash, each.order)),
        listed(hash, order, 20),
      ]),
    );
    expect(kept(driver, hash)).toMatchObject({ quantity: shares(20) });
    driver.update(hash, order, { status: 'MATCHED', filled: 0, remaining: 0 });
    expect(market(driver)?.positionYes).toBe('20');
  });

  it('leaves the rest uncertain until cash and locks say that it has not traded', () => {
    const { driver, others, hash, order } = resting();
    open(driver, hash, order, 20);
    driver.tick();
    expect(uncertain(driver)).toBe(30);
    const account = new ListedAccount(driver, 'accepts');
    account.isLocking = true;
    account.open = [
      ...others.map((each) => reportOf(each.hash, each.order)),
      listed(hash, order, 20),
    ];
    account.run(45_000);
    expect(uncertain(driver)).toBe(0);
    expect(market(driver)?.positionYes).toBe('0');
  });

  it('is live as what was sent, and then uncertain, where that is reported while it is being cancelled', () => {
    const { driver, hash, order } = resting();
    driver.book(YES, [level(38, 500)], [level(42, 500)]);
    driver.book(NO, [], []);
    driver.tick();
    open(driver, hash, order, 20);
    driver.tick();
    expect(market(driver)?.positionYes).toBe('0');
    expect(kept(driver, hash)).toMatchObject({ quantity: shares(50), state: 'cancelling' });
    expect(driver.answerCancels()).toContain(hash);
    driver.tick();
    expect(uncertain(driver)).toBe(50);
  });
});

it('an order that rests with all that was sent is what was sent', () => {
  const { driver, hash, order } = resting();
  open(driver, hash, order, 50);
  driver.tick();
  expect(driver.reported('order.anomaly')).toEqual([]);
  expect(uncertain(driver)).toBe(0);
});

describe('an order that a list shows at another price than was sent', () => {
  it.each([
    { name: 'on the grid', shown: { price: 55 }, counted: 55 },
    { name: 'between two ticks', shown: { price: 545, ticksPerUnit: 1_000 }, counted: 55 },
  ])('counts at that one from then on, and goes where nobody wants it, $name', (restated) => {
    const { driver, others, hash, order } = resting();
    const account = new ListedAccount(driver, 'accepts');
    const shown = { ...reportOf(hash, order), ...restated.shown } as OrderReport;
    account.open = [...others.map((each) => reportOf(each.hash, each.order)), shown];
    driver.run(6_000, () => driver.answerReads(account.open));
    expect(kept(driver, hash)).toMatchObject({ price: restated.counted, quantity: shares(50) });
    expect(uncertain(driver)).toBe(0);
    expect(driver.reported('order.anomaly')).toMatchObject([
      { orderHash: hash, detail: '50 at 0.48 was sent, and the venue has 50 at 0.55' },
    ]);
    account.run(20_000);
    expect(account.cancelled).toContain(hash);
    expect(driver.reported('order.anomaly')).toHaveLength(1);
  });

  it('counts so, too, where it had traded in part before the first list', () => {
    const { driver, others, hash, order } = resting();
    driver.update(hash, order, { status: 'PARTIALLY_FILLED', filled: 10, remaining: 40 });
    driver.tick();
    const account = new ListedAccount(driver, 'accepts');
    const shown = { ...reportOf(hash, order, 10), price: 55 } as OrderReport;
    account.open = [...others.map((each) => reportOf(each.hash, each.order)), shown];
    account.run(20_000);
    expect(kept(driver, hash)).toMatchObject({ price: 55, executed: shares(10) });
    expect(market(driver)?.positionYes).toBe('10');
    expect(account.cancelled).toContain(hash);
    expect(driver.reported('order.anomaly')).toHaveLength(1);
  });

  it('has traded once where a list shows it twice, as one that was read in pages', () => {
    const { driver, others, hash, order } = resting();
    const shown = { ...reportOf(hash, order, 10), price: 55 } as OrderReport;
    const list = [...others.map((each) => reportOf(each.hash, each.order)), shown, shown];
    driver.run(6_000, () => driver.answerReads(list));
    expect(driver.reported('order.filled')).toMatchObject([{ quantity: '10', price: '0.55' }]);
    expect(market(driver)?.positionYes).toBe('10');
  });
});
