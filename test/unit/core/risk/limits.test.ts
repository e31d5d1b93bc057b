// Each limit against a strategy that wants to break it: only the check at the send point is in the way.

import { describe, expect, it } from 'vitest';
import { brokenCollar } from '../../../../src/core/risk/limits.ts';
import type { RiskLimits } from '../../../../src/domain/input.ts';
import { ticks } from '../../../../src/domain/ticks.ts';
import type { Quote } from '../../../../src/strategy/index.ts';
import { EngineDriver, GRID, level, NO, YES } from '../../../support/engine-driver.ts';
import { ask, bid, controlled, placed, wishing } from '../../../support/wanted.ts';

const OFF = { fairThrough: 0, fairAway: 0, tradesThrough: 0, tradesAway: 0, tradesMs: 300_000 };
const NO_COLLAR = { collar: { ...OFF, blind: 'allow' } } as const;

function quoting(quotes: readonly Quote[], limits: Partial<RiskLimits>): EngineDriver {
  const driver = new EngineDriver([wishing(() => quotes)]);
  driver.start(controlled({ ...NO_COLLAR, ...limits }));
  driver.healthyBook();
  driver.run(200);
  return driver;
}

function tradeAt(driver: EngineDriver, prices: readonly number[]): void {
  for (const price of prices) {
    driver.tell({
      kind: 'trade',
      tokenId: YES,
      price: ticks(GRID, price),
      size: level(price, 5).size,
      takerSide: 'BUY',
      venueTs: undefined,
    });
  }
}

describe('the limits of one order', () => {
  it.each([
    { limit: 'max_order_notional_usdc', limits: { maxOrderNotionalUsdc: 20 } },
    { limit: 'max_order_shares', limits: { maxOrderShares: 49 } },
    { limit: 'max_position_shares', limits: { maxPositionShares: 49 } },
    { limit: 'max_net_shares', limits: { maxNetShares: 49 } },
    { limit: 'max_loss_usdc', limits: { maxLossUsdc: 20 } },
    { limit: 'max_event_loss_usdc', limits: { maxEventLossUsdc: 20 } },
    { limit: 'max_open_notional_usdc', limits: { maxOpenNotionalUsdc: 20 } },
  ])('$limit stops a target quote of 50 at 0.48', ({ limit, limits }) => {
    const driver = quoting([bid(48, 50)], limits);
    expect(placed(driver)).toEqual([]);
    expect(driver.engine.view().markets[0]?.bidReason?.code).toBe(limit);
    expect(driver.reported('risk.refused')[0]?.limit).toBe(limit);
  });

  it('a limit stays the reason between its pauses and the next tries', () => {
    const driver = quoting([bid(48, 50)], { maxOrderShares: 49 });
    const codes = new Set<string | undefined>();
    for (let ticks = 0; ticks < 60; ticks += 1) {
      driver.tick();
      codes.add(driver.engine.view().markets[0]?.bidReason?.code);
    }
    expect([...codes]).toEqual(['max_order_shares']);
    expect(driver.reported('risk.refused').length).toBeGreaterThan(2);
  });

  it.each([
    { maxOrderNotionalUsdc: 24 },
    { maxOrderShares: 50 },
    { maxPositionShares: 50 },
    { maxNetShares: 50 },
    { maxLossUsdc: 24 },
    { maxEventLossUsdc: 24 },
    { maxOpenNotionalUsdc: 24 },
  ])('%o lets it through to the last share', (limits) => {
    expect(placed(quoting([bid(48, 50)], limits))).toEqual([['BUY YES', 48, 50]]);
  });
});

describe('the limits of what is live', () => {
  const LADDER = [bid(48, 10), bid(47, 10), bid(46, 10), bid(45, 10)];

  it.each([
    { limit: 'max_open_orders', limits: { maxOpenOrders: 2 }, count: 2 },
    { limit: 'max_market_open_orders', limits: { maxMarketOpenOrders: 3 }, count: 3 },
    // 4.80 and 4.70 fit, and 4.60 on top of them does not.
    { limit: 'max_open_notional_usdc', limits: { maxOpenNotionalUsdc: 10 }, count: 2 },
  ])('$limits hold for orders of one write together', ({ limit, limits, count }) => {
    const driver = quoting(LADDER, limits);
    expect(placed(driver)).toHaveLength(count);
    expect(driver.reported('risk.refused').map((each) => each.limit)).toContain(limit);
  });

  it('count orders whose answer was lost', () => {
    const driver = quoting(LADDER, { maxMarketOpenOrders: 2 });
    driver.answerPlacements({ kind: 'unknown', cause: 'timeout', detail: 'x' });
    driver.run(5_000, () => driver.answerReads([]));
    expect(placed(driver)).toEqual([]);
  });
});

