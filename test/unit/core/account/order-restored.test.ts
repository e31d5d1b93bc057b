// A settlement that failed: the order may be on the book again, or not, and nobody has to say which.

import { describe, expect, it } from 'vitest';
import { orderHash } from '../../../../src/domain/ids.ts';
import { GTD_DEFAULTS } from '../../../../src/domain/input.ts';
import type { OrderReport } from '../../../../src/domain/order.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { type UnixMs, unixMs } from '../../../../src/domain/time.ts';
import {
  balances,
  EngineDriver,
  level,
  MARKET,
  NO,
  reportOf,
  settings,
  YES,
} from '../../../support/engine-driver.ts';

const FAILED = {
  kind: 'tradeFailed',
  reason: 'execution reverted',
  marketId: undefined,
  side: 'BUY',
} as const;

type Quote = ReturnType<EngineDriver['acceptPlacements']>[number];

function quoting(change: Parameters<typeof settings>[0] = {}) {
  const driver = new EngineDriver();
  driver.start(settings(change));
  driver.healthyBook();
  driver.tick();
  const [bid, ask] = driver.acceptPlacements();
  if (!bid || !ask) throw new Error('a bid and an ask were placed');
  return { driver, bid, ask };
}

/** The bid matched whole, and its settlement failed. */
function failed(change: Parameters<typeof settings>[0] = {}) {
  const world = quoting(change);
  const { driver, bid } = world;
  driver.update(bid.hash, bid.order, { status: 'MATCHED', remaining: 0 });
  driver.tell({ ...FAILED, quantity: shares(50) });
  return world;
}

const view = (driver: EngineDriver) => driver.engine.view();
const market = (driver: EngineDriver) => view(driver).markets[0];
const states = (driver: EngineDriver) => view(driver).ordersByState;

function listed({ hash, order }: Quote, traded = 0): OrderReport {
  return { ...reportOf(hash, order), executed: shares(traded) };
}

/** A list is asked for, and its answer takes its time. */
function asked(driver: EngineDriver) {
  while (!driver.sent.some(({ kind }) => kind === 'readOpenOrders')) driver.tick();
  const askedAtMs = unixMs(driver.nowMs);
  driver.tick(200);
  return askedAtMs;
}

/** It comes at last, and shows nothing. */
function listLate(driver: EngineDriver, askedAtMs: UnixMs): void {
  for (const { requestId } of driver.take('readOpenOrders')) {
    const outcome = { kind: 'ok', value: [] } as const;
    driver.tell({ kind: 'openOrders', requestId, askedAtMs, outcome });
  }
}

const filled = (driver: EngineDriver) =>
  driver.reported('order.filled').map(({ quantity }) => quantity);

function bidsOf(driver: EngineDriver): readonly number[] {
  const orders = driver.placements().flatMap((each) => each.orders);
  return orders
    .filter(({ side, tokenId }) => side === 'BUY' && tokenId === YES)
    .map(({ quantity }) => quantity);
}

/** What the journal was last given of the token: whether anything of it is uncertain. */
function isUncertain({ records }: EngineDriver): boolean {
  const tokens = records.flatMap((each) => (each.kind === 'token' ? [each.token] : []));
  const last = tokens.findLast(({ tokenId }) => tokenId === YES);
  return last !== undefined && last.uncertain.length > 0;
}

