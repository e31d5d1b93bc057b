// The answer to a placement shows an order of another quantity or price than was sent: a venue may round or
// cap. Its hash is ours, and what the venue says of it counts.

import { describe, expect } from 'vitest';
import { type OrderHash, orderHash } from '../../../../src/domain/ids.ts';
import type { RiskLimits } from '../../../../src/domain/input.ts';
import type { LimitOrder, OrderReport } from '../../../../src/domain/order.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../../src/domain/ticks.ts';
import {
  EngineDriver,
  GRID,
  level,
  listing,
  reportOf,
  settings,
  YES,
} from '../../../support/engine-driver.ts';
import { ListedAccount, toldBook } from '../../../support/listed-account.ts';
import { it } from '../../../support/runs.ts';

const NAMED = orderHash('0x4a3d');
const OTHER = orderHash('0x0e12');
const ASK = orderHash('0xa5c0');

type Scope = 'account' | 'own';
const SCOPES: readonly Scope[] = ['account', 'own'];

const scoped = (scope: Scope, limits: Partial<RiskLimits> = {}) => ({
  ...settings(),
  risk: { ...settings().risk, ...limits },
  orders: { ...settings().orders, scope },
});

/** The answer to the bid names an order that is not as it was sent; the ask rests. */
function answered(scope: Scope = 'own', limits: Partial<RiskLimits> = {}) {
  const driver = new EngineDriver();
  driver.start(scoped(scope, limits));
  driver.healthyBook();
  driver.tick();
  const [write] = driver.placements();
  const bid = write?.orders.find((order) => order.side === 'BUY' && order.tokenId === YES);
  const ask = write?.orders.find((order) => order !== bid);
  if (!write || !bid || !ask) throw new Error('a bid and an ask were placed');
  const answer = (namedHash?: OrderHash) => {
    const unknown = { kind: 'unknown', cause: 'unreadable', detail: 'x' } as const;
    const bidOutcome = namedHash === undefined ? unknown : { ...unknown, namedHash };
    driver.tell({
      kind: 'placed',
      requestId: write.requestId,
      outcomes: [
        { intentId: bid.intentId, outcome: bidOutcome },
        { intentId: ask.intentId, outcome: { kind: 'accepted', orderHash: ASK } },
      ],
    });
  };
  answer(NAMED);
  const account = new ListedAccount(driver, 'silent');
  account.open = [reportOf(ASK, ask)];
  return { driver, account, bid, write };
}

const capped = (order: LimitOrder, quantity = 20, executed = 0): OrderReport => ({
  ...reportOf(NAMED, order, executed),
  quantity: shares(quantity),
});

const states = (driver: EngineDriver) => driver.engine.view().ordersByState;
const position = (driver: EngineDriver) => driver.engine.view().markets[0]?.positionYes;
const bidsSent = (driver: EngineDriver, { tokenId, side }: LimitOrder) =>
  driver
    .placements()
    .flatMap(({ orders }) => orders)
    .filter((order) => order.tokenId === tokenId && order.side === side);

/** The list is read, and nobody answers cancels. */
function read({ driver, account }: ReturnType<typeof answered>, durationMs = 500): void {
  driver.run(durationMs, () => driver.answerReads(account.open));
}

