// Balances that are late as a whole, shares and cash alike: what cash lacks is no sale that nobody reported.

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

const LIMIT = 100;
const LIMITED = settings({ risk: { ...settings().risk, maxPositionShares: LIMIT } });
const STEP_MS = 500;
const SETTLE_MS = 15_000;
const TRADE_MS = 40_000;
const SIDE_MS = 100_000;

type Open = ReturnType<EngineDriver['acceptPlacements']>[number] & { readonly atMs: number };
type Shown = {
  readonly atMs: number;
  readonly yes: number;
  readonly no: number;
  readonly cash: number;
};

/** A venue where a side trades for a while, and then another; what it answers of balances is old. */
class LateVenue {
  readonly driver = new EngineDriver();
  readonly #behindMs: number;
  #seed: number;
  #open: Open[] = [];
  #waiting: Open[] = [];
  #tradedAtMs = 0;
  #side: 'bid' | 'ask' = 'bid';
  readonly #shown: Shown[] = [];
  #now = { yes: 0, no: 0, cash: 10_000 };
  #net = 0;
  netMost = 0;

  constructor(behindMs: number, seed: number) {
    this.#behindMs = behindMs;
    this.#seed = seed;
    this.driver.restore(NOTHING_STORED);
    this.driver.start(LIMITED, holding(this.#now.cash, 0, 0));
  }

  run(durationMs: number): void {
    for (let passed = 0; passed < durationMs; passed += STEP_MS) {
      if (passed % SIDE_MS === 0) this.#side = this.#random() < 0.5 ? 'bid' : 'ask';
      this.#step();
    }
  }

  #step(): void {
    const { driver } = this;
    driver.healthyBook();
    const cancelled = driver.answerCancels();
    this.#open = this.#open.filter(({ hash }) => !cancelled.includes(hash));
    for (const each of driver.acceptPlacements()) this.#open.push({ ...each, atMs: driver.nowMs });
    if (driver.nowMs - this.#tradedAtMs >= TRADE_MS) this.#trade();
    for (const each of this.#waiting) if (driver.nowMs - each.atMs > SETTLE_MS) this.#settle(each);
    this.#shown.push({ atMs: driver.nowMs, ...this.#now });
    driver.answerReads(
      this.#open.map(({ hash, order }) => reportOf(hash, order)),
      this.#account(),
    );
    driver.answerTrades({ kind: 'ok', value: [] });
    driver.tick(STEP_MS);
  }

  #account() {
    const old = this.#shown.findLast(({ atMs }) => atMs <= this.driver.nowMs - this.#behindMs);
    const { cash, yes, no } = old ?? { cash: 10_000, yes: 0, no: 0 };
    const hold = this.#open.reduce((sum, { order }) => sum + Math.max(0, costOf(order)), 0);
    return {
      ...holding(cash, yes, no),
      usdcOnHold: usdc(hold.toFixed(6)),
      availableBalance: usdc((cash - hold).toFixed(6)),
    };
  }

  #trade(): void {
    const { driver } = this;
    const traded = this.#open.find(({ order }) => {
      const isBid = (order.tokenId === YES) === (order.side === 'BUY');
      return isBid === (this.#side === 'bid');
    });
    if (traded === undefined) return;
    const { hash, order } = traded;
    this.#open = this.#open.filter((each) => each !== traded);
    this.#waiting.push({ ...traded, atMs: driver.nowMs });
    this.#tradedAtMs = driver.nowMs;
    const filled = order.quantity / 1e6;
    this.#net += this.#side === 'bid' ? filled : -filled;
    this.netMost = Math.max(this.netMost, Math.abs(this.#net));
    driver.update(hash, order, { status: 'MATCHED', filled, remaining: 0 });
  }

  #settle(each: Open): void {
    const { price, quantity, tokenId, side } = each.order;
    this.#waiting = this.#waiting.filter((other) => other !== each);
    const moved = side === 'BUY' ? quantity / 1e6 : -quantity / 1e6;
    const { yes, no, cash } = this.#now;
    this.#now = {
      yes: tokenId === YES ? yes + moved : yes,
      no: tokenId === YES ? no : no + moved,
      cash: cash - costOf(each.order),
    };
    const trade = { tradeId: `t-${each.hash}`, tokenId, marketId: MARKET, side, quantity };
    this.driver.tell({ kind: 'tradeSettled', ...trade, price: usdc(price / 100) });
  }

  #random(): number {
    this.#seed = (this.#seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return this.#seed / 2 ** 31;
  }
}

/** Negative for what a sale brings. */
function costOf({ price, quantity, side }: Open['order']): number {
  return ((side === 'BUY' ? 1 : -1) * price * quantity) / 1e8;
}

describe('balances that are minutes late as a whole', () => {
  it.each([
    { behindMs: 300_000, seed: 7_919 },
    { behindMs: 200_000, seed: 31_676 },
  ])('let no more be bought than the position limit: $behindMs ms, $seed', ({ behindMs, seed }) => {
    const venue = new LateVenue(behindMs, seed);
    venue.run(1_800_000);
    expect(venue.netMost).toBe(LIMIT);
  });
});
