// A market with what was last decided about its quotes: what is wanted to rest, what of it is missing, and why.

import type { Arm, FiredCancel, MarketArms } from '../../domain/arms.ts';
import type { MarketId } from '../../domain/ids.ts';
import type { SetsOrder } from '../../domain/sets.ts';
import { type MicroShares, SHARE_DECIMALS_MAX } from '../../domain/shares.ts';
import type { Ticks } from '../../domain/ticks.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { Reason } from '../../domain/view.ts';
import type { AxisSide, QuotePurpose, QuoteReason, Take } from '../../strategy/index.ts';
import { mark } from '../kernel/market.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import { RiskMarket } from '../risk/market.ts';
import { type GuardReason, NO_OVERLAY_STATE, type OverlayState } from './filters/guard.ts';
import { UptimeMeter } from './uptime.ts';

export type Target = {
  readonly side: AxisSide;
  readonly price: Ticks;
  readonly quantity: MicroShares;
  readonly purpose: QuotePurpose;
  /** The price nearest to the other side at which an order may stay; `price` where absent. */
  readonly worst?: Ticks | undefined;
};

/**
 * What a write is for, in the order in which writes are given out: bringing the position down, putting
 * something on a side that has nothing, keeping what would end by itself, and making better what is
 * there.
 */
export const WRITE_CLASSES = ['reduce', 'repair', 'renew', 'improve'] as const;
export type WriteClass = (typeof WRITE_CLASSES)[number];

/** A target quote that still lacks shares, with its rank from the middle outwards. */
export type Missing = Target & {
  readonly rank: number;
  readonly writeClass: WriteClass;
  readonly renews?: readonly OwnOrder[] | undefined;
};

/** Says which orders are near their end, and how they are replaced. */
export type Renewal = {
  isDying(order: OwnOrder): boolean;
  /** The new order may rest beside it; otherwise the old one goes first. */
  overlaps(order: OwnOrder): boolean;
};

/** Says which orders on the safe side of their target keep their places; see `requote.ts`. */
export type Judge = {
  /** Orders further from their target are not asked about: they move. */
  readonly reachTicks: number;
  keeps(order: OwnOrder, target: Target): boolean;
};

/** What a plan leaves where it is. */
export type PlanTolerance = {
  readonly priceTicks: number;
  /** Relative difference of size a level may keep, 0 to 1. */
  readonly size: number;
  /** Absent, the distance alone decides. */
  readonly judge?: Judge;
  /** Which orders have to be replaced before they end by themselves; absent, none. */
  readonly renewal?: Renewal;
};

export class QuotedMarket extends RiskMarket {
  readonly desk = new QuoteDesk();
  strategyReasons: readonly QuoteReason[] = [];
  strategyFailure: string | undefined;
  #missing: readonly Missing[] = [];
  missingSinceMs: UnixMs | undefined;
  readonly reasons = new ReasonTimes();
  /** Decimals that the venue has let quantities have, and what it refused last. */
  learntDecimals:
    | { readonly decimals: number; readonly refused: number; readonly sinceMs: UnixMs }
    | undefined;

  /** What its target quotes lack. */
  get missing(): readonly Missing[] {
    return this.#missing;
  }

  set missing(missing: readonly Missing[]) {
    // Most decisions find nothing missing where nothing was.
    const isChanged = missing.length > 0 !== this.#missing.length > 0;
    this.#missing = missing;
    if (isChanged) mark(this.workQueue.missing, this, missing.length > 0);
  }

  /** Decimals of a quantity that the venue takes, as far as it is stated or learnt. */
  get quantityDecimals(): number {
    const learnt = this.learntDecimals?.decimals ?? SHARE_DECIMALS_MAX;
    return Math.min(learnt, this.choice.quantityDecimals ?? SHARE_DECIMALS_MAX);
  }

  /** The venue takes no quantity with so many: hundredths are what it most likely takes, and then one less. */
  onDecimalsRejected(refused: number, nowMs: UnixMs): void {
    const decimals = Math.min(2, Math.max(0, refused - 1));
    if (decimals >= (this.learntDecimals?.decimals ?? SHARE_DECIMALS_MAX)) return;
    this.learntDecimals = { decimals, refused, sinceMs: nowMs };
  }
}

// What the core remembers about quoting one market, from one decision to the next.

export class QuoteDesk {
  readonly uptime = new UptimeMeter();
  /** Whether the strategy asked for quotes of a side when it was last asked. */
  readonly isWanted: Record<AxisSide, boolean> = { bid: true, ask: true };
  readonly sets = new SetsDesk();
  readonly aim = new Aim();
  overlays: OverlayState = NO_OVERLAY_STATE;
  /** What the guards did at the last decision. */
  guards: readonly GuardReason[] = [];
  /** Why what is missing has not been sent, by side. */
  readonly waiting: Record<AxisSide, ReasonText | undefined> = { bid: undefined, ask: undefined };
  /** Target quotes of the last decision, filters applied. */
  targets: readonly Target[] = [];
  /** The same as they were planned with; `undefined` where nothing may be quoted. */
  planned: { readonly targets: readonly Target[]; readonly tolerance: PlanTolerance } | undefined;
  /** Parameters changed that move quotes whatever their places are worth. */
  movesAtOnce = false;
  /** Short name of strategy, parameters and guards in force. */
  paramsVersion = '';
  /** Parameters of the file that wait for a restart. */
  pendingParams: readonly string[] = [];
  /** Takes of the last target quotes that have not been sent. */
  takes: readonly Take[] = [];
  takesPauseUntilMs = 0;
  /** Since when orders have been off their targets and kept their places, of the last decision; absent for none. */
  driftsSinceMs: ReadonlyMap<OwnOrder, UnixMs> | undefined;
}