describe('an order that its answer shows otherwise than it was sent', () => {
  it.for(SCOPES)('is what the list says, ours, and no question any more, %s', (scope) => {
    const scene = answered(scope);
    const { driver, account, bid } = scene;
    expect(states(driver)).toMatchObject({ unknown: 1, resting: 1 });
    account.open.push(capped(bid), capped(bid));
    read(scene);
    expect(states(driver)).toMatchObject({ unknown: 0, resting: 2 });
    expect(driver.reported('order.external')).toEqual([]);
    expect(driver.reported('order.moved').at(-1)).toMatchObject({
      ...{ orderHash: NAMED, quantity: '20', from: 'unknown', to: 'resting' },
    });
    expect(driver.engine.view().ordersOfOthers).toBe(0);
    expect(driver.reported('order.anomaly')).toMatchObject([
      { orderHash: NAMED, detail: '50 at 0.48 was sent, and the venue has 20 at 0.48' },
    ]);
  });

  it.for(SCOPES)('is cancelled where nobody wanted for it, %s', (scope) => {
    const { account, bid } = answered(scope);
    account.open.push(capped(bid, 80));
    account.run(2_000);
    expect(account.cancelled).toEqual([NAMED]);
  });

  it.for(SCOPES)('is cancelled at a price between two ticks, %s', (scope) => {
    const { account, bid } = answered(scope);
    const between = { price: ticks(tickGrid('0.001'), 475), ticksPerUnit: 1_000 } as const;
    account.open.push({ ...capped(bid, 50), ...between });
    account.run(2_000);
    expect(account.cancelled).toEqual([NAMED]);
  });

  it.for(SCOPES)('stays where it is as good as what was wanted, %s', (scope) => {
    const { driver, account, bid } = answered(scope);
    account.open.push(capped(bid, 48));
    account.run(2_000);
    expect(account.cancelled).toEqual([]);
    expect(states(driver)).toMatchObject({ unknown: 0, resting: 2 });
  });

  it.for(SCOPES)('trades as what it is, for its own price, %s', (scope) => {
    const scene = answered(scope);
    const { driver, account, bid } = scene;
    const price = ticks(GRID, 47);
    account.open.push({ ...capped(bid, 20, 5), price });
    read(scene);
    expect(position(driver)).toBe('5');
    driver.update(NAMED, { ...bid, price }, { status: 'FILLED', filled: 20, remaining: 0 });
    expect(position(driver)).toBe('20');
    driver.tick();
    const fills = driver.records.flatMap((each) => (each.kind === 'fill' ? [each.fill] : []));
    expect(fills.map(({ cashNano }) => cashNano)).toEqual([-2_350_000_000, -7_050_000_000]);
  });

  it.for(SCOPES)('counts in limits as what it is, %s', (scope) => {
    // The ask and what was sent are worth 48 USDC; with what the venue made of it there is room for 6 more.
    const scene = answered(scope, { maxOpenNotionalUsdc: 100 });
    const { driver, account, bid } = scene;
    account.open.push({ ...capped(bid, 150), price: ticks(GRID, 47) });
    read(scene);
    driver.healthyBook();
    driver.run(4_000, () => {
      if (driver.nowMs % 500 === 0) driver.healthyBook();
    });
    expect(bidsSent(driver, bid)).toEqual([]);
    expect(driver.reported('risk.refused').map(({ limit }) => limit)).toContain(
      'max_open_notional_usdc',
    );
  });

  it('has what it lacks placed no sooner than after a refusal', () => {
    const { driver, account, bid } = answered('own');
    account.open.push(capped(bid));
    driver.healthyBook();
    account.run(1_000);
    expect(bidsSent(driver, bid)).toEqual([]);
    driver.healthyBook();
    account.run(1_000);
    expect(account.cancelled).toEqual([]);
    expect(bidsSent(driver, bid)).toMatchObject([{ quantity: shares(30) }]);
  });

  it('is taken out of the book as what it is, and what was sent no more', () => {
    const scene = answered('own');
    const { driver, account, bid } = scene;
    account.open.push(capped(bid));
    const bestBid = (shown: number) => {
      driver.book(YES, [level(48, shown), level(40, 500)], [level(52, 500)]);
      read(scene, 1_000);
      return driver.engine.view().markets[0]?.bestBid;
    };
    expect(bestBid(20)).toBe('0.40');
    // As much as was sent is somebody else's.
    expect(bestBid(70)).toBe('0.48');
  });

  it('is what it was sent as where the list says so', () => {
    const scene = answered('own');
    scene.account.open.push(reportOf(NAMED, scene.bid));
    scene.account.run(2_000);
    expect(states(scene.driver)).toMatchObject({ unknown: 0, resting: 2 });
    expect(scene.account.cancelled).toEqual([]);
    expect(scene.driver.reported('order.anomaly')).toEqual([]);
  });

  it.for(SCOPES)('stays unknown while no list names it, and ends as any other, %s', (scope) => {
    const scene = answered(scope);
    read(scene, 2_000);
    expect(states(scene.driver)).toMatchObject({ unknown: 1, absent: 0 });
    scene.driver.operator('pause');
    read(scene, 100_000);
    expect(states(scene.driver)).toMatchObject({ unknown: 0 });
    // Found later all the same it is ours to cancel.
    scene.account.open.push(capped(scene.bid));
    scene.account.run(10_000);
    expect(scene.account.cancelled).toContain(NAMED);
  });
});

