// What the venue says of an order that ended long ago, or of ours in a previous run, while a placement
// just like it has no answer: the hash is that order's, and is lent to no other one.

import { describe, expect } from 'vitest';
import { orderHash } from '../../../src/domain/ids.ts';
import type { CoreSettings } from '../../../src/domain/input.ts';
import type { LimitOrder, OrderReport, OrderStatus } from '../../../src/domain/order.ts';
import { unixMs } from '../../../src/domain/time.ts';
import {
  balances,
  EngineDriver,
  level,
  listing,
  reportOf,
  settings,
  YES,
} from '../../support/engine-driver.ts';
import { it, type Runs } from '../../support/runs.ts';

type Scope = 'account' | 'own';
type Accepted = ReturnType<EngineDriver['acceptPlacements']>[number];
type Left = {
  readonly driver: EngineDriver;
  readonly old: Accepted;
  readonly sent: LimitOrder;
};

const SCOPES: readonly Scope[] = ['account', 'own'];
const BORN = orderHash('0xb012');
const NO_ANSWER = { kind: 'unknown', cause: 'timeout', detail: 'no answer' } as const;
/** Longer than an ended order is remembered. */
const FORGOTTEN_MS = 130_000;

/** A placement keeps its slot, and waits for its own evidence, for as long as it may arrive. */
const KEPT: CoreSettings = {
  ...settings(),
  timing: { ...settings().timing, unknownSlotMs: settings().timing.unknownHorizonMs },
};

const scoped = (scope: Scope): CoreSettings => {
  const { risk, orders, ...rest } = KEPT;
  return { ...rest, risk: { ...risk, maxPositionShares: 80 }, orders: { ...orders, scope } };
};

const isBid = (order: LimitOrder) => order.side === 'BUY' && order.tokenId === YES;
const unknowns = (driver: EngineDriver) => driver.engine.view().ordersByState.unknown;
const fills = (driver: EngineDriver) => driver.records.filter(({ kind }) => kind === 'fill');
const position = (driver: EngineDriver) => driver.engine.view().markets[0]?.positionYes;

function bidOf(accepted: readonly Accepted[]): Accepted {
  const bid = accepted.find(({ order }) => isBid(order));
  if (bid === undefined) throw new Error('a bid was accepted');
  return bid;
}

/** What is cancelled leaves the list. */
function serve(driver: EngineDriver, open: OrderReport[]): void {
  const named = new Set(driver.answerCancels());
  open.splice(0, open.length, ...open.filter((each) => !named.has(each.orderHash)));
  driver.answerReads(open);
}

/** The next bid like this one has no answer; everything else is accepted, and rests on. */
function loseBid(driver: EngineDriver, old: Accepted, open: OrderReport[]): LimitOrder {
  for (let turn = 0; turn < 400; turn += 1) {
    driver.tick();
    serve(driver, open);
    if (turn % 20 === 0) driver.healthyBook();
    const lost = driver.sent
      .flatMap((each) => (each.kind === 'placeOrders' ? each.orders : []))
      .find((order) => isBid(order) && order.price === old.order.price);
    if (lost !== undefined) return lost;
    for (const { hash, order } of driver.acceptPlacements()) open.push(reportOf(hash, order));
  }
  throw new Error('the bid was placed again');
}

/** A bid traded 20 and was cancelled; the same bid was sent again, and the run ended before its answer. */
function crashed(runs: Runs, scope: Scope): Omit<Left, 'driver'> & { readonly next: EngineDriver } {
  const driver = new EngineDriver();
  driver.start(scoped(scope));
  driver.healthyBook();
  driver.tick();
  const accepted = driver.acceptPlacements();
  const old = bidOf(accepted);
  driver.update(old.hash, old.order, { status: 'PARTIALLY_FILLED', filled: 20, remaining: 30 });
  driver.update(old.hash, old.order, { status: 'CANCELLED', filled: 20, remaining: 30 });
  const others = accepted.filter((each) => each !== old);
  const sent = loseBid(
    driver,
    old,
    others.map(({ hash, order }) => reportOf(hash, order)),
  );
  expect(sent.quantity).toBe(old.order.quantity);
  return { next: runs.restored(driver, scoped(scope)), old, sent };
}

