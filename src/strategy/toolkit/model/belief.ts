// The exact process of a public belief that ends at 0 or 1: condition on the outcome first.
// If the log-odds are what a perfect reasoner would believe, their drift is +v/2 when YES comes true
// and -v/2 when it does not, over a stretch in which they gather the variance v. Derived here.

import { assert } from '../../../domain/assert.ts';
import { logit, sigmoid } from '../log-odds.ts';
import { assertFinite, assertNotNegative, assertProbability } from '../numeric/domain.ts';
import { softmax } from '../numeric/special.ts';

export type BeliefMoments = {
  /** Always where it starts: the belief is a martingale. */
  readonly probabilityMean: number;
  readonly logOddsMean: number;
  readonly logOddsVar: number;
};

/**
 * Moments after log-odds variance `v` (the integral of sigma_b^2, plus sJ^2 per jump), exactly:
 * `E[x] = x0 + (2 p0 - 1) v/2`, `Var[x] = v + p0 (1-p0) v^2`.
 */
export function beliefMoments(probability: number, logitVar: number): BeliefMoments {
  assertProbability({ probability });
  assertNotNegative({ logitVar });
  return {
    probabilityMean: probability,
    logOddsMean: logit(probability) + ((2 * probability - 1) * logitVar) / 2,
    logOddsVar: logitVar + probability * (1 - probability) * logitVar ** 2,
  };
}

export type BeliefStep = {
  readonly logOdds: number;
  readonly logitVar: number;
  /** How the market will end; drawn once, before the first step. */
  readonly endsYes: boolean;
  /** A draw of the standard normal distribution; randomness is the caller's. */
  readonly normal: number;
};

/** The log-odds one stretch later, without discretisation error whatever its length. */
export function beliefAfter({ logOdds, logitVar, endsYes, normal }: BeliefStep): number {
  assertFinite({ logOdds, normal });
  assertNotNegative({ logitVar });
  return logOdds + (endsYes ? 0.5 : -0.5) * logitVar + Math.sqrt(logitVar) * normal;
}

export type ExclusiveBeliefStep = {
  /** Of exclusive and exhaustive outcomes; they add up to one. */
  readonly probabilities: readonly number[];
  readonly logitVar: number;
  /** Index of the outcome that will come true; drawn once, before the first step. */
  readonly winner: number;
  /** One standard normal draw for each outcome. */
  readonly normals: readonly number[];
};

/** Probabilities one stretch later: `softmax(ln p_i + l_i)`; they keep adding up to one. */
export function exclusiveBeliefsAfter(step: ExclusiveBeliefStep): readonly number[] {
  const { probabilities, logitVar, winner, normals } = step;
  assert(normals.length === probabilities.length, 'each outcome has its draw');
  const evidence = normals.map((normal, index) =>
    beliefAfter({ logOdds: 0, logitVar, endsYes: index === winner, normal }),
  );
  return softmax(probabilities.map((p, index) => Math.log(p) + (evidence[index] ?? 0)));
}

/** The probability after a belief step, for callers that think in probabilities. */
export function probabilityAfter(
  step: Omit<BeliefStep, 'logOdds'> & { readonly probability: number },
): number {
  return sigmoid(beliefAfter({ ...step, logOdds: logit(step.probability) }));
}
