// Limits that come down by a reload while orders rest that were placed under the ones before, and positions that
// move by no order of ours.

import { describe, expect, it } from 'vitest';
import type { CoreSettings, RiskLimits } from '../../../src/domain/input.ts';
import { RISK_CONTROL_DEFAULTS } from '../../../src/domain/risk.ts';
import { shares } from '../../../src/domain/shares.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import { EngineDriver, holding, knowing, MARKET, YES } from '../../support/engine-driver.ts';
import { previewed } from '../../support/previewed.ts';
import { ask, bid, controlled, placed, wishing } from '../../support/wanted.ts';

const OFF = { ...RISK_CONTROL_DEFAULTS.collar, tradesThrough: 0, fairThrough: 0 };
const USUAL = controlled({ collar: OFF });
const LADDER = [bid(48, 100), bid(47, 100), ask(52, 100), ask(53, 100)];

/** Two levels a side rest; each resting order by its side and price on the YES axis. */
class Resting extends EngineDriver {
  readonly #names = new Map<string, string>();
  readonly cancelled: string[] = [];
  readonly #gone = new Set<string>();

  constructor() {
    super([wishing(() => LADDER)]);
    this.start(USUAL);
    this.healthyBook();
    this.run(100);
    for (const { hash, order } of this.acceptPlacements()) {
      const isYes = order.tokenId === YES;
      const price = isYes ? order.price : 100 - order.price;
      this.#names.set(hash, `${price < 50 ? 'bid' : 'ask'} ${price}`);
    }
    this.run(500, () => this.answerReads(this.openReports()));
    placed(this);
  }

  lower(limits: Partial<RiskLimits>, refused: readonly string[] = []): CoreSettings {
    const settings = { ...USUAL, risk: { ...USUAL.risk, ...limits } };
    this.settings(settings);
    this.pass(5_000, refused);
    return settings;
  }

