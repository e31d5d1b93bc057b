// A life ends before it has heard of a match. The next one finds it on a list, and its settlement may have
// come while nobody listened: what cash and lists say together needs no other proof.

import { describe, expect } from 'vitest';
import type { Balances } from '../../../src/domain/message.ts';
import type { OrderReport } from '../../../src/domain/order.ts';
import { shares } from '../../../src/domain/shares.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import {
  balances,
  EngineDriver,
  holding,
  listing,
  MARKET,
  reportOf,
  YES,
} from '../../support/engine-driver.ts';
import { it, type Lives } from '../../support/lives.ts';

/** A life that knows its cash and has a bid and an ask resting, as the venue lists them later. */
function quotingLife(): {
  readonly driver: EngineDriver;
  readonly reports: readonly OrderReport[];
} {
  const driver = new EngineDriver();
  driver.start();
  driver.healthyBook();
  driver.tick();
  const live = driver.acceptPlacements();
  const reports = live.map(({ hash, order }) =>
    reportOf(hash, order, order.side === 'BUY' && order.tokenId === YES ? 20 : 0),
  );
  driver.run(3_000, () => driver.answerReads(live.map(({ hash, order }) => reportOf(hash, order))));
  expect(reports.filter(({ executed }) => executed > 0)).toHaveLength(1);
  return { driver, reports };
}

/** Cash once 20 shares of the bid are paid, and something else has moved it or not. */
function paid({ reports }: ReturnType<typeof quotingLife>, elseUsdc = 0): Balances {
  const bid = reports.find(({ executed }) => executed > 0);
  const cashUsdc = 10_000 - (20 * (bid?.price ?? 0)) / 100 + elseUsdc;
  return holding(cashUsdc, 20, 0);
}

/** The 20 shares of the bid wait for their settlement. */
function held({ reports }: ReturnType<typeof quotingLife>): Balances {
  const bid = reports.find(({ executed }) => executed > 0);
  return balances({ usdcOnHold: usdc(((20 * (bid?.price ?? 0)) / 100).toFixed(2)) });
}

/** The next life begins with a catalogue; what rested is listed until it is cancelled. */
function nextLife(
  lives: Lives,
  { driver: before, reports }: ReturnType<typeof quotingLife>,
  account: Balances,
  first: 'orders' | 'balances' = 'orders',
): EngineDriver {
  const driver = lives.restored(before);
  let listed = reports;
  driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
  driver.tell({ kind: 'socketOpened' });
  driver.tell({ kind: 'authenticated' });
  if (first === 'balances') answerBalances(driver, account);
  driver.run(3_000, () => {
    driver.healthyBook();
    driver.answerReads(listed, account);
    for (const { requestId } of [...driver.take('cancelOrders'), ...driver.take('cancelAll')]) {
      const cancelled = listed.length;
      listed = [];
      driver.tell({
        kind: 'cancelled',
        requestId,
        outcome: { kind: 'accepted', cancelled, failed: 0 },
      });
    }
  });
  return driver;
}

function answerBalances(driver: EngineDriver, account: Balances): void {
  driver.tick();
  const askedAtMs = unixMs(driver.nowMs);
  const reads = driver.take('readBalances');
  expect(reads).toHaveLength(1);
  for (const { requestId } of reads) {
    driver.tell({
      kind: 'balances',
      requestId,
      askedAtMs,
      outcome: { kind: 'ok', value: account },
    });
  }
}

/** Its frames come. */
function settle(
  driver: EngineDriver,
  { reports }: ReturnType<typeof quotingLife>,
  parts: readonly number[],
): void {
  const bid = reports.find(({ executed }) => executed > 0);
  for (const [at, size] of parts.entries()) {
    driver.tell({
      kind: 'tradeSettled',
      tradeId: `t-${at}`,
      tokenId: YES,
      marketId: MARKET,
      side: 'BUY',
      price: usdc(((bid?.price ?? 0) / 100).toFixed(2)),
      quantity: shares(size),
    });
  }
}

/** Quotes rest, and balances say the same. */
function keepReading(driver: EngineDriver, account: Balances, durationMs: number): void {
  driver.run(durationMs, () => {
    driver.healthyBook();
    driver.answerReads(driver.openReports(), account);
    driver.acceptPlacements();
    driver.answerCancels();
  });
}

const quotes = (driver: EngineDriver) => driver.placements().flatMap(({ orders }) => orders);

const whyNot = (driver: EngineDriver) =>
  driver.engine.view().markets.map(({ bidReason }) => bidReason?.code);

