// Orders that have traded in part, on a venue that cancels none of those.

import { describe, expect, it } from 'vitest';
import type { LimitOrder, OrderReport } from '../../../../src/domain/order.ts';
import { shares } from '../../../../src/domain/shares.ts';
import {
  EngineDriver,
  level,
  listing,
  MARKET,
  NO,
  reportOf,
  settings,
  YES,
} from '../../../support/engine-driver.ts';

type Quote = ReturnType<EngineDriver['acceptPlacements']>[number];

const view = (driver: EngineDriver) => driver.engine.view();
const market = (driver: EngineDriver) => view(driver).markets[0];

function part({ hash, order }: Quote, traded = 20): OrderReport {
  return { ...reportOf(hash, order), executed: shares(traded), status: 'PARTIALLY_FILLED' };
}

/** Twenty of fifty bought at 0.48, and the rest rests for as long as the venue likes. */
function withPart(change: Parameters<typeof settings>[0] = {}) {
  const driver = new EngineDriver();
  driver.start(settings(change));
  driver.healthyBook();
  driver.tick();
  const [bid, ask] = driver.acceptPlacements();
  if (!bid || !ask) throw new Error('a bid and an ask were placed');
  driver.update(bid.hash, bid.order, { status: 'PARTIALLY_FILLED', filled: 20, remaining: 30 });
  return { driver, bid, ask };
}

/** The venue runs for a while: it lists the part and refuses to cancel it. */
function live(driver: EngineDriver, bid: Quote, durationMs: number): readonly string[] {
  const named: string[] = [];
  driver.run(durationMs, () => {
    named.push(...driver.answerCancels([bid.hash]));
    driver.answerReads([part(bid)]);
    driver.acceptPlacements();
  });
  return named.filter((hash) => hash === bid.hash);
}

/** A new run before its first list: an earlier one left a part, and nothing else. */
function begun() {
  const { bid } = withPart();
  const driver = new EngineDriver();
  driver.settings(settings());
  driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
  driver.tell({ kind: 'socketOpened' });
  driver.tell({ kind: 'authenticated' });
  return { driver, bid };
}

function started(durationMs: number) {
  const world = begun();
  live(world.driver, world.bid, durationMs);
  world.driver.healthyBook();
  return world;
}

describe('a start', () => {
  it('goes on around what the venue refuses to cancel, and says which orders those are', () => {
    const { driver, bid } = started(10_000);
    expect(view(driver).phase).toBe('quoting');
    expect(driver.reported('start.cleared')).toMatchObject([{ refused: [bid.hash] }]);
    expect(driver.reported('order.uncancellable')).toMatchObject([
      { orderHash: bid.hash, left: '30' },
    ]);
    expect(view(driver).uncancellable).toEqual([bid.hash]);
  });

  it('goes on around it, and tries anew what a failed settlement has put back', () => {
    const { driver, bid } = begun();
    let open: readonly OrderReport[] = [part(bid)];
    driver.run(20_000, () => {
      const isBack = driver.reported('order.uncancellable').length > 0;
      const named = driver.answerCancels(isBack ? [] : [bid.hash]);
      if (isBack && open.length > 0) open = [reportOf(bid.hash, bid.order)];
      if (isBack && named.includes(bid.hash)) open = [];
      driver.answerReads(open);
    });
    expect(view(driver).phase).toBe('quoting');
    expect(open).toEqual([]);
    expect(view(driver).uncancellable).toEqual([]);
  });

  it('waits while the answers say nothing of the order', () => {
    const { driver, bid } = begun();
    driver.run(30_000, () => {
      const detail = 'no answer in time';
      for (const kind of ['cancelAll', 'cancelOrders'] as const) {
        for (const { requestId } of driver.take(kind)) {
          const outcome = { kind: 'unknown', cause: 'timeout', detail } as const;
          driver.tell({ kind: 'cancelled', requestId, outcome });
        }
      }
      driver.answerReads([part(bid)]);
    });
    expect(view(driver).phase).toBe('clearing');
  });

  it('counts what trades of it once', () => {
    const { driver, bid } = started(10_000);
    driver.update(bid.hash, bid.order, { status: 'PARTIALLY_FILLED', filled: 40, remaining: 10 });
    driver.update(bid.hash, bid.order, { status: 'FILLED', filled: 50, remaining: 0 });
    driver.run(6_000, () => driver.answerReads([]));
    expect(market(driver)?.positionYes).toBe('30');
    expect(view(driver).uncancellable).toEqual([]);
  });
});

