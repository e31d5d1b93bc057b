// Both books of a binary market joined on the YES price, without our own orders.

import { assert } from '../../domain/assert.ts';
import type { BookSide } from '../../domain/message.ts';
import { clampShares, type MicroShares } from '../../domain/shares.ts';
import type { TickGrid, Ticks } from '../../domain/ticks.ts';
import type { AxisBook } from '../../strategy/contract.ts';
import { type Levels, NO_RANK, priceOf, rankOf } from './ladder.ts';
import type { BookMirror } from './mirror.ts';
import type { OwnSide, OwnSizes } from './own.ts';

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