describe('an order whose settlement failed', () => {
  it('gives position and cash back, and counts as exposure before anybody says what became of it', () => {
    const { driver } = failed({ risk: { ...settings().risk, maxPositionShares: 60 } });
    expect(market(driver)).toMatchObject({ positionYes: '0', pnlUsdc: '0.000000' });
    driver.tick();
    // Fifty more beside fifty that may rest would be too many.
    expect(bidsOf(driver)).toEqual([]);
  });

  it('is found again where a late frame called it filled and a list shows that it rests', () => {
    const { driver, bid, ask } = failed();
    driver.update(bid.hash, bid.order, { status: 'FILLED', filled: 50, remaining: 0 });
    const cancelled: string[] = [];
    driver.run(10_000, () => {
      cancelled.push(...driver.answerCancels());
      driver.answerReads([bid, ask].map((each) => listed(each)));
    });
    expect(cancelled).toContain(bid.hash);
  });

  it('is cancelled where its market has left before it rests again', () => {
    const { driver, bid, ask } = quoting();
    driver.update(bid.hash, bid.order, { status: 'MATCHED', remaining: 0 });
    driver.update(bid.hash, bid.order, { status: 'FILLED', filled: 50, remaining: 0 });
    driver.settings({ ...settings(), markets: [] });
    driver.run(1_000, () => {
      driver.answerCancels();
      driver.answerReads([]);
    });
    driver.update(ask.hash, ask.order, { status: 'CANCELLED' });
    driver.tell({ ...FAILED, quantity: shares(50) });
    const cancelled: string[] = [];
    driver.run(60_000, () => {
      cancelled.push(...driver.answerCancels());
      driver.answerReads(cancelled.includes(bid.hash) ? [] : [listed(bid)]);
    });
    expect(cancelled).toContain(bid.hash);
  });

  it('is cancelled there also where nobody had reported the failure', () => {
    const { driver, bid, ask } = quoting();
    driver.update(bid.hash, bid.order, { status: 'FILLED', filled: 50, remaining: 0 });
    driver.settings({ ...settings(), markets: [] });
    driver.run(1_000, () => {
      driver.answerCancels();
      driver.answerReads([]);
    });
    driver.update(ask.hash, ask.order, { status: 'CANCELLED' });
    driver.run(60_000);
    expect(driver.engine.view().markets).toEqual([]);
    const cancelled: string[] = [];
    driver.run(60_000, () => {
      cancelled.push(...driver.answerCancels());
      driver.answerReads(cancelled.includes(bid.hash) ? [] : [listed(bid)]);
    });
    expect(cancelled).toContain(bid.hash);
  });

  it('is not over while lists show that it rests, when balances have let go of what matched', () => {
    const { driver, bid, ask } = quoting();
    driver.update(bid.hash, bid.order, { status: 'MATCHED', remaining: 0 });
    const reads = (open: readonly OrderReport[], forMs: number) =>
      driver.run(forMs, () => {
        driver.answerCancels();
        driver.answerReads(open);
      });
    reads([listed(ask)], 140_000);
    // Nobody tells of the failure, and it rests again.
    reads([listed(bid), listed(ask)], 60_000);
    expect(driver.reported('position.adopted')).toHaveLength(1);
    const moves = driver.reported('order.moved').filter(({ orderHash: hash }) => hash === bid.hash);
    expect(moves.map(({ to }) => to)).not.toContain('filled');
    expect(driver.reported('order.restored')).toMatchObject([{ orderHash: bid.hash }]);
  });

  it('ends all the same where no list shows it any more', () => {
    const { driver, bid, ask } = quoting();
    driver.update(bid.hash, bid.order, { status: 'MATCHED', remaining: 0 });
    const reads = (open: readonly OrderReport[], forMs: number) =>
      driver.run(forMs, () => {
        driver.answerCancels();
        driver.answerReads(open);
      });
    reads([listed(bid), listed(ask)], 20_000);
    reads([listed(ask)], 200_000);
    expect(driver.reported('order.restored')).toEqual([]);
    expect(states(driver)).toMatchObject({ filled: 1, matched: 0, settling: 0 });
  });

  it('is live again by the word of the user channel, and is not cancelled where it is wanted', () => {
    const { driver, bid } = failed();
    driver.update(bid.hash, bid.order, { status: 'OPEN', remaining: 50 });
    expect(states(driver)).toMatchObject({ resting: 2, cancelUnresolved: 0 });
    driver.tick();
    expect(driver.answerCancels()).toEqual([]);
    expect(market(driver)?.ownBids).toMatchObject([{ quantity: '50' }]);
  });

  it('is cancelled where nobody has said that it rests', () => {
    const { driver, bid } = failed();
    driver.tick();
    expect(driver.answerCancels()).toEqual([bid.hash]);
    expect(states(driver)).toMatchObject({ cancelUnresolved: 0, cancelled: 1 });
  });

  it('trades anew after it rests again, and that counts once', () => {
    const { driver, bid } = failed();
    driver.update(bid.hash, bid.order, { status: 'OPEN', remaining: 50 });
    driver.update(bid.hash, bid.order, { status: 'MATCHED', remaining: 0 });
    driver.update(bid.hash, bid.order, { status: 'MATCHED', remaining: 0 });
    expect(market(driver)?.positionYes).toBe('50');
    driver.update(bid.hash, bid.order, { status: 'FILLED', filled: 50, remaining: 0 });
    expect(market(driver)?.positionYes).toBe('50');
  });

  it('keeps out of the count what a list that was asked for before the failure shows', () => {
    const { driver, bid, ask } = quoting();
    driver.run(6_000);
    driver.update(bid.hash, bid.order, { status: 'MATCHED', remaining: 0 });
    driver.tell({ ...FAILED, quantity: shares(50) });
    driver.answerReads([listed(bid, 50), listed(ask)]);
    expect(market(driver)?.positionYes).toBe('0');
  });

  it('is ended by no list from before the failure, though a cancel of it had been refused before that', () => {
    const { driver, bid, ask } = quoting();
    driver.run(1_000, () => driver.answerReads([listed(bid), listed(ask)]));
    driver.operator('pause');
    driver.tick();
    driver.update(bid.hash, bid.order, { status: 'MATCHED', remaining: 0 });
    driver.answerCancels([bid.hash]);
    const askedAtMs = asked(driver);
    driver.tell({ ...FAILED, quantity: shares(50) });
    listLate(driver, askedAtMs);
    expect(states(driver)).toMatchObject({ cancelUnresolved: 1, cancelled: 1 });
    const named: string[] = [];
    driver.run(10_000, () => {
      named.push(...driver.answerCancels());
      driver.answerReads(named.includes(bid.hash) ? [] : [listed(bid)]);
    });
    expect(named).toContain(bid.hash);
    expect(driver.reported('order.external')).toEqual([]);
  });

  it('lets no list from before the failure confirm a kill', () => {
    const { driver, bid } = quoting();
    driver.update(bid.hash, bid.order, { status: 'MATCHED', remaining: 0 });
    driver.operator('kill');
    driver.run(600, () => {
      driver.answerCancels();
      driver.answerReads([]);
    });
    const askedAtMs = asked(driver);
    driver.tell({ ...FAILED, quantity: shares(50) });
    listLate(driver, askedAtMs);
    expect(driver.reported('kill.confirmed')).toEqual([]);
    driver.run(1_000, () => {
      driver.answerCancels();
      driver.answerReads([]);
    });
    expect(driver.reported('kill.confirmed')).toHaveLength(1);
  });

  it('ends when the venue says so, and what it had traded before is not counted for it', () => {
    const { driver, bid } = failed();
    driver.update(bid.hash, bid.order, { status: 'CANCELLED', filled: 50 });
    expect(market(driver)?.positionYes).toBe('0');
    expect(states(driver)).toMatchObject({ cancelled: 1, cancelUnresolved: 0 });
  });
});

