// The network may deliver a placement twice. What may be there twice counts twice in the limits, until lists say.

import { describe, expect, it } from 'vitest';
import { type OrderHash, orderHash } from '../../../../src/domain/ids.ts';
import type { LimitOrder, OrderReport } from '../../../../src/domain/order.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../../src/domain/ticks.ts';
import {
  balances,
  EngineDriver,
  MARKET,
  reportOf,
  settings,
  YES,
} from '../../../support/engine-driver.ts';

const TICKS = tickGrid('0.01');
const COPY = orderHash('0xc0b1');

function ladder(levels: number, maxPositionShares: number, size = 50) {
  const [market] = settings().markets;
  if (market === undefined) throw new Error('the settings name a market');
  const params = { halfSpreadTicks: 2, levels, levelSpacingTicks: 1, size };
  return settings({
    markets: [{ ...market, params }],
    risk: { ...settings().risk, maxPositionShares },
  });
}

/** Bids at each level, of the orders that leave now. */
function bids(driver: EngineDriver): readonly LimitOrder[] {
  driver.tick();
  return driver
    .placements()
    .flatMap(({ orders }) => orders)
    .filter(({ tokenId }) => tokenId === YES);
}

/** One bid and one ask of 50 shares rest, and were on lists for a while. */
function resting(maxPositionShares: number) {
  const driver = new EngineDriver();
  driver.start(ladder(1, maxPositionShares));
  driver.healthyBook();
  driver.tick();
  const accepted = driver.acceptPlacements();
  const bid = accepted.find(({ order }) => order.tokenId === YES)?.order;
  if (bid === undefined) throw new Error('a bid was placed');
  listed(driver, 8_000);
  return { driver, bid };
}

/** Lists show what was accepted, and these orders, for so long. */
function listed(driver: EngineDriver, forMs: number, ...more: readonly OrderReport[]): void {
  driver.run(forMs, () => {
    driver.answerCancels();
    driver.answerReads([...driver.openReports(), ...more], balances());
  });
}

describe('a placement without an answer', () => {
  it('counts twice until a list that was asked for long after it shows it once', () => {
    const driver = new EngineDriver();
    driver.start(ladder(1, 120));
    driver.healthyBook();
    driver.tick();
    const sent = driver.answerPlacements({ kind: 'unknown', cause: 'unreadable', detail: 'deep' });
    driver.settings(ladder(2, 120));
    expect(bids(driver)).toEqual([]);
    expect(driver.reported('risk.refused').at(-1)?.limit).toBe('max_position_shares');
    const found = sent.map((order, at) => reportOf(orderHash(`0xf0${at}`), order));
    driver.run(4_000, () => driver.answerReads(found, balances()));
    expect(bids(driver)).toEqual([]);
    const later: LimitOrder[] = [];
    driver.run(8_000, () => {
      driver.answerReads(found, balances());
      later.push(...bids(driver));
    });
    expect(later).toHaveLength(1);
  });
});

describe('after a second copy of an order was seen', () => {
  /** A list shows it, and then no more. */
  function seen(maxPositionShares: number) {
    const { driver, bid } = resting(maxPositionShares);
    const copy = reportOf(COPY, bid);
    listed(driver, 6_000, copy);
    listed(driver, 8_000);
    expect(driver.reported('order.external')).toMatchObject([{ orderHash: COPY }]);
    return driver;
  }

  it('each placement counts twice for a minute', () => {
    const driver = seen(140);
    driver.settings(ladder(2, 140));
    expect(bids(driver)).toEqual([]);
    expect(driver.reported('risk.refused').at(-1)?.limit).toBe('max_position_shares');
    listed(driver, 60_000);
    driver.healthyBook();
    expect(bids(driver)).toHaveLength(1);
  });

  it('a limit with room for both leaves it alone', () => {
    const driver = seen(150);
    driver.settings(ladder(2, 150));
    expect(bids(driver)).toHaveLength(1);
  });

  it('of another quantity it is somebody else’s, and each placement counts once', () => {
    const { driver, bid } = resting(170);
    const other = { ...reportOf(COPY, bid), quantity: shares(60) };
    driver.update(COPY, { ...bid, quantity: shares(60) }, { status: 'OPEN', remaining: 60 });
    listed(driver, 6_000, other);
    listed(driver, 8_000);
    expect(driver.reported('order.external')[0]).toMatchObject({ orderHash: COPY });
    driver.settings(ladder(2, 140));
    expect(bids(driver)).toHaveLength(1);
  });

  it('of what was added to an order, a placement counts twice as well', () => {
    const { driver } = resting(400);
    driver.settings(ladder(1, 400, 80));
    driver.tick();
    const added = driver.acceptPlacements().find(({ order }) => order.tokenId === YES)?.order;
    expect(added?.quantity).toBe(shares(30));
    if (added === undefined) throw new Error('a bid was added to');
    listed(driver, 8_000);
    listed(driver, 6_000, reportOf(COPY, added));
    listed(driver, 8_000);
    driver.settings(ladder(2, 200, 80));
    expect(bids(driver)).toEqual([]);
  });

  it('without one, a placement counts once', () => {
    const { driver } = resting(100);
    driver.settings(ladder(2, 100));
    expect(bids(driver)).toHaveLength(1);
  });
});

describe('a copy that a list is the first to show', () => {
  it('counts with what it had traded by then, which no balance shows yet', () => {
    const { driver, bid } = resting(500);
    const copy = { ...reportOf(COPY, bid), executed: bid.quantity };
    listed(driver, 6_000, copy);
    const market = driver.engine.view().markets.find(({ marketId }) => marketId === MARKET);
    expect(market?.positions?.yes).toMatchObject({ low: '0', expected: '0', high: '50' });
  });

  it('is somebody else’s where nothing of ours is like it: balances tell what it traded', () => {
    const { driver, bid } = resting(500);
    const other = { ...reportOf(COPY, bid), price: ticks(TICKS, 11), executed: bid.quantity };
    listed(driver, 1_000, other);
    const market = driver.engine.view().markets.find(({ marketId }) => marketId === MARKET);
    expect(market?.positions?.yes).toMatchObject({ low: '0', expected: '0', high: '0' });
  });
});

describe('an order report of a hash that no answer will name', () => {
  function told(driver: EngineDriver, order: LimitOrder, hash: OrderHash, filled: number): void {
    driver.update(hash, order, { status: 'MATCHED', filled, remaining: 50 - filled });
  }

  it('has a list asked for at once, and its shares count as uncertain', () => {
    const { driver, bid } = resting(500);
    driver.answerReads(driver.openReports(), balances());
    told(driver, bid, COPY, 20);
    driver.run(300);
    expect(driver.take('readOpenOrders')).toHaveLength(1);
    const market = driver.engine.view().markets.find(({ marketId }) => marketId === MARKET);
    expect(market?.positions?.yes).toMatchObject({ low: '0', expected: '0', high: '20' });
  });

  it('says nothing of an order that was sent and not answered yet', () => {
    const { driver } = resting(500);
    driver.settings(ladder(2, 500));
    const [sent] = bids(driver);
    if (sent === undefined) throw new Error('a bid was placed');
    driver.answerReads(driver.openReports(), balances());
    told(driver, sent, COPY, 20);
    driver.run(300);
    expect(driver.take('readOpenOrders')).toHaveLength(0);
  });
});
