// What the core works out about one market beside its books: fair value, trades, toxicity, queues.

import type { TokenId } from '../../domain/ids.ts';
import type { Leg } from '../../domain/market.ts';
import type { MessageOf } from '../../domain/message.ts';
import type { Side } from '../../domain/order.ts';
import { clampShares, type MicroShares, microShares, NO_SHARES } from '../../domain/shares.ts';
import { complement, type TickGrid, type Ticks } from '../../domain/ticks.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { AxisSide, FairValue, Filled, QueueEstimate } from '../../strategy/index.ts';
import {
  afterLevel,
  afterOwnFill,
  afterTrade,
  newPlace,
  type QueueModel,
  type QueuePlace,
} from '../../strategy/toolkit/estimate/queue-position.ts';
import { informedLogitStep } from '../../strategy/toolkit/model/glosten-milgrom.ts';
import { type MarketBook, shownAt, TokenAxisBook } from '../book/axis.ts';
import { rankOf } from '../book/ladder.ts';
import { MirroredMarket } from '../book/market.ts';
import type { ListedMarket, Listing, WorkQueue } from '../kernel/market.ts';
import { isQuoting, type OwnOrder } from '../orders/own-order.ts';
import { FairEstimator } from './estimator.ts';
import { ExternalFeed } from './external.ts';
import { ToxicityMeter, TradeTape } from './trades.ts';

type TokenBooks = { readonly yes: TokenAxisBook; readonly no: TokenAxisBook };
type Trade = MessageOf<'trade'>;

/** How far the fair value follows the taker of an own fill, in steps of Glosten and Milgrom. */
const FILL_CONFIDENCE = 0.5;
/** mu of such a step until markouts have shown another. */
const INFORMED_PRIOR = 0.03;
/** An external price older than this is an outage, unless the settings say otherwise. */
const EXTERNAL_AGE_MS_MAX = 10_000;

export class MarketInsight {
  readonly tape = new TradeTape();
  readonly external = new ExternalFeed();
  readonly toxicity = new ToxicityMeter();
  readonly queues = new QueueTracker();
  filled: Filled = { bought: NO_SHARES, sold: NO_SHARES };
  /** What own fills were better than the fair value of their moment; absent before the first that had one. */
  spreadEarnedUsdc: number | undefined;
  readonly #ofTokens: TokenBooks;
  readonly #ofUnified: TokenBooks;
  readonly #fair: FairEstimator;
  readonly #grid: TickGrid;
  readonly #book: MarketBook;
  #externalAgeMsMax = EXTERNAL_AGE_MS_MAX;

  constructor(grid: TickGrid, book: MarketBook) {
    this.#grid = grid;
    this.#book = book;
    this.#fair = new FairEstimator(grid);
    const yes = new TokenAxisBook(book.yes, 'yes');
    this.#ofTokens = { yes, no: new TokenAxisBook(book.no, 'no') };
    this.#ofUnified = { yes, no: yes };
  }

  get tokenBooks(): TokenBooks {
    return this.#book.isUnified ? this.#ofUnified : this.#ofTokens;
  }

  /** As the settings state it; ten seconds where they do not. */
  setExternalAgeMax(ageMs: number | undefined): void {
    this.#externalAgeMsMax = ageMs ?? EXTERNAL_AGE_MS_MAX;
  }