describe('a kill', () => {
  function killed() {
    const world = withPart();
    const { driver, bid } = world;
    driver.operator('kill');
    live(driver, bid, settings().timing.proofDeadlineMs + 5_000);
    return world;
  }

  it('is not confirmed while such an order rests, and names it in the words of the venue', () => {
    const { driver, bid } = killed();
    expect(driver.reported('kill.confirmed')).toEqual([]);
    const [report] = driver.reported('kill.unconfirmed');
    expect(report).toMatchObject({ stillOpen: 1, orderHashes: [bid.hash], isOnlyParts: true });
    expect(report?.detail).toContain('refuses to cancel 1');
    expect(report?.detail).toContain('failed 1');
    expect(report?.detail).toContain('PARTIALLY_FILLED');
    expect(view(driver).phaseReason).toContain(bid.hash);
  });

  it('is confirmed as soon as it is gone', () => {
    const { driver } = killed();
    driver.run(60_000, () => {
      driver.answerCancels();
      driver.answerReads([]);
    });
    expect(driver.reported('kill.confirmed')).toMatchObject([{ refused: [] }]);
    expect(view(driver).phase).toBe('killed');
  });

  it('can be resumed from when nothing else is left: then it is a start', () => {
    const { driver, bid } = killed();
    driver.operator('resume');
    expect(view(driver).phase).toBe('clearing');
    live(driver, bid, 10_000);
    expect(view(driver).phase).toBe('quoting');
  });

  it('cannot be resumed from while cancels have no answer', () => {
    const { driver, bid } = withPart();
    driver.operator('kill');
    driver.run(20_000, () => driver.answerReads([part(bid)]));
    driver.operator('resume');
    expect(view(driver).phase).toBe('killing');
  });
});

