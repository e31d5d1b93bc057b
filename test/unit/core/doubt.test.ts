// Doubt costs room, never presence: what may have traded is counted as an uncertain item, quotes go on,
// and the item closes by a report, an exact read of the balances, or quiet. @spec Architecture decision 8

import { describe, expect } from 'vitest';
import type { CoreSettings } from '../../../src/domain/input.ts';
import type { Balances } from '../../../src/domain/message.ts';
import type { LimitOrder, OrderReport } from '../../../src/domain/order.ts';
import { shares } from '../../../src/domain/shares.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import {
  balances,
  EngineDriver,
  holding,
  level,
  listing,
  MARKET,
  NO,
  NOTHING_STORED,
  reportOf,
  settings,
  YES,
} from '../../support/engine-driver.ts';
import { it } from '../../support/runs.ts';

type Placed = ReturnType<EngineDriver['acceptPlacements']>[number];

/** A venue that accepts and cancels what it is asked to; orders leave its list as a scene wants it. */
class Account {
  readonly driver: EngineDriver;
  shown: Balances;
  open: Placed[] = [];
  placed: LimitOrder[] = [];
  cancelled: string[] = [];

  constructor(driver: EngineDriver, shown: Balances) {
    this.driver = driver;
    this.shown = shown;
  }

  run(durationMs: number): void {
    this.driver.run(durationMs, () => {
      if (this.driver.nowMs % 500 === 0) this.driver.healthyBook();
      const gone = this.driver.answerCancels();
      this.cancelled.push(...gone);
      this.open = this.open.filter(({ hash }) => !gone.includes(hash));
      const accepted = this.driver.acceptPlacements();
      this.open.push(...accepted);
      this.placed.push(...accepted.map(({ order }) => order));
      this.driver.answerReads(this.#list(), this.#locking());
    });
  }

  #list(): readonly OrderReport[] {
    return this.open.map(({ hash, order }) => reportOf(hash, order));
  }

  /** What rests locks its cash and its shares. */
  #locking(): Balances {
    const buys = this.open.filter(({ order }) => order.side === 'BUY');
    const cost = buys.reduce((sum, { order }) => sum + (order.price * order.quantity) / 1e8, 0);
    const usdcOnHold = usdc(cost.toFixed(6));
    const positions = this.shown.positions.map((each) => ({
      ...each,
      onHoldShareAmount: shares(
        this.open
          .filter(({ order }) => order.side === 'SELL' && order.tokenId === each.tokenId)
          .reduce((sum, { order }) => sum + order.quantity / 1e6, 0),
      ),
    }));
    return { ...this.shown, positions, usdcOnHold };
  }

  /** An order is off the book, and nobody reports why. */
  vanish(token = YES): Placed {
    const gone = this.open.find(({ order }) => order.tokenId === token);
    if (gone === undefined) throw new Error('an order rests');
    this.open = this.open.filter((each) => each !== gone);
    return gone;
  }

  get market() {
    const [market] = this.driver.engine.view().markets;
    const positions = market?.positions;
    if (market === undefined || positions === undefined) throw new Error('there is one market');
    return { ...market, positions };
  }

  causes(leg: 'yes' | 'no' = 'yes'): readonly string[] {
    return this.market.positions[leg].uncertain.map(({ cause }) => cause);
  }

  get sides(): number {
    return this.open.length;
  }
}

function quoting(shown = balances(), value: CoreSettings = settings()): Account {
  const driver = new EngineDriver();
  driver.start(value, shown);
  driver.healthyBook();
  const account = new Account(driver, shown);
  account.run(1_000);
  expect(account.sides).toBe(2);
  return account;
}

const limited = (maxUncertainShares: number) =>
  settings({ risk: { ...settings().risk, maxUncertainShares } });

describe('shares that are found at the first start', () => {
  it('are the opening position, and both sides are quoted within a second', () => {
    const account = quotingAtFirst();
    expect(account.market.positionYes).toBe('120');
    expect(account.causes()).toEqual([]);
  });
});