  /** A settlement echo has no side; it tells of a match that was told before. */
  onTrade(
    leg: Leg,
    trade: Trade,
    { nowMs, jumpedByMs }: { readonly nowMs: UnixMs; readonly jumpedByMs: number },
  ): void {
    const { tokenId, price, size, takerSide, venueTs } = trade;
    if (takerSide === undefined || size <= 0 || price >= this.#grid.ticksPerUnit) return;
    this.queues.onTrade({ tokenId, price, size, takerSide });
    const isBuyOfYes = (takerSide === 'BUY') === (leg === 'yes');
    this.tape.add({
      atMs: nowMs,
      jumpedByMs,
      price: leg === 'yes' ? price : complement(this.#grid, price),
      size,
      taker: isBuyOfYes ? 'buys' : 'sells',
      tokenId,
      venueTs,
    });
  }

  /** An own order traded: the taker may know something, and the fill is to be judged later. */
  onFill(
    fill: { readonly side: AxisSide; readonly price: Ticks; readonly quantity: MicroShares },
    nowMs: UnixMs,
  ): void {
    const price = fill.price / this.#grid.ticksPerUnit;
    const shares = fill.quantity / 1_000_000;
    this.toxicity.onFill({ side: fill.side, price, shares, atMs: nowMs });
    this.#earn(fill.side, price, shares);
    const done = fill.side === 'bid' ? 'bought' : 'sold';
    this.filled = { ...this.filled, [done]: clampShares(this.filled[done] + fill.quantity) };
    // At its own price: by the value that fills of this moment have moved, each of them would move it farther.
    const known = this.toxicity.view(nowMs, price).informedShare;
    const step = FILL_CONFIDENCE * informedLogitStep(known ?? INFORMED_PRIOR);
    this.#fair.shift(fill.side === 'bid' ? -step : step);
  }

  #earn(side: AxisSide, price: number, shares: number): void {
    const fair = this.#fair.price;
    if (fair === undefined) return;
    const edge = side === 'bid' ? fair - price : price - fair;
    this.spreadEarnedUsdc = (this.spreadEarnedUsdc ?? 0) + edge * shares;
  }

  /** Brings everything up to the moment of a decision; untrusted books are not looked at. */
  update(orders: Iterable<OwnOrder>, nowMs: UnixMs): void {
    const { yes, no, isUnified } = this.#book;
    const hasNo = no.mirror.isPriceable && !isUnified;
    this.queues.update(orders, this.#book);
    const traded = this.tape.take();
    this.#fair.step({
      yes: yes.mirror.isPriceable ? this.tokenBooks.yes : undefined,
      no: hasNo ? this.tokenBooks.no : undefined,
      tradeTicks: traded?.meanTicks,
      takerBalance: traded?.takerBalance ?? 0,
      external: this.external.at(nowMs, this.#externalAgeMsMax),
      nowMs,
    });
    const fairPrice = this.#fair.price;
    if (fairPrice !== undefined && fairPrice > 0 && fairPrice < 1) {
      this.toxicity.measure({ fairPrice, nowMs }, 1 / this.#grid.ticksPerUnit);
    }
  }

  fairAt(nowMs: UnixMs, externalAgeMsMax = this.#externalAgeMsMax): FairValue | undefined {
    return this.#fair.valueAt(nowMs, this.external.at(nowMs, externalAgeMsMax));
  }
}

// A market with what its trades and books say of its price.

export class PricedMarket extends MirroredMarket {
  readonly insight: MarketInsight;

  constructor(listing: Listing, workQueue: WorkQueue<ListedMarket>, depth: number) {
    super(listing, workQueue, depth);
    this.insight = new MarketInsight(this.grid, this.book);
  }
}

// Where our orders stand in the queues of their levels. The venue shows levels, not queues, so the
// place is an estimate: trades bring an order forward, and so do cancels that were ahead of it.
// Levels are compared once for each decision, so the order of messages inside a flush is no matter.

/**
 * Cancels of others are taken to fall behind us the more, the more stands there. The square lies
 * between "only trades bring us forward", which never trusts in a front place, and the half.
 */
const MODEL: QueueModel = { kind: 'power', exponent: 2 };

type Entry = {
  readonly atRest: MicroShares | undefined;
  place: QueuePlace;
  levelSize: number;
  executed: MicroShares;
};

/** Queue places of one market's live orders; it holds as many entries as there are such orders. */
export class QueueTracker {
  readonly #entries = new Map<OwnOrder, Entry>();

  /** A public trade on one token's own book. */
  onTrade(trade: {
    readonly tokenId: TokenId;
    readonly price: Ticks;
    readonly size: MicroShares;
    readonly takerSide: Side;
  }): void {
    for (const [order, entry] of this.#entries) {
      const isAtOurs = order.tokenId === trade.tokenId && order.price === trade.price;
      if (!isAtOurs || order.side === trade.takerSide) continue;
      entry.place = afterTrade(entry.place, trade.size).place;
    }
  }

  /** Compares the levels of live orders with what they showed at the last decision. */
  update(orders: Iterable<OwnOrder>, book: MarketBook): void {
    let kept = 0;
    for (const order of orders) {
      if (!isPlaced(order)) continue;
      this.#look(order, book);
      if (this.#entries.has(order)) kept += 1;
    }
    // Every entry is of an order that was just looked at: nothing has left.
    if (this.#entries.size > kept) this.#forgetOthers(orders);
  }

  of(order: OwnOrder): QueueEstimate | undefined {
    const entry = this.#entries.get(order);
    if (entry === undefined) return undefined;
    const ahead = Math.round(Math.min(entry.place.ahead, entry.levelSize));
    return { ahead: microShares(ahead), behind: microShares(entry.levelSize - ahead) };
  }

  /** What stood before it, of both tokens, when it came to rest; `undefined` where that was not seen. */
  aheadAtRest(order: OwnOrder): MicroShares | undefined {
    return this.#entries.get(order)?.atRest;
  }

  #forgetOthers(orders: Iterable<OwnOrder>): void {
    const live = new Set<OwnOrder>();
    for (const order of orders) if (isPlaced(order)) live.add(order);
    for (const order of this.#entries.keys()) if (!live.has(order)) this.#entries.delete(order);
  }

  #look(order: OwnOrder, book: MarketBook): void {
    const size = othersAt(order, book);
    const entry = this.#entries.get(order);
    // A level that is not displayed lies beyond the subscribed depth, or its frame is in flight.
    if (size === undefined) return;
    if (entry === undefined) {
      const { executed, axisSide, axisPrice } = order;
      const place = executed > 0 ? newPlace(0) : newPlace(size);
      const all = axisSide === 'bid' ? book.bidSizeAt(axisPrice) : book.askSizeAt(axisPrice);
      const atRest = executed > 0 ? undefined : all;
      this.#entries.set(order, { atRest, place, levelSize: size, executed });
      return;
    }
    if (hasMoved(entry, size)) {
      entry.place = afterLevel(entry.place, { previousSize: entry.levelSize, size }, MODEL);
    }
    entry.levelSize = size;
    if (order.executed > entry.executed) entry.place = afterOwnFill(entry.place);
    entry.executed = order.executed;
  }
}

function isPlaced(order: OwnOrder): boolean {
  return isQuoting(order) && order.orderHash !== undefined;
}

/** Something traded or left at its level, or came to it. */
function hasMoved({ place, levelSize }: Entry, size: number): boolean {
  return size !== levelSize || place.tradedSince !== 0 || place.ahead > size;
}

/** Shares of others at the order's own level, `undefined` while the level does not show. */
function othersAt(order: OwnOrder, book: MarketBook): number | undefined {
  const { leg, side, price } = shownAt(book, order);
  const { mirror, own } = book[leg];
  const rank = rankOf(mirror.grid, side, price);
  const displayed = mirror.levels(side).at(rank);
  return displayed === 0 ? undefined : own.side(side).others(rank, displayed);
}
