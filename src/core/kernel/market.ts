// A market as the catalogue lists it and the settings choose it, and which markets have something to be done about.
// Each room above adds what it knows of it: `book/market.ts`, `fair/insight.ts`, `risk/market.ts`, `quoting/market.ts`,
// and `sending/market.ts`, which is the whole.

import type { MarketId, TokenId } from '../../domain/ids.ts';
import type { MarketChoice } from '../../domain/input.ts';
import type { Event, Leg, Market } from '../../domain/market.ts';
import type { TickGrid } from '../../domain/ticks.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { Strategy } from '../../strategy/index.ts';

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

/** Its shares, or what is uncertain of them, changed: the journal keeps them, limits and quotes look again. */
export function touchToken(
  {
    touched,
    byToken,
  }: {
    readonly touched: { readonly tokens: Set<TokenId> };
    readonly byToken: TokenIndex<{ readonly market: ListedMarket }>;
  },
  tokenId: TokenId,
): void {
  touched.tokens.add(tokenId);
  const market = byToken.get(tokenId)?.market;
  if (market !== undefined) market.isDirty = true;
}

// Which markets have something to be done about, so that a turn touches those and no others: its cost
// does not grow with the number of markets.

/** What the work queue needs to know of a market. */
export type Planned = {
  /** Dropped: whoever still holds it, nothing is done about it any more. */
  isGone: boolean;
};

export class WorkQueue<Market extends Planned> {
  /** Something their quotes depend on has changed. */
  readonly dirty = new Set<Market>();
  /** Those that were planned, the one whose plan is oldest first. */
  readonly planned = new Set<Market>();
  /** Something of theirs may or may not show in the book: when to look at them again at the latest. */
  readonly waiting = new Moments<Market>();
  /** They have target quotes that wait for a write. */
  readonly missing = new Set<Market>();
  /** They want to take. */
  readonly taking = new Set<Market>();
  /** They are on their way out. */
  readonly leaving = new Set<Market>();
  /** Their exposure may have changed since it was summed up. */
  readonly exposed = new Set<Market>();
  /** Their profit may have changed since it was summed up. */
  readonly earning = new Set<Market>();

  /** Whatever changed about a market may have changed what it risks and earns. */
  onTouched(market: Market): void {
    if (market.isGone) return;
    this.exposed.add(market);
    this.earning.add(market);
  }

  /** @param againAtMs - From when on it is looked at in each turn though nothing happens to it. */
  onPlanned(market: Market, againAtMs: UnixMs | undefined): void {
    if (market.isGone) return;
    this.planned.delete(market);
    this.planned.add(market);
    if (againAtMs === undefined) this.waiting.delete(market);
    else this.waiting.set(market, againAtMs);
    // Its middle may have moved: what it earns hangs on that, and what it risks on orders and shares alone.
    this.earning.add(market);
  }

  /** It is planned at this moment at the latest, whatever happens to it. */
  planBy(market: Market, atMs: UnixMs): void {
    if (!market.isGone) this.waiting.setBy(market, atMs);
  }

  /** What is known of its orders is newer than its last look; whether it waits at all, a look decides. */
  onSynced(market: Market, againAtMs: UnixMs | undefined): void {
    if (againAtMs === undefined) this.waiting.delete(market);
    else this.waiting.move(market, againAtMs);
  }

  /**
   * A dropped market never comes back in here: its namesake may be quoted again by then, and a plan
   * of the old one would cancel the orders of the new.
   */
  forget(market: Market): void {
    market.isGone = true;
    const sets = [this.dirty, this.planned, this.waiting, this.missing];
    for (const set of [...sets, this.taking, this.leaving, this.exposed, this.earning]) {
      set.delete(market);
    }
  }
}

export function mark<Market extends Planned>(
  set: Set<Market>,
  market: Market,
  isIn: boolean,
): void {
  if (isIn && !market.isGone) set.add(market);
  else set.delete(market);
}

// Who waits for which moment. What is due is found without a look at those whose moment is yet to come,
// so that a thousand who wait cost a turn as little as one.

type Wait<Item> = {
  readonly item: Item;
  /** Counts up: who began to wait first. */
  readonly sequence: number;
  atMs: UnixMs;
  /** Its place in the heap. */
  index: number;
};

/** A binary heap by moment with one entry for each item, so it holds no more than there are items. */
export class Moments<Item> {
  readonly #heap: Wait<Item>[] = [];
  readonly #waits = new Map<Item, Wait<Item>>();
  #begun = 0;

  get size(): number {
    return this.#heap.length;
  }

  /** It waits for another moment; who waits already keeps its turn among those due together. */
  move(item: Item, atMs: UnixMs): void {
    const wait = this.#waits.get(item);
    if (wait === undefined || wait.atMs === atMs) return;
    wait.atMs = atMs;
    this.#settle(wait);
  }

