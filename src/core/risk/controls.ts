// Everything that the automatic controls remember, in one place.

import type { MarketId, OrderHash, RequestId, TokenId } from '../../domain/ids.ts';
import type { RiskLimits } from '../../domain/input.ts';
import type { ControlName, StoredBaselines, StoredMarketStop } from '../../domain/risk.ts';
import type { UnixMs } from '../../domain/time.ts';
import { BreakerCounts } from './counts.ts';
import { Latches } from './latches.ts';

export class Controls {
  readonly latches = new Latches();
  readonly baselines = new Baselines();
  readonly counts = new BreakerCounts();
  readonly marketStops = new MarketStops();
  /** Since when cash has differed, since when it agrees again, and how much of it nothing explains. */
  readonly cash: {
    sinceMs: number | undefined;
    agreedSinceMs: number | undefined;
    unexplainedNano: number;
  } = { sinceMs: undefined, agreedSinceMs: undefined, unexplainedNano: 0 };
  /** Since when no profit of the account is known, since something traded has no price. */
  unpricedSinceMs: UnixMs | undefined;
  /** Since when the profit is above the peak, and the least that it was since then. */
  above: { readonly sinceMs: UnixMs; readonly leastNano: number } | undefined;
  /** Since when own events cannot be seen. */
  blindSinceMs: number | undefined;
  /** How far the offset of the clock moved between the last two measurements. */
  clockMovedMs: number | undefined;
  /** The venue keeps the account from trading. */
  readonly restriction: {
    /** Since when; absent where it does not. */
    sinceMs: UnixMs | undefined;
    /** The write of the one that asks. */
    askedIn: RequestId | undefined;
  } = { sinceMs: undefined, askedIn: undefined };
  /** Another trader on the account. */
  readonly conflict: {
    isKnown: boolean;
    /** Lists that showed new orders of others, oldest first. */
    signs: readonly {
      readonly atMs: UnixMs;
      readonly listAskedAtMs: UnixMs;
      readonly weight: number;
    }[];
    readonly counted: Set<OrderHash>;
    /** When one of them was last seen. */
    seenAtMs: UnixMs | undefined;
  } = { isKnown: false, signs: [], counted: new Set(), seenAtMs: undefined };
  /** When what is looked at once a second was looked at. */
  lookedAtMs = 0;

  /** Whether the settings want one of those that a condition lifts; the others are not asked about. */
  isAskedFor(control: ControlName, risk: RiskLimits | undefined): boolean {
    const thresholdOf = THRESHOLDS[control];
    return thresholdOf === undefined || (risk !== undefined && (thresholdOf(risk) ?? 0) > 0);
  }
}

/** Of each that a condition lifts: at 0 it is switched off. */
const THRESHOLDS: Partial<Record<ControlName, (risk: RiskLimits) => number | undefined>> = {
  session_loss: ({ loss }) => loss?.sessionUsdc,
  day_loss: ({ loss }) => loss?.dayUsdc,
  drawdown: ({ loss }) => loss?.drawdownUsdc,
  unmarked_position: ({ loss }) => loss?.unmarkedMs,
  blind_account: ({ blind }) => blind?.forMs,
  cash_divergence: ({ divergence }) => divergence?.forMs && divergence.cashUsdc,
  order_divergence: ({ divergence }) => divergence?.forMs,
  clock_offset: ({ clock }) => clock?.offsetMsMax,
};

// What losses are measured from: the profit at which the session and the day began, and the highest
// since. They outlive a restart with the ledger, so that a loss is not forgotten by starting again.

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

const DAY_HOURS = 24;

export type KeptBaselines = Omit<StoredBaselines, 'left' | 'held' | 'marks'>;

type Begun = Pick<KeptBaselines, 'day' | 'beginsAtHour' | 'dayNano' | 'latest'>;

/** A day by its number, as `dayOf` counts them, and the hour of UTC at which it begins. */
type Day = { readonly day: number; readonly beginsAtHour: number };

export class Baselines {
  #kept: KeptBaselines | undefined;
  /** Losses that an operator has seen and no known profit has followed. */
  readonly #toAcknowledge = new Set<ControlName>();

  get current(): KeptBaselines | undefined {
    return this.#kept;
  }

  restore({ left: _left, held: _held, marks: _marks, ...kept }: StoredBaselines): void {
    this.#kept = kept;
  }

  /** Takes in the profit of now, which is known, and what of it stood; the first one begins session, day and peak. */
  update(pnlNano: number, today: Day, stoodNano = pnlNano): void {
    const kept = this.#acknowledged(pnlNano);
    const { day, beginsAtHour } = today;
    if (kept === undefined) {
      const latest = [day * DAY_HOURS + beginsAtHour, pnlNano] as const;
      const first = { sessionNano: pnlNano, dayNano: pnlNano, peakNano: pnlNano };
      this.#kept = { ...first, day, beginsAtHour, latest };
      return;
    }
    const isSameDay = day === kept.day && beginsAtHour === kept.beginsAtHour;
    if (isSameDay && stoodNano <= kept.peakNano) return;
    const peakNano = Math.max(kept.peakNano, stoodNano);
    this.#kept = { ...kept, ...begun(kept, pnlNano, today), peakNano };
  }

  /**
   * An operator has seen these losses: they are measured from the next profit that is known. One that
   * lacks a price, as right after a start, would move the limit by all that is not priced.
   */
  acknowledge(controls: Iterable<ControlName>): void {
    for (const control of controls) this.#toAcknowledge.add(control);
  }

