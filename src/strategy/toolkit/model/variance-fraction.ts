// rho: which share of the variance left until resolution is expected inside the holding horizon.
// It takes the place of a clock in inventory skew: small in a calm market with a long way to go, one
// when the answer comes inside the horizon. Derived here from the belief process.

import { assertNotNegative, assertProbability, clamped } from '../numeric/domain.ts';

/** Beyond this log-odds variance the outcome is known to the rounding of doubles. */
const LOGIT_VAR_MAX = 400;
/** Deviations of the normal factor beyond which nothing of the integral is left. */
const TAIL = 9;
/** A half step of the normal density is exact to 1e-34; the other factor asks for less at large v. */
const STEP_MAX = 0.5;

/**
 * `rho(p, v) = 1 - E[p_H (1-p_H)] / (p(1-p))`, with `v` the variance that the log-odds gather over
 * the horizon (sigma_b^2 H without jumps). For small `v` it is `p(1-p) v`; it never falls with `v`.
 *
 * Computed as the variance of `p_H` over `p(1-p)`, which loses no digits when it is small:
 * `p(1-p) e^(-v/8) E[ 4 sinh^2(l/2) / (p e^(l/2) + (1-p) e^(-l/2)) ]` over normal `l` of variance
 * `v`, by the trapezoidal rule (at most some 1,500 points, 40 in a usual market).
 */
export function varianceFraction(probability: number, logitVar: number): number {
  assertProbability({ probability });
  assertNotNegative({ logitVar });
  if (logitVar === 0) return 0;
  if (logitVar > LOGIT_VAR_MAX) return 1;
  const deviation = Math.sqrt(logitVar);
  // Evidence grows like e^(l/2), which moves the bulk of the integral this far out.
  const reach = TAIL + deviation / 2;
  const step = STEP_MAX / Math.max(1, deviation);
  const points = Math.ceil(reach / step);
  let total = 0;
  for (let point = -points; point <= points; point += 1) {
    const u = point * step;
    total += Math.exp((-u * u) / 2) * spreadOfBelief(probability, deviation * u);
  }
  const mean = (total * step) / Math.sqrt(2 * Math.PI);
  const fraction = probability * (1 - probability) * Math.exp(-logitVar / 8) * mean;
  return clamped(fraction, 0, 1);
}

function spreadOfBelief(p: number, evidence: number): number {
  const growth = Math.exp(evidence / 2);
  return (4 * Math.sinh(evidence / 2) ** 2) / (p * growth + (1 - p) / growth);
}

/** `p(1-p) v`, the small-variance form of `varianceFraction`; within 1% of it below `v` of 0.01. */
export function varianceFractionSmall(probability: number, logitVar: number): number {
  assertProbability({ probability });
  assertNotNegative({ logitVar });
  return clamped(probability * (1 - probability) * logitVar, 0, 1);
}