/** The bid traded 20, and they failed. */
function failedInPart() {
  const world = quoting();
  const { driver, bid } = world;
  driver.update(bid.hash, bid.order, { status: 'PARTIALLY_FILLED', filled: 20, remaining: 30 });
  driver.tell({ ...FAILED, quantity: shares(20) });
  return world;
}

describe('a list that goes on showing what failed as traded', () => {
  /** The venue lists both, so much of the bid traded, and shows so many shares. */
  function run(
    { driver, bid, ask }: ReturnType<typeof quoting>,
    traded: number,
    held: number,
  ): void {
    const shown = balances({
      positions: [
        {
          tokenId: YES,
          marketId: MARKET,
          shareAmount: shares(held),
          onHoldShareAmount: shares(0),
        },
      ],
    });
    driver.run(200_000, () => {
      if (driver.nowMs % 1_000 === 0) driver.healthyBook();
      driver.answerReads([listed(bid, traded), listed(ask)], shown);
      driver.answerTrades({ kind: 'ok', value: [] });
    });
  }

  it('tells of no second trade, and is held to the balances', () => {
    const world = failedInPart();
    run(world, 20, 0);
    expect(world.driver.reported('order.filled')).toHaveLength(1);
    expect(market(world.driver)?.positionYes).toBe('0');
  });

  it('hides no trade of as much for longer than balances lag', () => {
    const world = failedInPart();
    run(world, 20, 20);
    expect(market(world.driver)?.positionYes).toBe('20');
  });

  it('tells of a trade where it shows more than that, and of no more than that', () => {
    const world = failedInPart();
    run(world, 35, 15);
    expect(filled(world.driver)).toEqual(['20', '15']);
    expect(market(world.driver)?.positionYes).toBe('15');
  });
});

