// The public trades of one market on the YES axis, and sums of the last minutes in fixed memory.

import type { TokenId } from '../../domain/ids.ts';
import { clampShares, type MicroShares } from '../../domain/shares.ts';
import type { Ticks } from '../../domain/ticks.ts';
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
};

/** Sums are kept in slots of this length; ten minutes are sixty of them. */
const SLOT_MS = 10_000;
const MINUTE_SLOTS = 6;
const TEN_MINUTES_SLOTS = 60;

type Slot = { index: number; trades: number; bought: number; sold: number };

/** What was traded since the last look, for estimators that step once for each flush. */
export type Batch = { readonly priceTimesSize: number; readonly size: number };

const NO_BATCH: Batch = Object.freeze({ priceTimesSize: 0, size: 0 });

export class TradeTape {
  readonly #slots: Slot[] = Array.from({ length: TEN_MINUTES_SLOTS }, () => emptySlot());
  readonly #recent: SeenTrade[] = [];
  #batch: Batch = NO_BATCH;

  /** @returns Whether it is news: a match across both tokens may be told once for each of them. */
  add(trade: SeenTrade): boolean {
    if (this.#recent.some((known) => isSameMatch(known, trade))) return false;
    this.#recent.push(trade);
    if (this.#recent.length > RECENT_TRADES_MAX) this.#recent.shift();
    const slot = this.#slotAt(trade.atMs);
    slot.trades += 1;
    if (trade.taker === 'buys') slot.bought += trade.size;
    else slot.sold += trade.size;
    // Whole numbers add up to the same sum in any order, so a flush has one mean price.
    this.#batch = {
      priceTimesSize: this.#batch.priceTimesSize + trade.price * trade.size,
      size: this.#batch.size + trade.size,
    };
    return true;
  }

  /** Mean price in ticks of what traded since the last call, `undefined` for nothing. */
  takeMeanTicks(): number | undefined {
    const { priceTimesSize, size } = this.#batch;
    this.#batch = NO_BATCH;
    return size === 0 ? undefined : priceTimesSize / size;
  }

  digest(nowMs: UnixMs): TradeDigest {
    return {
      recent: this.#recent.map(({ atMs, price, size, taker }) => ({ atMs, price, size, taker })),
      lastMinute: this.#flow(nowMs, MINUTE_SLOTS),
      lastTenMinutes: this.#flow(nowMs, TEN_MINUTES_SLOTS),
    };
  }

  /** Prices of trades since a time, newest last. */
  since(atMs: number): readonly { readonly price: Ticks; readonly size: MicroShares }[] {
    return this.#recent.filter((trade) => trade.atMs >= atMs);
  }

  /** Lowest and highest price of the trades that are remembered since a time. */
  rangeSince(atMs: number): { readonly low: number; readonly high: number } | undefined {
    let range: { low: number; high: number } | undefined;
    for (const trade of this.#recent) {
      if (trade.atMs < atMs) continue;
      range ??= { low: trade.price, high: trade.price };
      range.low = Math.min(range.low, trade.price);
      range.high = Math.max(range.high, trade.price);
    }
    return range;
  }

  #slotAt(atMs: UnixMs): Slot {
    const index = Math.floor(atMs / SLOT_MS);
    const place = index % TEN_MINUTES_SLOTS;
    const known = this.#slots[place];
    if (known?.index === index) return known;
    const fresh = { ...emptySlot(), index };
    this.#slots[place] = fresh;
    return fresh;
  }

  #flow(nowMs: UnixMs, count: number): TradeFlow {
    const last = Math.floor(nowMs / SLOT_MS);
    let trades = 0;
    let bought = 0;
    let sold = 0;
    for (const slot of this.#slots) {
      if (slot.index <= last - count || slot.index > last) continue;
      trades += slot.trades;
      bought += slot.bought;
      sold += slot.sold;
    }
    return { trades, boughtShares: clampShares(bought), soldShares: clampShares(sold) };
  }
}

function emptySlot(): Slot {
  return { index: Number.NEGATIVE_INFINITY, trades: 0, bought: 0, sold: 0 };
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