  pass(forMs: number, refused: readonly string[] = []): void {
    const hashes = [...this.#names]
      .filter(([, name]) => refused.includes(name))
      .map(([hash]) => hash);
    this.run(forMs, () => {
      for (const hash of this.answerCancels(hashes)) {
        this.cancelled.push(this.#names.get(hash) ?? hash);
        if (!hashes.includes(hash)) this.#gone.add(hash);
      }
      this.answerReads(this.openReports().filter(({ orderHash }) => !this.#gone.has(orderHash)));
    });
  }

  get cuts(): readonly string[] {
    return this.reported('limit.cut').map(({ limit, orders }) => `${limit} ${orders}`);
  }
}

describe('limits that a reload lowers', () => {
  it('take the outermost orders from the book, and no more than are beyond them', () => {
    const driver = new Resting();
    driver.lower({ maxOpenOrders: 2 });
    expect(driver.cancelled.toSorted()).toEqual(['ask 53', 'bid 47']);
    expect(driver.cuts).toEqual(['max_open_orders 2']);
    expect(placed(driver)).toEqual([]);
  });

  it('take what is too large by itself, and what the position has no room for', () => {
    const large = new Resting();
    large.lower({ maxOrderShares: 99 });
    expect(large.cancelled).toHaveLength(4);
    const room = new Resting();
    room.lower({ maxPositionShares: 120 });
    expect(room.cancelled.toSorted()).toEqual(['ask 53', 'bid 47']);
    expect(room.cuts).toEqual(['max_position_shares 2']);
  });

  it('take what loses too much in the worst case, and leave what is within it', () => {
    const driver = new Resting();
    // A level of each side may lose 48; the second one adds 47.
    driver.lower({ maxLossUsdc: 60 });
    expect(driver.cancelled.toSorted()).toEqual(['ask 53', 'bid 47']);
    expect(driver.cuts).toEqual(['max_loss_usdc 2']);
  });

  it('leave everything where it all fits, or where they were raised', () => {
    const driver = new Resting();
    driver.lower({ maxOpenOrders: 4, maxPositionShares: 200 });
    driver.lower({});
    expect(driver.cancelled).toEqual([]);
    expect(driver.cuts).toEqual([]);
  });

  it('are asked for again where a cancel was refused, and another order goes where it rests on', () => {
    const driver = new Resting();
    // What was acknowledged a moment ago may only not be open yet.
    driver.pass(5_000);
    driver.lower({ maxOpenOrders: 3 }, ['ask 53']);
    expect(driver.cancelled.filter((name) => name === 'ask 53').length).toBeGreaterThan(1);
    expect(driver.cancelled.filter((name) => name !== 'ask 53')).toEqual(['bid 47']);
    expect(driver.cuts).toEqual(['max_open_orders 1', 'max_open_orders 1']);
    expect(driver.reported('order.uncancellable')).toHaveLength(1);
  });

  it('are looked after for an order under way too, once the venue has named it', () => {
    const driver = new EngineDriver([wishing(() => LADDER)]);
    driver.start(USUAL);
    driver.healthyBook();
    driver.run(100);
    driver.settings({ ...USUAL, risk: { ...USUAL.risk, maxOpenOrders: 2 } });
    driver.run(3_000, () => driver.answerReads([]));
    expect(driver.answerCancels()).toEqual([]);
    driver.acceptPlacements();
    driver.run(1_100, () => driver.answerReads(driver.openReports()));
    expect(driver.answerCancels()).toHaveLength(2);
  });

  it('show in a preview what they would cancel', () => {
    const driver = new Resting();
    const settings = { ...USUAL, risk: { ...USUAL.risk, maxOpenOrders: 1 } };
    const [market] = previewed(driver.engine, settings).markets;
    expect([market?.bid.cancels, market?.ask.cancels]).toEqual([1, 2]);
  });
});

describe('shares that no order of ours brought', () => {
  const boughtByHand = (driver: EngineDriver, size: number) =>
    driver.tell({
      kind: 'tradeSettled',
      tradeId: `by-hand-${size}`,
      side: 'BUY',
      tokenId: YES,
      marketId: undefined,
      price: usdc('0.52'),
      quantity: shares(size),
    });

  it('take from the book what would pass the position limit with them, and no more', () => {
    const driver = new Resting();
    boughtByHand(driver, 300);
    driver.pass(3_000);
    expect(driver.cancelled).toEqual([]);
    boughtByHand(driver, 100);
    driver.pass(3_000);
    expect(driver.cancelled).toEqual(['bid 47']);
    expect(driver.cuts).toEqual(['max_position_shares 1']);
    expect(placed(driver)).toEqual([]);
    boughtByHand(driver, 1);
    driver.pass(3_000);
    expect(driver.cancelled).toEqual(['bid 47', 'bid 48']);
  });

  it('take a bid from the book that had the room of a sell whose settlement failed', () => {
    const driver = new EngineDriver([wishing(() => [bid(48, 100), ask(52, 100)])]);
    const held = holding(10_000, 500, 0);
    driver.start(USUAL, held);
    driver.healthyBook();
    driver.run(100, () => driver.answerReads([], held));
    const [sell] = driver.acceptPlacements();
    if (sell === undefined) throw new Error('an ask was placed');
    expect(sell.order).toMatchObject({ tokenId: YES, side: 'SELL' });
    driver.update(sell.hash, sell.order, { status: 'MATCHED', filled: 100, remaining: 0 });
    driver.run(2_000);
    const bids = driver.acceptPlacements().filter(({ order }) => order.side === 'BUY');
    expect(bids).toMatchObject([{ order: { tokenId: YES, quantity: shares(100) } }]);
    const failed = { marketId: MARKET, side: 'SELL', quantity: shares(100), reason: 'x' } as const;
    driver.tell({ kind: 'tradeFailed', ...failed });
    driver.run(2_000);
    expect(driver.answerCancels()).toContain(bids[0]?.hash);
  });

  it('that were traded by hand between two runs hold what rests to the limit once they are adopted', () => {
    const driver = new EngineDriver([wishing(() => [bid(48, 100)])]);
    driver.restore(knowing(holding(10_000, 0, 0)));
    const held = holding(9_760, 500, 0);
    driver.start(USUAL, held);
    driver.healthyBook();
    driver.run(100);
    const [first] = driver.acceptPlacements();
    driver.run(15_000, () => driver.answerReads(driver.openReports(), held));
    expect(driver.reported('position.adopted')).toHaveLength(1);
    expect(driver.answerCancels()).toEqual([first?.hash]);
  });
});
