import { describe, expect, it } from 'vitest';
import type { TokenId } from '../../../../src/domain/ids.ts';
import type { Level } from '../../../../src/domain/message.ts';
import { TRUST_DEFAULTS, TRUST_SIGNALS, type TrustSignal } from '../../../../src/domain/trust.ts';
import {
  balances,
  EngineDriver,
  level,
  NO,
  settings,
  YES,
} from '../../../support/engine-driver.ts';
import { signals } from './trusted-books.ts';

/** Levels a side; four are shown, and one of our own beside them. */
const DEPTH = 5;
/** What others show at the touch is less than one order of ours, so that a missing one is noticed. */
const OTHERS = 20;
const OWN = 50;

/** One market quoted with the default thresholds, at a venue that shows our orders and can go wrong. */
class Venue {
  readonly driver = new EngineDriver();
  readonly #behind: readonly number[];
  readonly #gone = new Set<string>();
  readonly #shown = new Map<TokenId, number>();
  #turn = 0;
  isYesSilent = false;
  showsOwn = true;
  /** Asked for a snapshot, the venue sends one. */
  resyncs = true;
  othersOverRest = OTHERS;

  /** @param behind - Prices of bids behind the touch. */
  constructor(behind: readonly number[]) {
    this.#behind = behind;
    this.driver.start(settings({ trust: TRUST_DEFAULTS, book: { depth: DEPTH } }));
    this.driver.tell({ kind: 'clockOffset', offsetMs: 0, roundTripMs: 1 });
    this.snapshots();
    this.pass(40_000);
    expect(this.isQuoted).toBe(true);
    this.driver.reports.length = 0;
  }

  get isQuoted(): boolean {
    const market = this.driver.engine.view().markets[0];
    const isTrusted = market?.bookStates.yes === 'trusted' && market.bookStates.no === 'trusted';
    return isTrusted && market.ownBids.length > 0 && market.ownAsks.length > 0;
  }

  get doubts(): readonly TrustSignal[] {
    return signals(this.driver);
  }

  get hasLive(): boolean {
    return this.#open().length > 0;
  }

  snapshots(): void {
    for (const token of [YES, NO]) this.driver.book(token, this.#bids(token), [level(52, 500)]);
  }

  /** Every token is reported for in each tick, and the venue answers at once. */
  pass(durationMs: number): void {
    for (let passedMs = 0; passedMs < durationMs; passedMs += 50) {
      this.#turn += 1;
      if (!this.isYesSilent) this.#flush(YES);
      this.#flush(NO);
      this.driver.tick();
      this.#answer();
    }
  }

  /** The tick in which something holds for the first time; time goes on for a minute at most. */
  until(holds: () => boolean): number {
    for (let left = 1_200; left > 0 && !holds(); left -= 1) this.pass(50);
    expect(holds()).toBe(true);
    return this.driver.nowMs;
  }

  #open() {
    return this.driver.openReports().filter(({ orderHash }) => !this.#gone.has(orderHash));
  }

  #touch(token: TokenId, others = OTHERS): number {
    const isThere = this.#open().some(({ tokenId, price }) => tokenId === token && price === 48);
    return others + (isThere && this.showsOwn ? OWN : 0);
  }

  #bids(token: TokenId, others = OTHERS): readonly Level[] {
    const behind = this.#behind.map((price) => level(price, 10));
    return [level(48, this.#touch(token, others)), ...behind];
  }

  #flush(token: TokenId): void {
    const last = this.#behind.at(-1) ?? 1;
    this.driver.bid(token, level(last, 10 + (this.#turn % 2)));
    const touch = this.#touch(token);
    if (touch !== this.#shown.get(token)) this.driver.bid(token, level(48, touch));
    this.#shown.set(token, touch);
  }

  #answer(): void {
    const { driver } = this;
    driver.answerReads(this.#open(), balances());
    for (const hash of driver.answerCancels()) this.#gone.add(hash);
    driver.acceptPlacements();
    const hasAsked = driver.take('resubscribe').length > 0;
    if (hasAsked && this.resyncs) this.snapshots();
    if (driver.take('reconnect').length > 0) {
      driver.tell({ kind: 'socketLost', reason: 'asked for' });
      this.reopen();
    }
    driver.answerBooks((tokenId) => {
      const others = tokenId === YES ? this.othersOverRest : OTHERS;
      return { bids: this.#bids(tokenId, others), asks: [level(52, 500)] };
    });
  }

  reopen(): void {
    this.driver.tell({ kind: 'socketOpened' });
    this.driver.tell({ kind: 'authenticated' });
    if (this.resyncs) this.snapshots();
  }
}

type Play = {
  /** Prices of bids behind the touch; with four of them the book ends where the subscription does. */
  readonly behind?: readonly number[];
  readonly cause: (venue: Venue) => void;
  readonly cure?: (venue: Venue) => void;
};

const PLAYS: Readonly<Record<TrustSignal, Play>> = {
  socket: {
    cause: ({ driver }) => driver.tell({ kind: 'socketLost', reason: 'cut' }),
    cure: (venue) => venue.reopen(),
  },
  snapshot: {
    cause: (venue) => {
      venue.driver.tell({ kind: 'socketLost', reason: 'cut' });
      venue.reopen();
    },
  },
  crossed: { cause: (venue) => venue.driver.bid(YES, level(53, 5)) },
  unreadable: {
    cause: ({ driver }) => driver.tell({ kind: 'bookUnreadable', tokenId: YES, detail: 'half' }),
  },
  clock: { cause: (venue) => venue.driver.bid(YES, level(30, 5), 3_000) },
  age: {
    cause: ({ driver }) => driver.tell({ kind: 'clockOffset', offsetMs: 6_000, roundTripMs: 1 }),
    cure: ({ driver }) => driver.tell({ kind: 'clockOffset', offsetMs: 0, roundTripMs: 1 }),
  },
  depth: {
    behind: [47, 46, 45, 44],
    cause: (venue) => {
      venue.isYesSilent = true;
      for (let price = 48; price >= 44; price -= 1) venue.driver.bid(YES, level(price, 0));
    },
  },
  parity: {
    cause: ({ driver }) => driver.book(NO, [level(56, 100)], [level(58, 100)]),
  },
  ownOrder: {
    cause: (venue) => {
      venue.showsOwn = false;
    },
    cure: (venue) => {
      venue.showsOwn = true;
    },
  },
  audit: {
    cause: (venue) => {
      venue.othersOverRest = OTHERS - 1;
    },
    cure: (venue) => {
      venue.othersOverRest = OTHERS;
    },
  },
};

describe('each signal at its default threshold', () => {
  it.each(TRUST_SIGNALS)('%s pulls the quotes within a second, and they come back', (signal) => {
    const { behind = [40, 39], cause, cure } = PLAYS[signal];
    const venue = new Venue(behind);
    venue.resyncs = false;
    cause(venue);
    const uncertainAtMs = venue.until(() => venue.doubts.includes(signal));
    const pulledAtMs = venue.until(() => !venue.hasLive);
    expect(pulledAtMs - uncertainAtMs).toBeLessThanOrEqual(1_000);
    expect(venue.isQuoted).toBe(false);
    venue.resyncs = true;
    venue.isYesSilent = false;
    cure?.(venue);
    venue.snapshots();
    venue.until(() => venue.isQuoted);
  });
});
