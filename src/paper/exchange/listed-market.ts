// One binary market while it is listed: its status and its last prices.

import type {
  Event,
  Market,
  MarketStatus,
  Outcome,
  OutcomeIndex,
  TradingStatus,
} from '../../domain/market.ts';
import type { TickGrid } from '../../domain/ticks.ts';
import type { UnixMs } from '../../domain/time.ts';
import { NO_USDC } from './amounts.ts';

export type StatusChange = { readonly status: TradingStatus; readonly atMs: UnixMs };

/** Status changes kept for the timeline of `GET /events/:id/resolution`. */
const TIMELINE_MAX = 100;

export class ListedEvent {
  readonly event: Event;
  readonly #tags: Set<string>;
  readonly #markets: ListedMarket[];
  /** May change while listed; every book of the event is then cleared. */
  grid: TickGrid;

  constructor(event: Event, tags: readonly string[]) {
    this.event = event;
    this.#tags = new Set(tags);
    this.grid = event.grid;
    this.#markets = event.markets.map((market) => new ListedMarket(this, market));
  }

  get markets(): readonly ListedMarket[] {
    return this.#markets;
  }

  hasTag(tag: string): boolean {
    return this.#tags.has(tag);
  }

  /** What it did not have before. @returns The markets that are new. */
  extend(markets: readonly Market[], tags: readonly string[]): readonly ListedMarket[] {
    for (const tag of tags) this.#tags.add(tag);
    const known = new Set(this.#markets.map(({ market }) => market.id));
    const fresh = markets.filter(({ id }) => !known.has(id));
    const added = fresh.map((market) => new ListedMarket(this, market));
    this.#markets.push(...added);
    return added;
  }

  /** Resolved when every market is, open while one of them is. */
  status(): MarketStatus {
    const statuses = this.markets.map((market) => market.restStatus());
    if (statuses.includes('open')) return 'open';
    return statuses.every((status) => status === 'resolved') ? 'resolved' : 'closed';
  }
}

export class ListedMarket {
  readonly listed: ListedEvent;
  readonly market: Market;
  trading: TradingStatus;
  /** Without one nothing is taken, shown or sent of it. @spec Resources and their fields › Market */
  hasOrderBook: boolean;
  winner: OutcomeIndex | undefined;
  /** Settled turnover in USDC. */
  volumeNano = NO_USDC;
  /** Last settled price of each outcome as text, by outcome index; none before the first trade. */
  readonly lastPrices: [string | undefined, string | undefined] = [undefined, undefined];
  readonly timeline: StatusChange[] = [];

  constructor(listed: ListedEvent, market: Market) {
    this.listed = listed;
    this.market = market;
    this.trading = market.status;
    this.hasOrderBook = market.enableOrderBook;
  }

  get grid(): TickGrid {
    return this.listed.grid;
  }

  outcome(index: OutcomeIndex): Outcome {
    return index === 1 ? this.market.yes : this.market.no;
  }

  /** REST has no word for a pause: the market is still listed as open. */
  restStatus(): MarketStatus {
    return this.trading === 'closed' || this.trading === 'resolved' ? this.trading : 'open';
  }

  moveTo(status: TradingStatus, atMs: UnixMs): void {
    this.trading = status;
    this.timeline.push({ status, atMs });
    if (this.timeline.length > TIMELINE_MAX) this.timeline.shift();
  }
}
