// One run of the core after another on a real ledger: what the second knows of the first.

import { describe, expect } from 'vitest';
import { orderHash } from '../../../src/domain/ids.ts';
import type { Balances } from '../../../src/domain/message.ts';
import type { LimitOrder } from '../../../src/domain/order.ts';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import {
  balances,
  EngineDriver,
  holding,
  level,
  MARKET,
  NO,
  reportOf,
  settings,
  YES,
} from '../../support/engine-driver.ts';
import { it, type Runs } from '../../support/runs.ts';

/** A run that has a bid and an ask of 50 shares resting. */
function quotingRun() {
  const { driver } = unansweredRun();
  const live = driver.acceptPlacements();
  const [first] = live;
  const bid = live.find(({ order }) => order.side === 'BUY' && order.tokenId === YES);
  if (first === undefined || bid === undefined) throw new Error('there is a bid');
  return { driver, live, first, bid };
}

/** A run that has sent both, and reported for neither. */
function unansweredRun() {
  const driver = new EngineDriver();
  driver.start();
  driver.healthyBook();
  driver.tick();
  return { driver };
}

/** The first of the placements that a run has sent. */
function sentBy(driver: EngineDriver): LimitOrder {
  const [sent] = driver.placements().flatMap(({ orders }) => orders);
  if (sent === undefined) throw new Error('an order was sent');
  return sent;
}

/** The run ends here and now; the next one begins a second later and hears of everything. */
function nextRun(runs: Runs, before: EngineDriver, account: Balances = balances()) {
  const driver = runs.restored(before);
  driver.start(settings(), account);
  return driver;
}

/** What tells the fills of an order from each other. */
function fillNames(records: EngineDriver['records']): readonly number[] {
  return records.flatMap((each) => (each.kind === 'fill' ? each.fill.executedAfter : []));
}

const view = (driver: EngineDriver) => {
  const [market] = driver.engine.view().markets;
  if (market === undefined) throw new Error('there is one market');
  return market;
};

