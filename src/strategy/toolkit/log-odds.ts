// Log-odds: the axis on which a probability moves freely. x = ln(p/(1-p)), without unit.

import { assert } from '../../domain/assert.ts';
import { assertFinite, assertProbability, clamped, sum } from './numeric/domain.ts';

/**
 * Probabilities nearer to 0 or 1 than this are taken as this near. The finest price is 0.001, so
 * that no price is ever touched; only a model's own rounding is.
 */
export const PROBABILITY_MIN = 1e-9;

/**
 * The log-odds `ln(p/(1-p))` of a probability; 0 and 1 give the largest log-odds in use, +-20.7.
 * @throws {AssertionError} When `p` is not a number from 0 to 1.
 */
export function logit(p: number): number {
  assert(p >= 0 && p <= 1, 'a probability lies from 0 to 1');
  const safe = clamped(p, PROBABILITY_MIN, 1 - PROBABILITY_MIN);
  return Math.log(safe) - Math.log1p(-safe);
}

/** The probability `S(x) = 1/(1+e^-x)` of log-odds, without overflow. */
export function sigmoid(x: number): number {
  if (x >= 0) return 1 / (1 + Math.exp(-x));
  const odds = Math.exp(x);
  return odds / (1 + odds);
}

/** `S'(x) = p(1-p)`: how much price one unit of log-odds is worth at `p`. */
export function sigmoidSlope(p: number): number {
  return p * (1 - p);
}

/** `S''(x) = p(1-p)(1-2p)`. */
export function sigmoidCurvature(p: number): number {
  return p * (1 - p) * (1 - 2 * p);
}

/** A small width in price as a width in log-odds, `width/(p(1-p))`. */
export function logitWidth(priceWidth: number, p: number): number {
  assertProbability({ p });
  return priceWidth / sigmoidSlope(p);
}

/** Halving an interval of 50 this often reaches the rounding of its ends. */
const HALVINGS = 60;

/**
 * Log-odds of exclusive and exhaustive outcomes, all shifted by the one constant that makes their
 * probabilities add up to one. Needs an event of which exactly one outcome comes true.
 *
 * @param logOdds - Two or more.
 */
export function exclusiveLogOdds(logOdds: readonly number[]): readonly number[] {
  assert(logOdds.length >= 2, 'exclusive outcomes are two or more');
  for (const each of logOdds) assertFinite({ logOdds: each });
  // With the smallest at zero the sum is n/2 or more; with the largest at -ln(n) it is below one.
  let high = -Math.min(...logOdds);
  let low = -Math.max(...logOdds) - Math.log(logOdds.length);
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (low + high) / 2;
    const total = sum(logOdds.map((x) => sigmoid(x + middle)));
    if (total > 1) high = middle;
    else low = middle;
  }
  return logOdds.map((x) => x + (low + high) / 2);
}
