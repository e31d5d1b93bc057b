// A match may settle while nobody lives, and cash is the first to show it. What a life takes for that
// settlement is so for as long as the match waits: the word of it may still come, another life must not take
// another one for it, and what was heard of explains nothing.

import { describe, expect } from 'vitest';
import { orderHash } from '../../../src/domain/ids.ts';
import type { Balances } from '../../../src/domain/message.ts';
import type { LimitOrder } from '../../../src/domain/order.ts';
import { shares } from '../../../src/domain/shares.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import {
  balances,
  EngineDriver,
  holding,
  listing,
  MARKET,
  NO,
  reportOf,
  settings,
  YES,
} from '../../support/engine-driver.ts';
import { it, type Lives } from '../../support/lives.ts';

type Resting = { readonly order: LimitOrder; readonly hash: ReturnType<typeof orderHash> };

/** What rests on the venue over several lives, each order by a hash of its own. */
class Desk {
  driver = new EngineDriver();
  #resting: readonly Resting[] = [];
  #hashes = 0;

  /** The first life quotes for a moment. */
  begin(): void {
    this.driver.start();
    this.run(3_000, balances());
  }

  /** Another life takes over after a while, and hears of an account like this. */
  restart(lives: Lives, account: Balances, afterMs = 1_000): void {
    this.driver = lives.restored(this.driver);
    this.driver.nowMs += afterMs;
    this.driver.start(settings(), account);
    this.#resting = [];
  }

  /** It rests no more, however it ended. */
  takeBid(token = YES): Resting {
    const bid = this.#resting.find(({ order }) => order.tokenId === token && order.side === 'BUY');
    if (bid === undefined) throw new Error('there is a bid');
    this.#resting = this.#resting.filter((each) => each !== bid);
    return bid;
  }

  /** It rests all the same. */
  give(bid: Resting): void {
    this.#resting = [...this.#resting, bid];
  }

  /** The bid of YES matches whole, and the channel says so. */
  match(): Resting {
    const bid = this.takeBid();
    this.driver.update(bid.hash, bid.order, { status: 'MATCHED', filled: 50, remaining: 0 });
    return bid;
  }

  /** The chain takes the match, and the channel says so. */
  settle({ order: { tokenId, side, price, quantity } }: Resting): void {
    const trade = { tradeId: 't-1', tokenId, marketId: MARKET, side, quantity } as const;
    this.driver.tell({ kind: 'tradeSettled', ...trade, price: usdc((price / 100).toFixed(2)) });
  }

  run(durationMs: number, account: Balances): void {
    this.driver.run(durationMs, () => this.#turn(account));
  }

  get reason(): string | undefined {
    return this.driver.engine.view().markets[0]?.bidReason?.code;
  }

  #turn(account: Balances): void {
    const { driver } = this;
    driver.healthyBook();
    for (const { requestId, orders } of driver.placements()) {
      const outcomes = orders.map((order) => this.#accept(order));
      driver.tell({ kind: 'placed', requestId, outcomes });
    }
    const named: readonly string[] = driver.answerCancels();
    this.#resting = this.#resting.filter(({ hash }) => !named.includes(hash));
    const onHold = this.#resting.reduce((sum, { order }) => sum + costUsdc(order), 0);
    const held = { ...account, usdcOnHold: usdc(onHold.toFixed(6)) };
    driver.answerReads(
      this.#resting.map(({ hash, order }) => reportOf(hash, order)),
      held,
    );
  }

  #accept(order: LimitOrder) {
    this.#hashes += 1;
    const hash = orderHash(`0xbb${this.#hashes.toString(16)}`);
    this.#resting = [...this.#resting, { order, hash }];
    return { intentId: order.intentId, outcome: { kind: 'accepted', orderHash: hash } } as const;
  }
}

/** All that the bids of a scene cost; both tokens have them at one price, of one size. */
function costUsdc({ price, quantity }: LimitOrder): number {
  return (price * quantity) / 100 / shares(1);
}

/** An account that has paid so many of them, whose shares it does not show yet. */
function paid(order: LimitOrder, times: number): Balances {
  return holding(10_000 - times * costUsdc(order), 0, 0);
}