describe('a new run', () => {
  it('asks for an intent to be kept in the same step in which it is sent', () => {
    const { driver } = quotingRun();
    const intents = driver.records.filter(
      (record) => record.kind === 'order' && record.order.state === 'intended',
    );
    expect(intents).toHaveLength(2);
  });

  it('goes on with position, profit and fills of the one before', ({ runs }) => {
    const { driver, bid } = quotingRun();
    driver.update(bid.hash, bid.order, { status: 'MATCHED', filled: 20, remaining: 30 });
    driver.tick();
    const before = view(driver);
    const after = nextRun(runs, driver);
    after.healthyBook();
    after.tick();
    expect(before.positionYes).toBe('20');
    expect(view(after).positionYes).toBe('20');
    expect(view(after).pnlUsdc).toBe(before.pnlUsdc);
    expect(view(after).fills).toBe(1);
    expect(after.records.filter((record) => record.kind === 'fill')).toEqual([]);
  });

  it('knows what a settlement paid that was notified of a moment before the end', ({ runs }) => {
    const { driver, live, bid } = quotingRun();
    driver.run(3_000, () =>
      driver.answerReads(
        live.map(({ hash, order }) => reportOf(hash, order)),
        balances(),
      ),
    );
    driver.update(bid.hash, bid.order, { status: 'MATCHED', filled: 50, remaining: 0 });
    driver.tick();
    const settled = { tradeId: 't-1', tokenId: YES, marketId: MARKET, side: 'BUY' } as const;
    const { price: at } = bid.order;
    const price = usdc((at / 100).toFixed(2));
    driver.tell({ kind: 'tradeSettled', ...settled, price, quantity: shares(50) });
    const account = holding(10_000 - 0.5 * at, 50, 0);
    const after = nextRun(runs, driver, account);
    after.healthyBook();
    after.run(20_000, () => {
      after.acceptPlacements();
      after.answerReads(after.openReports(), account);
    });
    expect(view(after).bidReason?.code).not.toBe('position_unconfirmed');
    expect(after.engine.view().ordersByState.resting).toBeGreaterThan(0);
  });

  it('keeps a fill of shares that had failed before beside the one that was reversed', ({
    runs,
  }) => {
    const { driver, bid } = quotingRun();
    driver.update(bid.hash, bid.order, { status: 'MATCHED', filled: 20, remaining: 30 });
    const failed = { reason: 'reverted', marketId: undefined, side: 'BUY' } as const;
    driver.tell({ kind: 'tradeFailed', ...failed, quantity: shares(20) });
    driver.tick();
    const after = nextRun(runs, driver);
    after.update(bid.hash, bid.order, { status: 'OPEN', remaining: 50 });
    after.update(bid.hash, bid.order, { status: 'MATCHED', filled: 20, remaining: 30 });
    expect(fillNames([...driver.records, ...after.records])).toEqual([shares(20), shares(40)]);
  });

  it('waits as long for a late arrival as the one before had learned to', ({ runs }) => {
    const { driver } = unansweredRun();
    const [first] = driver.answerPlacements({ kind: 'unknown', cause: 'timeout', detail: 'x' });
    if (first === undefined) throw new Error('an order was placed');
    const createdAtMs = unixMs(driver.nowMs + 60_000);
    driver.tick(1_000);
    driver.answerReads([{ ...reportOf(orderHash('0xab'), first), createdAtMs }]);
    expect(driver.records.filter((record) => record.kind === 'slowest')).toHaveLength(1);
    const sentAtMs = driver.nowMs;
    const after = nextRun(runs, driver);
    after.healthyBook();
    after.tick();
    after.answerPlacements({ kind: 'unknown', cause: 'timeout', detail: 'x' });
    const unknown = () => after.engine.view().ordersByState.unknown;
    const inFlight = unknown();
    expect(inFlight).toBeGreaterThan(0);
    after.run(sentAtMs + 60_000 - after.nowMs, () => after.answerReads([]));
    expect(unknown()).toBeGreaterThan(0);
  });

  it('knows its orders by their hashes and counts a fill that it is reported once more once', ({
    runs,
  }) => {
    const { driver, first } = quotingRun();
    driver.update(first.hash, first.order, { status: 'MATCHED', filled: 20, remaining: 30 });
    const after = runs.restored(driver);
    // The user channel speaks of it before the catalogue has told which market it is on.
    after.update(first.hash, first.order, { status: 'MATCHED', filled: 20, remaining: 30 });
    after.start(settings());
    expect(after.reported('order.filled')).toEqual([]);
    expect(after.reported('order.external')).toEqual([]);
    expect(after.engine.view().markets[0]?.fills).toBe(1);
  });

  it('takes a fill for what it is that happened while nobody listened', ({ runs }) => {
    const { driver, first } = quotingRun();
    const after = runs.restored(driver);
    after.settings(settings());
    after.tell({ kind: 'socketOpened' });
    after.update(first.hash, first.order, { status: 'CANCELLED', filled: 15 });
    after.start(settings());
    expect(after.reported('order.filled').map((each) => each.quantity)).toEqual(['15']);
  });

  it('takes a list that comes before the catalogue for reports of its own orders', ({ runs }) => {
    const { driver, first } = quotingRun();
    const after = runs.restored(driver);
    after.tell({ kind: 'socketOpened' });
    after.tick();
    after.answerReads([reportOf(first.hash, first.order, 15)]);
    expect(after.reported('order.external')).toEqual([]);
    expect(after.take('cancelOrders')).toEqual([]);
    after.start(settings());
    expect(after.reported('order.filled').map((each) => each.quantity)).toEqual(['15']);
  });

  it('counts what shares cost whose settlement is told before the catalogue is known', ({
    runs,
  }) => {
    const { driver: first } = unansweredRun();
    const sent = sentBy(first);
    const after = runs.restored(first);
    after.tell({ kind: 'socketOpened' });
    after.tell({ kind: 'authenticated' });
    // All of it matched and settled at 0.48, and the answer to its placement was lost.
    const { side, tokenId, quantity } = sent;
    const told = { tradeId: 't-1', side, tokenId, marketId: undefined, quantity };
    after.tell({ kind: 'tradeSettled', ...told, price: usdc('0.48') });
    after.start(settings());
    after.healthyBook();
    after.tick();
    expect(view(after)).toMatchObject({ positionYes: '50', settledYes: '50', pnlUsdc: '1.000000' });
  });

  it.for([
    ['its own grid', 1],
    ['the finest grid', 10],
  ] as const)(
    'finds a placement that nobody answered on a list before the catalogue, by %s',
    ([, finer], { runs }) => {
      const { driver: first } = unansweredRun();
      const sent = sentBy(first);
      const after = runs.restored(first);
      after.tell({ kind: 'socketOpened' });
      after.tick();
      const shown = reportOf(orderHash('0xbb'), sent, 15);
      const grid = tickGrid(finer === 1 ? '0.01' : '0.001');
      const price = ticks(grid, sent.price * finer);
      after.answerReads([{ ...shown, price, ticksPerUnit: grid.ticksPerUnit }]);
      expect(after.reported('order.external')).toEqual([]);
      after.start(settings());
      // What it had traded counts, and the one that no list showed stays unknown.
      expect(after.reported('order.filled').map((each) => each.quantity)).toEqual(['15']);
      expect(after.engine.view().ordersByState.unknown).toBe(1);
    },
  );

  it('confirms no kill while a placement of the one before may arrive, with a catalogue or without', ({
    runs,
  }) => {
    const { driver: first } = unansweredRun();
    const after = runs.restored(first);
    after.tell({ kind: 'socketOpened' });
    after.operator('kill');
    const serve = () => {
      after.answerCancels();
      after.answerReads([]);
    };
    after.run(12_000, serve);
    expect(after.reported('kill.confirmed')).toEqual([]);
    after.run(40_000, serve);
    expect(after.reported('kill.confirmed')).toHaveLength(1);
  });

  it('hears of a market that was taken out of the settings until its last orders have told their end', ({
    runs,
  }) => {
    const { driver, live } = quotingRun();
    driver.settings(settings({ markets: [] }));
    driver.tick();
    expect(driver.answerCancels()).toHaveLength(2);
    driver.tick();
    for (const { hash, order } of live) {
      driver.update(hash, order, { status: 'CANCELLED', filled: 10 });
    }
    expect(driver.records.filter(({ kind }) => kind === 'fill')).toHaveLength(2);
    runs.ledger.commit(driver.records);
    expect(runs.ledger.load().orders).toEqual([]);
  });

  it('leaves nothing open of a market that goes in the moment in which its last ends are given up', ({
    runs,
  }) => {
    const { driver } = quotingRun();
    driver.settings({ ...settings(), markets: [] });
    driver.tick();
    driver.answerCancels();
    // The user channel tells nothing of them.
    driver.run(11_000, () => driver.answerReads([]));
    expect(driver.engine.view().markets).toEqual([]);
    runs.ledger.commit(driver.records);
    expect(runs.ledger.load().orders).toEqual([]);
  });

  it('counts what a settlement cost that comes before the catalogue, once its match is told too', ({
    runs,
  }) => {
    const { driver, bid } = quotingRun();
    const after = runs.restored(driver);
    const trade = { tradeId: 't-1', tokenId: YES, marketId: MARKET, side: 'BUY' } as const;
    after.tell({ kind: 'tradeSettled', ...trade, price: usdc('0.48'), quantity: shares(20) });
    after.start();
    after.update(bid.hash, bid.order, { status: 'CANCELLED', filled: 20, remaining: 0 });
    after.book(YES, [level(38, 500)], [level(42, 500)]);
    after.book(NO, [], []);
    after.tick();
    // Bought at 0.48, worth 0.40 now.
    expect(view(after)).toMatchObject({
      positionYes: '20',
      settledYes: '20',
      pnlUsdc: '-1.600000',
    });
  });

  it('takes cash that left while nobody listened for the settlement of what had matched', ({
    runs,
  }) => {
    const { driver, live, bid } = quotingRun();
    driver.run(1_500, () =>
      driver.answerReads(live.map(({ hash, order }) => reportOf(hash, order))),
    );
    driver.update(bid.hash, bid.order, { status: 'MATCHED', filled: 20, remaining: 30 });
    driver.tick();
    const settled = balances({ cashBalance: usdc(9_990.4), availableBalance: usdc(9_990.4) });
    const after = nextRun(runs, driver, settled);
    after.healthyBook();
    after.run(3_000, () => after.answerReads([], settled));
    expect(view(after).bidReason?.code).not.toBe('position_unconfirmed');
    expect(view(after).positionYes).toBe('20');
    expect(view(after).pnlUsdc).toBe(view(driver).pnlUsdc);
  });

  it('keeps exposure reserved for a placement that the one before may have sent', ({ runs }) => {
    const { driver: first } = unansweredRun();
    const sent = first.placements().flatMap(({ orders }) => orders);
    expect(sent).toHaveLength(2);
    const after = nextRun(runs, first);
    expect(after.engine.view().ordersByState.unknown).toBe(2);
    // The venue shows one of them: it is that one and no external order.
    const [one] = sent;
    if (one === undefined) throw new Error('an order was sent');
    after.run(6_000, () => after.answerReads([reportOf('0xbb' as never, one)]));
    expect(after.reported('order.external')).toEqual([]);
    expect(after.engine.view().ordersByState.unknown).toBe(1);
  });

  it('stays halted until an operator resumes', ({ runs }) => {
    const { driver } = quotingRun();
    driver.settings(settings({ risk: { ...settings().risk, maxLossUsdc: 0 } }));
    driver.tick();
    expect(driver.engine.view().phase).toBe('halted');
    const after = nextRun(runs, driver);
    expect(after.engine.view().phase).toBe('halted');
    after.operator('resume');
    runs.ledger.commit(after.records);
    expect(runs.ledger.load().halt).toBeUndefined();
  });

  it('leaves nothing open in the ledger of a market that is quoted no more', ({ runs }) => {
    const { driver } = quotingRun();
    runs.ledger.commit(driver.records);
    expect(runs.ledger.load().orders).toHaveLength(2);
    const after = new EngineDriver();
    after.nowMs = driver.nowMs + 1_000;
    after.restore(runs.ledger.load());
    after.start(settings({ markets: [] }));
    runs.ledger.commit(after.records);
    expect(runs.ledger.load().orders).toEqual([]);
  });

  it('counts what shares of a market cost that settle while no life quotes it', ({ runs }) => {
    const { driver, live, bid } = quotingRun();
    driver.update(bid.hash, bid.order, { status: 'CANCELLED', filled: 20, remaining: 0 });
    const trade = { tokenId: YES, marketId: MARKET, side: 'BUY', quantity: shares(20) } as const;
    const told = { kind: 'tradeSettled', ...trade, price: usdc('0.48') } as const;
    driver.tell({ ...told, tradeId: 't-1' });
    for (const { hash, order } of live) driver.update(hash, order, { status: 'CANCELLED' });
    driver.operator('pause');
    const nothing = settings({ markets: [] });
    const unquoted = runs.restored(driver, nothing);
    unquoted.start(nothing, holding(9_990.4, 20, 0));
    // Somebody else bought as much again.
    unquoted.tell({ ...told, tradeId: 't-2' });
    const after = nextRun(runs, unquoted, holding(9_980.8, 40, 0));
    after.book(YES, [level(38, 500)], [level(42, 500)]);
    after.book(NO, [], []);
    after.tick();
    // Forty bought at 0.48, worth 0.40 now.
    expect(view(after)).toMatchObject({ positionYes: '40', pnlUsdc: '-3.200000' });
  });

  it('neither doubles nor forgets any of 2,000 open orders', ({ runs }) => {
    const { driver, live } = quotingRun();
    const [pattern] = driver.records.filter((record) => record.kind === 'order');
    if (pattern?.kind !== 'order') throw new Error('an order was kept');
    const { order } = pattern;
    const many = Array.from({ length: 2_000 }, (_, at) => ({
      ...order,
      intentId: `old-${at}` as never,
      orderHash: `0xcc${at.toString(16)}` as never,
      state: 'resting' as const,
    }));
    expect(live).toHaveLength(2);
    runs.ledger.commit(many.map((each) => ({ kind: 'order', order: each })));
    const after = new EngineDriver();
    after.nowMs = driver.nowMs + 1_000;
    after.settings(settings());
    after.restore(runs.ledger.load());
    after.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [] } });
    const started = performance.now();
    after.start();
    const tookMs = performance.now() - started;
    expect(after.engine.view().ordersByState.resting).toBe(0);
    expect(after.reported('order.external')).toEqual([]);
    // Their cancels say nothing of what they traded; nobody else does, so balances are asked.
    after.run(12_000, () => after.answerReads([]));
    runs.ledger.commit(after.records);
    expect(runs.ledger.load().orders).toEqual([]);
    expect(tookMs).toBeLessThan(3_000);
  });
});