describe('quoting beside an order that cannot be cancelled', () => {
  /** The market falls, so that its bid is wanted no more. */
  function fallen(to: readonly [number, number], change: Parameters<typeof settings>[0] = {}) {
    const world = withPart(change);
    const { driver } = world;
    driver.book(YES, [level(to[0], 500)], [level(to[1], 500)]);
    driver.book(NO, [], []);
    return world;
  }

  it('asks for its cancel no more often than every 30 s, once it was refused', () => {
    const { driver, bid } = fallen([40, 44]);
    const first = live(driver, bid, 20_000).length;
    expect(first).toBeLessThanOrEqual(2);
    expect(live(driver, bid, 30_000)).toHaveLength(1);
    expect(live(driver, bid, 300_000).length).toBeLessThanOrEqual(10);
    const later = live(driver, bid, 300_000).length;
    expect(later).toBeLessThanOrEqual(6);
    expect(later).toBeGreaterThan(3);
  });

  it('asks at once when the settlement of its part has failed: it rests whole, as if nobody had asked', () => {
    const { driver, bid } = fallen([40, 44]);
    live(driver, bid, 20_000);
    expect(view(driver).uncancellable).toEqual([bid.hash]);
    const failed = {
      marketId: MARKET,
      side: 'BUY',
      quantity: shares(20),
      reason: 'reverted',
    } as const;
    driver.tell({ kind: 'tradeFailed', ...failed });
    const named: string[] = [];
    driver.run(1_000, () => {
      named.push(...driver.answerCancels());
      driver.answerReads([reportOf(bid.hash, bid.order)]);
      driver.acceptPlacements();
    });
    expect(named).toContain(bid.hash);
    expect(view(driver).uncancellable).toEqual([]);
  });

  // Twenty are held and thirty may come: of a limit of 100 all fifty that are wanted are left.
  it.each([
    { limit: 80, bids: [] },
    { limit: 99, bids: [] },
    { limit: 100, bids: [shares(50)] },
  ])('counts it: no more is bought than a limit of $limit allows beside it', ({ limit, bids }) => {
    const risk = { ...settings().risk, maxPositionShares: limit };
    const { driver, bid } = fallen([40, 44], { risk });
    const bought = new Set<number>();
    driver.run(30_000, () => {
      driver.answerCancels([bid.hash]);
      driver.answerReads([part(bid)]);
      for (const { order } of driver.acceptPlacements()) {
        const isBid = order.tokenId === YES && order.side === 'BUY';
        if (isBid) bought.add(order.quantity);
      }
    });
    expect([...bought]).toEqual(bids);
  });

  it('never meets it, and quotes that side right behind it', () => {
    const { driver, bid, ask } = fallen([40, 44]);
    const resting = new Map<string, Quote>([[ask.hash, ask]]);
    const placed: LimitOrder[] = [];
    driver.run(20_000, () => {
      for (const hash of driver.answerCancels([bid.hash])) {
        const quote = resting.get(hash);
        if (quote) driver.update(quote.hash, quote.order, { status: 'CANCELLED', remaining: 50 });
        resting.delete(hash);
      }
      const others = [...resting.values()].map(({ hash, order }) => reportOf(hash, order));
      driver.answerReads([part(bid), ...others]);
      for (const { hash, order } of driver.acceptPlacements()) {
        resting.set(hash, { hash, order });
        placed.push(order);
      }
    });
    // An ask at the price of its own bid or below would trade with it, and a bid for NO is an ask.
    const isMet = ({ tokenId, side, price }: LimitOrder) =>
      tokenId === NO ? side === 'BUY' && price >= 52 : side === 'SELL' && price <= 48;
    expect(placed.filter(isMet)).toEqual([]);
    const asks = [...resting.values()].filter(({ order }) =>
      order.tokenId === NO ? order.side === 'BUY' : order.side === 'SELL',
    );
    expect(
      asks.map(({ order: { tokenId, price } }) => (tokenId === NO ? 100 - price : price)),
    ).toEqual([49]);
    expect(market(driver)?.askReason).toBeUndefined();
  });
});

describe('an order that the venue refuses to cancel right behind its acknowledgement', () => {
  /** It has to go at once, and the venue lists it from the first moment and cancels it some time later. */
  function refusedFor(refusedMs: number, go: (driver: EngineDriver) => void) {
    const driver = new EngineDriver();
    driver.start();
    driver.healthyBook();
    driver.tick();
    let open = driver.acceptPlacements();
    const sinceMs = driver.nowMs;
    go(driver);
    driver.run(5_000, () => {
      const hashes = open.map(({ hash }) => hash);
      const refused = driver.nowMs - sinceMs < refusedMs ? hashes : [];
      const ended = driver
        .answerCancels(refused)
        .filter((hash) => !refused.includes(hash as never));
      open = open.filter(({ hash }) => !ended.includes(hash));
      driver.answerReads(open.map(({ hash, order }) => reportOf(hash, order)));
      driver.acceptPlacements();
    });
    return { driver, open };
  }
  const stop = { kind: 'stopMarket', by: 'test', marketId: MARKET, stop: 'pause' } as const;

  it.each([
    [
      'a move of the market',
      (driver: EngineDriver) => driver.book(YES, [level(40, 500)], [level(44, 500)]),
    ],
    ['a pause', (driver: EngineDriver) => driver.operator('pause')],
    ['a pause of its market', (driver: EngineDriver) => driver.operator(stop)],
  ])('is cancelled by %s within five seconds', (_, go) => {
    const { driver, open } = refusedFor(1_500, go);
    expect(open).toEqual([]);
    expect(driver.reported('order.uncancellable')).toEqual([]);
  });
});
