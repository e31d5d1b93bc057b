// How our own fills fared after 10 s and 60 s against the fair value of then.

import type { UnixMs } from '../../domain/time.ts';
import type { AxisSide, Toxicity } from '../../strategy/index.ts';
import {
  type DecayedRate,
  decayFactor,
  secondsBetween,
  withRateCount,
} from '../../strategy/toolkit/estimate/decay.ts';
import {
  informedShare,
  type MarkoutShape,
  type Markouts,
  meanMarkout,
  measured,
  NO_MARKOUTS,
  withFill,
} from '../../strategy/toolkit/estimate/markout.ts';

const SHORT = { horizonSec: 10, halfLifeSec: 1_800 };
const LONG = { horizonSec: 60, halfLifeSec: 1_800 };
/** Until this many fills have a 60 s markout, one bad fill would be taken for a trait. */
const FILLS_MIN = 5;
/** And while so many are left of them, the older ones discounted: what happened last week is no figure of today. */
const RECENT_FILLS_MIN = FILLS_MIN / 2;
/** mu before any own fill, worth as much as this many shares of fills. */
const PRIOR = { informedShare: 0.03, shares: 100 };
/** A few shares that lost much say little: the mean is drawn to nothing lost and nothing won. */
const MARKOUT_PRIOR = { markoutPrice: 0, shares: PRIOR.shares };
/** Quick losses remembered for the guard that counts them. */
const RECENT_MAX = 32;

type Now = { readonly fairPrice: number; readonly nowMs: UnixMs };

type OwnFill = {
  readonly side: AxisSide;
  readonly price: number;
  readonly shares: number;
  readonly atMs: UnixMs;
};

export class ToxicityMeter {
  #short: Markouts = NO_MARKOUTS;
  #long: Markouts = NO_MARKOUTS;
  #fills = 0;
  #recent: DecayedRate | undefined;
  #losses: { readonly side: AxisSide; readonly atMs: UnixMs }[] = [];

  onFill(fill: OwnFill): void {
    if (!(fill.price > 0 && fill.price < 1 && fill.shares > 0)) return;
    this.#short = withFill(this.#short, fill);
    this.#long = withFill(this.#long, fill);
  }

  /** Measures what is due; `lossPrice` per share or more after 10 s is a quick loss. */
  measure(now: Now, lossPrice: number): void {
    if (this.#short.waiting.length === 0 && this.#long.waiting.length === 0) return;
    this.#noteLosses(now, lossPrice);
    this.#short = measured(this.#short, now, SHORT);
    const before = this.#long.waiting.length;
    this.#long = measured(this.#long, now, LONG);
    const count = before - this.#long.waiting.length;
    if (count === 0) return;
    this.#fills += count;
    const { nowMs } = now;
    const recent = this.#recent ?? { decayedCount: 0, sinceMs: nowMs, atMs: nowMs };
    this.#recent = withRateCount(recent, { count, atMs: nowMs }, LONG.halfLifeSec);
  }

  /** Fills of one side that lost quickly, since a time. */
  quickLosses(side: AxisSide, sinceMs: number): number {
    return this.#losses.filter((loss) => loss.side === side && loss.atMs >= sinceMs).length;
  }

  /** Means of the fills alone, for people: what decides is drawn towards a prior, see `view`. */
  means(): {
    readonly after10sUsdc: number | undefined;
    readonly after60sUsdc: number | undefined;
  } {
    return { after10sUsdc: meanOf(this.#short), after60sUsdc: meanOf(this.#long) };
  }

  view(nowMs: UnixMs, fairPrice: number | undefined): Toxicity {
    const fills = this.#recentFills(nowMs);
    const isKnown = this.#fills >= FILLS_MIN && fills >= RECENT_FILLS_MIN;
    const markoutOf = (markouts: Markouts, { halfLifeSec }: MarkoutShape): number | undefined =>
      isKnown ? meanMarkout(markouts, MARKOUT_PRIOR, { nowMs, halfLifeSec }) : undefined;
    return {
      fills,
      markout10sUsdc: markoutOf(this.#short, SHORT),
      markout60sUsdc: markoutOf(this.#long, LONG),
      informedShare:
        isKnown && fairPrice !== undefined
          ? informedShare(this.#long, PRIOR, {
              nowMs,
              halfLifeSec: LONG.halfLifeSec,
              probability: fairPrice,
            })
          : undefined,
    };
  }

  #recentFills(nowMs: UnixMs): number {
    const recent = this.#recent;
    if (recent === undefined) return 0;
    return recent.decayedCount * decayFactor(secondsBetween(recent.atMs, nowMs), LONG.halfLifeSec);
  }

  #noteLosses(now: Now, lossPrice: number): void {
    for (const fill of this.#short.waiting) {
      const ageSec = (now.nowMs - fill.atMs) / 1_000;
      if (ageSec < SHORT.horizonSec || ageSec > 2 * SHORT.horizonSec) continue;
      const gain = fill.side === 'bid' ? now.fairPrice - fill.price : fill.price - now.fairPrice;
      if (gain <= -lossPrice) this.#losses.push({ side: fill.side, atMs: now.nowMs });
    }
    if (this.#losses.length > RECENT_MAX) this.#losses = this.#losses.slice(-RECENT_MAX);
  }
}

function meanOf(markouts: Markouts): number | undefined {
  const { mean } = markouts;
  return mean === undefined || mean.weight === 0 ? undefined : mean.weightedSum / mean.weight;
}
