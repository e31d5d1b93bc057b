// A feed that tells of our own orders long after the venue has answered for them.

import { describe, expect, it } from 'vitest';
import type { OrderHash, TokenId } from '../../../../src/domain/ids.ts';
import type { BookSide } from '../../../../src/domain/message.ts';
import type { LimitOrder } from '../../../../src/domain/order.ts';
import { microShares, shares } from '../../../../src/domain/shares.ts';
import { type Ticks, ticks } from '../../../../src/domain/ticks.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import {
  balances,
  EngineDriver,
  GRID,
  level,
  NO,
  settings,
  YES,
} from '../../../support/engine-driver.ts';

const OTHERS = shares(300);

type Change = {
  readonly atMs: number;
  readonly tokenId: TokenId;
  readonly side: BookSide;
  readonly price: Ticks;
  readonly size: number;
};

/** A venue that answers at once, and whose books are late by the same time always. */
class LateVenue {
  readonly driver = new EngineDriver();
  delayMs: number;
  readonly #sizes = new Map<string, number>();
  readonly #live = new Map<OrderHash, LimitOrder>();
  #changes: Change[] = [];
  readonly bids: number[] = [];

  constructor(delayMs: number) {
    this.delayMs = delayMs;
    this.driver.start(settings());
    this.#change(YES, 'bid', ticks(GRID, 40), OTHERS);
    this.#change(YES, 'ask', ticks(GRID, 60), OTHERS);
    this.driver.book(YES, [level(40, 300)], [level(60, 300)]);
    this.driver.book(NO);
  }

  othersOffer(price: number): void {
    this.#change(YES, 'ask', ticks(GRID, price), OTHERS);
  }

  pass(durationMs: number): void {
    this.driver.run(durationMs, () => {
      this.#tellWhatIsDue();
      for (const hash of this.driver.answerCancels()) this.#end(hash as OrderHash);
      for (const { order, hash } of this.driver.acceptPlacements()) {
        this.#live.set(hash, order);
        if (order.tokenId === YES && order.side === 'BUY') this.bids.push(order.price);
        this.#changeBy(order, order.quantity);
      }
      const listed = this.driver.openReports().filter(({ orderHash }) => this.#live.has(orderHash));
      this.driver.answerReads(listed, balances());
    });
  }

  #end(hash: OrderHash): void {
    const order = this.#live.get(hash);
    if (order === undefined) return;
    this.#live.delete(hash);
    this.#changeBy(order, -order.quantity);
  }

  #changeBy({ tokenId, side, price }: LimitOrder, by: number): void {
    this.#change(tokenId, side === 'BUY' ? 'bid' : 'ask', price, by);
  }

  #change(tokenId: TokenId, side: BookSide, price: Ticks, by: number): void {
    const key = `${tokenId} ${side} ${price}`;
    const size = (this.#sizes.get(key) ?? 0) + by;
    this.#sizes.set(key, size);
    this.#changes.push({ atMs: this.driver.nowMs + this.delayMs, tokenId, side, price, size });
  }

  #tellWhatIsDue(): void {
    const { nowMs } = this.driver;
    const due = this.#changes.filter(({ atMs }) => atMs <= nowMs);
    this.#changes = this.#changes.filter(({ atMs }) => atMs > nowMs);
    for (const { tokenId, side, price, size } of due) {
      const venueTs = unixMs(nowMs - this.delayMs);
      this.driver.tell({
        kind: 'bookDelta',
        tokenId,
        side,
        price,
        size: microShares(size),
        venueTs,
      });
    }
  }
}

describe('a quote in a late feed', () => {
  it.each([100, 400, 1_000, 3_000])('does not follow its own last one: %s ms', (delayMs) => {
    const venue = new LateVenue(delayMs);
    venue.pass(20_000);
    venue.othersOffer(56);
    venue.pass(60_000);
    const moves = venue.bids.filter((price, index) => price !== venue.bids[index - 1]);
    expect(moves).toEqual([48, 46]);
  });

  it('stops doing so where the feed has become late just now', () => {
    const venue = new LateVenue(100);
    venue.pass(20_000);
    venue.delayMs = 3_000;
    venue.othersOffer(56);
    venue.pass(40_000);
    const before = venue.bids.length;
    venue.pass(60_000);
    expect(venue.bids.slice(before)).toEqual([]);
    expect(venue.bids.at(-1)).toBe(46);
  });
});