  #acknowledged(pnlNano: number): KeptBaselines | undefined {
    const kept = this.#kept;
    const controls = this.#toAcknowledge;
    if (kept === undefined || controls.size === 0) return kept;
    const moved = {
      ...kept,
      sessionNano: controls.has('session_loss') ? pnlNano : kept.sessionNano,
      dayNano: controls.has('day_loss') ? pnlNano : kept.dayNano,
      peakNano: controls.has('drawdown') ? pnlNano : kept.peakNano,
    };
    controls.clear();
    this.#kept = moved;
    return moved;
  }
}

/**
 * By a clock that was ahead, or another hour, a day had begun too early: it goes on, and ends when it should.
 * One that begins at the very moment at which it had begun before is measured from where it was, since
 * nothing may be lost twice on one day. So is one that by another hour had begun before the last one was
 * over: what was lost since then counts, and nobody knows how much of all that it was.
 */
function begun(kept: KeptBaselines, pnlNano: number, { day, beginsAtHour }: Day): Begun {
  const { day: before, dayNano } = kept;
  const overAtHour = (before + 1) * DAY_HOURS + (kept.beginsAtHour ?? beginsAtHour);
  const [latest, latestNano] = kept.latest ?? [before * DAY_HOURS + beginsAtHour, dayNano];
  const hour = day * DAY_HOURS + beginsAtHour;
  if (day <= before) return { day, beginsAtHour, dayNano, latest: [latest, latestNano] };
  if (hour === latest) {
    const wasNano = Math.max(dayNano, latestNano);
    return { day, beginsAtHour, dayNano: wasNano, latest: [latest, latestNano] };
  }
  const fromNano = hour < overAtHour ? Math.max(dayNano, pnlNano) : pnlNano;
  const now = [hour, fromNano] as const;
  return {
    day,
    beginsAtHour,
    dayNano: fromNano,
    latest: hour > latest ? now : [latest, latestNano],
  };
}

/** Days since 1970, each beginning at that hour of UTC. */
export function dayOf(nowMs: UnixMs, startsAtHour: number): number {
  return Math.floor((nowMs - startsAtHour * HOUR_MS) / DAY_MS);
}

export function dayEndMs(day: number, startsAtHour: number): number {
  return (day + 1) * DAY_MS + startsAtHour * HOUR_MS;
}

// Whether limits came down, or what they bound counts for more, and what is remembered of it until
// nothing is beyond them any more.

const LIMITS = [
  'maxPositionShares',
  'maxNetShares',
  'maxOrderNotionalUsdc',
  'maxOrderShares',
  'maxOpenOrders',
  'maxMarketOpenOrders',
  'maxOpenNotionalUsdc',
  'maxLossUsdc',
  'maxEventLossUsdc',
] as const satisfies readonly (keyof RiskLimits)[];

/** Limits that were lowered, until nothing from before is beyond them. */
export type Lowered = {
  /** Orders sent later were held to them. */
  readonly atMs: UnixMs;
  lookedAtMs: number;
  /** Where shares moved; none where limits came down for all. */
  readonly markets?: Set<MarketId> | undefined;
};

export function loweredAt(atMs: UnixMs): Lowered {
  return { atMs, lookedAtMs: 0 };
}

export function areLowered(before: RiskLimits | undefined, after: RiskLimits): boolean {
  if (before === undefined) return false;
  return LIMITS.some((name) => limitOf(after, name) < limitOf(before, name));
}

function limitOf(limits: RiskLimits, name: (typeof LIMITS)[number]): number {
  const limit = limits[name] ?? Number.POSITIVE_INFINITY;
  return name === 'maxEventLossUsdc' && limit === 0 ? Number.POSITIVE_INFINITY : limit;
}

// Markets that an operator has stopped, one by one. Each stands until an operator resumes that very market:
// no resume of the account, no restart and no control lifts it, and no other market knows of it.

/** As many as anybody stops by hand; whoever stops more pauses the account. */
export const MARKET_STOPS_MAX = 1_000;

export type MarketStop = StoredMarketStop & {
  tokenId?: TokenId | undefined;
  /** The request that cancels all of the market, until it is answered. */
  cancel: RequestId | undefined;
  /** A list that was asked for later counts: the market was stopped, and its cancel answered. */
  clearFromMs: UnixMs;
  /** Nothing of ours is left there, nor may still arrive. */
  isConfirmed: boolean;
};

export class MarketStops {
  readonly #stops = new Map<MarketId, MarketStop>();

  get size(): number {
    return this.#stops.size;
  }

  of(marketId: MarketId): MarketStop | undefined {
    return this.#stops.get(marketId);
  }

  all(): Iterable<MarketStop> {
    return this.#stops.values();
  }

  /** As a journal keeps them. */
  stored(): readonly StoredMarketStop[] {
    return [...this.#stops.values()].map(({ marketId, tokenId, stop, by, sinceMs }) => ({
      ...{ marketId, tokenId, stop, by, sinceMs },
    }));
  }

  set(stored: StoredMarketStop): MarketStop {
    const stop = { ...stored, cancel: undefined, clearFromMs: stored.sinceMs, isConfirmed: false };
    this.#stops.set(stored.marketId, stop);
    return stop;
  }

  /** A list shows an order there that nobody here keeps: only a later one may say that nothing is left. */
  onListed(marketId: MarketId, askedAtMs: UnixMs): void {
    const stop = this.#stops.get(marketId);
    if (stop !== undefined && stop.clearFromMs < askedAtMs) stop.clearFromMs = askedAtMs;
  }

  lift(marketId: MarketId): void {
    this.#stops.delete(marketId);
  }
}
