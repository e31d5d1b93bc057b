// Functions that `Math` lacks, accurate where the naive expression is not.

import { assertFinite, assertNotNegative, sum } from './domain.ts';

/** `ln(1 + e^x)`, exact to rounding for any `x`; `e^x` itself overflows from 710 on. */
export function log1pExp(x: number): number {
  return x > 0 ? x + Math.log1p(Math.exp(-x)) : Math.log1p(Math.exp(x));
}

/** `ln(sum of e^x)` over the values, without overflow. */
export function logSumExp(values: readonly number[]): number {
  const top = Math.max(...values);
  return top + Math.log(sum(values.map((value) => Math.exp(value - top))));
}

/** `e^x_i / (sum of e^x_j)`: log-weights as shares that add up to one. */
export function softmax(values: readonly number[]): readonly number[] {
  const top = Math.max(...values);
  const weights = values.map((value) => Math.exp(value - top));
  const total = sum(weights);
  return weights.map((weight) => weight / total);
}

/** Beyond this many deviations the two tails are below the rounding of 1. */
const NORMAL_TAIL = 8.5;

/**
 * The standard normal distribution `Phi(z)`, to about 1e-15 absolute.
 *
 * `1/2 + phi(z) (z + z^3/3 + z^5/(3·5) + …)`: within the tail bound the terms of the sum vanish
 * after fewer than 200.
 */
export function normalCdf(z: number): number {
  assertFinite({ z });
  if (z > NORMAL_TAIL) return 1;
  if (z < -NORMAL_TAIL) return 0;
  let term = z;
  let total = z;
  for (let odd = 3; Math.abs(term) > 1e-17; odd += 2) {
    term *= (z * z) / odd;
    total += term;
  }
  return 0.5 + (total * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
}

/** Halley's step triples the right digits; from `ln(1+x)` four steps reach rounding. */
const LAMBERT_STEPS_MAX = 12;

/** The `w >= 0` with `w e^w = x`, for `x >= 0` (Lambert's W). */
export function lambertW(x: number): number {
  assertNotNegative({ x });
  let w = Math.log1p(x);
  for (let step = 0; step < LAMBERT_STEPS_MAX; step += 1) {
    // Divided by e^w, so that nothing overflows for a large x.
    const miss = w - x * Math.exp(-w);
    const change = miss / (w + 1 - ((w + 2) * miss) / (2 * w + 2));
    w -= change;
    if (Math.abs(change) <= 1e-16 * w) break;
  }
  return w;
}
