// Doubt about positions stops quotes once, and for one `positionLagMs`: while more than `maxUncertainShares` of a
// token were uncertain for a minute. Nothing else about positions stops them.

import type { MarketId } from '../../../src/domain/ids.ts';
import type { RiskLimits } from '../../../src/domain/input.ts';
import type { MarketView, PositionView, UncertainView } from '../../../src/domain/view.ts';

/** A market waits so long for a report before it pulls its quotes to get quiet. */
const WIDE_MS = 60_000;
/** Looks are a second apart, and settings may have just changed. */
const LOOKS_MS = 3_000;
/** The read that settles it is asked for and answered by then, on a machine under load too. */
const LATE_MS = 40_000;

/** Codes of doubt that may stop no side any more. */
const NEVER = new Set(['position_unconfirmed', 'position_divergence']);

type Limits = Pick<RiskLimits, 'maxPositionShares'> & {
  readonly maxUncertainShares?: number | undefined;
};
type Watch = {
  wideSinceMs: number | undefined;
  /** When it was pulled for a doubt that has been as wide ever since: another reason may hide that for a while. */
  pulledSinceMs: number | undefined;
  lookedAtMs: number | undefined;
};

export type Stopped = Pick<MarketView, 'marketId' | 'positions' | 'bidReason' | 'askReason'>;

export class ReconcilingWatch {
  readonly #lagMs: number;
  readonly #watches = new Map<MarketId, Watch>();
  /** A process that shows no market yet may be uncertain already. */
  #startedAtMs: number | undefined;

  constructor(positionLagMs: number) {
    this.#lagMs = positionLagMs;
  }

  onProcessStarts(nowMs: number): void {
    this.#watches.clear();
    this.#startedAtMs = nowMs;
  }

  /**
   * @param limits - Each may be in force.
   * @returns What is wrong with how doubt holds the market.
   */
  look(view: Stopped, limits: readonly Limits[], nowMs: number): string | undefined {
    if (view.positions === undefined) return undefined;
    const codes = [view.bidReason?.code, view.askReason?.code];
    const never = codes.find((code) => code !== undefined && NEVER.has(code));
    if (never !== undefined) return `${never} stops it, and no doubt may`;
    const watch = this.#watchOf(view.marketId);
    const allowed = Math.min(...limits.map(mostUncertain));
    const isWide = widthOf(view.positions, nowMs) > allowed;
    // Nobody looks while the process is held up: it may have been wide since the look before.
    watch.wideSinceMs = isWide
      ? (watch.wideSinceMs ?? watch.lookedAtMs ?? this.#startedAtMs ?? nowMs)
      : undefined;
    watch.lookedAtMs = nowMs;
    if (codes.includes('reconciling')) return this.#pulled(watch, nowMs);
    // While it is pulled the interval may close a look before the quotes are back.
    if (!isWide) watch.pulledSinceMs = undefined;
    return undefined;
  }

  #pulled(watch: Watch, nowMs: number): string | undefined {
    if (watch.pulledSinceMs === undefined) {
      const wideMs = nowMs - (watch.wideSinceMs ?? nowMs);
      if (wideMs < WIDE_MS - LOOKS_MS) return `it is pulled after ${wideMs} ms of too much doubt`;
      watch.pulledSinceMs = nowMs;
    }
    const pulledMs = nowMs - watch.pulledSinceMs;
    if (pulledMs <= this.#lagMs + LATE_MS) return undefined;
    return `it is pulled for one doubt, ${pulledMs} ms after it first was`;
  }

  #watchOf(marketId: MarketId): Watch {
    const known = this.#watches.get(marketId);
    if (known) return known;
    const fresh = { wideSinceMs: undefined, pulledSinceMs: undefined, lookedAtMs: undefined };
    this.#watches.set(marketId, fresh);
    return fresh;
  }
}

function mostUncertain({ maxPositionShares, maxUncertainShares }: Limits): number {
  return maxUncertainShares || maxPositionShares / 2;
}

/** Counted in the limits, and soon known: it is no reason to stop. */
const SOON_KNOWN: ReadonlySet<string> = new Set(['unsettled', 'may_arrive']);

/** The report of an end may be in flight. */
const REPORTED_BY_MS = 3_000;

function widthOf({ yes, no }: NonNullable<MarketView['positions']>, nowMs: number): number {
  const old = ({ cause, sinceMs, isOwed }: UncertainView) =>
    isOwed !== true && !SOON_KNOWN.has(cause) && nowMs - sinceMs > REPORTED_BY_MS;
  const shares = ({ uncertain }: PositionView) =>
    uncertain.filter(old).reduce((sum, each) => sum + Math.abs(Number(each.shares)), 0);
  return Math.max(shares(yes), shares(no));
}
