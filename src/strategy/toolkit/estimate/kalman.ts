// Fair value as a Kalman filter in log-odds: an estimate with its variance, moved by what is observed
// in proportion to how sure each is. Formulas in TSDoc; x is log-odds, P and R are its variances.

import type { UnixMs } from '../../../domain/time.ts';
import { logit, sigmoidSlope } from '../log-odds.ts';
import {
  assertNotNegative,
  assertPositive,
  assertProbability,
  needFinite,
  needNotNegative,
  needPositive,
  needProbability,
} from '../numeric/domain.ts';
import { laterOf, secondsBetween } from './decay.ts';

/** Log-odds of YES and how sure they are. */
export type LogitObservation = { readonly logOdds: number; readonly logitVar: number };

/** The fair value: an observation of everything so far, valid at a time. */
export type LogitEstimate = LogitObservation & { readonly atMs: UnixMs };

/**
 * The middle of a book: `y = logit(mid)`, `R = (spread/(p(1-p)))^2/12`, the variance of a value that
 * is equally likely anywhere inside the spread.
 */
export function bookObservation(book: {
  readonly midPrice: number;
  readonly spreadPrice: number;
}): LogitObservation {
  const { midPrice, spreadPrice } = book;
  needProbability('midPrice', midPrice);
  needPositive('spreadPrice', spreadPrice);
  return { logOdds: logit(midPrice), logitVar: (spreadPrice / sigmoidSlope(midPrice)) ** 2 / 12 };
}

/** What an observation of NO says of YES. */
export function mirroredObservation(ofNo: LogitObservation): LogitObservation {
  return { logOdds: -ofNo.logOdds, logitVar: ofNo.logitVar };
}

/**
 * A trade: the value may lie a whole spread to either side of its price, hence four times the
 * variance of a book of that spread; `weakness` (1 or more) doubts it further.
 */
export function tradeObservation(trade: {
  readonly price: number;
  readonly spreadPrice: number;
  readonly weakness: number;
}): LogitObservation {
  const { price, spreadPrice, weakness } = trade;
  assertPositive({ weakness });
  const { logOdds, logitVar } = bookObservation({ midPrice: price, spreadPrice });
  return { logOdds, logitVar: 4 * logitVar * weakness };
}

/** A probability from elsewhere, with its standard error in price: `R = (error/(p(1-p)))^2`. */
export function externalObservation(feed: {
  readonly probability: number;
  readonly errorPrice: number;
}): LogitObservation {
  const { probability, errorPrice } = feed;
  assertProbability({ probability });
  assertPositive({ errorPrice });
  return {
    logOdds: logit(probability),
    logitVar: (errorPrice / sigmoidSlope(probability)) ** 2,
  };
}

/** What an observation is worth `ageSec` later: its variance has grown by that much diffusion. */
export function agedObservation(
  observation: LogitObservation,
  age: { readonly ageSec: number; readonly logitVarPerSec: number },
): LogitObservation {
  assertNotNegative(age);
  const grown = observation.logitVar + age.ageSec * age.logitVarPerSec;
  return { logOdds: observation.logOdds, logitVar: grown };
}

/**
 * A look at the same source soon after the last one tells little new: its error lasts about
 * `memorySec`, so that looks `sinceSec` apart count as `sinceSec/memorySec` of a look each. Without
 * this a hundred deltas a second would make the filter sure of anything.
 */
export function repeatedObservation(
  observation: LogitObservation,
  repeat: { readonly sinceSec: number; readonly memorySec: number },
): LogitObservation | undefined {
  needNotNegative('sinceSec', repeat.sinceSec);
  needNotNegative('memorySec', repeat.memorySec);
  if (repeat.sinceSec >= repeat.memorySec) return observation;
  if (repeat.sinceSec === 0) return undefined;
  const times = repeat.memorySec / repeat.sinceSec;
  return { logOdds: observation.logOdds, logitVar: observation.logitVar * times };
}

/** The estimate at a later time: `P' = P + sigma_b^2 dt`. Time that runs backwards is no time. */
export function predictedEstimate(
  estimate: LogitEstimate,
  to: { readonly nowMs: UnixMs; readonly logitVarPerSec: number },
): LogitEstimate {
  needNotNegative('logitVarPerSec', to.logitVarPerSec);
  const elapsedSec = secondsBetween(estimate.atMs, to.nowMs);
  return {
    logOdds: estimate.logOdds,
    logitVar: estimate.logitVar + to.logitVarPerSec * elapsedSec,
    atMs: laterOf(estimate.atMs, to.nowMs),
  };
}

export type KalmanStep = {
  readonly estimate: LogitEstimate;
  readonly gain: number;
  /** How many of its deviations the observation lay away: beyond 4 it is new or a fault. */
  readonly surprise: number;
};

/** `gain = P/(P + R)`, `x' = x + gain (y - x)`, `P' = (1 - gain) P`. */
export function correctedEstimate(estimate: LogitEstimate, observed: LogitObservation): KalmanStep {
  needFinite('logOdds', observed.logOdds);
  needPositive('logitVar', observed.logitVar);
  const doubt = estimate.logitVar + observed.logitVar;
  const gain = estimate.logitVar / doubt;
  const miss = observed.logOdds - estimate.logOdds;
  return {
    estimate: {
      logOdds: estimate.logOdds + gain * miss,
      logitVar: (1 - gain) * estimate.logitVar,
      atMs: estimate.atMs,
    },
    gain,
    surprise: Math.abs(miss) / Math.sqrt(doubt),
  };
}

/**
 * One step of the filter with everything seen at once: their order does not matter, since they are
 * combined first. Without an estimate the first observations are taken whole; without either there
 * is no fair value, and no default for it.
 */
export function fairValueStep(
  before: LogitEstimate | undefined,
  seen: readonly LogitObservation[],
  at: { readonly nowMs: UnixMs; readonly logitVarPerSec: number },
): KalmanStep | undefined {
  const now = before === undefined ? undefined : predictedEstimate(before, at);
  const together = combined(seen);
  if (now !== undefined && together !== undefined) return correctedEstimate(now, together);
  if (now !== undefined) return { estimate: now, gain: 0, surprise: 0 };
  if (together === undefined) return undefined;
  return { estimate: { ...together, atMs: at.nowMs }, gain: 1, surprise: 0 };
}

/** The inverse-variance mean `sum(y/R) / sum(1/R)` of independent observations; its variance is `1/sum(1/R)`. */
export function combined(seen: readonly LogitObservation[]): LogitObservation | undefined {
  if (seen.length === 0) return undefined;
  let weight = 0;
  let weightedSum = 0;
  for (const { logOdds, logitVar } of seen) {
    needFinite('logOdds', logOdds);
    needPositive('logitVar', logitVar);
    weight += 1 / logitVar;
    weightedSum += logOdds / logitVar;
  }
  return { logOdds: weightedSum / weight, logitVar: 1 / weight };
}