describe('reports of an order that its answer shows otherwise than it was sent', () => {
  it.for(SCOPES)('tells how much was traded before any list, %s', (scope) => {
    const scene = answered(scope);
    const { driver, bid } = scene;
    driver.update(NAMED, bid, { status: 'PARTIALLY_FILLED', filled: 5, remaining: 15 });
    driver.update(NAMED, bid, { status: 'FILLED', filled: 20, remaining: 0 });
    read(scene, 1_000);
    expect(states(driver).unknown).toBe(0);
    expect(position(driver)).toBe('20');
  });

  it('leaves the shares to balances where it shows no quantity', () => {
    const scene = answered('own');
    const { driver, bid } = scene;
    driver.update(NAMED, bid, { status: 'FILLED' });
    driver.healthyBook();
    read(scene, 1_000);
    expect(states(driver).unknown).toBe(0);
  });
});

describe('the hash that an answer names', () => {
  it('is cancelled by a kill, before any list has shown it', () => {
    const { driver, account, bid } = answered('own');
    account.open.push(capped(bid));
    driver.operator('kill');
    account.run(2_000);
    expect(account.cancelled).toContain(NAMED);
    expect(account.open.map((each) => each.orderHash)).not.toContain(NAMED);
  });

  it('is known to a guard, and so is one that is like what was sent', () => {
    const { driver, bid } = answered('own');
    driver.tick();
    const onFinestGrid = (report: OrderReport): OrderReport => ({
      ...report,
      price: ticks(tickGrid('0.001'), report.price * 10),
    });
    const listed = [capped(bid), reportOf(OTHER, bid)].map(onFinestGrid);
    expect(toldBook(driver).among(listed)).toHaveLength(2);
  });

  it.for([false, true])('is cancelled by a next run, shown before: %s', (isShown, { runs }) => {
    const scene = answered('own');
    scene.account.open.push(capped(scene.bid));
    if (isShown) read(scene);
    scene.driver.tick();
    const next = new ListedAccount(runs.restored(scene.driver, scoped('own')), 'silent');
    next.open = scene.account.open;
    next.driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
    next.driver.tell({ kind: 'socketOpened' });
    next.driver.tell({ kind: 'authenticated' });
    next.run(4_000);
    expect(next.cancelled).toContain(NAMED);
  });

  it.for([false, true])(
    'has what it traded counted by a next run as what it is, the list first: %s',
    (isListFirst, { runs }) => {
      const { driver, bid } = answered('own');
      driver.tick();
      const after = runs.restored(driver, scoped('own'));
      const open = [capped(bid, 20, 5)];
      const catalogue = () =>
        after.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
      after.tick();
      if (isListFirst) after.answerReads(open);
      catalogue();
      after.run(6_000, () => after.answerReads(open));
      expect(after.reported('order.anomaly')).toMatchObject([{ orderHash: NAMED }]);
      expect(after.engine.view().markets[0]?.positionYes).toBe('5');
    },
  );

  it('names the one that a list had shown as nobody’s before', () => {
    const driver = new EngineDriver();
    driver.start(scoped('own'));
    driver.healthyBook();
    driver.tick();
    const [write] = driver.placements();
    const bid = write?.orders.find((order) => order.side === 'BUY' && order.tokenId === YES);
    const ask = write?.orders.find((order) => order !== bid);
    if (!write || !bid || !ask) throw new Error('a bid and an ask were placed');
    const unknown = { kind: 'unknown', cause: 'timeout', detail: 'x' } as const;
    const tell = (outcome: typeof unknown & { namedHash?: OrderHash }) =>
      driver.tell({
        kind: 'placed',
        requestId: write.requestId,
        outcomes: write.orders.map(({ intentId }) =>
          intentId === bid.intentId
            ? { intentId, outcome }
            : { intentId, outcome: { kind: 'accepted', orderHash: ASK } as const },
        ),
      });
    tell(unknown);
    const account = new ListedAccount(driver, 'silent');
    account.open = [capped(bid), reportOf(ASK, ask)];
    driver.run(6_000, () => driver.answerReads(account.open));
    expect(driver.engine.view().ordersOfOthers).toBe(1);
    tell({ ...unknown, namedHash: NAMED });
    account.run(2_000);
    expect(driver.engine.view().ordersOfOthers).toBe(0);
    expect(states(driver).unknown).toBe(0);
    // It rests where one is wanted, and just the rest is sent beside it; it goes with all others.
    expect(account.cancelled).toEqual([]);
    expect(bidsSent(driver, bid)).toMatchObject([{ quantity: shares(30) }]);
    driver.operator('pause');
    account.run(2_000);
    expect(account.cancelled.toSorted()).toEqual([NAMED, ASK].toSorted());
  });

  it('says nothing where it is of another order of ours', () => {
    const { driver, write, bid } = answered('own');
    driver.tell({
      kind: 'placed',
      requestId: write.requestId,
      outcomes: [
        {
          intentId: bid.intentId,
          outcome: { kind: 'unknown', cause: 'unreadable', detail: 'x', namedHash: ASK },
        },
      ],
    });
    expect(states(driver)).toMatchObject({ unknown: 1, resting: 1 });
  });

  it('is ours for a next run, too, where a list had shown the placement before its answer came', ({
    runs,
  }) => {
    const driver = new EngineDriver();
    driver.start(scoped('own'));
    driver.healthyBook();
    driver.tick();
    const [write] = driver.placements();
    const bid = write?.orders.find((order) => order.side === 'BUY' && order.tokenId === YES);
    if (!write || !bid) throw new Error('a bid was placed');
    const lost = { kind: 'unknown', cause: 'timeout', detail: 'x' } as const;
    const tell = (namedHash?: OrderHash) =>
      driver.tell({
        kind: 'placed',
        requestId: write.requestId,
        outcomes: [
          {
            intentId: bid.intentId,
            outcome: namedHash === undefined ? lost : { ...lost, namedHash },
          },
        ],
      });
    tell();
    driver.run(1_000, () => driver.answerReads([reportOf(OTHER, bid)]));
    tell(NAMED);
    driver.tick();
    const next = new ListedAccount(runs.restored(driver, scoped('own')), 'silent');
    next.open = [capped(bid)];
    next.driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
    next.driver.tell({ kind: 'socketOpened' });
    next.driver.tell({ kind: 'authenticated' });
    next.run(4_000);
    expect(next.cancelled).toContain(NAMED);
  });

  it('is let go of where a list shows the placement as it was sent, under another', () => {
    const scene = answered('own');
    const { driver, account, bid } = scene;
    account.open.push(reportOf(OTHER, bid));
    read(scene);
    expect(states(driver)).toMatchObject({ unknown: 0, resting: 2 });
    account.open.push(capped(bid));
    account.run(10_000);
    expect(account.cancelled).toEqual([NAMED]);
  });
});

describe('where the scope goes from the account to the own orders before a list has named it', () => {
  function narrowed() {
    const scene = answered('account');
    scene.driver.tick();
    scene.driver.settings(scoped('own'));
    scene.driver.tick();
    return scene;
  }

  it('it is ours for a guard', () => {
    const { driver, bid } = narrowed();
    const price = ticks(tickGrid('0.001'), bid.price * 10);
    expect(toldBook(driver).among([{ ...capped(bid), price }])).toHaveLength(1);
  });

  it.for([true, false])(
    'it is cancelled by a next run, told in this one: %s',
    (isTold, { runs }) => {
      const { driver, bid } = isTold ? narrowed() : answered('account');
      driver.tick();
      const next = new ListedAccount(runs.restored(driver, scoped('own')), 'silent');
      next.open = [capped(bid)];
      next.driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
      next.driver.tell({ kind: 'socketOpened' });
      next.driver.tell({ kind: 'authenticated' });
      next.run(4_000);
      expect(next.cancelled).toContain(NAMED);
    },
  );
});
