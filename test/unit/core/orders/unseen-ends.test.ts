// A venue that tells of no end: what an order had traded before its cancel was answered, cash and holds say.

import { describe, expect, it } from 'vitest';
import { alignMarkets } from '../../../../src/core/catalogue.ts';
import type { OwnOrder } from '../../../../src/core/orders/own-order.ts';
import { answerUnseenEnds } from '../../../../src/core/orders/unseen-ends.ts';
import { World } from '../../../../src/core/world.ts';
import { orderHash, tokenId } from '../../../../src/domain/ids.ts';
import type { OrderReport } from '../../../../src/domain/order.ts';
import { tickGrid, ticks } from '../../../../src/domain/ticks.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import type { Strategy } from '../../../../src/strategy/index.ts';
import { strategy as ladder } from '../../../../strategies/ladder.ts';
import {
  balances,
  EngineDriver,
  GRID,
  level,
  listing,
  NO,
  reportOf,
  settings,
  YES,
} from '../../../support/engine-driver.ts';
import { ownOrder } from '../../../support/own-orders.ts';

/** Longer than the account's channel has to tell of an end. */
const UNTOLD_MS = 10_500;

/** A venue that answers cancels after so long, holds cash for what rests, and never tells of an end. */
class Silent {
  readonly driver = new EngineDriver();
  readonly cancelled: string[] = [];
  /** Held for nothing that anybody was told of. */
  matchedUsdc = 0;
  answersAfterMs = 0;
  /** Listed and held, and no cancel of ours names it. */
  strangers: readonly OrderReport[] = [];
  #open: OrderReport[] = [];
  #middle = 50;
  #waiting: { readonly atMs: number; readonly hashes: readonly string[] }[] = [];

  constructor(balancesMs: number, scope: 'account' | 'own' = 'account') {
    const { timing, orders, ...rest } = settings();
    const changed = { timing: { ...timing, balancesMs }, orders: { ...orders, scope } };
    this.driver.start({ ...rest, ...changed });
    this.#book();
    this.run(1_000);
  }

  /** Everything that rests is wished elsewhere by now. */
  move(): void {
    this.#middle += 5;
    this.#book();
  }

  run(durationMs: number): void {
    this.driver.run(durationMs, () => this.#serve());
  }

  get reason(): string | undefined {
    return this.driver.engine.view().markets[0]?.bidReason?.code;
  }

  #book(): void {
    this.driver.book(YES, [level(this.#middle - 2, 500)], [level(this.#middle + 2, 500)]);
    this.driver.book(NO, [], []);
  }

  #serve(): void {
    const { driver } = this;
    if (driver.nowMs % 1_000 === 0) this.#book();
    this.#cancel();
    for (const { order, hash } of driver.acceptPlacements()) this.#open.push(reportOf(hash, order));
    const open = [...this.#open, ...this.strangers];
    const held = open.reduce((sum, each) => sum + costOf(each), this.matchedUsdc);
    driver.answerReads(open, balances({ usdcOnHold: usdc(held) }));
  }

  /** They are off the book at once, and the answer takes its time. */
  #cancel(): void {
    const { driver } = this;
    const due = this.#waiting.filter(({ atMs }) => driver.nowMs >= atMs);
    if (due.length === 0 && this.#waiting.length > 0) return;
    const asked = driver.sent.flatMap((each) =>
      each.kind === 'cancelOrders' ? each.orderHashes : [],
    );
    if (due.length === 0 && asked.length > 0 && this.answersAfterMs > 0) {
      this.#waiting = [{ atMs: driver.nowMs + this.answersAfterMs, hashes: asked }];
      return;
    }
    this.#waiting = [];
    const named = driver.answerCancels();
    this.cancelled.push(...named);
    this.#open = this.#open.filter((each) => !named.includes(each.orderHash));
  }
}

function costOf({ price, quantity, ticksPerUnit = GRID.ticksPerUnit }: OrderReport): number {
  return (price / ticksPerUnit) * (quantity / 1e6);
}

describe('an order that a cancel ended, and of whose end nobody tells', () => {
  it('holds its market up not at all where just what rests is held soon after', () => {
    const venue = new Silent(5_000);
    venue.move();
    venue.run(25_000);
    expect(venue.cancelled).toHaveLength(2);
    expect(venue.reason).toBeUndefined();
  });

  it('holds its market up not at all beside an order of somebody else in another market', () => {
    const venue = new Silent(5_000, 'own');
    const [mine] = venue.driver.openReports();
    if (mine === undefined) throw new Error('there is a bid');
    const price = { price: ticks(tickGrid('0.001'), 300), ticksPerUnit: 1_000 } as const;
    const other = { orderHash: orderHash('0x5747'), tokenId: tokenId('0x9999') };
    venue.strangers = [{ ...mine, ...price, ...other }];
    venue.run(20_000);
    const before = venue.cancelled.length;
    venue.move();
    venue.run(25_000);
    expect(venue.cancelled).toHaveLength(before + 2);
    expect(venue.reason).toBeUndefined();
  });

  it('leaves its market unproven where more is held, as by a match that nobody told of', () => {
    const venue = new Silent(20_000);
    venue.matchedUsdc = 20;
    venue.move();
    venue.run(UNTOLD_MS);
    expect(venue.reason).toBe('position_unproven');
    venue.run(60_000);
    expect(venue.reason).toBe('position_unproven');
  });

  it.each([0, 700])(
    'has the quotes of its market pulled once, and not those that come after them, answered in %i ms',
    (answersAfterMs) => {
      const venue = new Silent(20_000);
      venue.matchedUsdc = 20;
      venue.answersAfterMs = answersAfterMs;
      venue.move();
      venue.run(UNTOLD_MS);
      venue.matchedUsdc = 0;
      venue.run(5_000);
      const pulled = venue.cancelled.length;
      expect(pulled).toBe(4);
      venue.run(60_000);
      expect(venue.cancelled).toHaveLength(pulled);
      expect(venue.reason).toBeUndefined();
    },
  );
});

describe('balances that were asked for after an end', () => {
  const ASKED_AT = unixMs(10_000);

  /** A bid of 20 USDC ended before, and another one is as told; the venue holds so much. */
  function isStillUnseen(held: number, other: Partial<OwnOrder> = { state: 'resting' }): boolean {
    const listener = { onMoved() {}, onChanged() {}, onExecuted() {}, onAnomaly() {} };
    const world = new World(new Map([['ladder', ladder as Strategy]]), listener);
    world.settings = settings();
    world.catalogue = [listing()];
    alignMarkets(world);
    const ended = ownOrder({ confirmedAtMs: unixMs(1_000) });
    for (const each of [ended, ownOrder({ confirmedAtMs: unixMs(1_000), ...other })])
      world.ledger.add(each);
    world.ledger.signal(ended, 'cancelled', unixMs(9_000));
    world.ledger.ends.onUnseen(ended);
    const read = balances({ usdcOnHold: usdc(held) });
    world.account.onBalances(read, ASKED_AT);
    answerUnseenEnds(world, read, ASKED_AT);
    return world.ledger.ends.isUnseen(ended);
  }

  it('answer for it where they hold just what rests', () => {
    expect(isStillUnseen(20)).toBe(false);
    expect(isStillUnseen(40)).toBe(true);
  });

  it('do not where as much of it may have matched as something under way would hold', () => {
    const sent = { state: 'sending', orderHash: undefined, confirmedAtMs: undefined } as const;
    expect(isStillUnseen(20, sent)).toBe(true);
    expect(isStillUnseen(0, sent)).toBe(false);
  });
});