function restarted(runs: Runs, scope: Scope): Left {
  const { next: driver, old, sent } = crashed(runs, scope);
  driver.start(scoped(scope));
  driver.healthyBook();
  return { driver, old, sent };
}

/** The venue lists these, and cancels whatever it is asked to. */
function run(driver: EngineDriver, durationMs: number, open: readonly OrderReport[] = []): void {
  driver.run(durationMs, () => {
    driver.answerCancels();
    driver.answerReads(open, balances());
    driver.answerTrades({ kind: 'ok', value: [] });
    driver.placements();
  });
}

describe('reports of an order that is forgotten', () => {
  it.for<OrderStatus>(['FILLED', 'CANCELLED'])(
    'is not of the unanswered placement like it: %s',
    (status) => {
      const driver = new EngineDriver();
      driver.start(KEPT);
      driver.healthyBook();
      driver.tick();
      const old = bidOf(driver.acceptPlacements());
      driver.book(YES, [level(40, 500)], [level(44, 500)]);
      driver.tick();
      driver.answerCancels();
      driver.update(old.hash, old.order, { status: 'CANCELLED', filled: 0, remaining: 50 });
      const open: OrderReport[] = [];
      driver.run(FORGOTTEN_MS, () => {
        for (const { hash, order } of driver.acceptPlacements()) open.push(reportOf(hash, order));
        serve(driver, open);
        if (driver.nowMs % 1_000 === 0) driver.book(YES, [level(40, 500)], [level(44, 500)]);
      });
      loseBid(driver, old, open);
      driver.answerPlacements(NO_ANSWER);
      const before = unknowns(driver);
      const isWhole = status === 'FILLED';
      const shown = { status, filled: isWhole ? 50 : 0, remaining: isWhole ? 0 : 50 };
      driver.update(old.hash, old.order, shown);
      run(driver, 15_000, open);
      expect(before).toBeGreaterThan(0);
      expect(unknowns(driver)).toBe(before);
      expect(fills(driver)).toEqual([]);
      // Nothing had traded of it: whoever says otherwise has only balances to confirm it.
      const detail = expect.stringContaining('which we sent and which had ended');
      const odd = isWhole ? [{ orderHash: old.hash, detail }] : [];
      expect(driver.reported('order.anomaly')).toMatchObject(odd);
    },
  );

  it.for(SCOPES)('of a previous run is counted no second time, %s', (scope, { runs }) => {
    const { driver, old } = restarted(runs, scope);
    expect(unknowns(driver)).toBe(1);
    driver.update(old.hash, old.order, { status: 'CANCELLED', filled: 20, remaining: 30 });
    run(driver, 15_000);
    expect(fills(driver)).toEqual([]);
    expect(unknowns(driver)).toBe(1);
    expect(position(driver)).toBe('20');
  });

  it('of a previous run is reported once, and not each time that it comes', ({ runs }) => {
    const { driver, old } = restarted(runs, 'account');
    const tell = () =>
      driver.update(old.hash, old.order, { status: 'CANCELLED', filled: 20, remaining: 30 });
    tell();
    run(driver, 15_000);
    const told = driver.reported('order.anomaly').length;
    tell();
    run(driver, 15_000);
    expect(told).toBe(1);
    expect(driver.reported('order.anomaly')).toHaveLength(1);
  });

  it.for(SCOPES)('of a previous run confirms no kill too soon, %s', (scope, { runs }) => {
    const { driver, old, sent } = restarted(runs, scope);
    driver.update(old.hash, old.order, { status: 'CANCELLED', filled: 20, remaining: 30 });
    run(driver, 11_000);
    driver.operator('kill');
    run(driver, 5_000);
    expect(driver.reported('kill.confirmed')).toEqual([]);
    const late = reportOf(old.hash, sent);
    run(driver, 1_000, [late]);
    expect(driver.reported('kill.confirmed')).toEqual([]);
  });
});

