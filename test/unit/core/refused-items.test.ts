// An item of a batch is rejected without a code and rests all the same. Where others trade on the account, what is
// not known as ours is left alone: until a list lacks it, what is like it is ours.

import { describe, expect } from 'vitest';
import { orderHash, requestId } from '../../../src/domain/ids.ts';
import type { RiskLimits } from '../../../src/domain/input.ts';
import type { PlaceOutcome } from '../../../src/domain/message.ts';
import type { LimitOrder } from '../../../src/domain/order.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import {
  EngineDriver,
  level,
  listing,
  reportOf,
  settings,
  YES,
} from '../../support/engine-driver.ts';
import { ListedAccount, toldBook } from '../../support/listed-account.ts';
import { it } from '../../support/runs.ts';

const LISTED = orderHash('0x0175');

type Refusal = Extract<PlaceOutcome, { kind: 'refused' }>['refusal'];
const PROSE: Refusal = {
  code: undefined,
  message: 'not enough funds',
  httpStatus: undefined,
  retryAfterMs: undefined,
};

const scoped = (scope: 'own' | 'account') => ({
  ...settings(),
  orders: { ...settings().orders, scope },
});

/** The bid of a batch was refused, and its ask rests. */
function refused(
  scope: 'own' | 'account' = 'own',
  refusal = PROSE,
  limits: Partial<RiskLimits> = {},
) {
  const driver = new EngineDriver();
  driver.start({ ...scoped(scope), risk: { ...settings().risk, ...limits } });
  driver.healthyBook();
  driver.tick();
  const [write] = driver.placements();
  const bid = write?.orders.find((order) => order.side === 'BUY' && order.tokenId === YES);
  if (!write || !bid) throw new Error('a bid was placed');
  const outcomes = write.orders.map(({ intentId }) =>
    intentId === bid.intentId
      ? ({ intentId, outcome: { kind: 'refused', refusal } } as const)
      : ({ intentId, outcome: { kind: 'accepted', orderHash: orderHash('0xa5c0') } } as const),
  );
  driver.tell({ kind: 'placed', requestId: write.requestId, outcomes });
  const account = new ListedAccount(driver, 'silent');
  account.open = write.orders
    .filter((order) => order !== bid)
    .map((order) => reportOf(orderHash('0xa5c0'), order));
  return { driver, account, bid };
}

const duplicatesOf = ({ records }: EngineDriver, { intentId }: LimitOrder) =>
  records.flatMap((each) =>
    each.kind === 'order' && each.order.intentId === `${intentId}-duplicate`
      ? [each.order.state]
      : [],
  );

describe('an item that was rejected without a code and rests all the same', () => {
  it('is reported and cancelled where others trade, and not left as theirs', () => {
    const { driver, account, bid } = refused();
    account.open.push(reportOf(LISTED, bid));
    account.run(2_000);
    expect(account.cancelled).toContain(LISTED);
    expect(driver.reported('order.external')).toMatchObject([{ orderHash: LISTED }]);
    expect(driver.engine.view().ordersOfOthers).toBe(0);
  });

  it('stays ours while it cannot be cancelled, over new settings too', () => {
    const { driver, account, bid } = refused();
    account.open.push(reportOf(LISTED, bid));
    driver.run(1_000, () => driver.answerReads(account.open));
    driver.settings({ ...scoped('own'), timing: { ...settings().timing, catalogueMs: 50_000 } });
    expect(driver.engine.view().ordersOfOthers).toBe(0);
    account.run(1_000);
    expect(account.cancelled).toContain(LISTED);
  });

  it('is cancelled by a kill', () => {
    const { driver, account, bid } = refused();
    account.open.push(reportOf(LISTED, bid));
    driver.operator('kill');
    account.run(4_000);
    expect(account.cancelled).toContain(LISTED);
    expect(driver.reported('kill.confirmed')).toMatchObject([{ leftAlone: 0 }]);
  });

  it('is looked for by a guard, before a list has shown it and after', () => {
    const { driver, account, bid } = refused();
    const onFinestGrid = {
      ...reportOf(LISTED, bid),
      price: ticks(tickGrid('0.001'), bid.price * 10),
    };
    driver.tick();
    expect(toldBook(driver).among([onFinestGrid])).toHaveLength(1);
    account.open.push(reportOf(LISTED, bid));
    driver.run(6_000, () => driver.answerReads(account.open));
    expect(toldBook(driver).among([onFinestGrid])).toHaveLength(1);
  });

  it.for([false, true])('is cancelled by a next run, shown before: %s', (isShown, { runs }) => {
    const { driver, account, bid } = refused();
    account.open.push(reportOf(LISTED, bid));
    if (isShown) driver.run(6_000, () => driver.answerReads(account.open));
    driver.tick();
    const next = new ListedAccount(runs.restored(driver, scoped('own')), 'silent');
    next.open = account.open;
    next.driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
    next.driver.tell({ kind: 'socketOpened' });
    next.driver.tell({ kind: 'authenticated' });
    next.run(4_000);
    expect(next.cancelled).toContain(LISTED);
  });
});

