// The public trades of one market on the YES axis, and sums of the last minutes in fixed memory.

import type { TokenId } from '../../domain/ids.ts';
import { clampShares, NO_SHARES } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import {
  type PublicTrade,
  RECENT_TRADES_MAX,
  type TradeDigest,
  type TradeFlow,
} from '../../strategy/index.ts';

export type SeenTrade = PublicTrade & {
  readonly tokenId: TokenId;
  readonly venueTs: UnixMs | undefined;
  /** By how much our clock had jumped by then, all its jumps together. */
  readonly jumpedByMs: number;
};

/** Sums are kept in slots of this length; ten minutes are sixty of them. */
const SLOT_MS = 10_000;
const MINUTE_SLOTS = 6;
const TEN_MINUTES_SLOTS = 60;

/** Figures of a slot: which one it is, trades, shares bought, shares sold. */
const SLOT_FIGURES = 4;

const NO_FLOW: TradeFlow = Object.freeze({
  trades: 0,
  boughtShares: NO_SHARES,
  soldShares: NO_SHARES,
});
const NO_TRADES: TradeDigest = Object.freeze({
  recent: Object.freeze([]),
  lastMinute: NO_FLOW,
  lastTenMinutes: NO_FLOW,
});

/** What was traded since the last look, for estimators that step once for each flush. */
export type Batch = {
  readonly priceTimesSize: number;
  readonly size: number;
  /** Bought less sold. */
  readonly net: number;
};

const NO_BATCH: Batch = Object.freeze({ priceTimesSize: 0, size: 0, net: 0 });

export class TradeTape {
  /** One row of figures for each slot; most markets never see a trade, and have none. */
  #slots: Float64Array | undefined;
  /** The slot of the last trade: a look at a quiet market ends here. */
  #newest = 0;
  readonly #recent: SeenTrade[] = [];
  #batch: Batch = NO_BATCH;

  /** @returns Whether it is new: a match across both tokens may be told once for each of them. */
  add(trade: SeenTrade): boolean {
    if (this.#recent.some((known) => isSameMatch(known, trade))) return false;
    this.#recent.push(trade);
    if (this.#recent.length > RECENT_TRADES_MAX) this.#recent.shift();
    this.#count(trade);
    // Whole numbers add up to the same sum in any order, so a flush has one mean price.
    this.#batch = {
      priceTimesSize: this.#batch.priceTimesSize + trade.price * trade.size,
      size: this.#batch.size + trade.size,
      net: this.#batch.net + (trade.taker === 'buys' ? trade.size : -trade.size),
    };
    return true;
  }

  /** What traded since the last call: its mean price in ticks, and who took; `undefined` for nothing. */
  take(): { readonly meanTicks: number; readonly takerBalance: number } | undefined {
    const { priceTimesSize, size, net } = this.#batch;
    this.#batch = NO_BATCH;
    if (size === 0) return undefined;
    return { meanTicks: priceTimesSize / size, takerBalance: net / size };
  }

  digest(nowMs: UnixMs): TradeDigest {
    if (this.#recent.length === 0) return NO_TRADES;
    return {
      recent: this.#recent.map(({ atMs, price, size, taker }) => ({ atMs, price, size, taker })),
      lastMinute: this.#flow(nowMs, MINUTE_SLOTS),
      lastTenMinutes: this.#flow(nowMs, TEN_MINUTES_SLOTS),
    };
  }

  /**
   * Lowest and highest price of the trades that are remembered since a time.
   * @param jumpedByMs - Given where what our clock has jumped by is no time: all of it until now.
   */
  rangeSince(
    atMs: number,
    jumpedByMs?: number,
  ): { readonly low: number; readonly high: number } | undefined {
    let range: { low: number; high: number } | undefined;
    for (const trade of this.#recent) {
      const laterMs = jumpedByMs === undefined ? 0 : jumpedByMs - trade.jumpedByMs;
      if (trade.atMs + laterMs < atMs) continue;
      range ??= { low: trade.price, high: trade.price };
      range.low = Math.min(range.low, trade.price);
      range.high = Math.max(range.high, trade.price);
    }
    return range;
  }

  #count(trade: SeenTrade): void {
    this.#slots ??= new Float64Array(TEN_MINUTES_SLOTS * SLOT_FIGURES);
    const index = Math.floor(trade.atMs / SLOT_MS);
    const at = placeOf(index);
    if (this.#slots[at] !== index) this.#slots.fill(0, at, at + SLOT_FIGURES);
    this.#slots[at] = index;
    this.#add(at + 1, 1);
    this.#add(at + (trade.taker === 'buys' ? 2 : 3), trade.size);
    this.#newest = Math.max(this.#newest, index);
  }

  #add(at: number, by: number): void {
    if (this.#slots) this.#slots[at] = (this.#slots[at] ?? 0) + by;
  }

  #flow(nowMs: UnixMs, count: number): TradeFlow {
    const last = Math.floor(nowMs / SLOT_MS);
    const slots = this.#slots;
    if (slots === undefined || this.#newest <= last - count) return NO_FLOW;
    let trades = 0;
    let bought = 0;
    let sold = 0;
    for (let index = Math.min(last, this.#newest); index > last - count; index -= 1) {
      const at = placeOf(index);
      if (slots[at] !== index) continue;
      trades += slots[at + 1] ?? 0;
      bought += slots[at + 2] ?? 0;
      sold += slots[at + 3] ?? 0;
    }
    return { trades, boughtShares: clampShares(bought), soldShares: clampShares(sold) };
  }
}

function placeOf(index: number): number {
  return (index % TEN_MINUTES_SLOTS) * SLOT_FIGURES;
}

/** The same size at the same price and venue time on the other token is the same match told twice. */
function isSameMatch(one: SeenTrade, other: SeenTrade): boolean {
  return (
    one.venueTs !== undefined &&
    one.venueTs === other.venueTs &&
    one.tokenId !== other.tokenId &&
    one.price === other.price &&
    one.size === other.size
  );
}
