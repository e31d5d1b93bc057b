// The trades of one market: the public ones on the YES axis, with sums of the last minutes in fixed memory, and how our
// own fills fared.

import type { TokenId } from '../../domain/ids.ts';
import { clampShares, NO_SHARES } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import {
  type AxisSide,
  type PublicTrade,
  RECENT_TRADES_MAX,
  type Toxicity,
  type TradeDigest,
  type TradeFlow,
} from '../../strategy/index.ts';
import {
  type DecayedRate,
  decayFactor,
  secondsBetween,
  withRateCount,
} from '../../strategy/toolkit/estimate/decay.ts';
import {
  informedShare,
  type MarkoutShape,
  type Markouts,
  meanMarkout,
  measured,
  NO_MARKOUTS,
  withFill,
} from '../../strategy/toolkit/estimate/markout.ts';

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

// How our own fills fared after 10 s and 60 s against the fair value of then.

const SHORT = { horizonSec: 10, halfLifeSec: 1_800 };
const LONG = { horizonSec: 60, halfLifeSec: 1_800 };
/** Until this many fills have a 60 s markout, one bad fill would be taken for a trait. */
const FILLS_MIN = 5;
/** And while so many are left of them, the older ones discounted: what happened last week is no figure of today. */
const RECENT_FILLS_MIN = FILLS_MIN / 2;
/** mu before any own fill, worth as much as this many shares of fills. */
const PRIOR = { informedShare: 0.03, shares: 100 };
/** A few shares that lost much say little: the mean is drawn to nothing lost and nothing won. */
const MARKOUT_PRIOR = { markoutPrice: 0, shares: PRIOR.shares };
/** Quick losses remembered for the guard that counts them. */
const RECENT_MAX = 32;

type Now = { readonly fairPrice: number; readonly nowMs: UnixMs };

type OwnFill = {
  readonly side: AxisSide;
  readonly price: number;
  readonly shares: number;
  readonly atMs: UnixMs;
};

export class ToxicityMeter {
  #short: Markouts = NO_MARKOUTS;
  #long: Markouts = NO_MARKOUTS;
  #fills = 0;
  #recent: DecayedRate | undefined;
  #losses: { readonly side: AxisSide; readonly atMs: UnixMs }[] = [];

  onFill(fill: OwnFill): void {
    if (!(fill.price > 0 && fill.price < 1 && fill.shares > 0)) return;
    this.#short = withFill(this.#short, fill);
    this.#long = withFill(this.#long, fill);
  }

  /** Measures what is due; `lossPrice` per share or more after 10 s is a quick loss. */
  measure(now: Now, lossPrice: number): void {
    if (this.#short.waiting.length === 0 && this.#long.waiting.length === 0) return;
    this.#noteLosses(now, lossPrice);
    this.#short = measured(this.#short, now, SHORT);
    const before = this.#long.waiting.length;
    this.#long = measured(this.#long, now, LONG);
    const count = before - this.#long.waiting.length;
    if (count === 0) return;
    this.#fills += count;
    const { nowMs } = now;
    const recent = this.#recent ?? { decayedCount: 0, sinceMs: nowMs, atMs: nowMs };
    this.#recent = withRateCount(recent, { count, atMs: nowMs }, LONG.halfLifeSec);
  }

  /** Fills of one side that lost quickly, since a time. */
  quickLosses(side: AxisSide, sinceMs: number): number {
    return this.#losses.filter((loss) => loss.side === side && loss.atMs >= sinceMs).length;
  }

  /** Means of the fills alone, for people: what decides is drawn towards a prior, see `view`. */
  means(): {
    readonly after10sUsdc: number | undefined;
    readonly after60sUsdc: number | undefined;
  } {
    return { after10sUsdc: meanOf(this.#short), after60sUsdc: meanOf(this.#long) };
  }

  view(nowMs: UnixMs, fairPrice: number | undefined): Toxicity {
    const fills = this.#recentFills(nowMs);
    const isKnown = this.#fills >= FILLS_MIN && fills >= RECENT_FILLS_MIN;
    const markoutOf = (markouts: Markouts, { halfLifeSec }: MarkoutShape): number | undefined =>
      isKnown ? meanMarkout(markouts, MARKOUT_PRIOR, { nowMs, halfLifeSec }) : undefined;
    return {
      fills,
      markout10sUsdc: markoutOf(this.#short, SHORT),
      markout60sUsdc: markoutOf(this.#long, LONG),
      informedShare:
        isKnown && fairPrice !== undefined
          ? informedShare(this.#long, PRIOR, {
              nowMs,
              halfLifeSec: LONG.halfLifeSec,
              probability: fairPrice,
            })
          : undefined,
    };
  }

  #recentFills(nowMs: UnixMs): number {
    const recent = this.#recent;
    if (recent === undefined) return 0;
    return recent.decayedCount * decayFactor(secondsBetween(recent.atMs, nowMs), LONG.halfLifeSec);
  }

  #noteLosses(now: Now, lossPrice: number): void {
    for (const fill of this.#short.waiting) {
      const ageSec = (now.nowMs - fill.atMs) / 1_000;
      if (ageSec < SHORT.horizonSec || ageSec > 2 * SHORT.horizonSec) continue;
      const gain = fill.side === 'bid' ? now.fairPrice - fill.price : fill.price - now.fairPrice;
      if (gain <= -lossPrice) this.#losses.push({ side: fill.side, atMs: now.nowMs });
    }
    if (this.#losses.length > RECENT_MAX) this.#losses = this.#losses.slice(-RECENT_MAX);
  }
}

function meanOf(markouts: Markouts): number | undefined {
  const { mean } = markouts;
  return mean === undefined || mean.weight === 0 ? undefined : mean.weightedSum / mean.weight;
}
