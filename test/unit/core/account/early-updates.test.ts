// News of hashes that no answer has named, while placements of ours have no answer either.

import { describe, expect, it } from 'vitest';
import { orderHash } from '../../../../src/domain/ids.ts';
import type { LimitOrder, OrderReport, OrderStatus } from '../../../../src/domain/order.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import {
  EngineDriver,
  holding,
  level,
  NO,
  reportOf,
  settings,
  YES,
} from '../../../support/engine-driver.ts';

const HASH = orderHash('0x5747');
/** Longer than the venue may take to accept what was sent. */
const HORIZON_MS = 45_000;

type Scope = 'account' | 'own';
type Shown = {
  readonly status: OrderStatus;
  readonly filled?: number;
  readonly remaining?: number;
};

/** A bid of 50 shares has no answer. */
function unanswered(scope: Scope): { readonly driver: EngineDriver; readonly bid: LimitOrder } {
  const driver = new EngineDriver();
  const { orders, timing } = settings();
  // Ours keeps its slot for as long as it may arrive: what is placed beside it is another subject.
  const kept = { ...timing, unknownSlotMs: HORIZON_MS };
  driver.start(settings({ orders: { ...orders, scope }, timing: kept }));
  driver.healthyBook();
  driver.tick();
  const outcome = { kind: 'unknown', cause: 'timeout', detail: 'no answer' } as const;
  const bid = driver.answerPlacements(outcome).find(({ tokenId }) => tokenId === YES);
  if (bid === undefined || bid.quantity !== shares(50)) throw new Error('a bid of 50 was placed');
  return { driver, bid };
}

/** The channel tells of a hash; the lists fail for longer than an answer may take, then show this. */
function told(scope: Scope, updates: readonly Shown[], listed: readonly OrderReport[] = []) {
  const { driver, bid } = unanswered(scope);
  for (const update of updates) driver.update(HASH, bid, update);
  driver.run(6_500, () => {
    driver.healthyBook();
    failLists(driver);
    driver.answerReads([]);
  });
  driver.run(7_000, () => {
    driver.healthyBook();
    driver.answerReads(listed);
  });
  return { driver, bid };
}

function failLists(driver: EngineDriver): void {
  const outcome = { kind: 'unknown', cause: 'timeout', detail: 'no list' } as const;
  for (const { requestId } of driver.take('readOpenOrders')) {
    driver.tell({ kind: 'openOrders', requestId, askedAtMs: unixMs(driver.nowMs), outcome });
  }
}

const foundFrom = (driver: EngineDriver) =>
  driver
    .reported('order.moved')
    .filter(({ orderHash: hash, from }) => hash === HASH && from === 'unknown');

const bids = (driver: EngineDriver) =>
  driver.placements().flatMap(({ orders }) => orders.filter(({ tokenId }) => tokenId === YES));

describe('where others trade on the account', () => {
  it.each<[string, readonly Shown[]]>([
    ['in part', [{ status: 'PARTIALLY_FILLED', filled: 5, remaining: 15 }]],
    ['whole', [{ status: 'MATCHED', filled: 20, remaining: 0 }]],
    ['and settles', [{ status: 'FILLED', filled: 20, remaining: 0 }]],
    ['and is cancelled', [{ status: 'CANCELLED', filled: 5, remaining: 15 }]],
    ['and shows only what has settled', [{ status: 'MATCHED', filled: 0, remaining: 0 }]],
    ['in part, less what has not settled', [{ status: 'PARTIALLY_FILLED', remaining: 50 }]],
    ['and is cancelled, showing nothing left', [{ status: 'CANCELLED', filled: 5, remaining: 0 }]],
    ['or not, and expires', [{ status: 'EXPIRED', filled: 0 }]],
  ])('an order of another size that trades %s is no placement of ours', (_name, updates) => {
    const { driver } = told('own', updates);
    expect(driver.reported('order.filled')).toEqual([]);
    expect(foundFrom(driver)).toEqual([]);
    // Ours may still arrive, and nothing is placed in its stead.
    expect(driver.engine.view().ordersByState).toMatchObject({ unknown: 2 });
    expect(bids(driver)).toEqual([]);
  });

  it('an order of another size is not cancelled for ours at a kill', () => {
    const external = ({ bid }: { bid: LimitOrder }) =>
      reportOf(HASH, { ...bid, quantity: shares(20) }, 5);
    const listed = [external(unanswered('own'))];
    const { driver } = told(
      'own',
      [{ status: 'PARTIALLY_FILLED', filled: 5, remaining: 15 }],
      listed,
    );
    driver.operator('kill');
    const named: string[] = [];
    driver.run(8_000, () => {
      named.push(...driver.answerCancels());
      driver.answerReads(listed);
    });
    expect(named).toEqual([]);
  });

  it('what shows no quantity leaves ours unknown until it cannot arrive any more', () => {
    const { driver } = told('own', [{ status: 'CANCELLED', filled: 0, remaining: 0 }]);
    driver.run(HORIZON_MS, () => driver.answerReads([]));
    expect(driver.engine.view().ordersByState).toMatchObject({ unknown: 0, absent: 2 });
  });
});

