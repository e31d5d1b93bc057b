// A venue that holds cash for what rests only: where a match holds nothing, what is held does not answer for
// an order that vanished before a settlement could have moved the cash.

import { describe, expect, it } from 'vitest';
import { MatchHolds, type QuietRead } from '../../../../src/core/account/match-holds.ts';
import type { OrderReport } from '../../../../src/domain/order.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import { balances, EngineDriver, GRID, reportOf, YES } from '../../../support/engine-driver.ts';

/** Accepts what is placed, cancels what is named, and settles no match within the scene. */
class Venue {
  readonly driver = new EngineDriver();
  readonly #keeps: boolean;
  #open: OrderReport[] = [];
  #matchedUsdc = 0;
  #spentUsdc = 0;

  /** @param keeps - Whether what has matched holds its cash until it settles. */
  constructor(keeps: boolean) {
    this.#keeps = keeps;
    this.driver.start();
    this.driver.healthyBook();
    this.run(7_000);
  }

  get reason(): string | undefined {
    return this.driver.engine.view().markets[0]?.bidReason?.code;
  }

  /** The bid matches whole. */
  match(isTold: boolean): void {
    const bid = this.#open.find(({ tokenId, side }) => tokenId === YES && side === 'BUY');
    if (bid === undefined) throw new Error('a bid rests');
    this.#open = this.#open.filter((each) => each !== bid);
    if (this.#keeps) this.#matchedUsdc += costOf(bid);
    if (!isTold) return;
    const { quantity: filledQuantity } = bid;
    const update = {
      ...bid,
      marketId: undefined,
      status: 'MATCHED',
      filledQuantity,
      remaining: undefined,
    } as const;
    this.driver.tell({ kind: 'orderUpdate', update });
  }

  run(durationMs: number): void {
    this.driver.run(durationMs, () => this.#serve());
  }

  /** Its matches settle. */
  settle(count: number): void {
    for (let each = 0; each < count; each += 1) {
      const trade = {
        tradeId: `t-${this.driver.nowMs}-${each}`,
        side: 'BUY',
        tokenId: YES,
        price: usdc(0.48),
      } as const;
      const [bid] = this.#open;
      if (bid === undefined) throw new Error('an order rests');
      this.driver.tell({
        kind: 'tradeSettled',
        ...trade,
        marketId: undefined,
        quantity: bid.quantity,
      });
    }
    this.#matchedUsdc = 0;
    this.#spentUsdc += count * 24;
  }

  #serve(): void {
    const { driver } = this;
    if (driver.nowMs % 1_000 === 0) driver.healthyBook();
    const named = driver.answerCancels();
    this.#open = this.#open.filter(({ orderHash }) => !named.includes(orderHash));
    for (const { order, hash } of driver.acceptPlacements()) this.#open.push(reportOf(hash, order));
    const held = this.#open.reduce((sum, each) => sum + costOf(each), this.#matchedUsdc);
    const cashBalance = usdc(10_000 - this.#spentUsdc);
    driver.answerReads(this.#open, balances({ cashBalance, usdcOnHold: usdc(held) }));
  }
}

function costOf({ price, quantity }: OrderReport): number {
  return (price / GRID.ticksPerUnit) * (quantity / 1e6);
}

/** Two matches are told of and settle, and then a bid vanishes of which nobody tells. */
function vanished(keeps: boolean): Venue {
  const venue = new Venue(keeps);
  for (let each = 0; each < 2; each += 1) {
    venue.match(true);
    venue.run(8_000);
    venue.settle(1);
    venue.run(8_000);
  }
  expect(venue.reason).toBeUndefined();
  venue.match(false);
  venue.run(12_000);
  return venue;
}

describe('a bid that vanished', () => {
  it('is not put back where a match holds nothing, until its settlement would have shown', () => {
    const venue = vanished(false);
    expect(venue.reason).toBe('position_unproven');
    venue.run(65_000);
    expect(venue.reason).toBeUndefined();
  });

  it('is not put back where a match holds its cash, and that is held', () => {
    const venue = vanished(true);
    expect(venue.reason).toBe('position_unproven');
    venue.run(65_000);
    expect(venue.reason).toBe('position_unproven');
  });
});

describe('what a match holds', () => {
  const read = (beyond: number, atMs: number): QuietRead => ({
    onHoldNano: 10e9 + beyond,
    restingNano: 10e9,
    matchedNano: 24e9,
    matchedAtMs: unixMs(atMs),
  });
  const isLetGoAfter = (...reads: readonly QuietRead[]) => {
    const holds = new MatchHolds();
    for (const each of reads) holds.onRead(each);
    return holds.isLetGo;
  };

  it('is nothing once two matches were seen to hold nothing, and not one twice', () => {
    expect(isLetGoAfter(read(0, 1))).toBe(false);
    expect(isLetGoAfter(read(0, 1), read(0, 1))).toBe(false);
    expect(isLetGoAfter(read(0, 1), read(0, 2))).toBe(true);
  });

  it('is its cash again as soon as one is seen to hold it', () => {
    expect(isLetGoAfter(read(0, 1), read(0, 2), read(24e9, 3))).toBe(false);
    expect(isLetGoAfter(read(0, 1), read(24e9, 2), read(0, 3))).toBe(false);
  });

  it('is not read off an amount that is neither', () => {
    expect(isLetGoAfter(read(5e9, 1), read(5e9, 2))).toBe(false);
    expect(isLetGoAfter({ ...read(0, 1), matchedNano: 0 }, { ...read(0, 2), matchedNano: 0 })).toBe(
      false,
    );
  });
});
