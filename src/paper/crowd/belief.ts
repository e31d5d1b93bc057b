// What the public believes of one event: a probability for each of its exclusive outcomes.
//
// The outcome is drawn first; given it, the log-odds drift towards it by half their variance. That
// makes each probability a martingale in (0, 1) exactly, however coarse the steps: nobody earns
// from its direction, and with a horizon it ends where the outcome is.

import { assert } from '../../domain/assert.ts';
import type { Random } from './random.ts';

export type BeliefParams = {
  /** Variance of the log-odds that a quiet hour adds. */
  readonly variancePerHour: number;
  /** Pieces of news, each of which moves the belief at once. */
  readonly jumpsPerHour: number;
  /** Variance of the log-odds that one piece of news adds. */
  readonly jumpVariance: number;
  /** When the outcome is known; without it the belief goes on for ever. */
  readonly resolvesAfterMs: number | undefined;
};

const HOUR_MS = 3_600_000;

/** Weight of what becomes known as the horizon nears: the last ten minutes add 50. */
const HORIZON_VARIANCE = 6;
/** The horizon is never nearer than this in the variance, which has no end at the horizon itself. */
const HORIZON_MS_MIN = 100;

/** Log-weights this far apart still leave every probability above 0 and below 1 in doubles. */
const LOG_WEIGHT_SPAN_MAX = 16;

/** Where a belief without horizon turns back; see `Belief`. */
const EDGE = 0.05;

/**
 * The belief of one event.
 *
 * No martingale in (0, 1) goes on for ever: it settles on its outcome. Without a horizon the belief
 * therefore turns back at an edge, and the world changes its mind: if the drawn outcome was about
 * to win, another is drawn. Between the edges the martingale is exact.
 */
export class Belief {
  readonly #params: BeliefParams;
  readonly #random: Random;
  readonly #edgeLogOdds: number;
  #logWeights: number[];
  #winner: number;
  #ageMs = 0;

  /** `start` holds one positive weight per outcome; their sum need not be 1. */
  constructor(start: readonly number[], params: BeliefParams, random: Random) {
    assert(start.length >= 2, 'an event has two outcomes at least');
    assert(
      start.every((weight) => weight > 0 && Number.isFinite(weight)),
      'weights are positive',
    );
    this.#params = params;
    this.#random = random;
    this.#edgeLogOdds = logOdds(1 - Math.min(EDGE, 0.2 / start.length));
    this.#logWeights = start.map(Math.log);
    this.#winner = this.#drawOutcome(() => true);
  }

  /** One probability per outcome; they sum to 1. */
  probabilities(): readonly number[] {
    return softmax(this.#logWeights);
  }

  /** The outcome that is to win as things stand; nobody in the crowd may look at it. */
  get winner(): number {
    return this.#winner;
  }

  /** The horizon has been reached: the outcome is known. */
  get isResolved(): boolean {
    const { resolvesAfterMs } = this.#params;
    return resolvesAfterMs !== undefined && this.#ageMs >= resolvesAfterMs;
  }

  step(elapsedMs: number): void {
    if (elapsedMs <= 0 || this.isResolved) return;
    const variance = this.#varianceOf(elapsedMs);
    this.#ageMs += elapsedMs;
    this.#learn(variance);
    if (this.#params.resolvesAfterMs === undefined) this.#turnBackAtEdges();
  }

  /** News that everybody hears: one outcome is now believed this likely, the others share the rest. */
  announce(outcome: number, probability: number): void {
    assert(probability > 0 && probability < 1, 'a belief is strictly between 0 and 1');
    const rest = 1 - (this.probabilities()[outcome] ?? 0);
    this.#logWeights = this.probabilities().map((each, index) =>
      Math.log(index === outcome ? probability : (each / rest) * (1 - probability)),
    );
    this.#winner = this.#drawOutcome(() => true);
  }

  /** Variance of binary log-odds over the next step. */
  #varianceOf(elapsedMs: number): number {
    const { variancePerHour, jumpsPerHour, jumpVariance, resolvesAfterMs } = this.#params;
    const hours = elapsedMs / HOUR_MS;
    const jumps = this.#random.poisson(jumpsPerHour * hours);
    const quiet = variancePerHour * hours + jumpVariance * jumps;
    if (resolvesAfterMs === undefined) return quiet;
    const leftMs = Math.max(HORIZON_MS_MIN, resolvesAfterMs - this.#ageMs);
    const leftAfterMs = Math.max(HORIZON_MS_MIN, leftMs - elapsedMs);
    return quiet + HORIZON_VARIANCE * Math.log(leftMs / leftAfterMs);
  }

  /** Each outcome's log-weight takes half of the variance, so that two of them make up the whole. */
  #learn(variance: number): void {
    const half = variance / 2;
    const moved = this.#logWeights.map((weight, index) => {
      const drift = index === this.#winner ? half / 2 : -half / 2;
      return weight + drift + Math.sqrt(half) * this.#random.normal();
    });
    const top = Math.max(...moved);
    this.#logWeights = moved.map((weight) => Math.max(weight - top, -LOG_WEIGHT_SPAN_MAX));
  }

  #turnBackAtEdges(): void {
    for (let outcome = 0; outcome < this.#logWeights.length; outcome += 1) {
      const odds = logOdds(this.probabilities()[outcome] ?? 0);
      const over = Math.abs(odds) - this.#edgeLogOdds;
      // A step far beyond the edge comes back to just inside, not to the other end.
      const back = over + Math.min(over, this.#edgeLogOdds / 2);
      if (over > 0) this.#turnBack(outcome, Math.sign(odds) * back);
    }
  }

  #turnBack(outcome: number, excess: number): void {
    this.#logWeights[outcome] = (this.#logWeights[outcome] ?? 0) - excess;
    const wasAboutToWin = excess > 0 && outcome === this.#winner;
    if (wasAboutToWin) this.#winner = this.#drawOutcome((other) => other !== outcome);
  }

  /** Draws an outcome by the present belief among those allowed. */
  #drawOutcome(isAllowed: (outcome: number) => boolean): number {
    const weights = this.probabilities().map((each, index) => (isAllowed(index) ? each : 0));
    let left = this.#random.uniform() * weights.reduce((sum, weight) => sum + weight, 0);
    const found = weights.findIndex((weight) => {
      left -= weight;
      return left < 0;
    });
    return found >= 0 ? found : weights.findIndex((weight) => weight > 0);
  }
}

export function logOdds(probability: number): number {
  return Math.log(probability / (1 - probability));
}

export function fromLogOdds(odds: number): number {
  return 1 / (1 + Math.exp(-odds));
}

function softmax(logWeights: readonly number[]): readonly number[] {
  const top = Math.max(...logWeights);
  const weights = logWeights.map((weight) => Math.exp(weight - top));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}
