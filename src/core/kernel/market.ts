// A market as the catalogue lists it and the settings choose it. Each room above adds what it knows of it:
// `book/market.ts`, `fair/market.ts`, `risk/market.ts`, `quoting/market.ts`, and `sending/market.ts`, which is the whole.

import type { MarketId, TokenId } from '../../domain/ids.ts';
import type { MarketChoice } from '../../domain/input.ts';
import type { Event, Leg, Market } from '../../domain/market.ts';
import type { TickGrid } from '../../domain/ticks.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { Strategy } from '../../strategy/index.ts';
import { mark, type WorkQueue } from './work-queue.ts';

/** What a market begins with. */
export type Listing = {
  readonly event: Event;
  readonly market: Market;
  readonly choice: MarketChoice;
  readonly strategy: Strategy;
};

export class ListedMarket {
  event: Event;
  market: Market;
  readonly grid: TickGrid;
  choice: MarketChoice;
  strategy: Strategy;
  plannedAtMs: UnixMs | undefined;
  /** The venue prices it on another tick grid by now: what its books say means nothing on this one. */
  isOffGrid = false;
  /** Leaves only to come back on the other grid. */
  isRegridding = false;
  /** Dropped after it left; a market of the same id may have taken its place. */
  isGone = false;
  #isDirty = false;
  #isLeaving = false;
  protected readonly workQueue: WorkQueue<ListedMarket>;

  constructor({ event, market, choice, strategy }: Listing, workQueue: WorkQueue<ListedMarket>) {
    this.event = event;
    this.market = market;
    this.grid = event.grid;
    this.choice = choice;
    this.strategy = strategy;
    this.workQueue = workQueue;
  }

  /** Something its quotes depend on has changed. */
  get isDirty(): boolean {
    return this.#isDirty;
  }

  set isDirty(isDirty: boolean) {
    if (isDirty) this.workQueue.onTouched(this);
    this.setDirty(isDirty);
  }

  /** No longer in the settings: quotes are pulled and nothing is placed. */
  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  set isLeaving(isLeaving: boolean) {
    this.#isLeaving = isLeaving;
    mark(this.workQueue.leaving, this, isLeaving);
  }

  tokenOf(leg: Leg): TokenId {
    return this.market[leg].tokenId;
  }

  legOf(tokenId: TokenId): Leg {
    return this.market.yes.tokenId === tokenId ? 'yes' : 'no';
  }

  /** The same without a word on what it risks and earns. */
  protected setDirty(isDirty: boolean): void {
    if (isDirty === this.#isDirty) return;
    this.#isDirty = isDirty;
    mark(this.workQueue.dirty, this, isDirty);
  }
}

/** Something that its quotes depend on has changed, where it is quoted. */
export function touchMarket(
  { markets }: { readonly markets: ReadonlyMap<MarketId, ListedMarket> },
  marketId: MarketId,
): void {
  const market = markets.get(marketId);
  if (market !== undefined) market.isDirty = true;
}
