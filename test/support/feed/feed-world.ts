// A made-up venue whose feed goes wrong on purpose, and the real core that mirrors it. It keeps the
// account of what was wrong, for how long, what was noticed, and what was suspected without cause.

import { createEngine, type Engine } from '../../../src/core/engine.ts';
import type { VenueCommand } from '../../../src/domain/command.ts';
import { eventId, marketId, outcomeId, type TokenId, tokenId } from '../../../src/domain/ids.ts';
import type { Event } from '../../../src/domain/market.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import type { Report } from '../../../src/domain/report.ts';
import { microShares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import type { TrustSettings } from '../../../src/domain/trust.ts';
import type { Strategy } from '../../../src/strategy/index.ts';
import { strategy as ladder } from '../../../strategies/ladder.ts';
import { settings } from '../engine-driver.ts';
import { type Random, seeded } from '../generated-frames.ts';
import { Account } from './account.ts';
import { FAULT_KINDS } from './fault-kinds.ts';
import { strike } from './faults.ts';
import { apply, type Change, copy, levelsOf, TokenFeed } from './token-feed.ts';

export type FeedWorldOptions = {
  readonly markets: number;
  readonly seed: number;
  readonly trust: TrustSettings;
  /** Mean time between two faults of one token; none where absent. */
  readonly faultEveryMs?: number;
};

const GRID = tickGrid('0.01');
const TICK_MS = 50;
const FLUSH_MS = 150;
const ROUND_TRIP_MS = 30;
const RECONNECT_MS = 400;
/** Chance that a market moves in one flush. */
const ACTIVITY = 0.35;
const START_MS = 1_700_000_000_000;

type Market = { middle: number; readonly yes: TokenFeed; readonly no: TokenFeed };
type Delivery = { readonly atMs: number; readonly act: () => void };

export class FeedWorld {
  readonly account = new Account();
  nowMs = START_MS;
  readonly #options: FeedWorldOptions;
  readonly #random: Random;
  readonly #engine: Engine;
  readonly #markets: readonly Market[];
  readonly #feeds = new Map<TokenId, TokenFeed>();
  #deliveries: Delivery[] = [];
  #isOpen = false;
  #flushes = 0;
  #areFaultsOn = true;

  constructor(options: FeedWorldOptions) {
    this.#options = options;
    this.#random = seeded(options.seed);
    this.#engine = createEngine({ strategies: new Map([['ladder', ladder as Strategy]]) });
    this.#markets = Array.from({ length: options.markets }, (_, index) => this.#market(index));
    this.#begin();
  }

  run(durationMs: number): void {
    for (const endMs = this.nowMs + durationMs; this.nowMs < endMs; ) this.#advance();
  }

  /** From now on every frame arrives as it was sent. */
  stopFaults(): void {
    this.#areFaultsOn = false;
    for (const feed of this.#feeds.values()) feed.planned = undefined;
  }

  /** State of trust of every book, by the core's own view. */
  states(): readonly string[] {
    return this.#engine.view().markets.flatMap(({ bookStates }) => [bookStates.yes, bookStates.no]);
  }

  /** Whether every client book is right at this moment. */
  get areAllRight(): boolean {
    return [...this.#feeds.values()].every((feed) => !feed.isWrong);
  }

  #market(index: number): Market {
    const yes = new TokenFeed(tokenId(`0x${(2 * index + 1).toString(16)}`));
    const no = new TokenFeed(tokenId(`0x${(2 * index + 2).toString(16)}`));
    for (const feed of [yes, no]) this.#feeds.set(feed.tokenId, feed);
    const market = { middle: 50, yes, no };
    for (let count = 0; count < 20; count += 1) this.#move(market);
    return market;
  }

  #begin(): void {
    const { trust } = this.#options;
    const choice = settings().markets[0];
    if (choice === undefined) throw new Error('the test settings quote one event');
    const value = settings({ trust, markets: [{ ...choice, event: 'made-up' }] });
    this.#step({ kind: 'settings', settings: value });
    this.#tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [this.#listing()] } });
    this.#tell({ kind: 'clockOffset', offsetMs: 0, roundTripMs: 1 });
    this.#open();
  }

  #listing(): Event {
    const outcome = (feed: TokenFeed, outcomeIndex: 0 | 1) => ({
      id: outcomeId(`o-${feed.tokenId}`),
      name: outcomeIndex === 1 ? 'Yes' : 'No',
      tokenId: feed.tokenId,
      outcomeIndex,
    });
    return {
      id: eventId('made-up'),
      slug: 'made-up',
      title: 'Made up',
      category: 'none',
      status: 'open',
      grid: GRID,
      expiryAtMs: undefined,
      markets: this.#markets.map(({ yes, no }, index) => ({
        id: marketId(`m-${index}`),
        title: `Market ${index}`,
        status: 'open',
        enableOrderBook: true,
        yes: outcome(yes, 1),
        no: outcome(no, 0),
      })),
    };
  }

  #advance(): void {
    this.nowMs += TICK_MS;
    const due = this.#deliveries.filter((each) => each.atMs <= this.nowMs);
    this.#deliveries = this.#deliveries.filter((each) => each.atMs > this.nowMs);
    for (const { act } of due) act();
    if ((this.nowMs - START_MS) % FLUSH_MS === 0) this.#flushAll();
    this.#step({ kind: 'tick' });
    for (const feed of this.#feeds.values()) this.account.follow(feed, this.nowMs);
  }

  #flushAll(): void {
    this.#flushes += 1;
    for (const market of this.#markets) {
      if (this.#random() < ACTIVITY) this.#move(market);
      for (const feed of [market.yes, market.no]) {
        if (this.#flushes % 4 === 0) copy(feed.truth, feed.older);
        this.#planFault(feed);
        this.#flush(feed);
      }
    }
  }

  /** The true book wanders; NO is YES in the mirror, so that both always agree. */
  #move(market: Market): void {
    const random = this.#random;
    if (random() < 0.1) {
      const by = random() < 0.5 ? -1 : 1;
      market.middle = Math.max(20, Math.min(80, market.middle + by));
      for (const side of ['bid', 'ask'] as const) {
        for (const price of [...market.yes.truth[side].keys()]) {
          const isLeft = side === 'bid' ? price < market.middle : price > market.middle;
          if (!isLeft || Math.abs(price - market.middle) > 12)
            this.#set(market, { side, price, size: 0 });
        }
      }
    }
    for (let count = 0; count < 3; count += 1) {
      const side = random() < 0.5 ? 'bid' : 'ask';
      const away = 1 + Math.floor(random() * random() * 10);
      const price = side === 'bid' ? market.middle - away : market.middle + away;
      const size = away > 1 && random() < 0.3 ? 0 : 1_000_000 * (1 + Math.floor(random() * 900));
      this.#set(market, { side, price, size });
    }
    const { bid, ask } = market.yes.truth;
    if (!bid.has(market.middle - 1))
      this.#set(market, { side: 'bid', price: market.middle - 1, size: 5_000_000 });
    if (!ask.has(market.middle + 1))
      this.#set(market, { side: 'ask', price: market.middle + 1, size: 5_000_000 });
  }

  #set({ yes, no }: Market, change: Change): void {
    apply(yes.truth, change);
    const side = change.side === 'bid' ? 'ask' : 'bid';
    apply(no.truth, { side, price: GRID.ticksPerUnit - change.price, size: change.size });
  }

  #planFault(feed: TokenFeed): void {
    const { faultEveryMs } = this.#options;
    if (!this.#areFaultsOn || faultEveryMs === undefined || !feed.isSubscribed || !this.#isOpen)
      return;
    if (feed.fault || feed.planned || this.nowMs < feed.calmUntilMs) return;
    if (this.#random() >= FLUSH_MS / faultEveryMs) return;
    feed.planned = FAULT_KINDS[Math.floor(this.#random() * FAULT_KINDS.length)];
  }

  #flush(feed: TokenFeed): void {
    const sent = feed.flush();
    if (!feed.isSubscribed || !this.#isOpen || feed.isMuted) return;
    const struck = feed.planned ? strike(feed.planned, feed, sent, this.#random) : undefined;
    if (struck !== undefined && feed.planned !== undefined) {
      this.account.began(feed, feed.planned, this.nowMs);
      feed.planned = undefined;
    }
    const stampMs = this.nowMs - (struck?.stampBackMs ?? 0);
    for (const change of struck?.changes ?? sent) this.#deliver(feed, change, stampMs);
    if (struck?.isUnreadable) {
      this.#tell({ kind: 'bookUnreadable', tokenId: feed.tokenId, detail: 'garbled' });
    }
    this.#deliverLate(feed);
  }

  #deliverLate(feed: TokenFeed): void {
    if (feed.late === undefined) return;
    feed.late.flushesLeft -= 1;
    if (feed.late.flushesLeft > 0) return;
    const { change } = feed.late;
    feed.late = undefined;
    this.#deliver(feed, change, this.nowMs);
  }

  #deliver(feed: TokenFeed, change: Change, stampMs: number): void {
    apply(feed.counted, change);
    this.#tell({
      kind: 'bookDelta',
      tokenId: feed.tokenId,
      side: change.side,
      price: ticks(GRID, change.price),
      size: microShares(change.size),
      venueTs: unixMs(stampMs),
    });
  }

  #snapshot(feed: TokenFeed): void {
    if (!this.#isOpen) return;
    feed.rebase();
    this.#tell({
      kind: 'bookSnapshot',
      tokenId: feed.tokenId,
      bids: levelsOf(GRID, feed.truth, 'bid'),
      asks: levelsOf(GRID, feed.truth, 'ask'),
      venueTs: unixMs(this.nowMs),
    });
  }

  #open(): void {
    this.#isOpen = true;
    this.#tell({ kind: 'socketOpened' });
    for (const feed of this.#feeds.values()) this.#later(ROUND_TRIP_MS, () => this.#snapshot(feed));
  }

  #onCommand(command: VenueCommand): void {
    switch (command.kind) {
      case 'resubscribe': {
        const feed = this.#feeds.get(command.tokenId);
        if (feed) this.#later(ROUND_TRIP_MS, () => this.#snapshot(feed));
        return;
      }
      case 'readBook':
        this.#answerRead(command);
        return;
      case 'reconnect':
        this.#isOpen = false;
        this.account.reconnects += 1;
        this.#later(0, () => this.#tell({ kind: 'socketLost', reason: command.reason }));
        this.#later(RECONNECT_MS, () => this.#open());
        return;
      default:
        return;
    }
  }

  /** REST is sometimes as old as a cache, and always some time in flight. */
  #answerRead(command: Extract<VenueCommand, { kind: 'readBook' }>): void {
    const { requestId, tokenId: id } = command;
    const feed = this.#feeds.get(id);
    if (feed === undefined) return;
    this.account.reads += 1;
    const book = this.#random() < 0.3 ? feed.older : feed.truth;
    const askedAtMs = unixMs(this.nowMs);
    const bids = levelsOf(GRID, book, 'bid');
    const asks = levelsOf(GRID, book, 'ask');
    const value = { bids, asks };
    this.#later(ROUND_TRIP_MS + this.#random() * 300, () =>
      this.#tell({
        kind: 'bookRead',
        requestId,
        tokenId: id,
        askedAtMs,
        outcome: { kind: 'ok', value },
      }),
    );
  }

  #onReport(report: Report): void {
    if (report.event !== 'book.doubt' && report.event !== 'book.resynced') return;
    const feed = this.#feeds.get(report.tokenId);
    if (feed === undefined) return;
    if (report.event === 'book.doubt') this.account.uncertain(feed, report.signal, this.nowMs);
    else this.account.resynced(feed, report.tookMs, this.nowMs);
  }

  #later(delayMs: number, act: () => void): void {
    this.#deliveries.push({ atMs: this.nowMs + delayMs, act });
  }

  #tell(message: VenueMessage): void {
    if (message.kind === 'socketLost')
      for (const feed of this.#feeds.values()) feed.isSubscribed = false;
    this.#step({ kind: 'venue', message });
  }

  #step(input: Parameters<typeof stamped>[0]): void {
    const commands = this.#engine.step(stamped(input, this.nowMs));
    for (const command of [...commands, ...this.#engine.tend()]) {
      if (command.kind === 'venue') this.#onCommand(command.command);
      else if (command.kind === 'report') this.#onReport(command.report);
    }
  }
}

type Unstamped =
  | { readonly kind: 'settings'; readonly settings: ReturnType<typeof settings> }
  | { readonly kind: 'venue'; readonly message: VenueMessage }
  | { readonly kind: 'tick' };

function stamped(input: Unstamped, nowMs: number) {
  return { ...input, atMs: unixMs(nowMs) };
}