  /** It waits for a moment from now on, or for another one. */
  set(item: Item, atMs: UnixMs): void {
    if (this.#waits.has(item)) {
      this.move(item, atMs);
      return;
    }
    const wait = { item, sequence: this.#begun, atMs, index: this.#heap.length };
    this.#begun += 1;
    this.#waits.set(item, wait);
    this.#heap.push(wait);
    this.#settle(wait);
  }

  /** It waits for this moment, or for the earlier one that it waits for already. */
  setBy(item: Item, atMs: UnixMs): void {
    const wait = this.#waits.get(item);
    if (wait === undefined || atMs < wait.atMs) this.set(item, atMs);
  }

  delete(item: Item): void {
    const wait = this.#waits.get(item);
    if (wait === undefined) return;
    this.#waits.delete(item);
    const last = this.#heap.pop();
    if (last === undefined || last === wait) return;
    this.#put(last, wait.index);
    this.#settle(last);
  }

  isDue(item: Item, nowMs: UnixMs): boolean {
    const wait = this.#waits.get(item);
    return wait !== undefined && wait.atMs <= nowMs;
  }

  /** Those whose moment has come, who began to wait first in front; they stay until they are told otherwise. */
  due(nowMs: UnixMs): readonly Item[] {
    const found: Wait<Item>[] = [];
    this.#collect(0, nowMs, found);
    return found.sort((a, b) => a.sequence - b.sequence).map(({ item }) => item);
  }

  /** Nothing below an entry is due before it. */
  #collect(index: number, nowMs: UnixMs, found: Wait<Item>[]): void {
    const wait = this.#heap[index];
    if (wait === undefined || wait.atMs > nowMs) return;
    found.push(wait);
    this.#collect(2 * index + 1, nowMs, found);
    this.#collect(2 * index + 2, nowMs, found);
  }

  #settle(wait: Wait<Item>): void {
    this.#rise(wait);
    this.#sink(wait);
  }

  #rise(wait: Wait<Item>): void {
    while (wait.index > 0) {
      const parent = this.#heap[(wait.index - 1) >> 1];
      if (parent === undefined || parent.atMs <= wait.atMs) return;
      this.#swap(wait, parent);
    }
  }

  #sink(wait: Wait<Item>): void {
    for (;;) {
      const child = this.#earlierChild(wait.index);
      if (child === undefined || child.atMs >= wait.atMs) return;
      this.#swap(wait, child);
    }
  }

  #earlierChild(index: number): Wait<Item> | undefined {
    const left = this.#heap[2 * index + 1];
    const right = this.#heap[2 * index + 2];
    return left !== undefined && right !== undefined && right.atMs < left.atMs ? right : left;
  }

  #swap(one: Wait<Item>, other: Wait<Item>): void {
    const { index } = one;
    this.#put(one, other.index);
    this.#put(other, index);
  }

  #put(wait: Wait<Item>, index: number): void {
    wait.index = index;
    this.#heap[index] = wait;
  }
}

// What is known of each token: found by its id, and at once by the number that the reader of a frame gives it.

/** More than a reader counts to; a larger number is not remembered. */
const NUMBERS_MAX = 65_536;

/**
 * A map by token id that remembers where numbers led. A number only says where to look first: whoever
 * stands there must have the very id that is asked for. So one that means another token by now, or means
 * two, costs a look into the map and leads nobody to the book of another.
 */
export class TokenIndex<Value> {
  readonly #byId = new Map<TokenId, Value>();
  /** By number: the id as it was asked for, and what was found. */
  #ids: (TokenId | undefined)[] = [];
  #values: (Value | undefined)[] = [];

  get(tokenId: TokenId): Value | undefined {
    return this.#byId.get(tokenId);
  }

  /** The same as `get`, sooner where the number meant this token before. */
  find(tokenId: TokenId, number: number | undefined): Value | undefined {
    if (number === undefined) return this.#byId.get(tokenId);
    if (this.#ids[number] === tokenId) return this.#values[number];
    return this.#remember(tokenId, number);
  }

  keys(): IterableIterator<TokenId> {
    return this.#byId.keys();
  }

  set(tokenId: TokenId, value: Value): void {
    this.#byId.set(tokenId, value);
    this.#forgetNumbers();
  }

  delete(tokenId: TokenId): void {
    this.#byId.delete(tokenId);
    this.#forgetNumbers();
  }

  #remember(tokenId: TokenId, number: number): Value | undefined {
    const value = this.#byId.get(tokenId);
    const isPlace = Number.isInteger(number) && number >= 0 && number < NUMBERS_MAX;
    if (value === undefined || !isPlace) return value;
    // Without holes, so that a look into them stays a look into an array.
    while (this.#ids.length <= number) {
      this.#ids.push(undefined);
      this.#values.push(undefined);
    }
    this.#ids[number] = tokenId;
    this.#values[number] = value;
    return value;
  }

  /** Tokens come and go seldom, and are found anew by their next frames. */
  #forgetNumbers(): void {
    if (this.#ids.length === 0) return;
    this.#ids = [];
    this.#values = [];
  }
}
