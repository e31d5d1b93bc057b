// Both books of a binary market joined on the YES price, without our own orders.

import { assert } from '../../domain/assert.ts';
import type { Leg } from '../../domain/market.ts';
import type { BookSide } from '../../domain/message.ts';
import { clampShares, type MicroShares } from '../../domain/shares.ts';
import type { TickGrid, Ticks } from '../../domain/ticks.ts';
import { type UnixMs, unixMs } from '../../domain/time.ts';
import type { AxisBook } from '../../strategy/contract.ts';
import { bookSideOf, type OwnOrder } from '../orders/own-order.ts';
import { type Levels, NO_RANK, priceOf, rankOf } from './ladder.ts';
import type { BookMirror } from './mirror.ts';
import { type Clocks, type OwnSide, type OwnSizes, staleOwnUntilMs } from './own.ts';

/** One token's displayed book and our own share of it. */
export type TokenBook = { readonly mirror: BookMirror; readonly own: OwnSizes };

export type OutcomeSide = 'yes' | 'no';

/** One side by rank: what others rest at it, and the next rank below at which any do, or `NO_RANK`. */
type SideByRank = { othersAt(rank: number): number; nextBelow(rank: number): number };

abstract class OnAxis implements AxisBook {
  protected readonly grid: TickGrid;
  protected abstract readonly bids: SideByRank;
  protected abstract readonly asks: SideByRank;

  constructor(grid: TickGrid) {
    this.grid = grid;
  }

  bestBid(): Ticks | undefined {
    return priceOf(this.grid, 'bid', this.bids.nextBelow(this.grid.ticksPerUnit));
  }

  bestAsk(): Ticks | undefined {
    return priceOf(this.grid, 'ask', this.asks.nextBelow(this.grid.ticksPerUnit));
  }

  bidSizeAt(price: Ticks): MicroShares {
    return clampShares(this.bids.othersAt(rankOf(this.grid, 'bid', price)));
  }

  askSizeAt(price: Ticks): MicroShares {
    return clampShares(this.asks.othersAt(rankOf(this.grid, 'ask', price)));
  }

  nextBid(below: Ticks): Ticks | undefined {
    return priceOf(this.grid, 'bid', this.bids.nextBelow(rankOf(this.grid, 'bid', below)));
  }

  nextAsk(above: Ticks): Ticks | undefined {
    return priceOf(this.grid, 'ask', this.asks.nextBelow(rankOf(this.grid, 'ask', above)));
  }
}

/**
 * The market on one axis: its bids are YES bids and mirrored NO asks, its asks are YES asks and
 * mirrored NO bids. A book without a snapshot adds nothing. Whether the books may be trusted is the
 * mirrors' `state`, and the caller's to ask first.
 */
export class MarketBook extends OnAxis {
  readonly yes: TokenBook;
  readonly no: TokenBook;
  /** The venue shows one book twice: that of YES is the market's, and that of NO adds nothing. */
  isUnified = false;
  protected readonly bids: AxisLevels;
  protected readonly asks: AxisLevels;

  constructor(yes: TokenBook, no: TokenBook) {
    super(yes.mirror.grid);
    const isOneGrid = no.mirror.grid.ticksPerUnit === this.grid.ticksPerUnit;
    assert(isOneGrid, 'both books of a market share its tick grid');
    this.yes = yes;
    this.no = no;
    this.bids = new AxisLevels(this, 'bid');
    this.asks = new AxisLevels(this, 'ask');
  }

  /** The book in which an order of an outcome shows, as far as prices are made from it. */
  showing(outcome: OutcomeSide): TokenBook {
    return this.isUnified ? this.yes : this[outcome];
  }
}

/** One side of the axis: two dense sides whose equal ranks are equal prices on the axis. */
class AxisLevels {
  readonly #book: { readonly isUnified: boolean };
  readonly #yes: Levels;
  readonly #no: Levels;
  readonly #ownYes: OwnSide;
  readonly #ownNo: OwnSide;

  constructor(book: MarketBook, side: BookSide) {
    const noSide = side === 'bid' ? 'ask' : 'bid';
    this.#book = book;
    this.#yes = book.yes.mirror.levels(side);
    this.#no = book.no.mirror.levels(noSide);
    this.#ownYes = book.yes.own.side(side);
    this.#ownNo = book.no.own.side(noSide);
  }

  othersAt(rank: number): number {
    const ofYes = this.#ownYes.others(rank, this.#yes.at(rank));
    return this.#book.isUnified ? ofYes : ofYes + this.#ownNo.others(rank, this.#no.at(rank));
  }

  nextBelow(rank: number): number {
    let at = rank;
    do at = this.#nextShown(at);
    while (at !== NO_RANK && this.othersAt(at) === 0);
    return at;
  }

  #nextShown(rank: number): number {
    const ofYes = this.#yes.nextBelow(rank);
    return this.#book.isUnified ? ofYes : Math.max(ofYes, this.#no.nextBelow(rank));
  }
}

// One token's own book on the YES axis, without our own orders: what a market order for that token
// meets, since it does not cross into the sibling's book. @spec Endpoints › POST /orders/market

/** The NO book appears mirrored: its asks are bids for YES at the complement. */
export class TokenAxisBook extends OnAxis {
  protected readonly bids: SideOfOthers;
  protected readonly asks: SideOfOthers;

