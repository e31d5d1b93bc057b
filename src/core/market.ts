// One market we quote: its books, what it holds and flows, and why it may not be quoted.

import type { RequestId, TokenId } from '../domain/ids.ts';
import type { MarketChoice } from '../domain/input.ts';
import type { Event, Market, MarketStatus, TradingStatus } from '../domain/market.ts';
import type { Side } from '../domain/order.ts';
import { type MicroShares, microShares, SHARE_DECIMALS_MAX } from '../domain/shares.ts';
import type { TickGrid, Ticks } from '../domain/ticks.ts';
import type { UnixMs } from '../domain/time.ts';
import type { AxisSide, QuoteReason, Strategy } from '../strategy/index.ts';
import { MarketBook } from './book/axis.ts';
import { BookMirror } from './book/mirror.ts';
import { OwnSizes } from './book/own.ts';
import { OwnLevels } from './book/own-levels.ts';
import { ParityWatch } from './book/parity.ts';
import { TokenTrust } from './book/token-trust.ts';
import { payoutNano } from './kernel/nano.ts';
import { mark, type WorkQueue } from './kernel/work-queue.ts';
import type { Leg, OwnOrder } from './orders/own-order.ts';
import type { Positions } from './positions/positions.ts';
import { QuoteDesk } from './quoting/desk.ts';
import { MarketInsight } from './quoting/insight.ts';
import { LiveStatus } from './quoting/live-status.ts';
import { ReasonTimes } from './quoting/reasons.ts';
import type { Missing } from './quoting/target.ts';
import { MarketCounts } from './risk/counts.ts';
import type { Holdings } from './risk/exposure.ts';

/** A refusal or limit keeps one side away for a while. */
export type Backoff = { readonly untilMs: UnixMs; readonly code: string; readonly detail: string };

/** What of an order is taken out of its book right now. */
export type Shown = {
  readonly resting: MicroShares;
  readonly transient: MicroShares;
  /** What others showed there when it was placed; absent once it was seen, or is not from this run. */
  readonly before: MicroShares | undefined;
  /** The venue says that it rests, and its level has not moved since it was placed. */
  readonly isUnmoved: boolean;
  /**
   * When this becomes something else though nothing is heard: an order that rests counts as shown, seen or not,
   * and one that has ended as gone. At any moment for what is in flight, or ended just now.
   */
  readonly changesAtMs: UnixMs | undefined;
  /** How much of it a cancel takes away, and what others showed beside it when that left; absent where none has. */
  readonly leaving: { readonly size: MicroShares; readonly others: MicroShares } | undefined;
};

/** Positions too uncertain to add to: since when, and until when quotes are pulled for the quiet that settles it. */
export type MarketDoubt = {
  readonly sinceMs: UnixMs;
  readonly pulledUntilMs: UnixMs | undefined;
};

/** Shares of both outcomes. */
type LegShares = { readonly yes: MicroShares; readonly no: MicroShares };

/** A share that wins pays one USDC. */
const MILLI_PER_USDC = 1_000;

/** Cash and fills of one market since the start, and what it started with. */
export class MarketFlows {
  cashNano = 0;
  fills = 0;
  start: LegShares | undefined;
  /** The start at the first known middle of the book. */
  startValueNano: number | undefined;
  /**
   * The last known price of a YES share in thousandths of a USDC, which is the same on every grid. It
   * outlives the market's books and a restart: what is held is worth that until another price is known.
   */
  markMilliUsdc: number | undefined;
}

/** One book, by its market, with what a frame of it looks at. */
export type Place = {
  readonly market: MarketState;
  readonly leg: Leg;
  readonly mirror: BookMirror;
  readonly trust: TokenTrust;
};

