// A stop is confirmed by what rests, and not by what a list happens to show: an order that was acknowledged
// behind its cancel, or one whose market is not known yet.

import { describe, expect } from 'vitest';
import { orderHash } from '../../../src/domain/ids.ts';
import { shares } from '../../../src/domain/shares.ts';
import { ticks } from '../../../src/domain/ticks.ts';
import {
  EngineDriver,
  GRID,
  listing,
  MARKET,
  reportOf,
  settings,
  YES,
} from '../../support/engine-driver.ts';
import { it } from '../../support/runs.ts';

/** A run with two orders that have left and are not answered. */
function sending(scope: 'account' | 'own'): EngineDriver {
  const driver = new EngineDriver();
  const usual = settings();
  driver.start({ ...usual, orders: { ...usual.orders, scope } });
  driver.healthyBook();
  driver.tick();
  return driver;
}

describe.for(['account', 'own'] as const)('a kill in the scope %s', (scope) => {
  it('cancels again what the venue has accepted behind its cancel, while lists lack it', () => {
    const driver = sending(scope);
    driver.operator('kill');
    driver.tick();
    driver.answerCancels();
    driver.answerReads([]);
    driver.tick();
    const live = driver.acceptPlacements();
    expect(live).toHaveLength(2);
    driver.run(200, () => driver.answerReads([]));
    const meant = driver.sent.flatMap((command) => {
      if (command.kind === 'cancelAll') return live.map(({ hash }) => hash);
      return command.kind === 'cancelOrders' ? command.orderHashes : [];
    });
    expect(meant).toEqual(live.map(({ hash }) => hash));
    driver.run(1_000, () => driver.answerReads([]));
    expect(driver.reported('kill.confirmed')).toEqual([]);
    driver.run(1_500, () => {
      driver.answerCancels();
      driver.answerReads([]);
    });
    expect(driver.reported('kill.confirmed')).toHaveLength(1);
  });
});

it('a kill cancels again what was accepted while a batch that was refused went again in halves', () => {
  const driver = sending('own');
  const resting = driver.acceptPlacements().map(({ hash }) => hash);
  const usual = settings();
  const params = { halfSpreadTicks: 2, levels: 2, levelSpacingTicks: 1, size: 50 };
  const markets = usual.markets.map((each) => ({ ...each, params }));
  driver.settings({ ...usual, markets, orders: { ...usual.orders, scope: 'own' } });
  driver.tick();
  driver.operator('kill');
  driver.tick();
  const [whole] = driver.take('cancelOrders');
  expect(whole?.orderHashes).toEqual(resting);
  if (whole === undefined) return;
  const refusal = {
    code: 'order_not_cancellable',
    httpStatus: 409,
    message: 'one of them',
    retryAfterMs: undefined,
  } as const;
  const outcome = { kind: 'refused', refusal } as const;
  driver.tell({ kind: 'cancelled', requestId: whole.requestId, outcome });
  const behind = driver.acceptPlacements().map(({ hash }) => hash);
  expect(behind).not.toEqual([]);
  const named = new Set<string>();
  driver.run(3_000, () => {
    for (const hash of driver.answerCancels()) named.add(hash);
    driver.answerReads([]);
  });
  expect([...named]).toEqual(expect.arrayContaining([...resting, ...behind]));
});

it('a kill cancels again what rests once more since its settlement has failed, while lists lack it', () => {
  const driver = sending('account');
  const [bid] = driver.acceptPlacements();
  if (bid === undefined) throw new Error('a bid was placed');
  const { order, hash } = bid;
  driver.update(hash, order, { status: 'MATCHED', filled: 50, remaining: 0 });
  driver.operator('kill');
  driver.tick();
  driver.answerCancels();
  driver.run(200, () => driver.answerReads([]));
  const { side } = order;
  const reason = 'reverted';
  driver.tell({ kind: 'tradeFailed', marketId: MARKET, reason, side, quantity: shares(50) });
  driver.run(200, () => driver.answerReads([]));
  expect(driver.take('cancelAll')).toHaveLength(1);
});

const FAILED = { kind: 'unknown', cause: 'timeout', detail: 'no answer' } as const;