  constructor(token: TokenBook, outcome: OutcomeSide) {
    super(token.mirror.grid);
    this.bids = new SideOfOthers(token, outcome === 'yes' ? 'bid' : 'ask');
    this.asks = new SideOfOthers(token, outcome === 'yes' ? 'ask' : 'bid');
  }
}

/** A rank is also the complement's view, so mirroring needs no arithmetic. */
class SideOfOthers {
  readonly #levels: Levels;
  readonly #own: OwnSide;

  constructor(token: TokenBook, side: BookSide) {
    this.#levels = token.mirror.levels(side);
    this.#own = token.own.side(side);
  }

  othersAt(rank: number): number {
    return this.#own.others(rank, this.#levels.at(rank));
  }

  nextBelow(rank: number): number {
    let at = rank;
    do at = this.#levels.nextBelow(at);
    while (at !== NO_RANK && this.othersAt(at) === 0);
    return at;
  }
}

// Where own orders show, and what others show there while those come and go.

/** Where an order shows, as far as prices are made from it. */
type ShownAt = { readonly leg: Leg; readonly side: BookSide; readonly price: Ticks };

export function shownAt(book: MarketBook, order: OwnOrder): ShownAt {
  if (book.isUnified) return { leg: 'yes', side: order.axisSide, price: order.axisPrice };
  return { leg: order.leg, side: bookSideOf(order), price: order.price };
}

// Between a fill, a new order and the frame that
// tells of both, a book may show any part of what is ours: others are then taken to show what they showed before.

/** A level where ours come and go without a break is looked at anew this often, as it is then. */
const HELD_MS_MAX = 2_000;

type OwnLevel = ShownAt & {
  /** What others showed there when nothing of ours moved. */
  others: number;
  /** At most so much of what it shows is ours. */
  ours: number;
  movingSinceMs: UnixMs | undefined;
  isMoving: boolean;
  isOurs: boolean;
};

/** The levels of one market at which something of ours rests, is in flight, or may still show. */
export class OwnLevels {
  readonly #levels = new Map<number, OwnLevel>();

  /** Before an order leaves for a level: what stands there now is of others. */
  enter(book: MarketBook, order: OwnOrder): void {
    this.#levelOf(book, order);
  }

  /** Holds the levels at which something moves to what others showed there before, and frees the rest. */
  sync(book: MarketBook, orders: Iterable<[OwnOrder, RestingOf]>, clocks: Clocks): void {
    for (const level of this.#levels.values()) {
      level.ours = 0;
      level.isMoving = false;
      level.isOurs = false;
    }
    for (const [order, { resting }] of orders) {
      if (order.isTake === true) continue;
      const level = this.#levelOf(book, order);
      const isMoving = mayShowOtherwise(book, order, clocks);
      level.isOurs = true;
      level.isMoving ||= isMoving;
      level.ours += isMoving ? order.quantity : resting;
    }
    for (const [key, level] of this.#levels) {
      if (level.isOurs) hold(book, level, clocks.nowMs);
      else this.#forget(book, key, level);
    }
  }

  #levelOf(book: MarketBook, order: OwnOrder): OwnLevel {
    const at = shownAt(book, order);
    const key = keyOf(at);
    const known = this.#levels.get(key);
    if (known !== undefined) return known;
    const found = { others: othersAt(book, at), ours: 0, movingSinceMs: undefined };
    const level: OwnLevel = { ...at, ...found, isMoving: false, isOurs: false };
    this.#levels.set(key, level);
    return level;
  }

  #forget(book: MarketBook, key: number, { leg, side, price }: OwnLevel): void {
    book[leg].own.free(side, price);
    this.#levels.delete(key);
  }
}

type RestingOf = { readonly resting: number };

function hold(book: MarketBook, level: OwnLevel, nowMs: UnixMs): void {
  const { leg, side, price, movingSinceMs } = level;
  const isPastDeadline = movingSinceMs !== undefined && nowMs - movingSinceMs >= HELD_MS_MAX;
  if (!level.isMoving || isPastDeadline) {
    level.others = othersAt(book, level);
    level.movingSinceMs = undefined;
  }
  const { own } = book[leg];
  if (level.isMoving) {
    level.movingSinceMs ??= nowMs;
    own.hold(side, price, level);
  } else own.free(side, price);
}

/** The book may show an order in part, whole or not at all, whatever we know of it. */
function mayShowOtherwise(book: MarketBook, order: OwnOrder, clocks: Clocks): boolean {
  const { confirmedAtMs, executedAtMs, state, stateSinceMs } = order;
  if (confirmedAtMs === undefined || state === 'cancelling') return true;
  const { mirror } = book.showing(order.leg);
  const movedAtMs = unixMs(Math.max(confirmedAtMs, executedAtMs ?? 0, stateSinceMs));
  return staleOwnUntilMs(mirror, movedAtMs, clocks) !== undefined;
}

function othersAt(book: MarketBook, { leg, side, price }: ShownAt): number {
  const { mirror, own } = book[leg];
  return own.othersAt(side, price, mirror.sizeAt(side, price));
}

/** More than a grid has prices. */
const PRICES = 1 << 16;

function keyOf({ leg, side, price }: ShownAt): number {
  return ((leg === 'yes' ? 0 : 2) + (side === 'bid' ? 0 : 1)) * PRICES + price;
}