export class MarketState {
  // What frames, looks and decisions ask for comes first, so that it lies together: among a thousand
  // markets the first look at each object is what a decision waits for.
  readonly book: MarketBook;
  readonly trust: Readonly<Record<Leg, TokenTrust>> = {
    yes: new TokenTrust(),
    no: new TokenTrust(),
  };
  #isDirty = false;
  /** Leaves only to come back on another tick grid; its books mean nothing meanwhile. */
  isRegridding = false;
  bookUpdates = 0;
  plannedAtMs: UnixMs | undefined;
  market: Market;
  readonly grid: TickGrid;
  readonly #workQueue: WorkQueue<MarketState>;
  /** Dropped after it left; a market of the same id may have taken its place. */
  isGone = false;
  readonly shown = new Map<OwnOrder, Shown>();
  readonly ownLevels = new OwnLevels();
  /** Some of them have not been seen in the book yet. */
  hasUnseen = false;
  readonly flows: MarketFlows;
  /** What is uncertain of its positions exceeds `risk.maxUncertainShares`. */
  doubt: MarketDoubt | undefined;
  /** Since when something held has had no trusted price. */
  unmarkedSinceMs: UnixMs | undefined;
  readonly insight: MarketInsight;
  choice: MarketChoice;
  event: Event;
  strategy: Strategy;
  readonly desk = new QuoteDesk();
  /** What frames and answers say of its trading; the catalogue's word stands beside it. */
  live = new LiveStatus();
  #isLeaving = false;
  strategyReasons: readonly QuoteReason[] = [];
  strategyFailure: string | undefined;
  #missing: readonly Missing[] = [];
  missingSinceMs: UnixMs | undefined;
  readonly reasons = new ReasonTimes();
  readonly backoff: Record<AxisSide, Backoff | undefined> = { bid: undefined, ask: undefined };
  readonly counts = new MarketCounts();
  readonly parity = new ParityWatch();
  /** The two books by name, made once. */
  readonly places: Readonly<Record<Leg, Place>>;
  /** Refusals in a row, by side: each doubles the pause. */
  readonly refusals: Record<AxisSide, number> = { bid: 0, ask: 0 };
  /** The request of the last one. */
  readonly refusedIn: Record<AxisSide, RequestId | undefined> = { bid: undefined, ask: undefined };
  /** When sells were last refused and nobody reported why, oldest first. */
  readonly unnamedSellsAtMs: Record<Leg, readonly UnixMs[]> = { yes: [], no: [] };
  /** Such an order was refused without a code: placements go alone until one like it has. */
  goesAlone: { readonly leg: Leg; readonly side: Side; readonly untilMs: number } | undefined =
    undefined;
  /** An order was placed here in this run: its books resync before those that are only watched. */
  wasQuoted = false;
  /** Decimals that the venue has let quantities have, where it has refused more. */
  #learntDecimals = SHARE_DECIMALS_MAX;
  /** Settled shares that the venue did not let us sell, by leg. */
  readonly sellBlockedUntilMs: Record<Leg, number> = { yes: 0, no: 0 };

