// What the core is told, with the time in it. Same inputs, same commands, bit for bit.

import type { FiredCancel, FiredPlacement } from './arms.ts';
import type { MarketId } from './ids.ts';
import type { VenueMessage } from './message.ts';
import type { OverlaySettings } from './overlays.ts';
import type { PersistedState } from './record.ts';
import type { MarketStopKind, RiskControls } from './risk.ts';
import type { RecyclerSettings, SetsOrder } from './sets.ts';
import type { UnixMs } from './time.ts';
import type { TrustSettings } from './trust.ts';

/** One market to quote, as the operator named it. */
export type MarketChoice = {
  /** Slug or id. */
  readonly event: string;
  /** Narrows a multi-outcome event to one market id; without it every market is quoted. */
  readonly market: string | undefined;
  readonly strategy: string;
  /** Complete and validated: every parameter of the strategy, defaults filled in. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Parameters that are different in a simulation beside it, which the core knows nothing of. */
  readonly shadow?: Readonly<Record<string, unknown>>;
  /** Guards between the strategy and the orders; absent, none of them stands. */
  readonly overlays?: OverlaySettings;
  /** r of a taker fee of `r p (1-p)` per share; what takes is refused while it is not known. */
  readonly takerFeeRate?: number | undefined;
  /** Its weight where capital is shared out by weights; 1 where absent. */
  readonly capitalWeight?: number;
  /** Exactly one market of the event comes true, and all of them are listed: the operator's word. */
  readonly isExclusive?: boolean;
  /** An external price older than this is an outage. */
  readonly externalAgeMsMax?: number;
  /** Whether a real SELL or a BUY of the complement rests; `orders.preferSell` where absent. */
  readonly preferSell?: boolean | undefined;
  /** Absent, complete sets are left alone. */
  readonly sets?: RecyclerSettings;
  /** Decimals that the venue takes in a quantity; as many as it has, or teaches, where absent. */
  readonly quantityDecimals?: number | undefined;
};

export type CapitalSettings = {
  /** `shared`: any market may bind all of it · `weighted`: each market has its part. */
  readonly policy: 'shared' | 'weighted';
};

/** When a resting order gives up its place; see `core/quoting/requote.ts`. */
export type RequoteSettings = {
  /** `value`: when that is worth more than the place · `distance`: whenever tolerance is exceeded. */
  readonly policy: 'value' | 'distance';
  /** Furthest an order may lie on the safe side of its target quotes, however good its place is. */
  readonly driftTicksMax: number;
  /** What one order write is worth, in USDC. */
  readonly writeCostUsdc: number;
  /** Gain per share below which nothing moves, in USDC. */
  readonly marginUsdc: number;
};

/** Dates of orders that die by themselves; see `core/orders/taught.ts`. */
export type GtdSettings = {
  /** The longest an order rests before its date. */
  readonly lifetimeMs: number;
  /** It is renewed this long before its end. */
  readonly renewMs: number;
  /** Dates are spread over this part of the lifetime, 0 to 1. */
  readonly staggerPart: number;
  /** Dates lie this much further ahead than the venue asks for. */
  readonly marginMs: number;
  /** `overlap`: the new order rests before the old one goes · `replace`: the old one goes first. */
  readonly renewal: 'overlap' | 'replace';
};

export const GTD_DEFAULTS: GtdSettings = {
  lifetimeMs: 180_000,
  renewMs: 45_000,
  staggerPart: 0.25,
  marginMs: 10_000,
  renewal: 'overlap',
};

/**
 * Part of the write budget that improvements leave, at least, to bare sides and to positions that are
 * brought down: at the venue's own limit 30 writes, which carry 450 orders at once.
 */
export const RESERVE_PART = 0.1;

/** Limits of every order, and the controls that watch the whole; what is absent does not bind. */
export type RiskLimits = {
  /** Per outcome token, and for the net position of a market. */
  readonly maxPositionShares: number;
  /** How uncertain a position may be before its market stops adding; half of `maxPositionShares` where absent or 0. */
  readonly maxUncertainShares?: number | undefined;
  /** For the net position of a market, where that should be less. */
  readonly maxNetShares?: number;
  /** Per order. */
  readonly maxOrderNotionalUsdc: number;
  /** Per order. */
  readonly maxOrderShares?: number;
  /** Per account, live and possibly live together. */
  readonly maxOpenOrders: number;
  /** Per market, live and possibly live together. */
  readonly maxMarketOpenOrders?: number;
  /** Per account, live and possibly live together. */
  readonly maxOpenNotionalUsdc?: number;
  /** Per account: loss since the start, and worst case over every outcome of what is held and live. */
  readonly maxLossUsdc: number;
  /** Worst case of one event over its outcomes; 0 leaves it to `maxLossUsdc`. */
  readonly maxEventLossUsdc?: number;
} & Partial<RiskControls>;