describe('a user channel that goes on counting what failed', () => {
  it('has nothing counted anew by the same amount, and what it may mean is uncertain', () => {
    const { driver, bid } = failedInPart();
    driver.update(bid.hash, bid.order, { status: 'PARTIALLY_FILLED', filled: 20, remaining: 30 });
    expect(filled(driver)).toEqual(['20']);
    expect(market(driver)?.positionYes).toBe('0');
    expect(isUncertain(driver)).toBe(true);
  });

  it.each([
    ['PARTIALLY_FILLED', 35, 15],
    ['CANCELLED', 35, 15],
    ['FILLED', 50, 30],
  ] as const)('has what trades beyond it counted by %s of %i', (status, shown, fresh) => {
    const { driver, bid } = failedInPart();
    driver.update(bid.hash, bid.order, { status, filled: shown, remaining: 50 - shown });
    expect(filled(driver)).toEqual(['20', `${fresh}`]);
    expect(market(driver)?.positionYes).toBe(`${fresh}`);
    expect(isUncertain(driver)).toBe(true);
    // Told twice it says no more than once.
    driver.update(bid.hash, bid.order, { status, filled: shown, remaining: 50 - shown });
    driver.tick();
    const position = market(driver)?.positions?.yes;
    expect(position).toMatchObject({ expected: `${fresh}`, low: `${fresh}` });
    expect(Number(position?.high)).toBeGreaterThanOrEqual(fresh + 20);
  });

  it('is no sign of that where it had said that they rest again', () => {
    const { driver, bid } = failedInPart();
    driver.update(bid.hash, bid.order, { status: 'OPEN', filled: 0, remaining: 50 });
    driver.update(bid.hash, bid.order, { status: 'PARTIALLY_FILLED', filled: 20, remaining: 30 });
    expect(filled(driver)).toEqual(['20', '20']);
    expect(isUncertain(driver)).toBe(false);
  });

  it('is no sign of that where lists have taken off what failed, of this order or another', () => {
    const { driver, bid, ask } = failedInPart();
    driver.tick(6_000);
    driver.answerReads([listed(bid), listed(ask)]);
    driver.update(ask.hash, ask.order, { status: 'PARTIALLY_FILLED', filled: 10, remaining: 40 });
    driver.tell({ ...FAILED, quantity: shares(10) });
    driver.update(ask.hash, ask.order, { status: 'PARTIALLY_FILLED', filled: 10, remaining: 40 });
    expect(filled(driver)).toEqual(['20', '10', '10']);
  });
});

describe('a failure that may be of several orders', () => {
  /** Two bids of one size match; one of them fails. */
  function twoMatched() {
    const driver = new EngineDriver();
    const params = { halfSpreadTicks: 2, levels: 2, levelSpacingTicks: 1, size: 50 };
    const markets = settings().markets.map((each) => ({ ...each, params }));
    driver.start(settings({ markets }));
    driver.healthyBook();
    driver.tick();
    const bids = driver.acceptPlacements().filter(({ order }) => order.tokenId === YES);
    const [near, far] = bids;
    if (!near || !far) throw new Error('two bids were placed');
    for (const { hash, order } of bids) {
      driver.update(hash, order, { status: 'MATCHED', remaining: 0 });
    }
    driver.tell({ ...FAILED, quantity: shares(50) });
    return { driver, near, far };
  }

  it('takes back the shares, and counts those of an order that may rest again as uncertain', () => {
    const { driver } = twoMatched();
    expect(market(driver)?.positionYes).toBe('50');
    driver.tick();
    expect(isUncertain(driver)).toBe(true);
  });

  it('knows the one that a list shows with less traded as live again, and can cancel it', () => {
    const { driver, near, far } = twoMatched();
    driver.run(6_000, () => driver.answerReads([listed(near, 50), listed(far)]));
    expect(driver.reported('order.restored')).toMatchObject([
      { orderHash: far.hash, isTold: true },
    ]);
    expect(market(driver)?.positionYes).toBe('50');
    driver.book(YES, [level(30, 500)], [level(34, 500)]);
    driver.book(NO, [], []);
    driver.tick();
    expect(driver.answerCancels()).toContain(far.hash);
  });
});

describe('an order with a date that left the lists matched, unreported', () => {
  it('is known as live again, and is cancelled, when a later list shows it', () => {
    const orders = { ...settings().orders, timeInForce: 'GTD' as const, gtd: GTD_DEFAULTS };
    const { driver, bid, ask } = quoting({ orders });
    driver.run(100_000, () => driver.answerReads([listed(bid), listed(ask)]));
    driver.run(12_000, () => driver.answerReads([listed(ask)]));
    expect(states(driver)).toMatchObject({ expired: 1 });
    driver.run(6_000, () => driver.answerReads([listed(bid), listed(ask)]));
    expect(driver.reported('order.external')).toMatchObject([{ orderHash: bid.hash }]);
    expect(driver.answerCancels()).toContain(bid.hash);
  });
});

describe('a failure of which nobody reported', () => {
  it('is trusted when lists have shown it for longer than a settlement takes', () => {
    const { driver, bid, ask } = quoting();
    driver.update(bid.hash, bid.order, { status: 'MATCHED', remaining: 0 });
    const account = balances();
    driver.run(20_000, () => driver.answerReads([listed(bid), listed(ask)], account));
    expect(driver.reported('order.restored')).toEqual([]);
    driver.run(25_000, () => driver.answerReads([listed(bid), listed(ask)], account));
    expect(driver.reported('order.restored')).toMatchObject([
      { orderHash: bid.hash, isTold: false },
    ]);
    expect(isUncertain(driver)).toBe(true);
  });
});