/** On the account, and known to no run. */
const STRANGE = {
  orderHash: orderHash('0xff'),
  tokenId: YES,
  side: 'BUY',
  price: ticks(GRID, 48),
  quantity: shares(50),
  executed: shares(0),
  status: 'OPEN',
  createdAtMs: undefined,
} as const;

/** Lists show what came to rest so much later. */
const LAG_MS = 4_000;

describe.for(['account', 'own'] as const)('a stop in the scope %s', (scope) => {
  it('is confirmed by no list that lacks the order which its cancel left, until lists have to show it', () => {
    const driver = sending(scope);
    const [first] = driver.acceptPlacements();
    if (first === undefined) throw new Error('an order was placed');
    driver.update(first.hash, first.order, { status: 'PARTIALLY_FILLED', filled: 20 });
    const rests = [{ ...reportOf(first.hash, first.order), executed: shares(20) }];
    driver.operator('shutdown');
    const restsSinceMs = driver.nowMs;
    driver.run(12_000, () => {
      driver.answerCancels([first.hash]);
      driver.answerReads(driver.nowMs - restsSinceMs < LAG_MS ? [] : rests);
    });
    expect(driver.reported('kill.confirmed')).toEqual([]);
    expect(driver.reported('kill.unconfirmed')).toMatchObject([{ orderHashes: [first.hash] }]);
  });
});

it('a stop is confirmed by no list that lacks what a cancel of everything has not counted, until lists have to show it', () => {
  const driver = sending('account');
  const rests = driver.acceptPlacements().map(({ hash, order }) => reportOf(hash, order));
  driver.operator('shutdown');
  const restsSinceMs = driver.nowMs;
  driver.run(LAG_MS + 500, () => {
    for (const { requestId } of driver.take('cancelAll')) {
      const outcome = { kind: 'accepted', cancelled: 0, failed: 0 } as const;
      driver.tell({ kind: 'cancelled', requestId, outcome });
    }
    driver.answerReads(driver.nowMs - restsSinceMs < LAG_MS ? [] : rests);
  });
  expect(driver.reported('kill.confirmed')).toEqual([]);
  driver.run(2_000, () => {
    driver.answerCancels();
    driver.answerReads([]);
  });
  expect(driver.reported('kill.confirmed')).toHaveLength(1);
});

describe('a kill of one market', () => {
  it('is confirmed by no list that shows an order there which the start under way has not cancelled', () => {
    const driver = new EngineDriver();
    driver.settings(settings());
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
    driver.tell({ kind: 'socketOpened' });
    driver.tell({ kind: 'authenticated' });
    driver.tick();
    // The first list that anybody reads is one of the start's own.
    driver.take('readOpenOrders');
    driver.answerReads([]);
    driver.tick();
    expect(driver.engine.view().phase).toBe('clearing');
    driver.operator({ kind: 'stopMarket', by: 'somebody', marketId: MARKET, stop: 'kill' });
    driver.run(4_000, () => {
      for (const { requestId } of driver.take('cancelAll'))
        driver.tell({ kind: 'cancelled', requestId, outcome: FAILED });
      driver.answerReads([STRANGE]);
    });
    expect(driver.reported('market.kill_confirmed')).toEqual([]);
    driver.run(8_000, () => {
      driver.answerCancels();
      driver.answerReads([]);
    });
    expect(driver.reported('market.kill_confirmed')).toHaveLength(1);
  });

  it('is confirmed by no run that does not know the market of an order that rests there', ({
    runs,
  }) => {
    const driver = sending('account');
    const open = driver.acceptPlacements().map(({ hash, order }) => reportOf(hash, order));
    driver.run(1_000, () => driver.answerReads(open));
    driver.operator({ kind: 'stopMarket', by: 'somebody', marketId: MARKET, stop: 'kill' });
    const next = runs.restored(driver);
    next.run(2_000, () => {
      next.take('readCatalogue');
      next.answerReads(open);
    });
    expect(next.engine.view().stoppedMarkets).toMatchObject([{ isConfirmed: false }]);
    expect(next.reported('market.kill_confirmed')).toEqual([]);
    next.operator({ kind: 'resumeMarket', by: 'somebody', marketId: MARKET });
    expect(next.reported('operator.market_order')).toMatchObject([{ accepted: false }]);
    next.start();
    expect(next.reported('market.kill_confirmed')).toHaveLength(1);
  });
});