  constructor(
    listing: { readonly event: Event; readonly market: Market },
    quoting: { readonly choice: MarketChoice; readonly strategy: Strategy },
    depth: number,
    kept: { readonly flows: MarketFlows; readonly workQueue: WorkQueue<MarketState> },
  ) {
    this.flows = kept.flows;
    this.#workQueue = kept.workQueue;
    this.event = listing.event;
    this.market = listing.market;
    this.grid = listing.event.grid;
    this.choice = quoting.choice;
    this.strategy = quoting.strategy;
    this.book = newBook(this.grid, depth);
    this.insight = new MarketInsight(this.grid, this.book);
    this.places = { yes: this.#place('yes'), no: this.#place('no') };
    this.isDirty = true;
  }

  /** Something its quotes depend on has changed. */
  get isDirty(): boolean {
    return this.#isDirty;
  }

  set isDirty(isDirty: boolean) {
    if (isDirty) this.#workQueue.onTouched(this);
    this.#setDirty(isDirty);
  }

  /**
   * A frame changed one of its books. What the market earns hangs on the middle of its last plan, so that
   * it changes with the next one.
   */
  onBook(): void {
    this.bookUpdates += 1;
    this.#setDirty(true);
  }

  /** No longer in the settings: quotes are pulled and nothing is placed. */
  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  set isLeaving(isLeaving: boolean) {
    this.#isLeaving = isLeaving;
    mark(this.#workQueue.leaving, this, isLeaving);
  }

  /** What its target quotes lack. */
  get missing(): readonly Missing[] {
    return this.#missing;
  }

  set missing(missing: readonly Missing[]) {
    // Most decisions find nothing missing where nothing was.
    const isChanged = missing.length > 0 !== this.#missing.length > 0;
    this.#missing = missing;
    if (isChanged) mark(this.#workQueue.missing, this, missing.length > 0);
  }

  /** Decimals of a quantity that the venue takes, as far as it is stated or learnt. */
  get quantityDecimals(): number {
    return Math.min(this.#learntDecimals, this.choice.quantityDecimals ?? SHARE_DECIMALS_MAX);
  }

  /** The venue takes no quantity with so many: hundredths are what it most likely takes, and then one less. */
  onDecimalsRejected(decimals: number): void {
    const fewer = Math.min(2, Math.max(0, decimals - 1));
    this.#learntDecimals = Math.min(this.#learntDecimals, fewer);
  }

  tokenOf(leg: Leg): TokenId {
    return this.market[leg].tokenId;
  }

  legOf(tokenId: TokenId): Leg {
    return this.market.yes.tokenId === tokenId ? 'yes' : 'no';
  }

  /** The less permissive of what socket and catalogue say. */
  get status(): TradingStatus {
    const listed = worse(this.event.status, this.market.status);
    if (listed !== 'open') return listed;
    return this.market.enableOrderBook ? this.live.status : 'closed';
  }

  /**
   * Remembers the middle; the first one prices what we started with. Of half a book it is known that the
   * middle is no higher than an ask and no lower than a bid.
   */
  onMid(positions: Positions): void {
    const bid = this.#milliUsdc(this.book.bestBid());
    const ask = this.#milliUsdc(this.book.bestAsk());
    const isWhole = bid !== undefined && ask !== undefined;
    const markMilliUsdc = isWhole ? (bid + ask) / 2 : this.#moved(bid, ask);
    if (markMilliUsdc === undefined) return;
    this.flows.markMilliUsdc = markMilliUsdc;
    if (this.flows.startValueNano !== undefined || !positions.isBaselined) return;
    this.#priceStart(this.#startShares(positions), markMilliUsdc);
  }

  /** The last known price, moved no further than the side that is there demands. */
  #moved(bid: number | undefined, ask: number | undefined): number | undefined {
    const { markMilliUsdc } = this.flows;
    if (markMilliUsdc === undefined) return undefined;
    return Math.min(Math.max(markMilliUsdc, bid ?? 0), ask ?? MILLI_PER_USDC);
  }

  #milliUsdc(price: Ticks | undefined): number | undefined {
    return price === undefined ? undefined : price * (MILLI_PER_USDC / this.grid.ticksPerUnit);
  }

  /** The last known price of one share; half a USDC before any. */
  nanoPerShare(leg: Leg): number {
    const yesMilli = this.flows.markMilliUsdc ?? MILLI_PER_USDC / 2;
    return (leg === 'yes' ? yesMilli : MILLI_PER_USDC - yesMilli) * 1_000_000;
  }

  #priceStart({ yes, no }: LegShares, markMilliUsdc: number): void {
    this.flows.startValueNano = valueNano(yes, no, markMilliUsdc);
    this.#workQueue.onTouched(this);
  }

  /** Both sides of the joined book show a price now. */
  get hasMid(): boolean {
    return this.book.bestBid() !== undefined && this.book.bestAsk() !== undefined;
  }

  holdings(positions: Positions): Holdings {
    const start = this.#startShares(positions);
    return {
      yes: positions.expected(this.market.yes.tokenId),
      no: positions.expected(this.market.no.tokenId),
      cashNano: this.flows.cashNano,
      // Without a price yet, what we started with counts for no more than its certain payout.
      startValueNano:
        this.flows.startValueNano ?? payoutNano(microShares(Math.min(start.yes, start.no))),
    };
  }

  /** The outcome is known: what is still held of the other is worth nothing. */
  onWinner(leg: Leg): void {
    const markMilliUsdc = leg === 'yes' ? MILLI_PER_USDC : 0;
    this.flows.markMilliUsdc = markMilliUsdc;
    const { start, startValueNano } = this.flows;
    if (start !== undefined && startValueNano === undefined) this.#priceStart(start, markMilliUsdc);
  }

  /** Profit since the start at the last known price, `undefined` while it hangs on one that is not known. */
  pnlNano(positions: Positions): number | undefined {
    const { markMilliUsdc, startValueNano, cashNano } = this.flows;
    if (markMilliUsdc === undefined || startValueNano === undefined) {
      const counted = this.#countedShares(positions);
      return counted.yes === counted.no ? this.#leastWith(counted) : undefined;
    }
    const { yes, no } = this.holdings(positions);
    return cashNano + valueNano(yes, no, markMilliUsdc) - startValueNano;
  }

  /** The same, or the least that it comes to at any price while it hangs on one that is not known. */
  leastPnlNano(positions: Positions): number {
    return this.pnlNano(positions) ?? this.#leastWith(this.#countedShares(positions));
  }

  /** Certain is what as many of both pay; where there are more of one, they may be worth nothing. */
  #leastWith({ yes, no }: Readonly<Record<Leg, number>>): number {
    const { startValueNano, cashNano } = this.flows;
    const certain = Math.min(yes, no);
    return cashNano + valueNano(certain, certain, 0) - (startValueNano ?? 0);
  }

