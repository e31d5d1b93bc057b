// What the core is told, with the time in it. Same inputs, same commands, bit for bit.

import type { VenueMessage } from './message.ts';
import type { UnixMs } from './time.ts';

/** One market to quote, as the operator named it. */
export type MarketChoice = {
  /** Slug or id. */
  readonly event: string;
  /** Narrows a multi-outcome event to one market id; without it every market is quoted. */
  readonly market: string | undefined;
  readonly strategy: string;
  /** Complete and validated: every parameter of the strategy, defaults filled in. */
  readonly params: Readonly<Record<string, unknown>>;
};

export type RiskLimits = {
  /** Per outcome token, and for the net position of a market. */
  readonly maxPositionShares: number;
  /** Per order. */
  readonly maxOrderNotionalUsdc: number;
  /** Per account, live and possibly live together. */
  readonly maxOpenOrders: number;
  /** Per account: session loss, and worst case over every outcome of what is held and live. */
  readonly maxLossUsdc: number;
};

/** The part of the settings that the core acts on. All of it may change while running. */
export type CoreSettings = {
  readonly markets: readonly MarketChoice[];
  readonly risk: RiskLimits;
  readonly orders: {
    /** An order this near to a wish keeps its queue place. */
    readonly priceToleranceTicks: number;
    /** Relative difference of size that a resting order may keep, 0 to 1. */
    readonly sizeTolerance: number;
    /** Order writes we allow ourselves in any 10 s window. @spec Limits */
    readonly writesPer10s: number;
    /** How long a placement may wait for others to share its write. */
    readonly gatherMs: number;
    /** Prefer resting a real SELL of settled shares over a BUY of the complement. */
    readonly preferSell: boolean;
  };
  readonly book: { readonly depth: number };
  readonly timing: {
    /** Period of `GET /orders`. */
    readonly reconcileMs: number;
    /** Period of `GET /portfolio/balances`. */
    readonly balancesMs: number;
    /** Period of the catalogue refresh. */
    readonly catalogueMs: number;
    /** An unknown placement may still arrive this long after it was signed. */
    readonly unknownHorizonMs: number;
    /** Positions read over REST may lag a fill this long. */
    readonly positionLagMs: number;
    /** A cancel or kill is proven when nothing showed up for this long. */
    readonly proofQuietMs: number;
    /** A kill or shutdown that is not proven by then says so. */
    readonly proofDeadlineMs: number;
  };
};

export type OperatorOrder =
  | { readonly kind: 'kill'; readonly by: string }
  | { readonly kind: 'pause'; readonly by: string }
  | { readonly kind: 'resume'; readonly by: string }
  /** The process is about to end: cancel everything, prove it, place nothing more. */
  | { readonly kind: 'shutdown'; readonly by: string };

export type Input =
  | { readonly kind: 'settings'; readonly atMs: UnixMs; readonly settings: CoreSettings }
  | { readonly kind: 'venue'; readonly atMs: UnixMs; readonly message: VenueMessage }
  | { readonly kind: 'tick'; readonly atMs: UnixMs }
  | { readonly kind: 'operator'; readonly atMs: UnixMs; readonly order: OperatorOrder };
