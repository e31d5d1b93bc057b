// Fees of takers: in the profit and in the cash that is expected by the rate that the settings state, and what
// the venue takes beyond or below that is cash that nothing explains.

import { describe, expect } from 'vitest';
import type { CoreSettings } from '../../../../src/domain/input.ts';
import type { Balances } from '../../../../src/domain/message.ts';
import type { LimitOrder } from '../../../../src/domain/order.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { ticks } from '../../../../src/domain/ticks.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import { defineStrategy, rememberedNumber } from '../../../../src/strategy/index.ts';
import {
  balances,
  EngineDriver,
  GRID,
  holding,
  MARKET,
  settings,
  YES,
} from '../../../support/engine-driver.ts';
import { it, type Runs } from '../../../support/runs.ts';

/** Buys 20 YES for 0.40 at most, once; the fee of a rate of 0.05 is 0.24 there. */
const taker = defineStrategy<object>({
  name: 'taker',
  summary: 'Takes once.',
  params: {},
  takes: true,
  quote: ({ memory }) => ({
    quotes: [],
    reasons: [],
    memory: { taken: 1 },
    takes:
      rememberedNumber(memory, 'taken', 0) === 1
        ? []
        : [{ leg: 'yes', side: 'BUY', price: ticks(GRID, 40), quantity: shares(20) }],
  }),
});

/** Rests a bid for 20 YES at 0.40. */
const quoter = defineStrategy<object>({
  name: 'taker',
  summary: 'Quotes a bid.',
  params: {},
  quote: () => ({
    quotes: [{ side: 'bid', price: ticks(GRID, 40), quantity: shares(20), purpose: 'add' }],
    reasons: [],
  }),
});

function stated(takerFeeRate: number | undefined): CoreSettings {
  const base = settings();
  const choice = { event: 'rain', market: undefined, strategy: 'taker', params: {} };
  const divergence = { cashUsdc: 1, forMs: 60_000, action: 'reduce-only' } as const;
  return settings({
    markets: [{ ...choice, takerFeeRate }],
    risk: { ...base.risk, divergence },
  });
}

class Scene {
  readonly driver: EngineDriver;
  readonly value: CoreSettings;

  constructor(value: CoreSettings, driver = new EngineDriver([taker])) {
    this.driver = driver;
    this.value = value;
  }

  /** A run that has sent its order, which rests or is about to be matched. */
  static sent(rate: number | 'none' = 0.05, strategy = taker): Scene {
    const value = stated(rate === 'none' ? undefined : rate);
    const scene = new Scene(value, new EngineDriver([strategy]));
    scene.driver.start(scene.value);
    scene.driver.healthyBook();
    scene.driver.tick();
    return scene;
  }

  accepted(): { readonly order: LimitOrder; readonly hash: ReturnType<Scene['hashOf']> } {
    const [first] = this.driver.acceptPlacements();
    if (first === undefined) throw new Error('an order was sent');
    return first;
  }

  hashOf(): ReturnType<EngineDriver['acceptPlacements']>[number]['hash'] {
    return this.accepted().hash;
  }

  /** All of its 20 shares match. */
  matched(): this {
    const { order, hash } = this.accepted();
    this.driver.update(hash, order, { status: 'MATCHED', filled: 20, remaining: 0 });
    return this;
  }

  settled(price = '0.40', quantity = 20, tradeId = 't-1'): this {
    const trade = { tradeId, tokenId: YES, marketId: MARKET, side: 'BUY' } as const;
    const told = { ...trade, quantity: shares(quantity), price: usdc(price) };
    this.driver.tell({ kind: 'tradeSettled', ...told });
    return this;
  }

  failed(): this {
    const trade = { marketId: MARKET, side: 'BUY', quantity: shares(20) } as const;
    this.driver.tell({ kind: 'tradeFailed', ...trade, reason: 'reverted' });
    return this;
  }

  read(account: Balances): this {
    this.driver.run(5_000, () => {
      this.driver.answerReads([], account);
      this.driver.healthyBook();
    });
    return this;
  }

  /** Cash in USDC that nothing explains, either way. */
  get unexplained(): number {
    const controls = this.driver.engine.view().risk?.controls;
    return Number(controls?.find(({ control }) => control === 'cash_divergence')?.value);
  }

  get cash(): string | undefined {
    return this.driver.engine.view().account.cashUsdc;
  }

  /** At a middle of 0.50, 20 shares for 0.40 have earned 2. */
  get profit(): string | undefined {
    this.driver.healthyBook();
    this.driver.run(1_000);
    return this.driver.engine.view().markets[0]?.pnlUsdc;
  }
}

const SHARES = 20;
const paid = (cash: number) => holding(cash, SHARES, 0);

