// What an operator sees: a plain snapshot of the core, made on demand for status, page and metrics.
// Prices, quantities and money are exact decimal texts, so that JSON carries them unharmed.

import type { FeedView } from './feed.ts';
import type { FiguresView } from './figures.ts';
import type { EventId, MarketId, OrderHash, TokenId } from './ids.ts';
import type { TradingStatus } from './market.ts';
import type { OrderState } from './order.ts';
import type { OverlayName } from './overlays.ts';
import type { MarketStopKind, RiskView } from './risk.ts';
import type { SelectionView } from './selection.ts';
import type { RecyclerMode, SetsOrder, SetsView } from './sets.ts';
import type { Supervision, SuspendedStrategy } from './supervision.ts';
import type { UnixMs } from './time.ts';

export type Phase =
  /** Waiting for catalogue, socket, account. */
  | 'starting'
  /** Removing what a previous run left on the venue. */
  | 'clearing'
  | 'quoting'
  | 'paused'
  /** A limit was broken; quotes are pulled until an operator resumes. */
  | 'halted'
  | 'killing'
  | 'killed'
  | 'stopping'
  | 'stopped';

/** Why one side of one market is not quoted. @spec Architecture decision 12 */
export type Reason = {
  readonly code: string;
  readonly detail: string;
  readonly sinceMs: UnixMs;
  /** What would clear it, for people. */
  readonly clears: string;
};

/** A market that an operator has stopped, whether or not it is configured any more. */
export type StoppedMarketView = {
  readonly marketId: MarketId;
  readonly stop: MarketStopKind;
  readonly by: string;
  readonly sinceMs: UnixMs;
  /** No order of ours is left there, nor one that may still arrive. */
  readonly isConfirmed: boolean;
};

/** Something under `markets` that is no market we could quote. */
export type UnlistedView = Reason & {
  /** As the configuration names it. */
  readonly choice: string;
};

export type QuoteView = { readonly price: string; readonly quantity: string };

export type OwnQuoteView = QuoteView & {
  /** When the oldest order of this price was sent. */
  readonly sinceMs?: UnixMs;
  /** Shares of others that are taken to stand before it at its level; absent while that is not known. */
  readonly ahead?: string | undefined;
};

/** What the fair value has moved in our favour since our fills, per share; a mean over the fills of this run. */
export type MarkoutsView = {
  readonly after10sUsdc: string;
  readonly after60sUsdc: string | undefined;
};

/** They add up to the profit of a market. */
export type PnlParts = {
  /** At the first price of this run. */
  readonly beforeUsdc: string;
  /** What own fills of this run were better than the fair value of their moment. */
  readonly spreadUsdc: string;
  /** What prices did since then to what was held: adverse selection, inventory, fees and sets. */
  readonly movedUsdc: string;
};

/** What one set of parameters would have come to, had only its own quotes rested; simulated. */
export type SimulatedView = {
  /** At the middle of the book. */
  readonly pnlUsdc: string;
  /** What fills were better than the middle before them. */
  readonly spreadUsdc: string;
  readonly fills: number;
  readonly filledShares: string;
  /** YES less NO. */
  readonly netShares: string;
  readonly inventoryRmsShares: string;
};

/** Other parameters beside those in force, both simulated the same way; see `markets[].shadow`. */
export type ShadowView = {
  /** What is different. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly sinceMs: UnixMs;
  readonly live: SimulatedView;
  readonly shadow: SimulatedView;
  /** What the strategy threw when it was last asked under one of the two. */
  readonly fault?: string | undefined;
};

export type SidesView = {
  readonly bids: readonly QuoteView[];
  readonly asks: readonly QuoteView[];
};

/** What one of the guards does to the quotes of a market right now. */
export type GuardView = {
  readonly guard: OverlayName;
  readonly side: 'bid' | 'ask' | 'both';
  readonly code: string;
  readonly detail: string;
  readonly clears: string;
  readonly effect: 'pulled' | 'smaller' | 'moved';
};

/** Why time does not count in quoting uptime. */
export const UPTIME_EXCLUSIONS = ['strategy', 'limit', 'operator', 'venue', 'market'] as const;
/**
 * `strategy` wants no quote there · `limit`: one is reached · `operator` stopped it · `venue`: it does not
 * answer · `market`: it is not open.
 */
export type UptimeExclusion = (typeof UPTIME_EXCLUSIONS)[number];

/**
 * Share of time in which a side that the strategy wants quoted had an order resting, 0 to 1, counted while the
 * market is open and the venue answers; `undefined` while no time counts.
 */
export type UptimeView = {
  readonly sinceStart: number | undefined;
  readonly lastHour: number | undefined;
  /** Time that counts, since the start. */
  readonly countedMs?: number;
  /** Time that is not counted, since the start. */
  readonly excludedMs: Readonly<Record<UptimeExclusion, number>>;
};

