// A book that is deeper than `book.depth`, as its window wears away. @spec Order book channel

import { describe, expect, it } from 'vitest';
import type { TrustSettings } from '../../../../src/domain/trust.ts';
import { type EngineDriver, level, NO, YES } from '../../../support/engine-driver.ts';
import { pass, quoting, signals } from './trusted-books.ts';

const DEPTH = 8;
/** The lowest price that somebody bids. */
const LAST_BID = 5;

/** A venue that shows the best `DEPTH` levels, and never says what enters that window from outside. */
class DeepBook {
  readonly driver: EngineDriver;
  /** Whether it answers a renewal. */
  answers = true;
  renewals = 0;
  #best = 48;

  constructor(trust: Partial<TrustSettings> = {}) {
    this.driver = quoting(trust, DEPTH);
    this.show();
    this.run(1_000);
    this.driver.reports.length = 0;
  }

  show(): void {
    const count = Math.min(DEPTH, this.#best - LAST_BID + 1);
    const bids = Array.from({ length: count }, (_, at) => level(this.#best - at, 500));
    this.driver.book(YES, bids, [level(this.#best + 4, 500)]);
  }

  /** The best bid goes, and the ask follows it. */
  wear(): void {
    this.driver.bid(YES, level(this.#best, 0));
    this.#best -= 1;
  }

  run(durationMs: number): void {
    const { driver } = this;
    pass(driver, durationMs, () => {
      for (const { tokenId } of driver.take('resubscribe')) {
        this.renewals += 1;
        if (!this.answers) continue;
        if (tokenId === YES) this.show();
        if (tokenId === NO) driver.book(NO, [], []);
      }
      driver.acceptPlacements();
      driver.answerCancels();
    });
  }

  bookState() {
    return this.driver.engine.view().markets[0]?.bookStates.yes;
  }
}

describe('a window that wears away', () => {
  it('is filled before it is empty, and the book is trusted all the while', () => {
    const book = new DeepBook();
    for (let worn = 0; worn < 30; worn += 1) {
      book.wear();
      book.run(1_000);
      expect(book.bookState()).toBe('trusted');
    }
    expect(signals(book.driver)).toEqual([]);
    expect(book.renewals).toBeGreaterThanOrEqual(4);
    expect(book.renewals).toBeLessThanOrEqual(6);
  });

  it('is not asked for while more than a quarter of it is left', () => {
    const book = new DeepBook();
    for (let worn = 0; worn < 5; worn += 1) book.wear();
    book.run(10_000);
    expect(book.renewals).toBe(0);
    book.wear();
    book.run(1_000);
    expect(book.renewals).toBe(1);
  });

  it('that fills and wears at once is asked for every five seconds at most', () => {
    const book = new DeepBook();
    for (let second = 0; second < 4; second += 1) {
      for (let worn = 0; worn < 6; worn += 1) book.wear();
      book.run(1_000);
    }
    expect(book.renewals).toBeLessThanOrEqual(2);
  });

  it('is a doubt where no fuller one comes, in the time that a snapshot has', () => {
    const book = new DeepBook({ snapshotMs: 2_000 });
    book.answers = false;
    for (let worn = 0; worn < 6; worn += 1) book.wear();
    book.run(1_500);
    expect(book.bookState()).toBe('trusted');
    book.run(1_500);
    expect(signals(book.driver)[0]).toBe('snapshot');
    expect(book.bookState()).not.toBe('trusted');
    book.answers = true;
    book.show();
    book.run(1_000);
    expect(book.bookState()).toBe('trusted');
  });
});

describe('a book that is known whole', () => {
  it('is asked for nothing as its levels go', () => {
    const driver = quoting({}, DEPTH);
    driver.book(
      YES,
      [48, 47, 46].map((price) => level(price, 500)),
      [level(52, 500)],
    );
    driver.take('resubscribe');
    for (const price of [47, 46]) driver.bid(YES, level(price, 0));
    pass(driver, 10_000);
    expect(driver.take('resubscribe')).toEqual([]);
  });
});