describe('what was sent to take', () => {
  it('loses its fee with the match, by its own price', () => {
    expect(Scene.sent().matched().profit).toBe('1.760000');
  });

  it('pays by the price of its settlement, in the profit and in the cash that is expected', () => {
    const scene = Scene.sent().matched().settled('0.30');
    // 20 x 0.05 x 0.30 x 0.70.
    expect(scene.profit).toBe('3.790000');
    expect(scene.cash).toBe('9993.790000');
    expect(scene.read(paid(9_993.79)).unexplained).toBe(0);
    expect(scene.profit).toBe('3.790000');
  });

  it('pays for each part what that was, to a millionth', () => {
    const scene = Scene.sent().matched().settled('0.40', 7).settled('0.33', 13, 't-2');
    // 0.084 and 0.143715.
    expect(scene.cash).toBe('9992.682285');
    expect(scene.read(paid(9_992.682285)).unexplained).toBe(0);
  });

  it.for([
    ['more', 9_991.5, 0.26],
    ['nothing', 9_992, 0.24],
    ['less', 9_991.9, 0.14],
  ] as const)('leaves cash unexplained where the venue takes %s', ([, cash, unexplained]) => {
    const scene = Scene.sent().matched().settled().read(paid(cash));
    expect(scene.unexplained).toBeCloseTo(unexplained, 9);
    expect(scene.profit).toBe('1.760000');
  });

  it('is not uncertain where the venue rounds its fee otherwise', () => {
    expect(Scene.sent().matched().settled().read(paid(9_991.759999)).unexplained).toBe(0);
  });

  it('gets its fee back where its settlement fails', () => {
    const scene = Scene.sent().matched().failed();
    expect(scene.profit).toBe('0.000000');
    expect(scene.read(balances()).unexplained).toBe(0);
  });

  it('pays once where it settled before its match was reported', () => {
    const scene = Scene.sent().settled('0.40').matched();
    expect(scene.profit).toBe('1.760000');
    expect(scene.read(paid(9_991.76)).unexplained).toBe(0);
    expect(scene.profit).toBe('1.760000');
  });

  it('pays once where cash showed its fee before its match was reported', () => {
    const scene = Scene.sent().settled('0.40').read(paid(9_991.76));
    scene.matched();
    expect(scene.profit).toBe('1.760000');
    expect(scene.read(paid(9_991.76)).unexplained).toBe(0);
  });

  it('pays nothing where no fee is stated for whoever takes', () => {
    const scene = Scene.sent(0).matched().settled();
    expect(scene.profit).toBe('2.000000');
    expect(scene.read(paid(9_991.76)).unexplained).toBeCloseTo(0.24, 9);
  });
});

describe('a quote', () => {
  it('pays no fee where it was met', () => {
    const scene = Scene.sent(0.05, quoter).matched().settled();
    expect(scene.profit).toBe('2.000000');
    expect(scene.read(paid(9_992)).unexplained).toBe(0);
    expect(scene.profit).toBe('2.000000');
  });

  it('has not paid what was missing long before it settled', () => {
    const scene = Scene.sent(0.05, quoter);
    const { order, hash } = scene.accepted();
    for (let passedMs = 0; passedMs < 70_000; passedMs += 5_000)
      scene.read(holding(9_999.76, 0, 0));
    expect(scene.unexplained).toBe(0.24);
    scene.driver.update(hash, order, { status: 'MATCHED', filled: 20, remaining: 0 });
    scene.settled().read(paid(9_991.76));
    expect([scene.unexplained, scene.profit]).toEqual([0.24, '2.000000']);
  });

  it('is not taken to have paid another amount, or where no fee is stated', () => {
    const other = Scene.sent(0.05, quoter).matched().settled().read(paid(9_991.75));
    expect([other.unexplained, other.profit]).toEqual([0.25, '2.000000']);
    const none = Scene.sent('none', quoter).matched().settled().read(paid(9_991.76));
    expect([none.unexplained, none.profit]).toEqual([0.24, '2.000000']);
  });
});

describe('a later run', () => {
  const nextRun = (runs: Runs, before: Scene, account = balances()): Scene => {
    runs.ledger.commit(before.driver.records);
    const driver = new EngineDriver([taker]);
    driver.nowMs = before.driver.nowMs + 1_000;
    driver.settings(before.value);
    driver.restore(runs.ledger.load());
    driver.start(before.value, account);
    return new Scene(before.value, driver);
  };

  it('expects the fee of a match that had not settled', ({ runs }) => {
    const first = Scene.sent().matched();
    first.driver.run(2_000);
    const scene = nextRun(runs, first).settled('0.30');
    expect(scene.profit).toBe('3.790000');
    expect(scene.read(paid(9_993.79)).unexplained).toBe(0);
  });

  it('expects nothing more where it settled while nobody listened', ({ runs }) => {
    const first = Scene.sent().matched();
    first.driver.run(2_000);
    const scene = nextRun(runs, first, paid(9_991.76));
    expect(scene.read(paid(9_991.76)).unexplained).toBe(0);
    expect(scene.profit).toBe('1.760000');
  });

  it('knows of an order that it was sent to take, and what that pays', ({ runs }) => {
    const first = Scene.sent();
    const { order, hash } = first.accepted();
    first.driver.run(2_000);
    const scene = nextRun(runs, first);
    scene.driver.update(hash, order, { status: 'MATCHED', filled: 20, remaining: 0 });
    expect(scene.profit).toBe('1.760000');
    expect(scene.settled().read(paid(9_991.76)).unexplained).toBe(0);
  });
});