/** What the core takes YES to be worth. */
export type FairView = {
  readonly price: string;
  /** Standard deviation in log-odds. */
  readonly logOddsDeviation: string;
  readonly ageMs: number;
  /** The price from outside the venue, while a feed is configured and not out of date. */
  readonly external: string | undefined;
};

/** When a changed parameter counts. */
export type AppliesWhen =
  /** Quotes move at once, whatever their places are worth. */
  | 'now'
  /** From the next decision on, by the rules of moving. */
  | 'requote'
  | 'restart';

/** Parameters in force; the version names strategy, parameters and guards together. */
export type ParamsView = {
  readonly version: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** When a change of each counts: now, at the next requote, or after a restart. */
  readonly applies: Readonly<Record<string, AppliesWhen>>;
  /** Changed in the file, and waiting for a restart. */
  readonly pendingRestart: readonly string[];
};

/** Complete sets of one market, what they could become, and what the recycler makes of them. */
export type MarketSetsView = {
  readonly mode: RecyclerMode;
  /** Settled sets that no sell holds: a merge turns each into 1.00 USDC. */
  readonly free: string;
  /** Settled shares of a resolved market: the winning ones pay 1.00 USDC each. */
  readonly claim: { readonly yes: string; readonly no: string } | undefined;
  /** What it would do next: at once when on, never in a dry run. */
  readonly request: { readonly action: SetsOrder['action']; readonly amount: string } | undefined;
  /** Why nothing is done right now; absent before it has looked, and where it is off. */
  readonly reason: Reason | undefined;
};

/** A part of a position that nobody has reported: between 0 and `shares` of it happened. */
export type UncertainView = {
  /** Signed: what it adds to the position if it all happened. */
  readonly shares: string;
  /**
   * Why it is open, as a closed word: `order_end`, `trade_failed`, `order_restored`, `may_arrive`, `unsettled`,
   * `balances_differ`, `previous_run`.
   */
  readonly cause: string;
  readonly sinceMs: UnixMs;
  /** It was reported, and balances took it back: limits count it for a while, and no quote is away for it. */
  readonly isOwed?: true;
};

/** A fill that is in flight to the chain; `shares` are signed. */
export type SettlingView = { readonly shares: string; readonly sinceMs: UnixMs };

/** What a token's position may be: the truth lies in `low` to `high`, live orders not counted. @spec Architecture decision 8 */
export type PositionView = {
  readonly low: string;
  readonly expected: string;
  readonly high: string;
  /** Settled for certain, and locked by no own sell. */
  readonly sellable: string;
  /** Own fills that have not settled yet, signed. */
  readonly pending: string;
  /** The oldest of these, one by one. */
  readonly settling?: readonly SettlingView[];
  readonly uncertain: readonly UncertainView[];
};

export type MarketView = {
  readonly eventId: EventId;
  readonly eventSlug: string;
  readonly marketId: MarketId;
  readonly title: string;
  readonly strategy: string;
  readonly tickSize: string;
  readonly status: TradingStatus;
  readonly yesTokenId: TokenId;
  readonly noTokenId: TokenId;
  /** `TrustState` of each book. */
  readonly bookStates: { readonly yes: string; readonly no: string };
  /** Best prices of the market without our own orders, on the YES axis. */
  readonly bestBid: string | undefined;
  readonly bestAsk: string | undefined;
  /** Our live quotes on the YES axis, best first. */
  readonly ownBids: readonly OwnQuoteView[];
  readonly ownAsks: readonly OwnQuoteView[];
  /** The first levels of the book without our own orders, on the YES axis, best first. */
  readonly book?: SidesView;
  /** What the strategy wants to rest after the quote filters, on the YES axis. */
  readonly targets?: SidesView;
  /** Binding reason for a side that has no live quote. */
  readonly bidReason: Reason | undefined;
  readonly askReason: Reason | undefined;
  readonly guards: readonly GuardView[];
  readonly uptime: { readonly bid: UptimeView; readonly ask: UptimeView };
  readonly params: ParamsView;
  readonly fair: FairView | undefined;
  readonly positionYes: string;
  readonly positionNo: string;
  readonly settledYes: string;
  readonly settledNo: string;
  readonly positions?: { readonly yes: PositionView; readonly no: PositionView };
  readonly sets?: MarketSetsView;
  /** Cash from fills plus inventory at the middle of the book, since the start. */
  readonly pnlUsdc: string | undefined;
  /** The price of YES in that: the last middle, or 0 or 1 once the outcome is known. */
  readonly mark?: string | undefined;
  readonly pnlParts?: PnlParts | undefined;
  readonly markouts?: MarkoutsView | undefined;
  /** What own fills of this run were better than the fair value of their moment. */
  readonly spreadEarnedUsdc?: string | undefined;
  readonly fills: number;
  readonly bookUpdates: number;
  readonly figures?: FiguresView;
  readonly shadow?: ShadowView | undefined;
};

/** Nobody who starts anew would know of it; whoever holds it in memory keeps quotes away. */
export type LatchFault = {
  readonly by: string;
  /** ISO 8601: when the kill was ordered. */
  readonly at: string;
  readonly detail: string;
};

