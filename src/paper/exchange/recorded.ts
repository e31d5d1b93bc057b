// A recording played onto the book: size that belongs to nobody, and trades among external orders.

import type { OutcomeIndex } from '../../domain/market.ts';
import type { BookSide } from '../../domain/message.ts';
import type { Side } from '../../domain/order.ts';
import type { Account } from './account.ts';
import { NO_FEE } from './amounts.ts';
import { type AxisPoint, axisLevel, axisPoint, bookSideOf, mirrored, opposite } from './axis.ts';
import type { ExchangeContext } from './context.ts';
import type { Fills } from './fills.ts';
import { legOf, type MatchPoint, makerOf, type Party } from './legs.ts';
import type { ListedMarket } from './listed-market.ts';
import { type AxisLevel, INDEXES, type MarketBook } from './market-book.ts';
import type { Matcher } from './matcher.ts';
import type { QueueModel } from './rules.ts';
import type { Settlement } from './settlement.ts';
import type { Trade } from './trade.ts';

export type RecordedParts = {
  readonly context: ExchangeContext;
  readonly fills: Fills;
  readonly settlement: Settlement;
  readonly matcher: Matcher;
  /** The anonymous account behind all recorded size. */
  readonly nobody: Account;
};

export type RecordedLevel = {
  readonly index: OutcomeIndex;
  readonly side: BookSide;
  readonly price: number;
  readonly sizeMicro: number;
};

export type RecordedTrade = {
  readonly index: OutcomeIndex;
  readonly price: number;
  readonly sizeMicro: number;
  readonly takerSide: Side;
};

/** A recorded taker in flight through the real orders. */
type Print = {
  readonly market: ListedMarket;
  readonly taker: Party;
  readonly axisSide: BookSide;
  readonly trades: Trade[];
  leftMicro: number;
};

/**
 * Transactions that may await the chain before recorded trades stop joining them: beyond it such a
 * trade is still printed, but leaves no candle. Own fills always settle.
 */
const PRINTS_PENDING_MAX = 20_000;

export class Recorded {
  readonly #parts: RecordedParts;

  constructor(parts: RecordedParts) {
    this.#parts = parts;
  }

  /** Replaces a recorded size; real orders that it now reaches fill at their own price. */
  setLevel(market: ListedMarket, recorded: RecordedLevel): void {
    const point = axisLevel(market.grid, recorded);
    const level = this.#bookOf(market).ensureLevel(point.side, point.tick);
    level.setRecorded(recorded.index, recorded.sizeMicro, this.#queue);
    if (market.trading === 'open' && recorded.sizeMicro > 0) {
      this.#reach(market, level, { ...point, index: recorded.index });
    }
    this.#bookOf(market).tidy(point);
    this.#tellLevel(market, recorded);
  }

  /** Drops all recorded size of one token. */
  clear(market: ListedMarket, index: OutcomeIndex): void {
    const book = this.#bookOf(market);
    for (const side of SIDES) {
      for (const tick of book.allTicks(side)) {
        book.level(side, tick)?.setRecorded(index, 0, this.#queue);
        book.tidy({ side, tick });
      }
    }
    this.#parts.context.emit({ kind: 'bookReset', market });
  }

  /** After a pause: recorded size that moved through real orders meanwhile fills them now. */
  reachAll(market: ListedMarket): void {
    const book = this.#bookOf(market);
    for (const side of SIDES) {
      for (const tick of book.allTicks(side)) this.#reachFrom(market, { side, tick });
    }
  }

  /** A recorded trade passes: real orders at its price or better fill in their turn. */
  print(market: ListedMarket, trade: RecordedTrade): void {
    const point = axisPoint(market.grid, {
      index: trade.index,
      side: trade.takerSide,
      price: trade.price,
    });
    const print: Print = {
      market,
      taker: this.#party(trade.index),
      axisSide: point.side,
      trades: [],
      leftMicro: trade.sizeMicro,
    };
    if (market.trading === 'open') this.#passThrough(print, point.tick);
    this.#tellRest(print, trade);
    this.#submit(print.trades);
  }

  #reachFrom(market: ListedMarket, point: AxisPoint): void {
    const level = this.#bookOf(market).ensureLevel(point.side, point.tick);
    for (const index of INDEXES) {
      if (level.recordedMicro(index) > 0) this.#reach(market, level, { ...point, index });
    }
    this.#bookOf(market).tidy(point);
  }

  #passThrough(print: Print, limitTick: number): void {
    const restingSide = opposite(print.axisSide);
    const indexes = this.#parts.matcher.scopeOf(print.taker.index, 'market');
    const book = this.#bookOf(print.market);
    for (const tick of book.ticksTo(restingSide, limitTick)) {
      const level = book.ensureLevel(restingSide, tick);
      for (const maker of [...level.orders]) {
        if (!indexes.includes(maker.index)) continue;
        for (const index of indexes) {
          const passed = Math.min(print.leftMicro, maker.aheadMicro[index]);
          level.tradeRecorded(index, passed);
          print.leftMicro -= passed;
        }
        const quantityMicro = Math.min(print.leftMicro, maker.restingMicro());
        if (quantityMicro === 0) return;
        this.#fill(print, makerOf(maker), { tick, quantityMicro });
      }
    }
  }