describe('an item that was rejected without a code', () => {
  it('is looked for until a list that was asked for after the answer lacks it', () => {
    const { driver, account, bid } = refused();
    driver.tick();
    expect(duplicatesOf(driver, bid)).toEqual(['unknown']);
    // Nothing like it is sent in the meantime.
    driver.operator('pause');
    account.run(1_000);
    expect(duplicatesOf(driver, bid)).toEqual(['unknown', 'cancelled']);
    account.open.push(reportOf(LISTED, bid));
    account.run(6_000);
    expect(account.cancelled).not.toContain(LISTED);
    expect(driver.engine.view().ordersOfOthers).toBe(1);
  });

  it('is not what was sent in its stead, however alike', () => {
    const { driver, account, bid } = refused();
    const again = () =>
      driver.sent
        .flatMap((each) => (each.kind === 'placeOrders' ? each.orders : []))
        .some(({ tokenId, price }) => tokenId === YES && price === bid.price);
    // The list is in flight while the next bid is sent and accepted.
    for (let turn = 0; turn < 200 && !again(); turn += 1) {
      if (turn % 20 === 0) driver.healthyBook();
      driver.tick();
    }
    for (const { hash, order } of driver.acceptPlacements()) {
      account.open.push(reportOf(hash, order));
    }
    expect(account.open.some(({ price, tokenId }) => tokenId === YES && price === bid.price)).toBe(
      true,
    );
    account.run(1_000);
    expect(duplicatesOf(driver, bid)).toEqual(['unknown', 'cancelled']);
  });

  it('keeps no kill waiting for longer than a list takes', () => {
    const { driver, account } = refused();
    driver.operator('kill');
    account.run(3_000);
    expect(driver.reported('kill.confirmed')).toHaveLength(1);
  });

  it('needs no looking for with a code, or where all orders of the account are ours', () => {
    const coded = refused('own', { ...PROSE, code: 'insufficient_balance', httpStatus: 422 });
    expect(duplicatesOf(coded.driver, coded.bid)).toEqual([]);
    const alone = refused('account');
    expect(duplicatesOf(alone.driver, alone.bid)).toEqual([]);
  });

  it('means no order of somebody else between two ticks, however near', () => {
    const { account, bid } = refused();
    const between = {
      price: ticks(tickGrid('0.001'), bid.price * 10),
      ticksPerUnit: 1_000,
    } as const;
    account.open.push({ ...reportOf(LISTED, bid), ...between, isOffGrid: true });
    account.run(6_000);
    expect(account.cancelled).not.toContain(LISTED);
  });
});

describe('limits, beside an item that was rejected without a code', () => {
  const SCOPES = ['account', 'own'] as const;
  const LIMITS: readonly (readonly [string, Partial<RiskLimits>])[] = [
    ['max_open_orders', { maxOpenOrders: 2 }],
    ['max_open_notional_usdc', { maxOpenNotionalUsdc: 60 }],
    ['max_loss_usdc', { maxLossUsdc: 25 }],
  ];
  const CASES = SCOPES.flatMap((scope) => LIMITS.map((limit) => [scope, ...limit] as const));

  /** Bids are wanted for again, and nobody reads a list for so long. */
  const targetQuotes = (
    { driver, bid }: ReturnType<typeof refused>,
    durationMs: number,
    showBook = () => driver.healthyBook(),
  ) => {
    driver.run(durationMs, () => {
      if (driver.nowMs % 500 === 0) showBook();
    });
    return driver
      .placements()
      .flatMap(({ orders }) => orders)
      .filter(({ tokenId, side }) => tokenId === bid.tokenId && side === bid.side);
  };

  it.for(CASES)('count it until a list lacks it, %s, %s', ([scope, limit, limits]) => {
    const scene = refused(scope, PROSE, limits);
    const { driver, account } = scene;
    expect(targetQuotes(scene, 4_000)).toEqual([]);
    expect(driver.reported('risk.refused').map((each) => each.limit)).toContain(limit);
    driver.answerReads(account.open);
    expect(targetQuotes(scene, 4_000)).toHaveLength(1);
  });

  it.for(CASES)(
    'count it on while it is cancelled, where a list shows it, %s, %s',
    ([scope, , limits]) => {
      const scene = refused(scope, PROSE, limits);
      const { driver, account, bid } = scene;
      account.open.push(reportOf(LISTED, bid));
      driver.run(500, () => driver.answerReads(account.open));
      expect(driver.engine.view().ordersByState.cancelling).toBe(1);
      expect(targetQuotes(scene, 4_000)).toEqual([]);
      expect(driver.answerCancels()).toContain(LISTED);
      driver.update(LISTED, bid, { status: 'CANCELLED' });
      expect(targetQuotes(scene, 4_000)).toHaveLength(1);
    },
  );

  it('leave room for another order then, at any price but theirs', () => {
    const scene = refused('own', PROSE, { maxOpenOrders: 3 });
    const { driver, account, bid } = scene;
    account.open.push(reportOf(LISTED, bid));
    driver.run(500, () => driver.answerReads(account.open));
    driver.answerCancels([LISTED]);
    expect(targetQuotes(scene, 4_000)).toEqual([]);
    const lower = () => driver.book(YES, [level(46, 500)], [level(50, 500)]);
    expect(targetQuotes(scene, 4_000, lower)).toHaveLength(1);
  });

  it('count it on where a list comes that was asked for before the answer', () => {
    const scene = refused('own', PROSE, { maxOpenOrders: 2 });
    const { driver, account } = scene;
    driver.tell({
      kind: 'openOrders',
      requestId: requestId(9_999),
      askedAtMs: unixMs(driver.nowMs - 1),
      outcome: { kind: 'ok', value: account.open },
    });
    expect(targetQuotes(scene, 4_000)).toEqual([]);
  });

  it('do not count one that was refused with a code', () => {
    const code = { code: 'invalid_price', httpStatus: 400 };
    const scene = refused('own', { ...PROSE, ...code }, { maxOpenOrders: 2 });
    expect(targetQuotes(scene, 4_000)).toHaveLength(1);
  });
});