/** A configuration on disk that is not in force: the next start would refuse it, too. */
export type RefusedEdit = {
  readonly file: string;
  /** ISO 8601: when it was read. */
  readonly at: string;
  /** The first of them. */
  readonly problems: readonly string[];
};

export type StateView = {
  readonly atMs: UnixMs;
  /** A dry run: the real venue whose books these are, while own orders are simulated. */
  readonly dryRunOf?: string;
  /** Why the venue shows nothing more, as a recording that cannot be read on: file, line and reason. */
  readonly venueFault?: string;
  /** What start, pause, kill and shutdown cancel. */
  readonly cancelScope?: 'account' | 'own';
  /** Orders of the account that are somebody else's and are left alone. */
  readonly ordersOfOthers?: number;
  /** Live orders that the venue refuses to cancel. */
  readonly uncancellable?: readonly OrderHash[];
  /** Short name of the settings in force; a reload that changes any of them changes it. */
  readonly settingsVersion: string;
  readonly phase: Phase;
  readonly phaseReason: string;
  readonly markets: readonly MarketView[];
  /** Configured, and not to be found at the venue: these have no row under `markets`. */
  readonly unlisted?: readonly UnlistedView[];
  /** Absent where no market is. */
  readonly stoppedMarkets?: readonly StoppedMarketView[];
  readonly ordersByState: Readonly<Record<OrderState, number>>;
  /** Until then a placement that has left may still be accepted, and no kill is confirmed; absent where none may. */
  readonly mayArriveUntilMs?: UnixMs | undefined;
  readonly account: {
    readonly cashUsdc: string | undefined;
    readonly availableUsdc: string | undefined;
    readonly pnlUsdc: string | undefined;
    /** Profit may be so much less than `pnlUsdc`: what uncertain shares may have cost. */
    readonly pnlUncertaintyUsdc?: string;
    readonly worstCaseLossUsdc: string | undefined;
  };
  readonly writes: {
    readonly usedInWindow: number;
    readonly perWindow: number;
    /** Order writes of this run, each batch as one. */
    readonly sent?: number;
    /** Orders placed in this run, by what they were for. */
    readonly placed?: Readonly<Record<string, number>>;
    /** Orders that wait for a write now, by what they are for. */
    readonly waiting?: Readonly<Record<string, number>>;
  };
  /** Of all markets together. */
  readonly figures?: FiguresView;
  /** Cancels that frames have set off in this run, by orders, and what the decisions behind them said. */
  readonly armed?: {
    readonly fired: number;
    readonly right: number;
    readonly wrong: number;
    /** Orders that frames have placed, as far as a decision has looked at them, and which of them it did not want. */
    readonly placed?: number;
    readonly unwanted?: number;
  };
  readonly connection: {
    readonly socket: 'open' | 'lost';
    readonly authenticated: boolean;
    readonly clockOffsetMs: number | undefined;
    /** Until an own order shows in its book, a decayed mean; absent before the first. */
    readonly feedDelayMs?: number | undefined;
  };
  readonly venueBeliefs?: readonly VenueBeliefView[];
  /** Splits, merges and redeems that were asked for, oldest first. */
  readonly sets?: readonly SetsView[];
  /** Limits and controls: where they stand, and what holds trading back. */
  readonly risk?: RiskView;
  /** Sources of external prices; absent where none are run. */
  readonly feeds?: readonly FeedView[];
  /** Markets that filters of the configuration choose; empty where it has none. */
  readonly selection?: readonly SelectionView[];
  /** A kill that could not be written to the disk; absent while there is none. */
  readonly latchFault?: LatchFault;
  readonly refusedEdit?: RefusedEdit;
  /** A pause, a halt or controls that tripped, which no disk has taken: a new start would not know of them. */
  readonly unwrittenStops?: readonly ('halt' | 'pause' | 'latches' | 'marketStops')[];
  /** Runs of this trader; absent where no guard watches it. */
  readonly guard?: Supervision & { readonly suspended?: readonly SuspendedStrategy[] };
  /** Empty when quoting is possible; otherwise why not. */
  readonly notReady: readonly string[];
};

/** What the venue is taken to do where its document does not say. */
export type VenueBeliefView = {
  /** `books`: whether it shows one book twice · `quantityDecimals`: how fine a quantity of this market may be. */
  readonly what: 'books' | 'quantityDecimals';
  readonly marketId?: MarketId;
  /** `unknown`, `separate` or `unified`; a count of decimals. */
  readonly value: string;
  readonly evidence: string;
  /** Absent where the configuration says so, or nothing has shown it yet. */
  readonly sinceMs?: UnixMs;
};

/** Which of all markets a view shows; each that it does not costs nothing. */
export type PickMarkets = (all: readonly MarketId[]) => readonly MarketId[];

/** For whoever asks about the account. */
export const NO_MARKETS: PickMarkets = () => [];
