// The chain may settle later than any read of the balances waits: a number that lacks fills which were reported is
// adopted for what is expected, and limits count those on until something says that they do not come.

import { describe, expect, it } from 'vitest';
import { usdc } from '../../../src/domain/usdc.ts';
import {
  EngineDriver,
  holding,
  MARKET,
  NOTHING_STORED,
  reportOf,
  settings,
  YES,
} from '../../support/engine-driver.ts';

const LIMITED = settings({ risk: { ...settings().risk, maxPositionShares: 100 } });

const STEP_MS = 500;

type Open = ReturnType<EngineDriver['acceptPlacements']>[number] & { readonly atMs: number };

/** A venue on which every bid for YES trades within seconds; its chain settles what and when a scene says. */
class LateChain {
  driver = new EngineDriver();
  #open: Open[] = [];
  readonly traded: Open[] = [];
  readonly settled: Open[] = [];
  /** What trades: bids for YES, and asks, which are bids for NO. */
  sides: readonly ('bid' | 'ask')[] = ['bid'];
  /** Shares that the index shows, and whether it goes with what settles. */
  shown = 0;
  isIndexed = false;

  cash: number;

  constructor(cash = 10_000) {
    this.cash = cash;
    this.driver.restore(NOTHING_STORED);
    this.driver.start(LIMITED, this.#account());
  }

  /** @param settleMs - How long behind its trade each settlement comes and moves cash; `undefined` for never. */
  run(durationMs: number, settleMs?: number): void {
    const { driver } = this;
    for (let passed = 0; passed < durationMs; passed += STEP_MS) {
      driver.healthyBook();
      const cancelled = driver.answerCancels();
      this.#open = this.#open.filter(({ hash }) => !cancelled.includes(hash));
      for (const each of driver.acceptPlacements())
        this.#open.push({ ...each, atMs: driver.nowMs });
      this.#trade();
      for (const each of this.traded)
        if (!this.settled.includes(each) && driver.nowMs - each.atMs > (settleMs ?? Infinity))
          this.settle(each);
      this.answer();
      driver.tick(STEP_MS);
    }
  }

  answer(): void {
    const open = this.#open.map(({ hash, order }) => reportOf(hash, order));
    this.driver.answerReads(open, this.#account());
    this.driver.answerTrades({ kind: 'ok', value: [] });
  }

  #account() {
    const cash = this.cash - costOf(this.settled);
    const hold = costOf(this.#open);
    return {
      ...holding(cash, this.shown, 0),
      usdcOnHold: usdc(hold.toFixed(6)),
      availableBalance: usdc((cash - hold).toFixed(6)),
    };
  }

  #trade(): void {
    const { driver } = this;
    for (const each of this.#open) {
      const { hash, order, atMs } = each;
      const side = order.tokenId === YES ? 'bid' : 'ask';
      const isWanted = this.sides.includes(side) && order.side === 'BUY';
      const isDue = isWanted && driver.nowMs - atMs > 5_000;
      if (!isDue) continue;
      this.traded.push({ ...each, atMs: driver.nowMs });
      const filled = order.quantity / 1e6;
      driver.update(hash, order, { status: 'MATCHED', filled, remaining: 0 });
    }
    this.#open = this.#open.filter(({ hash }) => !this.traded.some((each) => each.hash === hash));
  }

  get asksResting(): number {
    return this.#open.filter(({ order }) => order.tokenId !== YES).length;
  }

  get tradedShares(): number {
    return sharesOf(this.traded);
  }

  settle(each: Open): void {
    const { price, quantity } = each.order;
    this.settled.push(each);
    if (this.isIndexed && each.order.tokenId === YES) this.shown += quantity / 1e6;
    const trade = {
      tradeId: `t-${each.hash}`,
      tokenId: each.order.tokenId,
      marketId: MARKET,
      side: 'BUY',
    } as const;
    this.driver.tell({ kind: 'tradeSettled', ...trade, price: usdc(price / 100), quantity });
  }

  fail(each: Open): void {
    const { quantity } = each.order;
    const trade = { marketId: MARKET, side: 'BUY', reason: 'reverted' } as const;
    this.driver.tell({ kind: 'tradeFailed', ...trade, quantity });
  }

  /** A next run begins with what this one has written. */
  restart(): void {
    const { nowMs, records } = this.driver;
    const stored = records.findLast((each) => each.kind === 'token' && each.token.tokenId === YES);
    if (stored?.kind !== 'token') throw new Error('it was written');
    this.driver = new EngineDriver();
    this.driver.nowMs = nowMs;
    const cashNano = Math.round((this.cash - costOf(this.settled)) * 1e9);
    this.driver.restore({ ...NOTHING_STORED, tokens: [stored.token], cashNano });
    this.#open = [];
    this.driver.start(LIMITED, this.#account());
  }

  get position() {
    return this.driver.engine.view().markets[0]?.positions?.yes;
  }
}

function costOf(orders: readonly Open[]): number {
  const buys = orders.filter(({ order }) => order.side === 'BUY');
  return buys.reduce((sum, { order }) => sum + (order.price * order.quantity) / 1e8, 0);
}

function sharesOf(orders: readonly Open[]): number {
  return orders.reduce((sum, { order }) => sum + order.quantity / 1e6, 0);
}

function firstOf(chain: LateChain): Open {
  const [first] = chain.traded;
  if (first === undefined) throw new Error('something traded');
  return first;
}

describe('a chain that settles nothing for many minutes', () => {
  it('lets no more be bought than the position limit, however often balances lack what was bought', () => {
    const chain = new LateChain();
    chain.run(900_000);
    expect(chain.driver.reported('position.adopted')).toMatchObject([{ ours: '100', venues: '0' }]);
    expect(chain.tradedShares).toBe(100);
    expect(chain.position).toMatchObject({ low: '0', expected: '0', high: '0' });
    expect(chain.position?.uncertain).toMatchObject([
      { cause: 'unsettled', shares: '50' },
      { cause: 'unsettled', shares: '50' },
    ]);
  });

  it('counts each of them once when it settles at last', () => {
    const chain = new LateChain();
    chain.run(300_000);
    for (const each of chain.traded) chain.settle(each);
    expect(chain.position).toMatchObject({ expected: '100', pending: '0' });
    chain.shown = 100;
    chain.run(70_000);
    expect(chain.position).toMatchObject({ expected: '100', uncertain: [] });
    expect(chain.tradedShares).toBe(100);
  });

  it('lets go of them as balances show them', () => {
    const chain = new LateChain();
    chain.run(300_000);
    chain.shown = 50;
    chain.run(60_000);
    expect(chain.position).toMatchObject({ expected: '50', uncertain: [{ shares: '50' }] });
    expect(chain.tradedShares).toBe(100);
  });

  it('is known by a next run', () => {
    const chain = new LateChain();
    chain.run(300_000);
    chain.restart();
    chain.run(300_000);
    expect(chain.tradedShares).toBe(100);
    expect(chain.position?.uncertain).toMatchObject([{ shares: '50' }, { shares: '50' }]);
  });
});

describe('a chain that settles everything ten minutes late', () => {
  it('lets no more be bought than the position limit', () => {
    const chain = new LateChain();
    chain.isIndexed = true;
    chain.run(1_500_000, 600_000);
    expect(chain.tradedShares).toBe(100);
    expect(chain.position).toMatchObject({ low: '100', high: '100', uncertain: [] });
  });
});

describe('a settlement that comes ten minutes late while a younger fill waits', () => {
  it('is of the older one: the younger counts on until its own comes', () => {
    const chain = new LateChain();
    chain.run(8_000);
    const first = firstOf(chain);
    expect(chain.tradedShares).toBe(50);
    chain.sides = [];
    chain.run(590_000);
    chain.sides = ['bid'];
    chain.run(10_000);
    chain.settle(first);
    chain.shown = 50;
    chain.run(400_000);
    expect(chain.tradedShares).toBe(100);
    for (const each of chain.traded.slice(1)) chain.settle(each);
    chain.shown = 100;
    chain.run(70_000);
    expect(chain.position).toMatchObject({ low: '100', high: '100', uncertain: [] });
  });
});

describe('balances that stand still while settlements are reported', () => {
  const SETTLE_MS = 15_000;

  it('let no more be bought than the position limit', () => {
    const chain = new LateChain();
    chain.run(900_000, SETTLE_MS);
    expect(chain.tradedShares).toBe(100);
    expect(chain.position).toMatchObject({ expected: '0', uncertain: [{ shares: '100' }] });
  });

  it('let no more be bought by a next run', () => {
    const chain = new LateChain();
    chain.run(300_000, SETTLE_MS);
    chain.restart();
    chain.run(600_000, SETTLE_MS);
    expect(chain.tradedShares).toBe(100);
  });

  it('stop amid what has settled, and it is counted on', () => {
    const chain = new LateChain();
    chain.run(60_000, SETTLE_MS);
    chain.shown = 50;
    chain.run(900_000, SETTLE_MS);
    expect(chain.tradedShares).toBe(100);
    expect(chain.position).toMatchObject({ expected: '50', uncertain: [{ shares: '50' }] });
  });

  it('count what has settled on where a failure of as many shares is told, which is of something else', () => {
    const chain = new LateChain();
    chain.run(60_000, SETTLE_MS);
    chain.shown = 50;
    chain.run(300_000, SETTLE_MS);
    expect(chain.position?.uncertain).toMatchObject([{ shares: '50' }]);
    chain.fail(firstOf(chain));
    chain.run(60_000, SETTLE_MS);
    expect(chain.tradedShares).toBe(100);
  });

  it('count what they took back on where they then show what was before that', () => {
    const chain = new LateChain();
    chain.run(60_000, SETTLE_MS);
    chain.shown = 100;
    chain.run(200_000, SETTLE_MS);
    expect(chain.position).toMatchObject({ expected: '100', uncertain: [] });
    chain.shown = 50;
    chain.run(900_000, SETTLE_MS);
    expect(chain.tradedShares).toBe(100);
    expect(chain.position).toMatchObject({ expected: '50', uncertain: [{ shares: '50' }] });
  });

  it('take nothing back that was sold by hand, as cash shows', () => {
    const chain = new LateChain();
    chain.run(60_000, SETTLE_MS);
    chain.shown = 100;
    chain.run(200_000, SETTLE_MS);
    chain.cash += 50;
    chain.run(90_000, SETTLE_MS);
    chain.shown = 0;
    chain.run(90_000, SETTLE_MS);
    expect(chain.tradedShares).toBeGreaterThan(100);
    expect(chain.position?.uncertain).toEqual([]);
  });

  it('take no cash from other orders that was paid when it settled', () => {
    const chain = new LateChain(110);
    chain.run(600_000, SETTLE_MS);
    chain.sides = ['ask'];
    chain.run(1_000, SETTLE_MS);
    expect(chain.traded).toHaveLength(3);
    expect(chain.position).toMatchObject({ expected: '0', uncertain: [{ shares: '100' }] });
    expect(chain.asksResting).toBe(1);
  });

  it('cost no room once they go on', () => {
    const chain = new LateChain();
    chain.run(600_000, SETTLE_MS);
    chain.shown = 100;
    chain.run(60_000, SETTLE_MS);
    expect(chain.tradedShares).toBe(100);
    expect(chain.position).toMatchObject({ low: '100', high: '100', uncertain: [] });
  });
});

describe('fills that the chain has left out', () => {
  it('cost no room once a failure is reported, each its own', () => {
    const chain = new LateChain();
    chain.run(300_000);
    chain.fail(firstOf(chain));
    expect(chain.position?.uncertain).toMatchObject([{ shares: '50' }]);
    chain.run(10_000);
    expect(chain.tradedShares).toBe(150);
  });

  it('cost no room once a fill of a quarter of an hour behind them has settled elsewhere', () => {
    const chain = new LateChain();
    chain.run(300_000);
    chain.fail(firstOf(chain));
    chain.run(1_000_000);
    chain.sides = ['bid', 'ask'];
    chain.run(10_000);
    const other = chain.traded.find(({ order }) => order.tokenId !== YES);
    if (other === undefined) throw new Error('an ask traded');
    chain.settle(other);
    chain.run(6_000);
    expect(chain.position?.uncertain).toEqual([]);
  });

  it('count on where one that came minutes behind them has settled: it may be the late one', () => {
    const chain = new LateChain();
    chain.run(300_000);
    chain.fail(firstOf(chain));
    chain.run(10_000);
    const last = chain.traded.at(-1);
    if (last === undefined) throw new Error('it traded again');
    chain.settle(last);
    chain.run(60_000);
    expect(chain.position).toMatchObject({ expected: '50', uncertain: [{ shares: '50' }] });
    expect(chain.tradedShares).toBe(150);
  });

  it('cost no room after an hour', () => {
    const chain = new LateChain();
    chain.run(3_500_000);
    expect(chain.tradedShares).toBe(100);
    chain.run(200_000);
    expect(chain.tradedShares).toBeGreaterThan(100);
  });
});
