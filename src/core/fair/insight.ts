// What the core works out about one market beside its books: fair value, trades, toxicity, queues.

import type { Leg } from '../../domain/market.ts';
import type { MessageOf } from '../../domain/message.ts';
import { clampShares, type MicroShares, NO_SHARES } from '../../domain/shares.ts';
import { complement, type TickGrid, type Ticks } from '../../domain/ticks.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { AxisSide, FairValue, Filled } from '../../strategy/index.ts';
import { informedLogitStep } from '../../strategy/toolkit/model/glosten-milgrom.ts';
import { type MarketBook, TokenAxisBook } from '../book/axis.ts';
import { MirroredMarket } from '../book/market.ts';
import type { ListedMarket, Listing, WorkQueue } from '../kernel/market.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import { FairEstimator } from './estimator.ts';
import { ExternalFeed } from './external.ts';
import { QueueTracker } from './queue.ts';
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