describe('cash that shows what settled while nobody lived', () => {
  it('agrees when the word of it comes after all', ({ lives }) => {
    const desk = new Desk();
    desk.begin();
    const bid = desk.match();
    desk.run(1_000, balances());
    const account = holding(10_000 - costUsdc(bid.order), 50, 0);
    desk.restart(lives, account);
    desk.settle(bid);
    const reasons = new Set<string | undefined>();
    for (let second = 0; second < 100; second += 1) {
      desk.run(1_000, account);
      reasons.add(desk.reason);
    }
    expect([...reasons]).toEqual([undefined]);
    expect(desk.driver.engine.view().markets[0]?.settledYes).toBe('50');
  });

  it('explains one match for one life after the other, and no second one like it', ({ lives }) => {
    const desk = new Desk();
    desk.begin();
    const bid = desk.match();
    desk.run(1_000, balances());
    desk.restart(lives, paid(bid.order, 1));
    desk.run(5_000, paid(bid.order, 1));
    expect(desk.reason).toBeUndefined();
    desk.restart(lives, paid(bid.order, 1));
    desk.run(5_000, paid(bid.order, 1));
    expect(desk.reason).toBeUndefined();
    // It matches and settles while nobody lives, and lists lack it.
    expect(costUsdc(desk.takeBid().order)).toBe(costUsdc(bid.order));
    desk.restart(lives, paid(bid.order, 2), 30_000);
    desk.run(20_000, paid(bid.order, 2));
    expect(desk.reason).toBe('position_unproven');
  });

  it('explains no match once balances have shown its shares', ({ lives }) => {
    const desk = new Desk();
    desk.begin();
    const bid = desk.match();
    desk.run(1_000, balances());
    const shown = holding(10_000 - costUsdc(bid.order), 50, 0);
    desk.restart(lives, shown);
    desk.run(170_000, shown);
    expect(desk.driver.engine.view().markets[0]?.settledYes).toBe('50');
    desk.restart(lives, shown);
    desk.run(5_000, shown);
    expect(desk.reason).toBeUndefined();
  });

  it('is of no match whose settlement this life has heard of', ({ lives }) => {
    const desk = new Desk();
    desk.begin();
    const [bid, other] = [desk.takeBid(), desk.takeBid(NO)];
    expect(costUsdc(other.order)).toBe(costUsdc(bid.order));
    // Both matched, the other one has settled unheard, and this one does so now.
    desk.driver = lives.restored(desk.driver);
    const { driver } = desk;
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
    driver.tell({ kind: 'socketOpened' });
    driver.tell({ kind: 'authenticated' });
    desk.settle(bid);
    driver.update(bid.hash, bid.order, { status: 'MATCHED', filled: 50, remaining: 0 });
    desk.run(20_000, paid(bid.order, 2));
    expect(desk.reason).toBe('position_unproven');
  });

  it('is of no match that was told of only after an earlier life had been shown it', ({
    lives,
  }) => {
    const desk = new Desk();
    desk.begin();
    const cost = desk.takeBid(NO);
    desk.give(cost);
    // Nobody has told what that was.
    desk.run(6_000, paid(cost.order, 1));
    const bid = desk.match();
    expect(costUsdc(bid.order)).toBe(costUsdc(cost.order));
    desk.run(1_000, paid(cost.order, 1));
    desk.restart(lives, paid(cost.order, 1));
    desk.run(10_000, paid(cost.order, 1));
    expect(desk.reason).toBe('position_unproven');
  });

  it('is judged by nothing that was kept beside another cash, as by an older version since', ({
    lives,
  }) => {
    const desk = new Desk();
    desk.begin();
    desk.run(6_000, holding(9_990, 0, 0));
    const bid = desk.match();
    desk.run(1_000, holding(9_990, 0, 0));
    const before = desk.driver;
    desk.driver = lives.next(before);
    const life = lives.ledger.load();
    expect([life.cashNano, life.unexplained?.surprises]).toMatchObject([
      10_000e9,
      [{ nano: -10e9 }],
    ]);
    desk.driver.restore({ ...life, cashNano: 9_990e9 });
    const account = holding(9_990 - costUsdc(bid.order), 0, 0);
    desk.driver.start(settings(), account);
    desk.run(10_000, account);
    expect(desk.reason).toBeUndefined();
  });
});