function quotingAtFirst(): Account {
  const driver = new EngineDriver();
  const shown = holding(10_000, 120, 0);
  driver.restore(NOTHING_STORED);
  driver.start(settings(), shown);
  driver.healthyBook();
  const account = new Account(driver, shown);
  account.run(1_000);
  expect(account.sides).toBe(2);
  return account;
}

describe('an order that vanished', () => {
  it('is an uncertain item of its rest, and both sides are quoted on', () => {
    const account = quoting();
    account.vanish();
    account.shown = balances({ cashBalance: usdc(9_990), availableBalance: usdc(9_990) });
    account.run(20_000);
    expect(account.causes()).toEqual(['order_end']);
    expect(account.market.positions.yes).toMatchObject({ low: '0', expected: '0', high: '50' });
    expect(account.sides).toBe(2);
  });

  it('is closed by a report that says what it traded', () => {
    const account = quoting();
    const { hash, order } = account.vanish();
    account.shown = balances({ cashBalance: usdc(9_990), availableBalance: usdc(9_990) });
    account.run(20_000);
    account.driver.update(hash, order, { status: 'CANCELLED', filled: 20, remaining: 30 });
    expect(account.causes()).toEqual([]);
    expect(account.market.positions.yes).toMatchObject({ low: '20', expected: '20', high: '20' });
  });

  it('did not trade where nothing is in flight and cash and locks are as they should be', () => {
    const account = quoting();
    account.vanish();
    account.run(50_000);
    expect(account.causes()).toEqual([]);
    expect(account.market.positionYes).toBe('0');
    expect(account.driver.reported('position.adopted')).toEqual([]);
  });

  it('traded where cash lacks exactly its cost, whatever balances show of its shares yet', () => {
    const account = quoting();
    account.vanish();
    account.shown = balances({ cashBalance: usdc(9_976), availableBalance: usdc(9_976) });
    account.run(50_000);
    expect(account.causes()).toEqual([]);
    expect(account.market.positionYes).toBe('50');
  });

  it('is settled by the amount of the venue after quiet, at its limit price', () => {
    const account = quoting();
    account.vanish();
    account.shown = holding(9_989.6, 20, 0);
    account.run(240_000);
    expect(account.causes()).toEqual([]);
    expect(account.market.positions.yes).toMatchObject({ low: '20', expected: '20', high: '20' });
    expect(account.driver.reported('position.adopted')).toMatchObject([{ venues: '20' }]);
  });
});

describe('a position that is too uncertain', () => {
  it('stops adding, is pulled once after a minute for the quiet, and is quoted again afterwards', () => {
    const account = quoting(balances(), limited(20));
    account.vanish();
    account.shown = balances({ cashBalance: usdc(9_990), availableBalance: usdc(9_990) });
    account.run(15_000);
    expect(account.driver.reported('control.tripped')).toMatchObject([
      { control: 'position_uncertain' },
    ]);
    account.run(65_000);
    expect(account.market.bidReason?.code).toBe('reconciling');
    expect(account.sides).toBe(0);
    account.run(200_000);
    expect(account.causes()).toEqual([]);
    expect(account.sides).toBe(2);
  });

  it('is pulled for that once, though its tick size changes meanwhile', () => {
    const account = quoting(balances(), limited(20));
    account.vanish();
    account.shown = balances({ cashBalance: usdc(9_990), availableBalance: usdc(9_990) });
    account.run(80_000);
    const since = account.market.bidReason?.clears;
    const { driver } = account;
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing('0.001')] } });
    for (let second = 0; second < 5; second += 1) {
      for (const token of [YES, NO]) driver.book(token, [level(480, 500)], [level(520, 500)]);
      driver.run(1_000, () => driver.answerReads([], account.shown));
    }
    expect(account.market).toMatchObject({ tickSize: '0.001' });
    expect(account.market.bidReason).toMatchObject({ code: 'reconciling', clears: since });
    expect(driver.take('placeOrders')).toEqual([]);
  });
});