describe('a match that a start finds', () => {
  it.for(['orders', 'balances'] as const)(
    'explains the cash of its settlement, which nobody heard of, with %s read first',
    (first, { lives }) => {
      const life = quotingLife();
      const next = nextLife(lives, life, paid(life), first);
      expect(next.engine.view().markets[0]?.positionYes).toBe('20');
      expect(quotes(next)).not.toEqual([]);
    },
  );

  it('explains no other cash beside it', ({ lives }) => {
    const life = quotingLife();
    const next = nextLife(lives, life, paid(life, -5));
    expect(whyNot(next)).toEqual(['position_unproven']);
    expect(quotes(next)).toEqual([]);
  });

  it('waits for its positions where it is neither paid nor held', ({ lives }) => {
    const life = quotingLife();
    const next = nextLife(lives, life, balances());
    expect(whyNot(next)).toEqual(['position_unproven']);
    expect(quotes(next)).toEqual([]);
  });

  it('settles in parts without a doubt where cash had not moved before', ({ lives }) => {
    const life = quotingLife();
    const bid = life.reports.find(({ executed }) => executed > 0);
    const next = nextLife(lives, life, held(life));
    expect(quotes(next)).not.toEqual([]);
    for (const [tradeId, size] of Object.entries({ one: 15, other: 5 })) {
      next.tell({
        kind: 'tradeSettled',
        tradeId,
        tokenId: YES,
        marketId: MARKET,
        side: 'BUY',
        price: usdc(((bid?.price ?? 0) / 100).toFixed(2)),
        quantity: shares(size),
      });
    }
    next.tick();
    expect(next.engine.view().markets[0]?.settledYes).toBe('20');
    expect(whyNot(next)).not.toEqual(['position_unproven']);
  });

  it.for(['orders', 'balances'] as const)(
    'is no surprise where its frame comes behind the read that showed it, with %s read first',
    (first, { lives }) => {
      const life = quotingLife();
      const next = nextLife(lives, life, paid(life), first);
      settle(next, life, [20]);
      keepReading(next, paid(life), 100_000);
      expect(next.engine.view().markets[0]?.settledYes).toBe('20');
      expect(whyNot(next)).not.toEqual(['position_unproven']);
    },
  );

  it.for([[20], [15, 5]])(
    'explains no cash any more once it has settled in parts of %j',
    (parts, { lives }) => {
      const life = quotingLife();
      const next = nextLife(lives, life, balances());
      settle(next, life, parts);
      keepReading(next, paid(life), 10_000);
      expect(whyNot(next)).not.toEqual(['position_unproven']);
      const bid = life.reports.find(({ executed }) => executed > 0);
      keepReading(next, paid(life, (-20 * (bid?.price ?? 0)) / 100), 80_000);
      expect(whyNot(next)).toEqual(['position_unproven']);
    },
  );
});

/** A life that has heard of the match, which the next one has back from the ledger. */
function hearingLife(): ReturnType<typeof quotingLife> {
  const life = quotingLife();
  const bid = life.reports.find(({ executed }) => executed > 0);
  if (bid === undefined) throw new Error('a bid has traded');
  life.driver.tell({
    kind: 'orderUpdate',
    update: {
      ...{ orderHash: bid.orderHash, tokenId: YES, marketId: MARKET, side: bid.side },
      ...{ price: bid.price, status: 'MATCHED', filledQuantity: bid.executed },
      remaining: shares((bid.quantity - bid.executed) / 1e6),
    },
  });
  life.driver.tick();
  expect(life.driver.engine.view().markets[0]?.positionYes).toBe('20');
  return life;
}

describe('a match that an earlier life heard of', () => {
  it.for([
    ['paid', paid],
    ['held', held],
  ] as const)('needs no other proof where it is %s', ([, account], { lives }) => {
    const life = hearingLife();
    expect(quotes(nextLife(lives, life, account(life)))).not.toEqual([]);
  });

  it('has failed where it is neither: its market waits for its positions', ({ lives }) => {
    const next = nextLife(lives, hearingLife(), balances());
    expect(whyNot(next)).toEqual(['position_unproven']);
    expect(quotes(next)).toEqual([]);
  });

  it('is no surprise where its frame comes behind the read that showed it settled', ({ lives }) => {
    const life = hearingLife();
    const next = nextLife(lives, life, paid(life));
    settle(next, life, [20]);
    keepReading(next, paid(life), 100_000);
    expect(next.engine.view().markets[0]?.settledYes).toBe('20');
    expect(whyNot(next)).not.toEqual(['position_unproven']);
  });

  it.for([[20], [15, 5]])(
    'explains no cash any more once it has settled in parts of %j',
    (parts, { lives }) => {
      const life = hearingLife();
      const next = nextLife(lives, life, balances());
      settle(next, life, parts);
      keepReading(next, paid(life), 10_000);
      const bid = life.reports.find(({ executed }) => executed > 0);
      keepReading(next, paid(life, (-20 * (bid?.price ?? 0)) / 100), 80_000);
      expect(whyNot(next)).toEqual(['position_unproven']);
    },
  );

  it('explains no cash that had gone when its settlement fails', ({ lives }) => {
    const life = hearingLife();
    const next = nextLife(lives, life, paid(life));
    const failed = { reason: 'reverted', marketId: MARKET, side: 'BUY' } as const;
    next.tell({ kind: 'tradeFailed', ...failed, quantity: shares(20) });
    keepReading(next, paid(life), 80_000);
    expect(whyNot(next)).toEqual(['position_unproven']);
  });
});
