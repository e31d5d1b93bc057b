// What a strategy is: a pure function from what it may see to what it wishes to have resting.

import type { MarketId } from '../domain/ids.ts';
import type { MicroShares } from '../domain/shares.ts';
import type { TickGrid, Ticks } from '../domain/ticks.ts';
import type { UnixMs } from '../domain/time.ts';
import type { ParamSchema } from './params.ts';

/**
 * One book of the market on the YES axis, without our own orders: NO levels are mirrored, so a NO
 * ask at 0.40 is a bid for YES at 0.60. Prices are ticks; a side may be empty.
 */
export interface AxisBook {
  bestBid(): Ticks | undefined;
  bestAsk(): Ticks | undefined;
  /** Shares of others at a price, zero where nothing rests. */
  bidSizeAt(price: Ticks): MicroShares;
  askSizeAt(price: Ticks): MicroShares;
  /** The next bid below a price, for a walk down the side. */
  nextBid(below: Ticks): Ticks | undefined;
  /** The next ask above a price. */
  nextAsk(above: Ticks): Ticks | undefined;
}

export type AxisSide = 'bid' | 'ask';

/** A live order of ours as the axis shows it, whichever leg carries it. */
export type OwnQuote = {
  readonly side: AxisSide;
  readonly price: Ticks;
  /** Shares still resting. */
  readonly remaining: MicroShares;
  readonly restingSinceMs: UnixMs;
};

export type Inventory = {
  /** Shares of each token: settled plus matched and not yet settled. */
  readonly yes: MicroShares;
  readonly no: MicroShares;
  /** `yes - no`: what is left of the position when complete sets count as cash. */
  readonly net: MicroShares;
};

export type QuoteContext<Params> = {
  readonly nowMs: UnixMs;
  readonly marketId: MarketId;
  readonly grid: TickGrid;
  /** `undefined` when the venue states none. */
  readonly expiryAtMs: UnixMs | undefined;
  /** Both tokens of the market joined on the YES axis. */
  readonly book: AxisBook;
  readonly inventory: Inventory;
  /** The position limit per outcome token, for strategies that lean against it. */
  readonly maxPosition: MicroShares;
  readonly ownQuotes: readonly OwnQuote[];
  readonly params: Params;
};

/** `reduce` brings the net position nearer to zero and may be allowed where `add` is not. */
export type QuotePurpose = 'add' | 'reduce';

export type Quote = {
  readonly side: AxisSide;
  readonly price: Ticks;
  readonly quantity: MicroShares;
  readonly purpose: QuotePurpose;
};

/** Why a strategy leaves a side empty, or quotes it other than usual. */
export type QuoteReason = {
  readonly side: AxisSide | 'both';
  /** Stable, `snake_case`. */
  readonly code: string;
  readonly detail: string;
  /** What would clear it, for people. */
  readonly clears: string;
};

export type QuoteWish = {
  /** At most `QUOTES_MAX` a side; the engine refuses more. */
  readonly quotes: readonly Quote[];
  readonly reasons: readonly QuoteReason[];
};

/** Wished quotes a strategy may have on one side of one market. */
export const QUOTES_MAX = 50;

/**
 * A strategy. `quote` is pure: same context, same wish; no clock, no randomness, no I/O. What it
 * throws is caught, reported, and leaves its market without quotes.
 */
export interface Strategy<Params = unknown> {
  readonly name: string;
  /** One sentence for `README` and `--help`. */
  readonly summary: string;
  readonly params: ParamSchema<Params>;
  quote(context: QuoteContext<Params>): QuoteWish;
}

/** Keeps the parameter types of a strategy while it is written. */
export function defineStrategy<Params>(strategy: Strategy<Params>): Strategy<Params> {
  return strategy;
}