describe('an order of somebody else that ended, and is forgotten', () => {
  const EXTERNAL = orderHash('0x5747');

  /** It was like our bid, was seen and cancelled; long after that a bid like it has no answer. */
  function unansweredBesideOld() {
    const driver = new EngineDriver();
    driver.start(KEPT);
    driver.healthyBook();
    driver.tick();
    const accepted = driver.acceptPlacements();
    const { order } = bidOf(accepted);
    const open = accepted.map((each) => reportOf(each.hash, each.order));
    open.push(reportOf(EXTERNAL, order));
    const away = () => driver.book(YES, [level(40, 500)], [level(44, 500)]);
    driver.run(FORGOTTEN_MS + 10_000, () => {
      for (const each of driver.acceptPlacements()) open.push(reportOf(each.hash, each.order));
      serve(driver, open);
      if (driver.nowMs % 1_000 === 0) away();
    });
    expect(driver.reported('order.external')).toMatchObject([{ orderHash: EXTERNAL }]);
    loseBid(driver, { order, hash: EXTERNAL }, open);
    driver.answerPlacements(NO_ANSWER);
    return { driver, order, open };
  }

  it.each([
    ['CANCELLED', 0],
    ['FILLED', 50],
  ] as const)(
    'is not the unanswered placement like it by late news: %s of %i',
    (status, traded) => {
      const { driver, order, open } = unansweredBesideOld();
      const before = unknowns(driver);
      driver.update(EXTERNAL, order, { status, filled: traded, remaining: 50 - traded });
      run(driver, 15_000, open);
      expect(before).toBeGreaterThan(0);
      expect(unknowns(driver)).toBe(before);
      expect(fills(driver)).toEqual([]);
      const detail = expect.stringContaining(`${EXTERNAL}, which had ended`);
      expect(driver.reported('order.anomaly')).toMatchObject(traded > 0 ? [{ detail }] : []);
    },
  );

  it('is cancelled again where a list shows it, and is not the placement like it either', () => {
    const { driver, order, open } = unansweredBesideOld();
    const before = unknowns(driver);
    const named: string[] = [];
    driver.run(6_000, () => {
      named.push(...driver.answerCancels());
      driver.answerReads(named.includes(EXTERNAL) ? open : [...open, reportOf(EXTERNAL, order)]);
      driver.placements();
    });
    expect(named).toContain(EXTERNAL);
    expect(unknowns(driver)).toBe(before);
  });
});

describe('a list that still shows an order which had ended in a previous run', () => {
  it('gives its hash to no placement like it, before the catalogue is known nor after', ({
    runs,
  }) => {
    for (const isEarly of [true, false]) {
      const { next: driver, old } = crashed(runs, 'account');
      const row: OrderReport = { ...reportOf(old.hash, old.order, 20), status: 'PARTIALLY_FILLED' };
      if (!isEarly) tellCatalogue(driver);
      driver.tell({ kind: 'socketOpened' });
      driver.tell({ kind: 'authenticated' });
      // It is asked for and told before the catalogue comes, or after it.
      driver.run(500, () => {
        driver.take('readCatalogue');
        driver.answerReads([row], balances());
        driver.answerCancels();
      });
      if (isEarly) tellCatalogue(driver);
      run(driver, 3_000);
      expect(fills(driver)).toEqual([]);
      expect(unknowns(driver)).toBe(1);
    }
  });

  it('is cancelled again, and counts no trades that its own life has counted', ({ runs }) => {
    const { driver, old } = restarted(runs, 'account');
    run(driver, 2_000);
    const named: string[] = [];
    driver.run(6_000, () => {
      named.push(...driver.answerCancels());
      const isGone = named.includes(old.hash);
      driver.answerReads(isGone ? [] : [reportOf(old.hash, old.order, 20)], balances());
      driver.placements();
    });
    expect(named).toContain(old.hash);
    expect(fills(driver)).toEqual([]);
    expect(unknowns(driver)).toBe(1);
  });
});

describe('a placement of a previous run that nobody answered', () => {
  it.for<[string, number, number]>([
    ['long before it left', -300_000, 1],
    ['about when it left', -3_000, 0],
  ])('is an order that came into being %s, or is not', ([, agoMs, left], { runs }) => {
    const { driver, sent } = restarted(runs, 'account');
    driver.tell({ kind: 'clockOffset', offsetMs: 0, roundTripMs: 10 });
    const found = reportOf(BORN, sent);
    run(driver, 6_000, [{ ...found, createdAtMs: unixMs(driver.nowMs + agoMs) }]);
    expect(unknowns(driver)).toBe(left);
  });
});

function tellCatalogue(driver: EngineDriver): void {
  driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
}
