import { describe, expect, it } from 'vitest';
import { createEngine } from '../../../src/core/engine.ts';
import type { Command } from '../../../src/domain/command.ts';
import { orderHash, requestId } from '../../../src/domain/ids.ts';
import type { Input } from '../../../src/domain/input.ts';
import { shares } from '../../../src/domain/shares.ts';
import { ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import type { Strategy } from '../../../src/strategy/index.ts';
import { strategy as ladder } from '../../../strategies/ladder.ts';
import {
  balances,
  EngineDriver,
  GRID,
  level,
  listing,
  NO,
  reportOf,
  settings,
  YES,
} from '../../support/engine-driver.ts';

function quoting(): EngineDriver {
  const driver = new EngineDriver();
  driver.start();
  driver.healthyBook();
  driver.tick();
  return driver;
}

describe('a start', () => {
  it('places nothing before catalogue, socket, user channel and balances are there', () => {
    const driver = new EngineDriver();
    driver.settings(settings());
    driver.healthyBook();
    driver.run(2_000);
    expect(driver.take('placeOrders')).toEqual([]);
    expect(driver.engine.view().notReady).toContain('waiting for catalogue');
  });

  it('cancels what a previous run left and waits until the venue shows nothing', () => {
    const driver = new EngineDriver();
    driver.settings(settings());
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
    driver.tell({ kind: 'socketOpened' });
    driver.tell({ kind: 'authenticated' });
    driver.tick();
    driver.answerReads([]);
    driver.tick();
    expect(driver.take('cancelAll')).toHaveLength(1);
    expect(driver.engine.view().phase).toBe('clearing');
  });

  it('quotes both sides around the middle once it is clear, the ask as a bid for NO', () => {
    const driver = quoting();
    const [write] = driver.placements();
    expect(write?.orders.map((each) => [each.tokenId, each.side, each.price])).toEqual([
      [YES, 'BUY', 48],
      [NO, 'BUY', 48],
    ]);
    expect(driver.engine.view().phase).toBe('quoting');
  });

  it('sells settled shares instead of buying the complement', () => {
    const driver = new EngineDriver();
    const position = {
      tokenId: YES,
      marketId: listing().markets[0]?.id ?? ('' as never),
      shareAmount: shares(80),
      onHoldShareAmount: shares(0),
    };
    driver.start(settings(), balances({ positions: [position] }));
    driver.healthyBook();
    driver.tick();
    const orders = driver.placements().flatMap((each) => each.orders);
    expect(orders.map((each) => [each.tokenId, each.side, each.price])).toContainEqual([
      YES,
      'SELL',
      52,
    ]);
  });
});

describe('quotes', () => {
  it('stay where they are while the book does not move', () => {
    const driver = quoting();
    driver.acceptPlacements();
    driver.run(3_000, () => driver.answerReads(driver.openReports()));
    expect(driver.take('cancelOrders')).toEqual([]);
    expect(driver.take('placeOrders')).toEqual([]);
  });

  it('follow the middle: the old ones are cancelled, the new ones placed', () => {
    const driver = quoting();
    const first = driver.acceptPlacements();
    driver.book(YES, [level(53, 500)], [level(57, 500)]);
    driver.tick();
    expect(driver.answerCancels()).toEqual(first.map((each) => each.hash));
    driver.tick();
    const orders = driver.placements().flatMap((each) => each.orders);
    expect(orders.map((each) => each.price).sort()).toEqual([43, 53]);
  });

  it('do not chase their own size in the book', () => {
    const driver = quoting();
    driver.acceptPlacements();
    // The venue now shows our 50 bid at 48 and nothing of others there.
    driver.book(YES, [level(48, 50), level(40, 500)], [level(52, 500)]);
    driver.run(500);
    driver.answerCancels();
    driver.tick();
    const bids = driver.engine.view().markets[0];
    expect(bids?.bestBid).toBe('0.40');
  });

  it('are pulled when the socket is lost, and none is placed until it is back', () => {
    const driver = quoting();
    driver.acceptPlacements();
    driver.tell({ kind: 'socketLost', reason: 'test' });
    driver.tick();
    expect(driver.answerCancels()).toHaveLength(2);
    driver.healthyBook();
    driver.run(1_000);
    expect(driver.take('placeOrders')).toEqual([]);
    expect(driver.engine.view().markets[0]?.bidReason?.code).toBe('socket_lost');
  });

  it.each([
    { status: 'paused' as const },
    { status: 'closed' as const },
    { status: 'resolved' as const },
    { status: 'unknown' as const },
  ])('are pulled when the market is $status', ({ status }) => {
    const driver = quoting();
    driver.acceptPlacements();
    driver.tell({ kind: 'marketStatus', tokenId: YES, status, word: status });
    driver.tick();
    expect(driver.answerCancels()).toHaveLength(2);
    driver.tick();
    expect(driver.engine.view().markets[0]?.askReason?.code).toBe(`market_${status}`);
  });

  it('never come back to a market that is resolved, whatever a late frame says', () => {
    const driver = quoting();
    for (const status of ['resolved', 'open', 'paused', 'open'] as const) {
      driver.tell({ kind: 'marketStatus', tokenId: YES, status, word: status });
    }
    driver.healthyBook();
    driver.sent = [];
    driver.run(2_000, () => driver.answerCancels());
    expect(driver.take('placeOrders')).toEqual([]);
    const market = driver.engine.view().markets[0];
    expect(market?.status).toBe('resolved');
    expect(market?.bidReason?.clears).toBe('nothing: an outcome is final');
  });

  it('are pulled while a book cannot be trusted, and its subscription is renewed', () => {
    const driver = quoting();
    driver.acceptPlacements();
    driver.tell({ kind: 'bookUnreadable', tokenId: YES, detail: 'price' });
    driver.tick();
    expect(driver.take('resubscribe')).toEqual([{ kind: 'resubscribe', tokenId: YES }]);
    expect(driver.answerCancels()).toHaveLength(2);
  });

  it('never meet our own orders on the other side while those are being cancelled', () => {
    const driver = quoting();
    driver.acceptPlacements();
    // The market jumps up: the new bid at 56 would meet our ask at 52, whose cancel is unanswered.
    driver.book(YES, [level(56, 500)], [level(60, 500)]);
    driver.tick();
    driver.tick();
    const placed = driver.placements().flatMap((each) => each.orders);
    expect(placed.filter((each) => each.tokenId === YES)).toEqual([]);
  });
});

describe('an unknown placement', () => {
  it('is not found by late reports of an open order of another size, which is no fill of it', () => {
    const driver = quoting();
    const orders = driver.answerPlacements({ kind: 'unknown', cause: 'timeout', detail: '' });
    const [order] = orders;
    if (order === undefined) throw new Error('quotes were placed');
    driver.update(orderHash('0xbeef'), order, { status: 'OPEN', remaining: 7 });
    driver.run(9_000, () => driver.answerReads([]));
    expect(driver.reported('order.filled')).toEqual([]);
    expect(driver.engine.view().ordersByState).toMatchObject({ unknown: orders.length });
  });

  it('keeps its slot for eight seconds, and nothing is sent in its place meanwhile', () => {
    const driver = quoting();
    driver.answerPlacements({ kind: 'unknown', cause: 'timeout', detail: 'no answer' });
    driver.run(9_500, () => driver.answerReads([]));
    expect(driver.take('placeOrders')).toEqual([]);
  });

  it('counts in limits for as long as it may arrive, though its slot has another order', () => {
    const driver = new EngineDriver();
    driver.start(settings({ risk: { ...settings().risk, maxPositionShares: 90 } }));
    driver.healthyBook();
    driver.tick();
    driver.answerPlacements({ kind: 'unknown', cause: 'timeout', detail: 'no answer' });
    const sent: number[] = [];
    const live = (durationMs: number) =>
      driver.run(durationMs, () => {
        if (driver.nowMs % 1_000 === 0) driver.healthyBook();
        driver.answerReads([]);
        const bids = driver.take('placeOrders').flatMap((each) => each.orders);
        sent.push(...bids.filter(({ tokenId }) => tokenId === YES).map((each) => each.quantity));
      });
    live(20_000);
    // Fifty may still arrive, and ninety is the limit.
    expect(Math.max(0, ...sent)).toBeLessThanOrEqual(shares(40));
    live(30_000);
    expect(sent).toContain(shares(50));
  });

  it.each(['account', 'own'] as const)(
    'is met and cancelled when it arrives after its slot was given to another, scope %s',
    (scope) => {
      const driver = new EngineDriver();
      driver.start(settings({ orders: { ...settings().orders, scope } }));
      driver.healthyBook();
      driver.tick();
      const [late] = driver.answerPlacements({ kind: 'unknown', cause: 'timeout', detail: '' });
      if (!late) throw new Error('a bid was placed');
      driver.run(12_000, () => driver.answerReads([]));
      const placed = driver.acceptPlacements();
      expect(placed).not.toEqual([]);
      const hash = orderHash('0xbeef');
      const named: string[] = [];
      driver.run(6_000, () => {
        named.push(...driver.answerCancels());
        const open = placed.map((each) => reportOf(each.hash, each.order));
        driver.answerReads(named.includes(hash) ? open : [...open, reportOf(hash, late)]);
      });
      expect(named).toEqual([hash]);
    },
  );

  it('is found on the list of open orders, one to one', () => {
    const driver = quoting();
    const orders = driver.answerPlacements({ kind: 'unknown', cause: 'timeout', detail: '' });
    const [bid] = orders;
    if (!bid) throw new Error('a bid was placed');
    const hash = orderHash('0xbeef');
    driver.run(1_000, () => driver.answerReads([reportOf(hash, bid)]));
    expect(driver.engine.view().ordersByState).toMatchObject({ resting: 1, unknown: 1 });
    expect(driver.reported('order.external')).toEqual([]);
  });

  it('is placed anew when its slot is free, long before it can arrive no more', () => {
    const driver = quoting();
    driver.answerPlacements({ kind: 'unknown', cause: 'connection', detail: 'reset' });
    driver.run(12_000, () => driver.answerReads([]));
    expect(driver.take('placeOrders').length).toBeGreaterThan(0);
  });

  it('is not resolved by a list that failed', () => {
    const driver = quoting();
    driver.answerPlacements({ kind: 'unknown', cause: 'timeout', detail: '' });
    driver.run(60_000, () => {
      for (const { requestId: id } of driver.take('readOpenOrders')) {
        driver.tell({
          kind: 'openOrders',
          requestId: id,
          askedAtMs: unixMs(driver.nowMs),
          outcome: { kind: 'unknown', cause: 'timeout', detail: '' },
        });
      }
    });
    expect(driver.take('placeOrders')).toEqual([]);
  });
});

describe('fills', () => {
  it('count once, whichever way and however often they are told', () => {
    const driver = quoting();
    const [bid] = driver.acceptPlacements();
    if (!bid) throw new Error('a bid was placed');
    driver.update(bid.hash, bid.order, { status: 'PARTIALLY_FILLED', filled: 20, remaining: 30 });
    driver.update(bid.hash, bid.order, { status: 'PARTIALLY_FILLED', filled: 20, remaining: 30 });
    driver.run(6_000, () => driver.answerReads([reportOf(bid.hash, bid.order, 20)]));
    expect(driver.engine.view().markets[0]?.positionYes).toBe('20');
    expect(driver.reported('order.filled')).toHaveLength(1);
  });

  it('that overtake the answer to their placement are kept for it', () => {
    const driver = quoting();
    const [write] = driver.placements();
    const order = write?.orders[0];
    if (!write || !order) throw new Error('a bid was placed');
    const hash = orderHash('0xfa57');
    driver.update(hash, order, { status: 'MATCHED', filled: 0, remaining: 0 });
    driver.tell({
      kind: 'placed',
      requestId: write.requestId,
      outcomes: [{ intentId: order.intentId, outcome: { kind: 'accepted', orderHash: hash } }],
    });
    expect(driver.engine.view().markets[0]?.positionYes).toBe('50');
    expect(driver.engine.view().ordersByState.matched).toBe(1);
  });

  it('become sellable when they settle, and are taken back when settlement fails', () => {
    const driver = quoting();
    const [bid] = driver.acceptPlacements();
    if (!bid) throw new Error('a bid was placed');
    driver.update(bid.hash, bid.order, { status: 'MATCHED', remaining: 0 });
    driver.tell({
      kind: 'tradeSettled',
      tradeId: 't-1',
      side: 'BUY',
      tokenId: YES,
      marketId: undefined,
      price: usdc('0.48'),
      quantity: shares(30),
    });
    expect(driver.engine.view().markets[0]).toMatchObject({ settledYes: '30', positionYes: '50' });
    driver.tell({
      kind: 'tradeFailed',
      reason: 'reverted',
      marketId: undefined,
      side: 'BUY',
      quantity: shares(20),
    });
    expect(driver.engine.view().markets[0]).toMatchObject({ settledYes: '30', positionYes: '30' });
  });

  it('that nobody reported us of cost what they settled at, and cost it once', () => {
    const driver = quoting();
    const [bid] = driver.acceptPlacements();
    if (!bid) throw new Error('a bid was placed');
    driver.tell({
      kind: 'tradeSettled',
      tradeId: 't-1',
      side: 'BUY',
      tokenId: YES,
      marketId: undefined,
      price: usdc('0.48'),
      quantity: shares(50),
    });
    const unreported = driver.engine.view().markets[0];
    expect(unreported).toMatchObject({ positionYes: '50', pnlUsdc: '1.000000' });
    driver.update(bid.hash, bid.order, { status: 'MATCHED', remaining: 0 });
    const heard = driver.engine.view().markets[0];
    expect(heard).toMatchObject({ positionYes: '50', pnlUsdc: '1.000000', fills: 1 });
  });

  it('move profit by the difference between price and middle', () => {
    const driver = quoting();
    const [bid] = driver.acceptPlacements();
    if (!bid) throw new Error('a bid was placed');
    driver.update(bid.hash, bid.order, { status: 'MATCHED', remaining: 0 });
    // 50 shares bought at 0.48 with the middle at 0.50.
    expect(driver.engine.view().markets[0]?.pnlUsdc).toBe('1.000000');
  });
});

describe('a cancel', () => {
  it('that failed leaves the order as exposure until a list speaks', () => {
    const driver = quoting();
    const [bid] = driver.acceptPlacements();
    if (!bid) throw new Error('a bid was placed');
    driver.book(YES, [level(53, 500)], [level(57, 500)]);
    driver.tick();
    for (const { requestId: id } of driver.take('cancelOrders')) {
      driver.tell({
        kind: 'cancelled',
        requestId: id,
        outcome: { kind: 'accepted', cancelled: 1, failed: 1 },
      });
    }
    expect(driver.engine.view().ordersByState.cancelUnresolved).toBe(2);
    // The list shows the bid still open: it is cancelled again; the other one is gone.
    driver.run(1_000, () => driver.answerReads([reportOf(bid.hash, bid.order)]));
    const named = driver.take('cancelOrders').flatMap((each) => each.orderHashes);
    expect(named).toContain(bid.hash);
    expect(driver.engine.view().ordersByState.cancelled).toBe(1);
  });

  it('is sent once, not with every tick', () => {
    const driver = quoting();
    driver.acceptPlacements();
    driver.book(YES, [level(53, 500)], [level(57, 500)]);
    driver.run(2_000);
    expect(driver.take('cancelOrders')).toHaveLength(1);
  });
});

describe('a kill', () => {
  it('closes the gate, cancels everything, and is confirmed only after quiet', () => {
    const driver = quoting();
    const live = driver.acceptPlacements();
    driver.operator('kill');
    driver.tick();
    expect(driver.take('cancelAll')).toHaveLength(1);
    expect(driver.engine.view().phase).toBe('killing');
    driver.tell({
      kind: 'cancelled',
      requestId: requestId(999),
      outcome: { kind: 'accepted', cancelled: 2, failed: 0 },
    });
    expect(driver.reported('kill.confirmed')).toEqual([]);
    expect(driver.reported('start.cleared')).toHaveLength(1);
    expect(live).toHaveLength(2);
  });

  it('says confirmed when the venue stays empty, and latches until a resume', () => {
    const driver = quoting();
    driver.acceptPlacements();
    driver.operator('kill');
    driver.run(3_000, () => {
      driver.answerCancels();
      driver.answerReads([]);
    });
    expect(driver.engine.view().phase).toBe('killed');
    expect(driver.reported('kill.confirmed')).toHaveLength(1);
    driver.healthyBook();
    driver.run(5_000, () => driver.answerReads([]));
    expect(driver.take('placeOrders')).toEqual([]);
    driver.operator('resume');
    driver.run(3_000, () => {
      driver.answerCancels();
      driver.answerReads([]);
    });
    expect(driver.take('placeOrders').length).toBeGreaterThan(0);
  });

  it('that came before anything could be sent is begun anew when it is told again', () => {
    const driver = new EngineDriver();
    driver.operator('kill');
    driver.run(1_000);
    // The venue was not open yet: nobody answered, and nobody ever will.
    driver.sent = [];
    driver.settings(settings());
    driver.operator('kill');
    driver.run(3_000, () => {
      driver.answerCancels();
      driver.answerReads([]);
    });
    expect(driver.engine.view().phase).toBe('killed');
  });

  it('that cannot be confirmed names what is still open', () => {
    const driver = quoting();
    const [bid] = driver.acceptPlacements();
    if (!bid) throw new Error('a bid was placed');
    driver.operator('kill');
    driver.run(12_000, () => {
      driver.answerCancels();
      driver.answerReads([reportOf(bid.hash, bid.order)]);
    });
    expect(driver.engine.view().phase).toBe('killing');
    expect(driver.reported('kill.unconfirmed')[0]).toMatchObject({
      stillOpen: 1,
      orderHashes: [bid.hash],
    });
  });

  it('that is ordered again and again still says in time that it is not confirmed', () => {
    const driver = quoting();
    const [bid] = driver.acceptPlacements();
    if (!bid) throw new Error('a bid was placed');
    driver.run(12_000, () => {
      if (driver.nowMs % 2_000 === 0) driver.operator('kill');
      driver.answerCancels();
      driver.answerReads([reportOf(bid.hash, bid.order)]);
    });
    expect(driver.reported('kill.unconfirmed').length).toBeGreaterThan(0);
  });

  it('that waits for placements without an answer names them by what they asked for', () => {
    const driver = quoting();
    driver.answerPlacements({ kind: 'unknown', cause: 'timeout', detail: '' });
    driver.operator('kill');
    driver.run(12_000, () => {
      driver.answerCancels();
      driver.answerReads([]);
    });
    const [report] = driver.reported('kill.unconfirmed');
    expect(report?.inFlight).toHaveLength(2);
    expect(report?.inFlight[0]).toMatch(/^BUY 50 of 0x[0-9a-f]+ at 0\.\d+, for \d+ s more$/);
  });

  it('waits for an unknown placement that may still arrive', () => {
    const driver = quoting();
    driver.answerPlacements({ kind: 'unknown', cause: 'timeout', detail: '' });
    driver.operator('kill');
    driver.run(20_000, () => {
      driver.answerCancels();
      driver.answerReads([]);
    });
    expect(driver.engine.view().phase).toBe('killing');
    driver.run(20_000, () => {
      driver.answerCancels();
      driver.answerReads([]);
    });
    expect(driver.engine.view().phase).toBe('killed');
  });
});

describe('a placement refused because the market is paused', () => {
  it('is tried again as soon as the venue reopens the market', () => {
    const driver = quoting();
    driver.tell({ kind: 'marketStatus', tokenId: YES, status: 'paused', word: 'PAUSE' });
    const refusal = {
      code: 'market_paused',
      message: 'paused',
      httpStatus: 422,
      retryAfterMs: undefined,
    };
    driver.answerPlacements({ kind: 'refused', refusal });
    driver.run(1_000);
    expect(driver.take('placeOrders')).toEqual([]);
    driver.tell({ kind: 'marketStatus', tokenId: YES, status: 'open', word: 'OPEN' });
    driver.run(200);
    expect(driver.take('placeOrders').length).toBeGreaterThan(0);
  });
});

describe('a pause that ends while the socket is down', () => {
  it('is asked about with the next connection, by one order', () => {
    const driver = quoting();
    driver.acceptPlacements();
    driver.tell({ kind: 'marketStatus', tokenId: YES, status: 'paused', word: 'PAUSE' });
    driver.tell({ kind: 'socketLost', reason: 'test' });
    driver.run(200, () => driver.answerCancels());
    driver.tell({ kind: 'socketOpened' });
    driver.tell({ kind: 'authenticated' });
    driver.healthyBook();
    driver.run(6_000, () => driver.answerReads([]));
    expect(driver.acceptPlacements()).toHaveLength(1);
    expect(driver.engine.view().markets[0]?.status).toBe('open');
    driver.run(200);
    expect(driver.take('placeOrders').length).toBeGreaterThan(0);
  });
});

describe('a failure while a market is priced', () => {
  it('costs that market its quotes and stops nothing else', () => {
    let isBroken = false;
    const quote = {
      side: 'bid' as const,
      quantity: shares(50),
      purpose: 'add' as const,
      get price() {
        if (isBroken && reads++ > 0) throw new Error('an estimate failed');
        return ticks(GRID, 48);
      },
    };
    let reads = 0;
    const fragile = { ...ladder, quote: () => ({ quotes: [quote], reasons: [] }) };
    const driver = new EngineDriver([fragile as Strategy]);
    driver.start();
    driver.healthyBook();
    driver.tick();
    const [bid] = driver.acceptPlacements();
    isBroken = true;
    driver.run(2_500, () => driver.answerReads(driver.openReports()));
    expect(driver.reported('strategy.failed')[0]?.detail).toBe('an estimate failed');
    expect(driver.answerCancels()).toContain(bid?.hash);
    expect(driver.engine.view().markets[0]?.bidReason?.code).toBe('strategy_failed');
  });
});

describe('limits', () => {
  it('hold before every placement, on the worst case of what is held and live', () => {
    const driver = new EngineDriver();
    const tight = settings({
      risk: {
        maxPositionShares: 60,
        maxOrderNotionalUsdc: 100,
        maxOpenOrders: 200,
        maxLossUsdc: 20,
      },
    });
    driver.start(tight);
    driver.healthyBook();
    driver.run(100);
    // A bid of 50 at 0.48 may lose 24, an ask at 0.52 may lose 24: each alone is above 20.
    expect(driver.take('placeOrders')).toEqual([]);
    expect(driver.engine.view().markets[0]?.bidReason?.code).toBe('max_loss_usdc');
  });

  it('count orders that are in flight', () => {
    const driver = new EngineDriver();
    const two = settings().markets.map((each) => ({
      ...each,
      params: { halfSpreadTicks: 2, levels: 3, levelSpacingTicks: 1, size: 50 },
    }));
    driver.start(
      settings({
        markets: two,
        risk: {
          maxPositionShares: 500,
          maxOrderNotionalUsdc: 100,
          maxOpenOrders: 3,
          maxLossUsdc: 900,
        },
      }),
    );
    driver.healthyBook();
    driver.run(1_000);
    const orders = driver.placements().flatMap((each) => each.orders);
    expect(orders).toHaveLength(3);
  });

  it('halt and latch when the session has lost too much', () => {
    const driver = new EngineDriver();
    const own = settings().risk;
    driver.start(settings({ risk: { ...own, maxLossUsdc: 25 } }));
    driver.healthyBook();
    driver.tick();
    const [bid] = driver.acceptPlacements();
    if (!bid) throw new Error('a bid was placed');
    driver.update(bid.hash, bid.order, { status: 'MATCHED', remaining: 0 });
    driver.settings(settings({ risk: { ...own, maxLossUsdc: 10 } }));
    driver.book(YES, [level(10, 500)], [level(14, 500)]);
    driver.run(200);
    expect(driver.engine.view().phase).toBe('halted');
    expect(driver.reported('risk.halted')).toHaveLength(1);
    driver.take('placeOrders');
    driver.book(YES, [level(48, 500)], [level(52, 500)]);
    driver.run(5_000, () => {
      driver.answerCancels();
      driver.answerReads([]);
    });
    expect(driver.take('placeOrders')).toEqual([]);
  });
});

describe('the account', () => {
  it('cancels an order that we never sent, and says so', () => {
    const driver = quoting();
    const live = driver.acceptPlacements();
    const external = live[0];
    if (!external) throw new Error('a bid was placed');
    const hash = orderHash('0x5747');
    const report = { ...reportOf(hash, external.order), quantity: shares(7) };
    driver.run(6_000, () =>
      driver.answerReads([...live.map((l) => reportOf(l.hash, l.order)), report]),
    );
    expect(driver.reported('order.external')).toHaveLength(1);
    expect(driver.take('cancelOrders').flatMap((each) => each.orderHashes)).toContain(hash);
  });
});

describe('the same inputs', () => {
  it('give the same commands, bit for bit', () => {
    const once = () => {
      const driver = quoting();
      driver.acceptPlacements();
      driver.book(YES, [level(53, 500)], [level(57, 500)]);
      driver.run(2_000, () => driver.answerReads([]));
      return JSON.stringify([driver.sent, driver.reports, driver.engine.view()]);
    };
    expect(once()).toBe(once());
  });
});

describe('housekeeping', () => {
  it('leads to the same commands whenever it is asked for, at the latest with the next input', () => {
    const driver = new EngineDriver();
    const inputs: Input[] = [];
    const asked: Command[] = [];
    const { step, tend } = { step: driver.engine.step, tend: driver.engine.tend };
    const noted = (commands: readonly Command[]) => {
      asked.push(...commands);
      return commands;
    };
    driver.engine.step = (input) => {
      inputs.push(input);
      return noted(step.call(driver.engine, input));
    };
    driver.engine.tend = () => noted(tend.call(driver.engine));
    driver.start();
    driver.healthyBook();
    driver.run(5_000, () => {
      driver.acceptPlacements();
      driver.answerReads(driver.openReports());
      driver.answerCancels();
    });
    const late = createEngine({ strategies: new Map([['ladder', ladder as Strategy]]) });
    const lateCommands = inputs.flatMap((input) => late.step(input));
    lateCommands.push(...late.tend());
    expect(asked.length).toBeGreaterThan(20);
    expect(lateCommands).toEqual(asked);
  });
});