describe('a ledger that cannot be written', () => {
  it('lets nothing be placed, pulls the quotes, and ends with it', () => {
    const { driver, live } = quotingRun();
    driver.ledgerFault('disk full');
    driver.tick();
    expect([...driver.answerCancels()].sort()).toEqual(live.map(({ hash }) => hash).sort());
    driver.run(2_000, () => driver.answerReads([]));
    expect(driver.placements()).toEqual([]);
    expect(view(driver).bidReason?.code).toBe('ledger_not_writable');
    expect(driver.engine.view().notReady.join()).toMatch(/ledger/);
    driver.ledgerFault(undefined);
    driver.run(15_000, () => driver.answerReads([]));
    expect(driver.placements()).not.toEqual([]);
  });

  it('leaves a kill what it is', () => {
    const { driver } = quotingRun();
    driver.ledgerFault('disk full');
    driver.operator('kill');
    driver.run(3_000, () => {
      driver.answerCancels();
      driver.answerReads([]);
    });
    expect(driver.engine.view().phase).toBe('killed');
    expect(driver.reported('kill.confirmed')).toHaveLength(1);
  });
});

it('names the market of every fill it keeps', () => {
  const { driver, first } = quotingRun();
  driver.update(first.hash, first.order, { status: 'MATCHED', filled: 20, remaining: 30 });
  const fills = driver.records.flatMap((record) => (record.kind === 'fill' ? [record.fill] : []));
  expect(fills).toMatchObject([
    { marketId: MARKET, quantity: shares(20), executedAfter: shares(20) },
  ]);
});
