// Log-odds as a jump-diffusion whose probability is a martingale, and Avellaneda-Stoikov on that axis.
// Source: Dalen, arXiv 2510.15205, as others relay it; the drift is derived from the martingale.

import { logit, sigmoid, sigmoidCurvature, sigmoidSlope } from '../log-odds.ts';
import { assertFinite, assertNotNegative, assertPositive } from '../numeric/domain.ts';
import { avellanedaStoikov, riskAverseMargin } from './avellaneda-stoikov.ts';

/** One jump size of a discrete law; weights add up to one. */
export type LogitJump = { readonly logOdds: number; readonly weight: number };

export type LogitDiffusion = {
  readonly probability: number;
  /** sigma_b^2: variance of the log-odds per second, without jumps. */
  readonly logitVarPerSec: number;
  /** None when left out. */
  readonly jumps?: {
    readonly ratePerSec: number;
    readonly law: readonly LogitJump[];
    /** Whether the equation of motion already subtracts the mean jump. */
    readonly isCompensated: boolean;
  };
};

/**
 * The drift of the log-odds, per second, that keeps the probability a martingale:
 * `-[ 1/2 S'' sigma_b^2 + lambda E( S(x+z) - S(x) - S' z (if compensated) ) ] / S'`; without jumps
 * `-1/2 (1-2p) sigma_b^2`, which pushes outwards, away from one half.
 */
export function logitDriftPerSec(model: LogitDiffusion): number {
  const { probability: p, logitVarPerSec, jumps } = model;
  assertNotNegative({ logitVarPerSec });
  const diffusion = (sigmoidCurvature(p) * logitVarPerSec) / 2;
  const jumping = jumps === undefined ? 0 : jumps.ratePerSec * meanJump(p, jumps);
  return -(diffusion + jumping) / sigmoidSlope(p);
}

/** The mean change of the probability at a jump, less what the compensator takes out. */
function meanJump(p: number, jumps: NonNullable<LogitDiffusion['jumps']>): number {
  const x = logit(p);
  const linear = jumps.isCompensated ? sigmoidSlope(p) : 0;
  return jumps.law.reduce(
    (mean, { logOdds, weight }) =>
      mean + weight * (sigmoid(x + logOdds) - sigmoid(x) - linear * logOdds),
    0,
  );
}

export type LogitAvellanedaStoikov = {
  readonly probability: number;
  readonly inventoryLots: number;
  /** gamma, per unit of log-odds of one lot: not the per-USD gamma of the price models. */
  readonly riskAversionPerLogit: number;
  readonly logitVolPerSqrtSec: number;
  readonly timeLeftSec: number;
  readonly fillDecayPerLogit: number;
};

export type LogitQuotes = {
  readonly reservation: number;
  readonly bid: number;
  readonly ask: number;
  readonly halfSpreadLogit: number;
};

/**
 * Avellaneda-Stoikov on log-odds, mapped back: `r_x = x - q gamma sigma_b^2 tau`, quotes
 * `S(r_x -+ d_x)`. In price the half spread is about `p(1-p) d_x`.
 *
 * @param margin - The part of `d_x` that does not depend on time; see `relayedMargin`.
 */
export function logitAvellanedaStoikov(
  model: LogitAvellanedaStoikov,
  margin: (riskAversion: number, fillDecay: number) => number = riskAverseMargin,
): LogitQuotes {
  const x = logit(model.probability);
  const gamma = model.riskAversionPerLogit;
  const quotes = avellanedaStoikov({
    fairPrice: x,
    inventoryLots: model.inventoryLots,
    riskAversionPerUsd: gamma,
    priceVolPerSqrtSec: model.logitVolPerSqrtSec,
    timeLeftSec: model.timeLeftSec,
    fillDecayPerPrice: model.fillDecayPerLogit,
  });
  const riskWidth = gamma * model.logitVolPerSqrtSec ** 2 * model.timeLeftSec;
  const halfSpreadLogit = riskWidth / 2 + margin(gamma, model.fillDecayPerLogit);
  assertFinite({ halfSpreadLogit });
  return {
    reservation: sigmoid(quotes.reservation),
    bid: sigmoid(quotes.reservation - halfSpreadLogit),
    ask: sigmoid(quotes.reservation + halfSpreadLogit),
    halfSpreadLogit,
  };
}

/**
 * `(1/k) ln(1 + gamma/k)`, as three readers relay the paper. It falls to zero with the risk
 * aversion, so that a maker who does not mind risk would quote no spread: for comparison only.
 */
export function relayedMargin(riskAversion: number, fillDecay: number): number {
  assertNotNegative({ riskAversion });
  assertPositive({ fillDecay });
  return Math.log1p(riskAversion / fillDecay) / fillDecay;
}