describe('an order of somebody else that had matched before it was seen', () => {
  /** A list shows a bid like ours, all of it matched. */
  function matchedExternal() {
    const { driver, bid, ask } = quoting();
    const external = { ...bid, hash: orderHash('0x5747') };
    driver.run(6_000, () => driver.answerReads([listed(external, 50), listed(bid), listed(ask)]));
    const shown = () => driver.answerReads([listed(external), listed(bid), listed(ask)]);
    return { driver, external, shown };
  }

  it('is known as live, and cancelled, once lists have shown it for longer than a settlement takes', () => {
    const { driver, external, shown } = matchedExternal();
    driver.update(external.hash, external.order, { status: 'MATCHED', remaining: 0 });
    expect(states(driver)).toMatchObject({ filled: 1 });
    driver.tell({ ...FAILED, marketId: MARKET, quantity: shares(50) });
    driver.run(41_000, shown);
    expect(driver.reported('order.restored')).toMatchObject([{ orderHash: external.hash }]);
    expect(driver.answerCancels()).toContain(external.hash);
  });

  it('is left as it was where as much failed elsewhere, until lists have said it for long', () => {
    const { driver, external, shown } = matchedExternal();
    driver.tell({ ...FAILED, marketId: MARKET, quantity: shares(40) });
    driver.run(6_000, shown);
    expect(driver.reported('order.restored')).toEqual([]);
    driver.run(35_000, shown);
    expect(driver.reported('order.restored')).toMatchObject([
      { orderHash: external.hash, isTold: false },
    ]);
  });
});

describe('another failure on a venue where shares rest again', () => {
  it('leaves its token uncertain until a list says which of several orders it was, and then anew', () => {
    const params = { halfSpreadTicks: 2, levels: 2, levelSpacingTicks: 1, size: 50 };
    const choice = { event: 'rain', market: undefined, strategy: 'ladder', params };
    const driver = new EngineDriver();
    driver.start(settings({ markets: [choice] }));
    driver.healthyBook();
    driver.tick();
    const isBid = ({ order }: Quote) => order.side === 'BUY' && order.tokenId === YES;
    const quotes = driver.acceptPlacements();
    const bids = quotes.filter(isBid);
    const [first, second] = bids;
    if (!first || !second) throw new Error('two bids were placed');
    for (const { hash, order } of bids)
      driver.update(hash, order, { status: 'MATCHED', remaining: 0 });
    driver.tell({ ...FAILED, quantity: shares(50) });
    expect(isUncertain(driver)).toBe(true);
    const others = quotes.filter((each) => !isBid(each)).map((each) => listed(each));
    driver.run(6_000, () => driver.answerReads([...others, listed(first), listed(second, 50)]));
    expect(driver.reported('order.restored')).toHaveLength(1);
    expect(isUncertain(driver)).toBe(false);
    driver.update(first.hash, first.order, { status: 'MATCHED', remaining: 0 });
    driver.tell({ ...FAILED, quantity: shares(50) });
    expect(isUncertain(driver)).toBe(true);
  });
});

describe('an order that was reported as filled before its settlement failed', () => {
  function filledAndFailed(change: Parameters<typeof settings>[0] = {}) {
    const world = quoting(change);
    const { driver, bid } = world;
    driver.update(bid.hash, bid.order, { status: 'FILLED', filled: 50, remaining: 0 });
    expect(states(driver)).toMatchObject({ resting: 1, filled: 1 });
    driver.tell({ ...FAILED, quantity: shares(50) });
    return world;
  }

  it('counts as exposure again, since it may rest', () => {
    const risk = { ...settings().risk, maxPositionShares: 60 };
    const { driver } = filledAndFailed({ risk });
    expect(market(driver)?.positionYes).toBe('0');
    driver.tick();
    expect(bidsOf(driver)).toEqual([]);
  });

  it('is cancelled, and over when the list lacks it', () => {
    const { driver, bid, ask } = filledAndFailed();
    driver.run(1_000, () => driver.answerReads([listed(ask)]));
    expect(driver.answerCancels([bid.hash])).toContain(bid.hash);
    driver.run(1_000, () => driver.answerReads([listed(ask)]));
    expect(states(driver)).toMatchObject({ cancelUnresolved: 0, cancelled: 1, filled: 0 });
  });
});