describe.each<Scope>(['account', 'own'])('reports of our own placement, scope %s', (scope) => {
  it.each<[string, readonly Shown[], number]>([
    ['rests', [{ status: 'OPEN', remaining: 50 }], 0],
    ['traded in part', [{ status: 'PARTIALLY_FILLED', filled: 20, remaining: 30 }], 20],
    ['was cancelled', [{ status: 'CANCELLED', filled: 20, remaining: 30 }], 20],
    ['traded whole', [{ status: 'MATCHED', filled: 50, remaining: 0 }], 50],
    [
      'settled whole where only that counts as filled',
      [
        { status: 'PARTIALLY_FILLED', filled: 0, remaining: 30 },
        { status: 'MATCHED', filled: 20, remaining: 0 },
        { status: 'FILLED', filled: 50, remaining: 0 },
      ],
      50,
    ],
    [
      'was cancelled with nothing left, after it had been seen whole',
      [
        { status: 'OPEN', remaining: 50 },
        { status: 'CANCELLED', filled: 20, remaining: 0 },
      ],
      20,
    ],
  ])('that says it %s finds it', (_name, updates, filled) => {
    const { driver } = told(scope, updates);
    expect(foundFrom(driver)).toHaveLength(1);
    const parts = driver.reported('order.filled').map(({ quantity }) => Number(quantity));
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(filled);
  });

  it('that hides what has not settled is applied when a list names it', () => {
    const { driver, bid } = unanswered(scope);
    driver.update(HASH, bid, { status: 'PARTIALLY_FILLED', filled: 0, remaining: 30 });
    driver.run(13_000, () => driver.answerReads([reportOf(HASH, bid)]));
    expect(foundFrom(driver)).toHaveLength(1);
    expect(driver.reported('order.filled')).toMatchObject([{ quantity: '20' }]);
  });
});

describe('where nobody else trades', () => {
  it.each<Shown>([
    { status: 'MATCHED', filled: 0, remaining: 0 },
    { status: 'CANCELLED', filled: 20, remaining: 0 },
    { status: 'CANCELLED', filled: 20 },
  ])('news without a quantity is of the only placement large enough: %o', (update) => {
    const { driver } = told('account', [update]);
    expect(foundFrom(driver)).toHaveLength(1);
  });

  it('the list names what it shows: an order of another size is not ours', () => {
    const { driver, bid } = unanswered('account');
    driver.update(HASH, bid, { status: 'MATCHED', filled: 0, remaining: 0 });
    driver.run(6_500, () => failLists(driver));
    driver.run(2_000, () => driver.answerReads([reportOf(HASH, { ...bid, quantity: shares(20) })]));
    expect(foundFrom(driver)).toEqual([]);
    expect(driver.reported('order.external')).toHaveLength(1);
  });
});

describe("what somebody else's order has traded of one token", () => {
  it('grows old while answers to placements of another come in, since none of those is about it', () => {
    const driver = new EngineDriver();
    driver.start(settings(), holding(10_000, 100, 0));
    driver.healthyBook();
    driver.tick();
    const placed = driver.acceptPlacements();
    expect(new Set(placed.map(({ order }) => order.tokenId))).toEqual(new Set([YES]));
    const [first] = placed;
    if (first === undefined) throw new Error('something was placed');
    const ofNo = { ...first.order, tokenId: NO, side: 'BUY' } as const;
    driver.update(HASH, ofNo, { status: 'PARTIALLY_FILLED', filled: 10, remaining: 10 });
    const toldAtMs = driver.nowMs;
    // The price moves, so that others are placed in their stead.
    driver.book(YES, [level(45, 500)], [level(49, 500)]);
    driver.run(500, () => driver.answerCancels());
    expect(driver.acceptPlacements().length).toBeGreaterThan(0);
    const [market] = driver.engine.view().markets;
    expect(market?.positions?.no.uncertain).toMatchObject([{ shares: '10', sinceMs: toldAtMs }]);
  });
});