describe('the collar', () => {
  it.each([
    { what: 'a bid beyond the value', price: 60, collar: { fairThrough: 0.05 }, orders: 0 },
    { what: 'a bid far below the value', price: 30, collar: { fairAway: 0.15 }, orders: 0 },
    { what: 'a bid below the value', price: 30, collar: { fairThrough: 0.05 }, orders: 1 },
    { what: 'a bid near the value', price: 45, collar: { fairAway: 0.15 }, orders: 1 },
  ])('against the fair value: $what makes $orders', ({ price, collar, orders }) => {
    const targets: Quote[] = [];
    const driver = new EngineDriver([wishing(() => targets)]);
    driver.start(controlled({ collar: { ...OFF, blind: 'hold', ...collar } }));
    driver.healthyBook();
    driver.run(200);
    // The only offer goes, so that nothing but the last fair value is in the way of a high bid.
    driver.book(YES, [level(20, 500)], []);
    targets.push(bid(price, 50));
    driver.run(1_500);
    expect(driver.engine.view().markets[0]?.fair?.price).toBe('0.500000');
    expect(placed(driver)).toHaveLength(orders);
    const code = driver.engine.view().markets[0]?.bidReason?.code;
    expect(code).toBe(orders === 0 ? 'collar_fair' : 'in_flight');
  });

  it('against the last trades stops what is beyond their range', () => {
    const collar = { tradesThrough: 0.1 };
    const driver = new EngineDriver([wishing(() => [ask(70, 50)])]);
    driver.start(controlled({ collar: { ...OFF, blind: 'hold', ...collar } }));
    driver.book(YES, [level(68, 500)], [level(72, 500)]);
    driver.book(NO, [], []);
    tradeAt(driver, [85, 90]);
    driver.run(200);
    expect(placed(driver)).toEqual([]);
    expect(driver.engine.view().markets[0]?.askReason?.code).toBe('collar_trades');
    // Trades that are old say nothing any more, and of this collar nothing else does.
    driver.run(301_000, () => {
      driver.answerReads([]);
    });
    expect(placed(driver)).toEqual([]);
    expect(driver.engine.view().markets[0]?.askReason?.code).toBe('collar_blind');
    driver.settings(controlled({ collar: { ...OFF, blind: 'allow', ...collar } }));
    driver.run(1_000);
    expect(placed(driver).length).toBeGreaterThan(0);
  });

  it('goes by trades of before our clock was set ahead for as long as if it had not been', () => {
    const driver = new EngineDriver([wishing(() => [ask(70, 50)])]);
    driver.start(controlled({ collar: { ...OFF, blind: 'hold', tradesThrough: 0.1 } }));
    driver.book(YES, [level(68, 500)], [level(72, 500)]);
    driver.book(NO, [], []);
    tradeAt(driver, [85, 90]);
    driver.run(200);
    const why = () => driver.engine.view().markets[0]?.askReason?.code;
    expect(why()).toBe('collar_trades');
    driver.tick(310_000);
    driver.run(290_000, () => driver.answerReads([]));
    expect(why()).toBe('collar_trades');
    driver.run(20_000, () => driver.answerReads([]));
    expect(why()).toBe('collar_blind');
    expect(placed(driver)).toEqual([]);
  });

  it.each([
    { jumps: 'twice', byMs: [310_000, 310_000] },
    { jumps: 'often, by less than a wait would mind', byMs: Array(40).fill(10_000) },
  ])('goes by them where it jumps $jumps', ({ byMs }) => {
    const driver = new EngineDriver([wishing(() => [ask(70, 50)])]);
    driver.start(controlled({ collar: { ...OFF, blind: 'hold', tradesThrough: 0.1 } }));
    driver.book(YES, [level(68, 500)], [level(72, 500)]);
    driver.book(NO, [], []);
    tradeAt(driver, [85, 90]);
    const why = () => driver.engine.view().markets[0]?.askReason?.code;
    for (const each of byMs) {
      driver.tick(each);
      driver.run(1_000, () => driver.answerReads([]));
      expect(why()).toBe('collar_trades');
    }
    driver.run(301_000, () => driver.answerReads([]));
    expect(why()).toBe('collar_blind');
  });

  const NO_TOUCH = { bid: undefined, ask: undefined };

  it.each([
    { what: 'a bid beyond what is asked for', side: 'bid', price: 30, on: { fairThrough: 0.1 } },
    {
      what: 'an ask beyond what is bid',
      side: 'ask',
      price: 2,
      on: { fairThrough: 0.1 },
      low: 0.13,
    },
    { what: 'an ask far above what is asked for', side: 'ask', price: 31, on: { fairAway: 0.15 } },
  ] as const)('holds to the books as they are, whatever the value says, $what', (scene) => {
    const { side: axisSide, price: axisPrice, on } = scene;
    const collar = { ...OFF, blind: 'hold', ...on } as const;
    const bid = 'low' in scene ? scene.low : 0.07;
    const known = { fair: axisPrice / 100, touch: { bid, ask: 0.14 }, trades: undefined };
    expect(brokenCollar(GRID, { axisSide, axisPrice }, known, collar)).toBe('collar_fair');
    const alone = { ...known, touch: NO_TOUCH };
    expect(brokenCollar(GRID, { axisSide, axisPrice }, alone, collar)).toBeUndefined();
    const wide = { ...known, touch: { bid: 0.01, ask: 0.99 } };
    expect(brokenCollar(GRID, { axisSide, axisPrice }, wide, collar)).toBeUndefined();
  });

  it('holds an ask to what others ask for now, though the value is of before', () => {
    const targets: Quote[] = [];
    const driver = new EngineDriver([wishing(() => targets)]);
    driver.start(controlled({ collar: { ...OFF, fairAway: 0.1, blind: 'hold' } }));
    driver.healthyBook();
    driver.run(200);
    // Others bid no more and ask for less: what there is has no middle, and the value stays.
    driver.book(YES, [], [level(30, 500)]);
    targets.push(ask(58, 50));
    driver.run(1_500);
    const [market] = driver.engine.view().markets;
    expect(market?.fair?.price).toBe('0.500000');
    expect(placed(driver)).toEqual([]);
    expect(market?.askReason?.code).toBe('collar_fair');
  });

  const ONE_TRADE = { fair: undefined, touch: NO_TOUCH, trades: { low: 0.4, high: 0.4 } };
  const ONLY_FAIR = { fair: 0.4, touch: NO_TOUCH, trades: undefined };
  it.each([
    { what: 'trades are for a collar of the value', known: ONE_TRADE, on: { fairThrough: 0.05 } },
    { what: 'trades are for one of its own side', known: ONE_TRADE, on: { fairAway: 0.05 } },
    { what: 'a value is for a collar of trades', known: ONLY_FAIR, on: { tradesThrough: 0.05 } },
    { what: 'a value is for one of their own side', known: ONLY_FAIR, on: { tradesAway: 0.05 } },
  ])('is as blind as if nothing were known when $what', ({ known, on }) => {
    const order = { axisSide: 'bid', axisPrice: 95 } as const;
    const collar = { ...OFF, blind: 'hold', ...on } as const;
    const nothing = { fair: undefined, touch: NO_TOUCH, trades: undefined };
    expect(brokenCollar(GRID, order, known, collar)).toBe('collar_blind');
    expect(brokenCollar(GRID, order, nothing, collar)).toBe('collar_blind');
    expect(brokenCollar(GRID, order, known, { ...collar, blind: 'allow' })).toBeUndefined();
    expect(brokenCollar(GRID, order, nothing, { ...OFF, blind: 'hold' })).toBeUndefined();
  });

  it('holds back what nothing can be held against, unless the settings allow it', () => {
    const collars = [
      { collar: { ...OFF, fairThrough: 0.1, blind: 'hold' }, orders: 0 },
      { collar: { ...OFF, fairThrough: 0.1, blind: 'allow' }, orders: 1 },
    ] as const;
    for (const { collar, orders } of collars) {
      const driver = new EngineDriver([wishing(() => [bid(30, 50)])]);
      driver.start(controlled({ collar }));
      driver.book(YES, [level(20, 500)], []);
      driver.book(NO, [], []);
      driver.run(200);
      expect(placed(driver)).toHaveLength(orders);
      if (orders > 0) continue;
      expect(driver.engine.view().markets[0]?.bidReason?.code).toBe('collar_blind');
    }
  });
});