  #reach(
    market: ListedMarket,
    level: AxisLevel,
    from: { readonly side: BookSide; readonly tick: number; readonly index: OutcomeIndex },
  ): void {
    const restingSide = opposite(from.side);
    const indexes = this.#parts.matcher.scopeOf(from.index, 'market');
    const book = this.#bookOf(market);
    const print: Print = {
      market,
      taker: this.#party(from.index),
      axisSide: from.side,
      trades: [],
      leftMicro: level.recordedMicro(from.index),
    };
    for (const tick of book.ticksTo(restingSide, from.tick)) {
      for (const maker of [...book.ensureLevel(restingSide, tick).orders]) {
        if (!indexes.includes(maker.index)) continue;
        const quantityMicro = Math.min(print.leftMicro, maker.restingMicro());
        if (quantityMicro === 0) break;
        level.takeRecorded(from.index, quantityMicro);
        this.#fill(print, makerOf(maker), { tick, quantityMicro });
      }
    }
    if (print.trades.length === 0) return;
    this.#submit(print.trades);
    const price = mirrored(market.grid, from.index, from.tick);
    this.#tellLevel(market, { index: from.index, side: bookSideOf(from.side, from.index), price });
  }

  #fill(
    print: Print,
    maker: Party,
    at: { readonly tick: number; readonly quantityMicro: number },
  ): void {
    const point: MatchPoint = { market: print.market, takerSide: print.axisSide, ...at };
    print.trades.push(this.#parts.fills.match(print.taker, maker, point));
    print.leftMicro -= at.quantityMicro;
  }

  /** The part of a recorded trade that no real order took is a trade between external orders. */
  #tellRest(print: Print, trade: RecordedTrade): void {
    const { context, fills } = this.#parts;
    const filled = print.trades.reduce((sum, each) => sum + each.taker.quantityMicro, 0);
    const quantityMicro = trade.sizeMicro - filled;
    if (quantityMicro <= 0) return;
    const tick = mirrored(print.market.grid, trade.index, trade.price);
    const point = { market: print.market, takerSide: print.axisSide, tick, quantityMicro };
    const taker = legOf(print.taker, print.axisSide, point);
    const maker = legOf(print.taker, opposite(print.axisSide), point);
    fills.tellPublic(taker);
    if (this.#parts.settlement.pending > PRINTS_PENDING_MAX) return;
    const tradeId = context.hashes.next();
    this.#submit([{ tradeId, taker, maker, matchedAtMs: context.clock.nowMs() }]);
  }

  #submit(trades: readonly Trade[]): void {
    if (trades.length > 0) this.#parts.settlement.submit(trades);
  }

  get #queue(): QueueModel {
    return this.#parts.context.rules.recordedQueue;
  }

  #bookOf(market: ListedMarket): MarketBook {
    return this.#parts.context.books.of(market);
  }

  #party(index: OutcomeIndex): Party {
    return { account: this.#parts.nobody, order: undefined, index, fee: NO_FEE };
  }

  #tellLevel(market: ListedMarket, recorded: Omit<RecordedLevel, 'sizeMicro'>): void {
    this.#parts.context.emit({
      kind: 'levelChanged',
      token: { market, index: recorded.index },
      side: recorded.side,
      priceTicks: recorded.price,
    });
  }
}

const SIDES: readonly BookSide[] = ['bid', 'ask'];
