// Averages that forget: plain data in, plain data out, one fixed size whatever the number of events.
// Everywhere `d = 2^(-dt/H)` is what a half-life `H` leaves after `dt`. Time that runs backwards
// (a late message) counts as no time.

import type { UnixMs } from '../../../domain/time.ts';
import { assertFinite, assertNotNegative } from '../numeric/domain.ts';

/** The share that is left after a while. An infinite half-life forgets nothing. */
export function decayFactor(elapsedSec: number, halfLifeSec: number): number {
  if (halfLifeSec === Number.POSITIVE_INFINITY) return 1;
  assertNotNegative({ elapsedSec, halfLifeSec });
  if (elapsedSec === 0) return 1;
  return 2 ** (-elapsedSec / halfLifeSec);
}

/** Seconds from one time to a later one, never negative. */
export function secondsBetween(from: UnixMs, to: UnixMs): number {
  return Math.max(0, to - from) / 1_000;
}

/** The later of two times. */
export function laterOf(a: UnixMs, b: UnixMs): UnixMs {
  return a > b ? a : b;
}

export type TimedValue = { readonly value: number; readonly atMs: UnixMs };

/**
 * Moving average of something that lasts between observations, such as a spread:
 * `v <- d v + (1-d) seen`. The first observation is taken whole; one at the same instant as the last
 * changes nothing, since it has not lasted (for events use `DecayedMean`).
 */
export function ewma(
  before: TimedValue | undefined,
  seen: TimedValue,
  halfLifeSec: number,
): TimedValue {
  assertFinite({ value: seen.value });
  if (before === undefined) return { value: seen.value, atMs: seen.atMs };
  const kept = decayFactor(secondsBetween(before.atMs, seen.atMs), halfLifeSec);
  const value = kept * before.value + (1 - kept) * seen.value;
  return { value, atMs: laterOf(before.atMs, seen.atMs) };
}

/** Weighted mean of events, older ones weighing less. */
export type DecayedMean = {
  readonly weightedSum: number;
  readonly weight: number;
  readonly atMs: UnixMs;
};

/** Adds one event, `sum <- d sum + w value`, `weight <- d weight + w`. */
export function withMeanEvent(
  before: DecayedMean | undefined,
  event: TimedValue & { readonly weight: number },
  halfLifeSec: number,
): DecayedMean {
  assertFinite({ value: event.value });
  assertNotNegative({ weight: event.weight });
  const elapsed = before === undefined ? 0 : secondsBetween(before.atMs, event.atMs);
  const kept = decayFactor(elapsed, halfLifeSec);
  return {
    weightedSum: kept * (before?.weightedSum ?? 0) + event.weight * event.value,
    weight: kept * (before?.weight ?? 0) + event.weight,
    atMs: before === undefined ? event.atMs : laterOf(before.atMs, event.atMs),
  };
}

/** A value believed beforehand, worth as much as `weight` of events. */
export type MeanPrior = { readonly value: number; readonly weight: number };

/** The mean now, drawn towards the prior while it rests on little; old evidence fades as well. */
export function meanOf(
  mean: DecayedMean | undefined,
  prior: MeanPrior,
  at: { readonly nowMs: UnixMs; readonly halfLifeSec: number },
): number {
  const kept =
    mean === undefined ? 0 : decayFactor(secondsBetween(mean.atMs, at.nowMs), at.halfLifeSec);
  const weight = kept * (mean?.weight ?? 0) + prior.weight;
  if (weight <= 0) return prior.value;
  return (kept * (mean?.weightedSum ?? 0) + prior.weight * prior.value) / weight;
}

/** Events per second, recent ones counting more. */
export type DecayedRate = {
  readonly decayedCount: number;
  readonly sinceMs: UnixMs;
  readonly atMs: UnixMs;
};

export function newRate(nowMs: UnixMs): DecayedRate {
  return { decayedCount: 0, sinceMs: nowMs, atMs: nowMs };
}

/** Adds `count` events, `n <- d n + count`. */
export function withRateCount(
  before: DecayedRate,
  seen: { readonly count: number; readonly atMs: UnixMs },
  halfLifeSec: number,
): DecayedRate {
  assertNotNegative({ count: seen.count });
  const kept = decayFactor(secondsBetween(before.atMs, seen.atMs), halfLifeSec);
  const decayedCount = kept * before.decayedCount + seen.count;
  return { ...before, decayedCount, atMs: laterOf(before.atMs, seen.atMs) };
}

/**
 * `n ln2 / (H (1 - 2^(-age/H)))`: the decayed count over the decayed time in which it was gathered;
 * `undefined` before any time has passed.
 */
export function ratePerSec(
  rate: DecayedRate,
  at: { readonly nowMs: UnixMs; readonly halfLifeSec: number },
): number | undefined {
  const seconds = decayedSeconds(secondsBetween(rate.sinceMs, at.nowMs), at.halfLifeSec);
  if (seconds === 0) return undefined;
  const kept = decayFactor(secondsBetween(rate.atMs, at.nowMs), at.halfLifeSec);
  return (kept * rate.decayedCount) / seconds;
}

/** The integral of `2^(-t/H)` over the age: seconds as the decayed count sees them. */
export function decayedSeconds(ageSec: number, halfLifeSec: number): number {
  if (halfLifeSec === Number.POSITIVE_INFINITY) return ageSec;
  return (-Math.expm1((-ageSec / halfLifeSec) * Math.LN2) * halfLifeSec) / Math.LN2;
}