/** The part of the settings that the core acts on. All of it may change while running. */
export type CoreSettings = {
  readonly markets: readonly MarketChoice[];
  readonly risk: RiskLimits;
  readonly orders: {
    /** Whether resting orders have a date; `GTC` where absent. */
    readonly timeInForce?: 'GTC' | 'GTD';
    /** `GTD_DEFAULTS` where absent. */
    readonly gtd?: GtdSettings;
    /** An order this near to a target quote keeps its queue place. */
    readonly priceToleranceTicks: number;
    /** Relative difference of size that a resting order may keep, 0 to 1. */
    readonly sizeTolerance: number;
    /** Order writes we allow ourselves in any 10 s window. @spec Limits */
    readonly writesPer10s: number;
    /** Part of them that improvements leave at least; `RESERVE_PART` where absent. */
    readonly reservePart?: number;
    /** How long a placement may wait for others to share its write. */
    readonly gatherMs: number;
    /** Prefer resting a real SELL of settled shares over a BUY of the complement. */
    readonly preferSell: boolean;
    /**
     * What becomes of an order that we never sent: `cancel`, whatever it offers · `adopt`, so that it
     * stays where a target quote wants it; `cancel` where absent.
     */
    readonly externalOrders?: 'cancel' | 'adopt';
    /**
     * Which orders stops and starts cancel: every one of the account, or those that this daemon sent;
     * `account` where absent.
     */
    readonly scope?: 'account' | 'own';
    /** Absent, the tolerances alone decide. */
    readonly requote?: RequoteSettings;
    /** Whether cancels are armed, for frames to set off before a decision; not where absent. */
    readonly armedCancels?: boolean;
    /** Whether what replaces such quotes is armed with them; not where absent. */
    readonly armedPlacements?: boolean;
    /** A new order keeps an extra tick from the other side when nothing was heard for this long. */
    readonly quietFeedMs?: number;
  };
  readonly capital?: CapitalSettings;
  /** What follows once another trader on the account is recognised; absent, nobody looks. */
  readonly account?: { readonly conflict: 'yield' | 'own-scope' | 'halt' };
  readonly book: {
    readonly depth: number;
    /** Whether the venue shows one book twice; absent, it does not, and nobody looks. */
    readonly unified?: 'auto' | 'on' | 'off';
  };
  /** `TRUST_DEFAULTS` where absent. */
  readonly trust?: TrustSettings;
  readonly timing: {
    /** Period of `GET /orders`. */
    readonly reconcileMs: number;
    /** Period of `GET /portfolio/balances`. */
    readonly balancesMs: number;
    /** Period of `GET /portfolio/trades`; 0 or absent, the history is not read. */
    readonly tradesMs?: number;
    /** Period of the catalogue refresh. */
    readonly catalogueMs: number;
    /** An unknown placement may still arrive this long after it was signed. */
    readonly unknownHorizonMs: number;
    /** How long a placement of unknown outcome keeps its slot; 8 s where absent. */
    readonly unknownSlotMs?: number | undefined;
    /** Positions read over REST may lag a fill this long. */
    readonly positionLagMs: number;
    /** A cancel or kill is confirmed when nothing showed up for this long. */
    readonly proofQuietMs: number;
    /** A kill or shutdown that is not confirmed by then says so. */
    readonly proofDeadlineMs: number;
    /** A request is answered or given up by then, however it goes; 25 s where absent. */
    readonly answerMs?: number;
  };
};

/** What an operator asks of the whole account. */
export type AccountOrder =
  | { readonly kind: 'kill'; readonly by: string }
  | { readonly kind: 'pause'; readonly by: string }
  | { readonly kind: 'resume'; readonly by: string }
  /** The process is about to end: cancel everything, confirm it, place nothing more. */
  | { readonly kind: 'shutdown'; readonly by: string };

/** Of one market; all others are quoted as before. */
export type MarketOrder =
  | {
      readonly kind: 'stopMarket';
      readonly by: string;
      readonly marketId: MarketId;
      readonly stop: MarketStopKind;
    }
  | { readonly kind: 'resumeMarket'; readonly by: string; readonly marketId: MarketId };

export type OperatorOrder = AccountOrder | MarketOrder;

/** Which market an external price is about. */
export type FairTarget =
  | { readonly kind: 'market'; readonly marketId: MarketId }
  /** As the configuration names it; `market` is needed where the event has several. */
  | { readonly kind: 'event'; readonly event: string; readonly market: string | undefined };

export type Input =
  | { readonly kind: 'settings'; readonly atMs: UnixMs; readonly settings: CoreSettings }
  | { readonly kind: 'venue'; readonly atMs: UnixMs; readonly message: VenueMessage }
  | {
      readonly kind: 'tick';
      readonly atMs: UnixMs;
      /** Strategies are asked so often in it; absent, for all that is due. */
      readonly asksMax?: number;
    }
  | { readonly kind: 'sets'; readonly atMs: UnixMs; readonly order: SetsOrder }
  | { readonly kind: 'operator'; readonly atMs: UnixMs; readonly order: OperatorOrder }
  /** What a previous run left behind; told once, after the first settings and before the venue. */
  | {
      readonly kind: 'restored';
      readonly atMs: UnixMs;
      readonly persisted: PersistedState;
    }
  /** A cancel that was armed has left, in front of the frame that set it off. */
  | ({ readonly kind: 'fired'; readonly atMs: UnixMs } & FiredCancel)
  /** Orders that were armed have left, behind the cancel and in front of the frame that set both off. */
  | ({ readonly kind: 'placedAhead'; readonly atMs: UnixMs } & FiredPlacement)
  /** Whether records can be kept: nothing is placed while they cannot. */
  | {
      readonly kind: 'ledger';
      readonly atMs: UnixMs;
      /** What is wrong; `undefined` when it is writable again. */
      readonly fault: string | undefined;
    }
  /** Somebody outside the venue states a probability of YES. */
  | {
      readonly kind: 'fair';
      readonly atMs: UnixMs;
      readonly target: FairTarget;
      /** Strictly between 0 and 1; anything else is reported and not taken. */
      readonly price: number;
      /** Its uncertainty, if the source states one. */
      readonly logOddsVar: number | undefined;
      /** When the source stated it; `undefined` takes `atMs`. */
      readonly statedAtMs: UnixMs | undefined;
    }
  /** The source of an external price cannot be read, or says what can be none. */
  | {
      readonly kind: 'fairFault';
      readonly atMs: UnixMs;
      readonly target: FairTarget;
      readonly fault: string;
      /** The price before counts no more; otherwise it does until it is too old. */
      readonly isWithdrawn: boolean;
    };
