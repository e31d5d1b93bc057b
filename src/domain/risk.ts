// The ladder of levels that automatic controls move a market or the account on, the controls by name,
// and their settings. A level allows everything that the next one allows.

import type { MarketId, TokenId } from './ids.ts';
import type { UnixMs } from './time.ts';

/**
 * What a tripped control does, from the mildest to the hardest.
 *
 * `widen`: quotes stand further back · `stop-adding`: nothing new that makes the position, on either side
 * of zero, or the worst case larger; what rests stays where it is · `cancel`: quotes that make the position
 * larger are pulled as well ·
 * `reduce-only`: only orders that bring the position nearer to zero, and never beyond it · `killed`:
 * everything is cancelled, confirmed, and nothing is placed until an operator resumes.
 */
export const RISK_LEVELS = [
  'normal',
  'widen',
  'stop-adding',
  'cancel',
  'reduce-only',
  'killed',
] as const;
export type RiskLevel = (typeof RISK_LEVELS)[number];
/** What a control may be configured to do. */
export type RiskAction = Exclude<RiskLevel, 'normal'>;
export const RISK_ACTIONS = [
  'widen',
  'stop-adding',
  'cancel',
  'reduce-only',
  'killed',
] as const satisfies readonly RiskAction[];

/** Controls that trip and latch; the limits of single orders stand beside them in `RiskLimits`. */
export const CONTROLS = [
  'max_loss_usdc',
  'account_refused',
  'account_conflict',
  'session_loss',
  'day_loss',
  'drawdown',
  'unmarked_position',
  'order_rate',
  'fill_burst',
  'repeated_refusals',
  'settlement_failures',
  'blind_account',
  'cash_divergence',
  'position_uncertain',
  'order_divergence',
  'clock_offset',
  'clock_drift',
] as const;
export type ControlName = (typeof CONTROLS)[number];

/** Each names what it measures; 0 switches a threshold off. */
export type RiskControls = {
  /** How far quotes move back at the level `widen`. */
  readonly widenPrice: number;
  /** Distances in USDC per share between an order and what it should be near. */
  readonly collar: {
    /** Beyond the fair value towards the other side. */
    readonly fairThrough: number;
    /** On the own side of the fair value. */
    readonly fairAway: number;
    /** Beyond the range of the last trades towards the other side. */
    readonly tradesThrough: number;
    readonly tradesAway: number;
    /** Trades older than this say nothing. */
    readonly tradesMs: number;
    /** No collar that is on has what it would hold the order against: held back, or let through. */
    readonly blind: 'hold' | 'allow';
  };
  readonly loss: {
    /** Since the first start of the journal, or an operator's resume from this control. */
    readonly sessionUsdc: number;
    readonly sessionAction: RiskAction;
    /** Since the day began. */
    readonly dayUsdc: number;
    readonly dayAction: RiskAction;
    /** Hour of UTC at which a day begins. */
    readonly dayStartsAtHour: number;
    /** From the highest profit that stood for five seconds to now. */
    readonly drawdownUsdc: number;
    readonly drawdownAction: RiskAction;
    /** Part of each of these losses from which `warnAction` applies. */
    readonly warnPart: number;
    readonly warnAction: RiskAction;
    /** A position may be without a trusted price this long, and the profit of the account unknown. */
    readonly unmarkedMs: number;
    readonly unmarkedAction: RiskAction;
  };
  readonly orderRate: {
    readonly orders: number;
    readonly intervalMs: number;
    readonly action: RiskAction;
    readonly coolOffMs: number;
  };
  readonly fillBurst: {
    readonly marketFills: number;
    readonly marketShares: number;
    readonly accountFills: number;
    readonly accountShares: number;
    readonly intervalMs: number;
    readonly action: RiskAction;
    readonly coolOffMs: number;
  };
  /** Refusals of one code. */
  readonly refusals: {
    readonly side: number;
    readonly market: number;
    readonly account: number;
    readonly intervalMs: number;
    readonly action: RiskAction;
    readonly coolOffMs: number;
  };
  readonly settlements: {
    readonly failures: number;
    readonly intervalMs: number;
    readonly action: RiskAction;
    readonly coolOffMs: number;
  };
  readonly blind: {
    /** The user channel may be down this long while orders may rest; 0 watches neither it nor the lists. */
    readonly forMs: number;
  };
  readonly divergence: {
    readonly cashUsdc: number;
    /** A difference between our ledger and the venue may last this long. */
    readonly forMs: number;
    readonly action: RiskAction;
  };
  readonly clock: {
    readonly offsetMsMax: number;
    /** Largest move of the offset between two measurements. */
    readonly driftMsMax: number;
    readonly action: RiskAction;
    readonly coolOffMs: number;
  };
};

