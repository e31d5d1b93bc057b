// How often a quote at a distance would be filled: trades that reach it, counted by depth, and the
// exponential A e^(-k distance) that fits them.
// Source: Avellaneda, Stoikov, 2008, section 2.5, for the form; the fit is a weighted regression.

import { assert } from '../../../domain/assert.ts';
import type { UnixMs } from '../../../domain/time.ts';
import { assertNotNegative, sum } from '../numeric/domain.ts';
import { decayedSeconds, decayFactor, laterOf, secondsBetween } from './decay.ts';

/** Counts by whole ticks of depth: a deeper trade counts at the last one. */
export const DEPTH_TICKS_MAX = 100;

export type DepthCounts = {
  /** Trades whose reach was this many ticks: index 0 is one tick. */
  readonly reaching: readonly number[];
  readonly sinceMs: UnixMs;
  readonly atMs: UnixMs;
};

export function newDepthCounts(nowMs: UnixMs, depthTicksMax: number): DepthCounts {
  const isBounded =
    Number.isSafeInteger(depthTicksMax) && depthTicksMax >= 2 && depthTicksMax <= DEPTH_TICKS_MAX;
  assert(isBounded, 'trades are counted over 2 to DEPTH_TICKS_MAX ticks');
  return { reaching: Array.from({ length: depthTicksMax }, () => 0), sinceMs: nowMs, atMs: nowMs };
}

/**
 * Counts one trade by how far it reached from the fair price before it. Keep one count for each side
 * of the book: a fill model speaks of one quote.
 *
 * @param trade - `reachTicks` below one reached no quote and only passes time.
 */
export function withDepthReach(
  before: DepthCounts,
  trade: { readonly reachTicks: number; readonly atMs: UnixMs },
  halfLifeSec: number,
): DepthCounts {
  const kept = decayFactor(secondsBetween(before.atMs, trade.atMs), halfLifeSec);
  const reached = Math.min(Math.floor(trade.reachTicks), before.reaching.length);
  return {
    reaching: before.reaching.map((count, index) => kept * count + (index + 1 === reached ? 1 : 0)),
    sinceMs: before.sinceMs,
    atMs: laterOf(before.atMs, trade.atMs),
  };
}

/** One point of a fit: how often trades reach a distance, and how much it counts. */
export type RatePoint = {
  readonly distance: number;
  readonly ratePerSec: number;
  readonly weight: number;
};

export type FillIntensity = {
  /** A: rate at distance zero. */
  readonly fillRatePerSec: number;
  /** k: per unit of the points' distance. */
  readonly fillDecay: number;
};

export type FitRange = {
  readonly nowMs: UnixMs;
  readonly halfLifeSec: number;
  /** The depths actually quoted: fitted over all depths the exponential overstates the near ones. */
  readonly ticksFrom: number;
  readonly ticksTo: number;
  /** Depths that fewer trades reached say too little. */
  readonly countMin: number;
};

/** Fits what was counted; `fillDecay` is per tick. `undefined` while there is too little to fit. */
export function fittedIntensity(counts: DepthCounts, range: FitRange): FillIntensity | undefined {
  const { nowMs, halfLifeSec } = range;
  const seconds = decayedSeconds(secondsBetween(counts.sinceMs, nowMs), halfLifeSec);
  if (seconds === 0) return undefined;
  const kept = decayFactor(secondsBetween(counts.atMs, nowMs), halfLifeSec);
  const points = counts.reaching
    .map((_, index) => ({
      distance: index + 1,
      count: kept * sum(counts.reaching.slice(index)),
    }))
    .filter(({ distance }) => distance >= range.ticksFrom && distance <= range.ticksTo)
    .filter(({ count }) => count > 0 && count >= range.countMin)
    .map(({ distance, count }) => ({ distance, ratePerSec: count / seconds, weight: count }));
  return fitIntensity(points);
}

/**
 * Regresses `ln rate = ln A - k d`, each point by its weight (for a count of events the count itself,
 * as its logarithm has variance `1/count`). `undefined` for fewer than two distances, or when rates
 * do not fall with distance.
 */
export function fitIntensity(points: readonly RatePoint[]): FillIntensity | undefined {
  for (const { ratePerSec, weight } of points) assertNotNegative({ ratePerSec, weight });
  const usable = points.filter(({ ratePerSec, weight }) => ratePerSec > 0 && weight > 0);
  const total = sum(usable.map(({ weight }) => weight));
  const mean = (of: (point: RatePoint) => number) =>
    sum(usable.map((point) => point.weight * of(point))) / total;
  const distance = mean((point) => point.distance);
  const logRate = mean((point) => Math.log(point.ratePerSec));
  const spread = mean((point) => (point.distance - distance) ** 2);
  if (!(spread > 0)) return undefined;
  const slope =
    mean((point) => (point.distance - distance) * (Math.log(point.ratePerSec) - logRate)) / spread;
  if (!(slope < 0)) return undefined;
  return { fillRatePerSec: Math.exp(logRate - slope * distance), fillDecay: -slope };
}

/** k per unit of price, from k per tick. */
export function fillDecayPerPriceOf(decayPerTick: number, ticksPerUnit: number): number {
  return decayPerTick * ticksPerUnit;
}
