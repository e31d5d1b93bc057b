// Glosten and Milgrom for a value that is 0 or 1: quotes at which informed takers cost exactly what
// the others bring.
// Source: Glosten, Milgrom, Bid, ask and transaction prices, Journal of Financial Economics 14, 1985;
// the binary form is derived here.

import { assert } from '../../../domain/assert.ts';
import { assertProbability, clamped } from '../numeric/domain.ts';

/** Even where every fill goes wrong some flow is noise; nearer to one no spread would be enough. */
export const INFORMED_SHARE_MAX = 0.9;

/**
 * The break-even half spread in log-odds, `ln((1+mu)/(1-mu))`, the same at every price. It is also
 * the step by which each fill moves the fair log-odds towards the taker.
 *
 * @param informedShare - mu, the share of takers who know the outcome, 0 to below 1.
 */
export function informedLogitStep(informedShare: number): number {
  assert(informedShare >= 0 && informedShare < 1, 'the informed share lies from 0 to below 1');
  return 2 * Math.atanh(informedShare);
}

/** `mu (2a-1)`: takers who are right with probability `a` only, seen as fewer who know. */
export function effectiveInformedShare(informedShare: number, accuracy: number): number {
  assert(accuracy >= 0.5 && accuracy <= 1, 'an informed taker is right at least half the time');
  return informedShare * (2 * accuracy - 1);
}

/** `ask = p(1+mu)/(1+mu(2p-1))`, `bid = p(1-mu)/(1-mu(2p-1))`: the beliefs after either trade. */
export function glostenMilgromQuotes(
  probability: number,
  informedShare: number,
): { readonly bid: number; readonly ask: number } {
  assertProbability({ probability });
  assert(informedShare >= 0 && informedShare < 1, 'the informed share lies from 0 to below 1');
  const tilt = informedShare * (2 * probability - 1);
  return {
    bid: (probability * (1 - informedShare)) / (1 - tilt),
    ask: (probability * (1 + informedShare)) / (1 + tilt),
  };
}

/**
 * The informed share that explains a loss per share, measured from the fair price after own fills:
 * the `mu` of `loss = p(1-p) ln((1+mu)/(1-mu))`, at most `INFORMED_SHARE_MAX`; none for a gain.
 */
export function informedShareOfLoss(lossPerSharePrice: number, probability: number): number {
  assertProbability({ probability });
  const halfStep = lossPerSharePrice / (2 * probability * (1 - probability));
  return clamped(Math.tanh(halfStep), 0, INFORMED_SHARE_MAX);
}
