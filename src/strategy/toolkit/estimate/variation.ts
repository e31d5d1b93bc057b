// Volatility from sampled prices, in price or in log-odds, and how much of it came in jumps.
// Source: Barndorff-Nielsen, Shephard, Power and bipower variation with stochastic volatility and
// jumps, Journal of Financial Econometrics 2, 2004.

import { needFinite, needNotNegative, sum } from '../numeric/domain.ts';
import { decayFactor, secondsBetween, type TimedValue } from './decay.ts';

/** Realised variance `RV = sum dx^2` of equally spaced values. */
export function realisedVariance(values: readonly number[]): number {
  return sum(moves(values).map((move) => move ** 2));
}

/** Bipower variation `BV = (pi/2) sum |dx_i| |dx_{i-1}|`: what is left when jumps come singly. */
export function bipowerVariation(values: readonly number[]): number {
  const sizes = moves(values).map(Math.abs);
  const products = sizes.slice(1).map((size, index) => size * (sizes[index] ?? 0));
  return (Math.PI / 2) * sum(products);
}

/** The part of the variance that came in jumps, `max(0, RV - BV)`. */
export function jumpVariation(values: readonly number[]): number {
  return Math.max(0, realisedVariance(values) - bipowerVariation(values));
}

function moves(values: readonly number[]): readonly number[] {
  return values.slice(1).map((value, index) => value - (values[index] ?? value));
}

/** Both variations of a running series, forgetting by half-life. */
export type Variation = {
  readonly last: TimedValue;
  /** The last move per square root of its seconds; zero before the first. */
  readonly lastMovePerSqrtSec: number;
  readonly realised: number;
  readonly realisedSec: number;
  readonly bipower: number;
  readonly bipowerSec: number;
};

export type VariationSampling = {
  readonly halfLifeSec: number;
  /**
   * Values that follow the last sample sooner are skipped. With a spread of one tick the middle
   * bounces by half a tick: 30 s or more keep that out of the variance.
   */
  readonly sampleSecMin: number;
};

/** Takes one more value of the series; it need not come at even intervals. */
export function withSample(
  before: Variation | undefined,
  seen: TimedValue,
  sampling: VariationSampling,
): Variation {
  needFinite('value', seen.value);
  needNotNegative('sampleSecMin', sampling.sampleSecMin);
  if (before === undefined) return started(seen);
  const elapsedSec = secondsBetween(before.last.atMs, seen.atMs);
  if (elapsedSec === 0 || elapsedSec < sampling.sampleSecMin) return before;
  return moved(before, seen, { elapsedSec, halfLifeSec: sampling.halfLifeSec });
}

function started(seen: TimedValue): Variation {
  const none = { lastMovePerSqrtSec: 0, realised: 0, realisedSec: 0, bipower: 0, bipowerSec: 0 };
  return { last: { value: seen.value, atMs: seen.atMs }, ...none };
}

function moved(
  before: Variation,
  seen: TimedValue,
  by: { readonly elapsedSec: number; readonly halfLifeSec: number },
): Variation {
  const { elapsedSec } = by;
  const kept = decayFactor(elapsedSec, by.halfLifeSec);
  const move = seen.value - before.last.value;
  const movePerSqrtSec = Math.abs(move) / Math.sqrt(elapsedSec);
  // Moves per square root of time are what uneven intervals have in common.
  const product = (Math.PI / 2) * movePerSqrtSec * before.lastMovePerSqrtSec * elapsedSec;
  const hasPair = before.realisedSec > 0;
  return {
    last: { value: seen.value, atMs: seen.atMs },
    lastMovePerSqrtSec: movePerSqrtSec,
    realised: kept * before.realised + move ** 2,
    realisedSec: kept * before.realisedSec + elapsedSec,
    bipower: kept * before.bipower + product,
    bipowerSec: kept * before.bipowerSec + (hasPair ? elapsedSec : 0),
  };
}

/** Variance per second in the square of the series' unit; `undefined` before the first pair. */
export type VarianceRates = {
  readonly totalVarPerSec: number;
  /** Without single jumps: what inventory risk between jumps is computed from. */
  readonly continuousVarPerSec: number;
  readonly jumpVarPerSec: number;
};

export function varianceRates(variation: Variation | undefined): VarianceRates | undefined {
  if (variation === undefined || variation.bipowerSec === 0) return undefined;
  const totalVarPerSec = variation.realised / variation.realisedSec;
  const continuousVarPerSec = Math.min(totalVarPerSec, variation.bipower / variation.bipowerSec);
  const jumpVarPerSec = totalVarPerSec - continuousVarPerSec;
  return { totalVarPerSec, continuousVarPerSec, jumpVarPerSec };
}
