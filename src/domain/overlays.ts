// The guards that stand between a strategy's target quotes and the orders, as the operator tunes them for one
// market. Every one can be switched off; durations are milliseconds, prices are USDC per share.

import type { UnixMs } from './time.ts';

/** A stretch of time with a name, of the calendar of known news. */
export type NewsWindow = {
  readonly name: string;
  readonly fromMs: UnixMs;
  readonly toMs: UnixMs;
};

/** A stretch of every day in minutes after midnight UTC; one that ends earlier runs past midnight. */
export type QuietHours = { readonly fromMinute: number; readonly toMinute: number };

export type OverlaySettings = {
  readonly inventory: {
    readonly enabled: boolean;
    /** Part of the position limit from which the adding side shrinks. */
    readonly taperFrom: number;
    /** Part of the position limit at which the adding side ends. */
    readonly softCap: number;
    /** How far all prices lean against the position at the limit. */
    readonly skewTicks: number;
  };
  readonly toxicity: {
    readonly enabled: boolean;
    /** Quick losses within the window that pull the adding side. */
    readonly losses: number;
    readonly windowMs: number;
    readonly pullMs: number;
    /** Weight of the mean 60 s loss per share in the widening of both sides. */
    readonly widenWeight: number;
    /** Sizes shrink by 1/(1 + loss/tick) while the mean 60 s markout is negative. */
    readonly shrinks: boolean;
  };
  readonly jump: {
    readonly enabled: boolean;
    /** Move of the middle of the book within `windowMs` that counts as a jump. */
    readonly movePrice: number;
    /** The same in deviations of the measured volatility; where it is measured, both must be exceeded. */
    readonly sigmas: number;
    /** Distance between first and last price of a burst of trades to one side. */
    readonly sweepPrice: number;
    readonly windowMs: number;
    /** No quotes for so long after it. */
    readonly coolOffMs: number;
    /** Only reducing quotes for so long after that. */
    readonly reduceOnlyMs: number;
  };
  readonly news: {
    readonly enabled: boolean;
    readonly windows: readonly NewsWindow[];
    /** Quotes are this much wider before a window, as a factor of the distance to the fair value. */
    readonly widenFactor: number;
    readonly widenBeforeMs: number;
    readonly pullBeforeMs: number;
  };
  readonly life: {
    readonly enabled: boolean;
    /** From listing to expiry; the venue does not state it. */
    readonly durationMs: number | undefined;
    /** Before the expiry, and at most a fifth, a tenth and a twentieth of a known duration. */
    readonly taperMs: number;
    readonly reduceOnlyMs: number;
    readonly haltMs: number;
    /** What is left of a size when reduce-only begins. */
    readonly taperTo: number;
  };
  readonly boundary: {
    readonly enabled: boolean;
    /** Within so many ticks of 0 or 1 the rule applies. */
    readonly ticks: number;
    /** Largest loss a quote may risk for each dollar it may win. */
    readonly lossPerGainMax: number;
  };
  readonly shape: {
    readonly enabled: boolean;
    /** A book with orders on one side only is not quoted. */
    readonly needsBothSides: boolean;
    readonly spreadMax: number;
    /** Least value of others' best level on either side. */
    readonly touchUsdcMin: number;
    /** Largest distance between the fair value and the middle of the book. */
    readonly fairGapMax: number;
    /** Furthest the fair value may have moved from its own decayed mean; 1 is never too far. */
    readonly driftMax: number;
    /** Half-life of that mean. */
    readonly driftHalfLifeMs: number;
  };
  readonly quiet: {
    readonly enabled: boolean;
    readonly hours: readonly QuietHours[];
    /** Keep reducing quotes meanwhile. */
    readonly reduces: boolean;
  };
};

export type OverlayName = keyof OverlaySettings;

/**
 * In force where the configuration says nothing. Guards that act on facts (the end of the market, the
 * calendar, the shape of the book, the ends of the price range) stand; those that judge flow and
 * position change what a strategy is documented to quote, and are switched on by who wants that.
 */
export const OVERLAY_DEFAULTS: OverlaySettings = {
  inventory: { enabled: false, taperFrom: 0.3, softCap: 0.8, skewTicks: 0 },
  toxicity: {
    enabled: false,
    losses: 3,
    windowMs: 60_000,
    pullMs: 30_000,
    widenWeight: 0,
    shrinks: false,
  },
  jump: {
    enabled: false,
    movePrice: 0.06,
    sigmas: 4,
    sweepPrice: 0.03,
    windowMs: 2_000,
    coolOffMs: 20_000,
    reduceOnlyMs: 30_000,
  },
  news: {
    enabled: true,
    windows: [],
    widenFactor: 2,
    widenBeforeMs: 300_000,
    pullBeforeMs: 30_000,
  },
  life: {
    enabled: true,
    durationMs: undefined,
    taperMs: 86_400_000,
    reduceOnlyMs: 1_800_000,
    haltMs: 120_000,
    taperTo: 0.3,
  },
  boundary: { enabled: true, ticks: 3, lossPerGainMax: 50 },
  shape: {
    enabled: true,
    needsBothSides: false,
    spreadMax: 0.5,
    touchUsdcMin: 0,
    fairGapMax: 0.25,
    driftMax: 1,
    driftHalfLifeMs: 600_000,
  },
  quiet: { enabled: true, hours: [], reduces: false },
};