describe('a trade bust that may be of either token', () => {
  function failed(): Account {
    const account = quoting();
    for (const { hash, order } of account.open) {
      account.driver.update(hash, order, { status: 'MATCHED', remaining: 0 });
    }
    account.open = [];
    const frame = { reason: 'reverted', marketId: undefined, side: 'BUY' } as const;
    account.driver.tell({ kind: 'tradeFailed', ...frame, quantity: shares(50) });
    return account;
  }

  it('is an uncertain item on both, and quotes go on', () => {
    const account = failed();
    account.run(5_000);
    expect([account.causes('yes'), account.causes('no')]).toEqual([
      ['trade_failed'],
      ['trade_failed'],
    ]);
    expect(account.market.positions.yes).toMatchObject({ low: '0', expected: '50' });
    expect(account.sides).toBe(2);
  });

  it('was of the other one once one of them settles', () => {
    const account = failed();
    const of = { tokenId: YES, marketId: MARKET, side: 'BUY', price: usdc('0.48') } as const;
    account.driver.tell({ kind: 'tradeSettled', tradeId: 't-1', ...of, quantity: shares(50) });
    expect([account.causes('yes'), account.causes('no')]).toEqual([[], []]);
    expect(account.market).toMatchObject({ positionYes: '50', positionNo: '0' });
  });
});

describe('a settlement that names no token, of two fills that are alike', () => {
  it('moves nothing until balances show whose it was, and quotes go on', () => {
    const account = quoting();
    for (const { hash, order } of account.open) {
      account.driver.update(hash, order, { status: 'MATCHED', remaining: 0 });
    }
    account.open = [];
    const unnamed = { tokenId: undefined, marketId: undefined, side: 'BUY' } as const;
    const price = usdc('0.48');
    account.driver.tell({
      kind: 'tradeSettled',
      tradeId: 't-1',
      ...unnamed,
      price,
      quantity: shares(50),
    });
    expect(account.market).toMatchObject({ settledYes: '0', settledNo: '0', positionYes: '50' });
    account.shown = holding(9_976, 0, 50);
    account.run(8_000);
    expect(account.market).toMatchObject({ settledYes: '0', settledNo: '50', positionYes: '50' });
    expect(account.sides).toBe(2);
  });
});

describe('sells', () => {
  it('come from the low end: no more than an uncertain sell leaves for certain', () => {
    const account = quoting(holding(10_000, 60, 0));
    const sell = account.open.find(({ order }) => order.side === 'SELL');
    expect(sell?.order.quantity).toBe(shares(50));
    account.vanish(YES);
    account.open = account.open.filter((each) => each !== sell);
    account.shown = holding(10_003, 60, 0);
    account.placed = [];
    account.run(20_000);
    expect(account.market.positions.yes.low).toBe('10');
    const sold = account.placed.filter(({ side, tokenId }) => side === 'SELL' && tokenId === YES);
    for (const { quantity } of sold) expect(quantity).toBeLessThanOrEqual(shares(10));
    expect(account.open.some(({ order }) => order.tokenId === NO || order.side === 'SELL')).toBe(
      true,
    );
  });
});

describe('a restart', () => {
  it('knows what was uncertain, and quotes both sides', ({ runs }) => {
    const before = quoting();
    before.vanish();
    before.shown = balances({ cashBalance: usdc(9_990), availableBalance: usdc(9_990) });
    before.run(20_000);
    const driver = runs.restored(before.driver);
    driver.start(settings(), before.shown);
    driver.healthyBook();
    const account = new Account(driver, before.shown);
    account.run(2_000);
    // What vanished before, and what rested at the end and is not listed any more.
    expect(account.market.positions.yes).toMatchObject({ low: '0', high: '100' });
    expect(account.causes()).toEqual(['order_end', 'order_end']);
    expect(account.sides).toBe(2);
  });
});