// What the recycler last thought of one market: for status, and so that advice is told once.

type SetsAdvice = { readonly action: SetsOrder['action']; readonly amount: string };

class SetsDesk {
  request: SetsAdvice | undefined;
  reason: Reason | undefined;
  lookedAtMs: UnixMs | undefined;
  #told: { readonly action: string; readonly atMs: UnixMs } | undefined;

  rest(reason: ReasonText, nowMs: UnixMs, request?: SetsAdvice): void {
    this.reason = reasonSince(reason, this.reason, nowMs);
    this.request = request;
  }

  clear(): void {
    this.reason = undefined;
    this.request = undefined;
    this.#told = undefined;
  }

  /** Whether this advice is new: another action, or the same one after a while. */
  isNew({ action }: SetsAdvice, at: { readonly nowMs: UnixMs; readonly pauseMs: number }): boolean {
    const told = this.#told;
    if (told?.action === action && at.nowMs - told.atMs < at.pauseMs) return false;
    this.#told = { action, atMs: at.nowMs };
    return true;
  }
}

// "Why am I not quoting?" for each side of a market: the binding reason, and since when.
// @spec Architecture decision 12

export type ReasonText = {
  readonly code: string;
  readonly detail: string;
  readonly clears: string;
};

/** A reason keeps its begin for as long as its code stays the same. */
function reasonSince(
  { code, detail, clears }: ReasonText,
  known: Reason | undefined,
  nowMs: UnixMs,
): Reason {
  return { code, detail, clears, sinceMs: known?.code === code ? known.sinceMs : nowMs };
}

class ReasonTimes {
  readonly #current: Record<AxisSide, Reason | undefined> = { bid: undefined, ask: undefined };

  set(side: AxisSide, reason: ReasonText | undefined, nowMs: UnixMs): void {
    const known = this.#current[side];
    this.#current[side] = reason && reasonSince(reason, known, nowMs);
  }

  of(side: AxisSide): Reason | undefined {
    return this.#current[side];
  }
}

// What is armed, how armed cancels turned out, and what a market learnt from it.

/** Half ticks that a middle may move beyond the tolerance where targets turned out not to follow it. */
const CAUTION_MAX = 4;
/** Cancels in a row that were right, after which a market is armed half a tick nearer. */
const RIGHT_IN_A_ROW = 8;
/** Placements in a row that no decision wanted, after which a market arms none for a while. */
const WRONG_IN_A_ROW = 3;
/** A market whose cancels are wrong at the greatest caution is not armed for so long. */
const PAUSE_MS = 300_000;

/** What is armed over all markets, and what became of it. */
export class Arms<Market> {
  readonly standing = new Map<MarketId, MarketArms>();
  /** Markets whose plan or orders have changed since they were armed. */
  readonly touched = new Set<Market>();
  #version = 0;
  /** Orders whose cancel a frame has set off, and of them those that a decision has looked at since. */
  fired = 0;
  right = 0;
  wrong = 0;
  /** The same of orders that have left before their decision. */
  placed = 0;
  unwanted = 0;

  /** The other side stays armed. */
  onFired({ marketId, requestId }: Pick<FiredCancel, 'marketId' | 'requestId'>): void {
    const before = this.standing.get(marketId);
    if (before === undefined) return;
    const left = (arm: Arm | undefined) => (arm?.requestId === requestId ? undefined : arm);
    this.standing.set(marketId, { ...before, bids: left(before.bids), asks: left(before.asks) });
  }

  nextVersion(): number {
    this.#version += 1;
    return this.#version;
  }
}

/** What one market has learnt of its armed cancels. */
export class Aim {
  /** Orders whose cancel has fired, until a decision says whether they should have gone. */
  fired: readonly OwnOrder[] = [];
  caution = 0;
  pausedUntilMs = 0;
  /** Orders that have left ahead, until a decision says whether it wants them. */
  placed: readonly OwnOrder[] = [];
  placementsPausedUntilMs = 0;
  /** When the touch of others was seen to move last, or the market was armed first. */
  movedAtMs = 0;
  #placedWrong = 0;
  #rightInARow = 0;

  onRight(): void {
    this.#rightInARow += 1;
    if (this.#rightInARow < RIGHT_IN_A_ROW) return;
    this.#rightInARow = 0;
    this.caution = Math.max(0, this.caution - 1);
  }

  /** Each one that is not wanted has cost a write: what was wrong so often in a row is not armed for a while. */
  onPlaced(isWanted: boolean, nowMs: UnixMs): void {
    this.#placedWrong = isWanted ? 0 : this.#placedWrong + 1;
    if (this.#placedWrong < WRONG_IN_A_ROW) return;
    this.#placedWrong = 0;
    this.placementsPausedUntilMs = nowMs + PAUSE_MS;
  }

  onWrong(nowMs: UnixMs): void {
    this.#rightInARow = 0;
    if (this.caution === CAUTION_MAX) this.pausedUntilMs = nowMs + PAUSE_MS;
    else this.caution += 1;
  }
}
