// What a strategy is: a pure function from what it may see to what it wants to have resting.

import type { EventId, MarketId } from '../domain/ids.ts';
import type { MicroShares } from '../domain/shares.ts';
import type { TickGrid, Ticks } from '../domain/ticks.ts';
import type { UnixMs } from '../domain/time.ts';
import type {
  Capital,
  ExternalSource,
  FairValue,
  Fees,
  Inventory,
  Limits,
  MarketLife,
  OwnQuote,
  Toxicity,
  TradeDigest,
} from './context.ts';
import type { Json } from './memory.ts';
import type { ParamSchema } from './params.ts';

/**
 * One book on the YES axis, without our own orders: NO levels are mirrored, so a NO ask at 0.40 is a
 * bid for YES at 0.60. Prices are ticks; a side may be empty.
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

export type QuoteContext<Params> = {
  readonly nowMs: UnixMs;
  readonly marketId: MarketId;
  readonly eventId: EventId;
  readonly grid: TickGrid;
  /** `undefined` when the venue states none; the same as `life.expiryAtMs`. */
  readonly expiryAtMs: UnixMs | undefined;
  /** Both tokens of the market joined on the YES axis. */
  readonly book: AxisBook;
  /** Each token's own book, both on the YES axis: what a market order for that token meets. */
  readonly tokenBooks: { readonly yes: AxisBook; readonly no: AxisBook };
  /** `undefined` until a book with both sides, or an external price, has been seen. */
  readonly fair: FairValue | undefined;
  /** Absent while nobody outside ever reported a price of this market. */
  readonly externalSource?: ExternalSource | undefined;
  readonly trades: TradeDigest;
  readonly toxicity: Toxicity;
  readonly inventory: Inventory;
  readonly capital: Capital;
  /** The position limit per outcome token, for strategies that lean against it. */
  readonly maxPosition: MicroShares;
  readonly limits: Limits;
  readonly ownQuotes: readonly OwnQuote[];
  readonly life: MarketLife;
  readonly fees: Fees;
  readonly params: Params;
  /** What the last target quotes left; of an event strategy it is the event's, in `EventContext`. */
  readonly memory: Json | undefined;
};

/** `reduce` brings the net position nearer to zero and may be allowed where `add` is not. */
export type QuotePurpose = 'add' | 'reduce';

export type Quote = {
  readonly side: AxisSide;
  readonly price: Ticks;
  readonly quantity: MicroShares;
  readonly purpose: QuotePurpose;
  /**
   * The price nearest to the other side at which an order of ours may stay for this quote: the
   * highest for a bid, the lowest for an ask. It is `price` where absent. An order beyond it is
   * cancelled at once; one that is not keeps its place in the queue as long as that is worth it.
   */
  readonly worst?: Ticks;
};

/**
 * An order meant to take what rests, for consistency trades only: FAK, so nothing of it is left. It
 * is sent only for a strategy that says `takes`, only while the taker fee is known, and passes the
 * same limits as any order.
 */
export type Take = {
  readonly leg: 'yes' | 'no';
  readonly side: 'BUY' | 'SELL';
  /** On the leg's own axis, not on the YES axis: the worst price that is still right. */
  readonly price: Ticks;
  readonly quantity: MicroShares;
};

/** Takes of one target quote: both legs of a set, or every leg of a small event. */
export const TAKES_MAX = 4;

/** Why a strategy leaves a side empty, or quotes it other than usual. */
export type QuoteReason = {
  readonly side: AxisSide | 'both';
  /** Stable, `snake_case`. */
  readonly code: string;
  readonly detail: string;
  /** What would clear it, for people. */
  readonly clears: string;
};

export type TargetQuotes = {
  /** At most `QUOTES_MAX` a side; the engine refuses more. */
  readonly quotes: readonly Quote[];
  /** The first `REASONS_MAX` are kept, and `REASON_CHARS_MAX` characters of each text. */
  readonly reasons: readonly QuoteReason[];
  /** At most `TAKES_MAX`; in the order in which they are to be sent. */
  readonly takes?: readonly Take[];
  /** Kept for the next call; absent leaves it as it was. Checked by `memoryFault`. */
  readonly memory?: Json;
};

/** Wanted quotes a strategy may have on one side of one market. */
export const QUOTES_MAX = 50;

type Described<Params> = {
  readonly name: string;
  /** One sentence for `README` and `--help`. */
  readonly summary: string;
  readonly params: ParamSchema<Params>;
  /** Its purpose includes taking; without it `takes` of a target quote are refused. */
  readonly takes?: boolean;
};

/**
 * A strategy for one market at a time. `quote` is pure: same context, same target quotes; no clock, no
 * randomness, no I/O, no promise, nor one within. What it throws is caught, reported, and leaves its market without quotes.
 */
export interface MarketStrategy<Params = unknown> extends Described<Params> {
  readonly scope?: 'market';
  quote(context: QuoteContext<Params>): TargetQuotes;
}

/** One market of an event, as a joint strategy sees it. */
export type EventMarket<Params> = {
  readonly context: QuoteContext<Params>;
  /**
   * Why it cannot be quoted now, `undefined` when it can: that it is decided, or that its books cannot be had, before
   * what is ours, as a stop. Its books may then be wrong or empty, its inventory is not; target quotes for it are dropped.
   */
  readonly blocked: string | undefined;
};

export type EventContext<Params> = {
  readonly nowMs: UnixMs;
  readonly eventId: EventId;
  /** Every market of the event that this strategy quotes, in the order of the catalogue. */
  readonly markets: readonly EventMarket<Params>[];
  /**
   * Whether exactly one of all markets of the event comes true, as the operator states it, and all of
   * them are in `markets`. The venue does not say; without it prices must not be made to add up.
   */
  readonly isExclusive: boolean;
  readonly params: Params;
  readonly memory: Json | undefined;
};

export type EventTargets = {
  /** A market that is not named has no quotes and no reason of its own. */
  readonly markets: readonly { readonly marketId: MarketId; readonly targetQuotes: TargetQuotes }[];
  /** Of the whole event; a `memory` inside the target quotes of a market is refused. */
  readonly memory?: Json;
};

/** A strategy that prices the markets of one event together. */
export interface EventStrategy<Params = unknown> extends Described<Params> {
  readonly scope: 'event';
  quoteEvent(context: EventContext<Params>): EventTargets;
}

export type Strategy<Params = unknown> = MarketStrategy<Params> | EventStrategy<Params>;

/** Keeps the parameter types of a strategy while it is written. */
export function defineStrategy<Params>(strategy: MarketStrategy<Params>): MarketStrategy<Params> {
  return strategy;
}

/** The same for a strategy of a whole event. */
export function defineEventStrategy<Params>(
  strategy: EventStrategy<Params>,
): EventStrategy<Params> {
  return strategy;
}