/** In force where a configuration names nothing else; the settings take their defaults from here. */
export const RISK_CONTROL_DEFAULTS: RiskControls = Object.freeze<RiskControls>({
  widenPrice: 0.02,
  collar: {
    fairThrough: 0.1,
    fairAway: 0,
    tradesThrough: 0.25,
    tradesAway: 0,
    tradesMs: 300_000,
    blind: 'hold',
  },
  loss: {
    sessionUsdc: 0,
    sessionAction: 'killed',
    dayUsdc: 250,
    dayAction: 'reduce-only',
    dayStartsAtHour: 0,
    drawdownUsdc: 250,
    drawdownAction: 'killed',
    warnPart: 0.7,
    warnAction: 'widen',
    unmarkedMs: 60_000,
    unmarkedAction: 'stop-adding',
  },
  orderRate: { orders: 3_000, intervalMs: 10_000, action: 'cancel', coolOffMs: 30_000 },
  fillBurst: {
    marketFills: 100,
    marketShares: 5_000,
    accountFills: 500,
    accountShares: 20_000,
    intervalMs: 10_000,
    action: 'cancel',
    coolOffMs: 30_000,
  },
  refusals: {
    side: 5,
    market: 10,
    account: 30,
    intervalMs: 60_000,
    action: 'cancel',
    coolOffMs: 60_000,
  },
  settlements: {
    failures: 5,
    intervalMs: 3_600_000,
    action: 'stop-adding',
    coolOffMs: 600_000,
  },
  blind: { forMs: 5_000 },
  divergence: { cashUsdc: 1, forMs: 120_000, action: 'cancel' },
  // Requests are signed and dated by the venue's time, however far off ours is: it is warned about.
  clock: { offsetMsMax: 0, driftMsMax: 0, action: 'cancel', coolOffMs: 30_000 },
});

/** How a tripped control comes back; an operator's resume lifts every one, but for `isLatchOfCut`. */
export type ResumeRule =
  | { readonly kind: 'operator' }
  /** By itself at that time. */
  | { readonly kind: 'time'; readonly atMs: UnixMs }
  /** By itself when what tripped it is over. */
  | { readonly kind: 'condition'; readonly text: string };

/** A control that tripped, for one market or the whole account. */
export type StoredLatch = {
  readonly control: ControlName;
  readonly marketId: MarketId | undefined;
  readonly level: RiskAction;
  readonly detail: string;
  readonly sinceMs: UnixMs;
  readonly resumes: ResumeRule;
};

/**
 * What a power cut may have taken of the positions of the account: whoever looks sees no more of that than the ledger
 * says, so that it ends with its time alone.
 */
export function isLatchOfCut({
  control,
  marketId,
}: Pick<StoredLatch, 'control' | 'marketId'>): boolean {
  return control === 'position_uncertain' && marketId === undefined;
}

/** A breaker began to count anew: it had tripped, or an operator had lifted it. */
export type StoredCleared = {
  readonly control: ControlName;
  /** `undefined` for what is counted of the whole account. */
  readonly marketId?: MarketId | undefined;
  /** Of refusals, which are counted by code: `undefined` for all of them. */
  readonly code?: string | undefined;
  readonly atMs: UnixMs;
};

/** An operator's pause, which no restart and no control lifts. */
export type StoredPause = { readonly by: string; readonly sinceMs: UnixMs };

/**
 * `pause` cancels our quotes of one market · `kill` cancels every order of it that the scope of cancels means,
 * and says when none is left.
 */
export type MarketStopKind = 'pause' | 'kill';

/** An operator's stop of one market, which nothing lifts but an operator's resume of that market. */
export type StoredMarketStop = StoredPause & {
  readonly marketId: MarketId;
  /** A token of it, by which it is known under another id; an earlier version kept none. */
  readonly tokenId?: TokenId | undefined;
  readonly stop: MarketStopKind;
};

/** What losses are measured from, in nano-USDC of profit since the first start of the journal. */
export type StoredBaselines = {
  readonly sessionNano: number;
  readonly dayNano: number;
  /** Days since 1970 at the hour where a day begins. */
  readonly day: number;
  /** That hour of UTC, as it was when this was last looked at; an earlier version did not tell. */
  readonly beginsAtHour?: number | undefined;
  /** The latest moment at which a day has ever begun, in hours since 1970, and what it was measured from. */
  readonly latest?: readonly [hour: number, dayNano: number] | undefined;
  readonly peakNano: number;
  /** Profit of markets that are quoted no more. */
  readonly left: readonly (readonly [MarketId, number])[];
  /** What shares may still lose in markets that may be quoted no more. */
  readonly held?: readonly StoredHeld[] | undefined;
  /** Last known price of a YES share where it matters, in thousandths of a USDC. */
  readonly marks?: readonly (readonly [MarketId, number])[] | undefined;
};

/** Shares of a market and the worst that may come of them, what was earned there counted in. */
export type StoredHeld = {
  readonly marketId: MarketId;
  readonly lossNano: number;
  readonly tokenIds: readonly TokenId[];
};

export const CONTROL_UNITS = [
  'usdc',
  'shares',
  'orders',
  'fills',
  'refusals',
  'trades',
  'seconds',
] as const;
export type ControlUnit = (typeof CONTROL_UNITS)[number];

/** One limit or control as operators see it: where it stands, where it ends, and what it does now. */
export type ControlView = {
  readonly control: string;
  /** Exact decimal text; `undefined` while it cannot be known. */
  readonly value: string | undefined;
  readonly limit: string;
  readonly unit: ControlUnit;
  /** The hardest level that it holds anywhere. */
  readonly level: RiskLevel;
};

/** Begins the owner of what no operator has asked for; the control follows. */
export const AUTOMATIC = 'automatic:';

/** Something that holds trading back until it is lifted. */
export type LatchView = {
  /** `operator`, or `automatic:` and the control. */
  readonly owner: string;
  /** `account`, or the id of a market. */
  readonly scope: string;
  readonly level: RiskLevel;
  readonly detail: string;
  readonly sinceMs: UnixMs;
  readonly clears: string;
};

export type RiskView = {
  /** The hardest level of the whole account. */
  readonly level: RiskLevel;
  /** What an operator asked for first: it outranks everything automatic. */
  readonly latches: readonly LatchView[];
  readonly controls: readonly ControlView[];
};