  /**
   * Without a price the profit is known where every price comes to the same. What we started with, and
   * what came untold, is going to be valued at the first price: only what was traded since then counts.
   */
  #countedShares(positions: Positions): Readonly<Record<Leg, number>> {
    const start = this.#startShares(positions);
    const held = this.holdingsShares(positions);
    const counted: Record<Leg, number> = { yes: held.yes, no: held.no };
    if (this.flows.startValueNano === undefined) {
      counted.yes -= start.yes;
      counted.no -= start.no;
    }
    return counted;
  }

  holdingsShares(positions: Positions): LegShares {
    return {
      yes: positions.expected(this.market.yes.tokenId),
      no: positions.expected(this.market.no.tokenId),
    };
  }

  #place(leg: Leg): Place {
    return { market: this, leg, mirror: this.book[leg].mirror, trust: this.trust[leg] };
  }

  #setDirty(isDirty: boolean): void {
    if (isDirty === this.#isDirty) return;
    this.#isDirty = isDirty;
    mark(this.#workQueue.dirty, this, isDirty);
  }

  /** What we held before the first fill; asked for before any fill is recorded. */
  #startShares(positions: Positions): LegShares {
    if (this.flows.start) return this.flows.start;
    const start = {
      yes: positions.confirmed(this.market.yes.tokenId),
      no: positions.confirmed(this.market.no.tokenId),
    };
    if (positions.isBaselined) this.flows.start = start;
    return start;
  }
}

function valueNano(yes: number, no: number, markMilliUsdc: number): number {
  return markMilliUsdc * yes + (MILLI_PER_USDC - markMilliUsdc) * no;
}

function newBook(grid: TickGrid, depth: number): MarketBook {
  return new MarketBook(
    { mirror: new BookMirror(grid, depth), own: new OwnSizes(grid) },
    { mirror: new BookMirror(grid, depth), own: new OwnSizes(grid) },
  );
}

function worse(event: MarketStatus, market: MarketStatus): MarketStatus {
  const rank = { open: 0, closed: 1, resolved: 2 } as const;
  return rank[event] > rank[market] ? event : market;
}
