import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  beliefAfter,
  beliefMoments,
  exclusiveBeliefsAfter,
  logit,
  probabilityAfter,
} from '../../../../../src/strategy/index.ts';

/** Even quantiles of the normal distribution stand for its draws: moments without chance. */
const GRID = Array.from({ length: 401 }, (_, i) => (i - 200) / 20);
const WEIGHTS = GRID.map((z) => Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI) / 20);

function average(of: (normal: number) => number): number {
  return GRID.reduce((total, z, i) => total + (WEIGHTS[i] ?? 0) * of(z), 0);
}

describe('a belief in flight to the outcome', () => {
  it('has the moments of the check case', () => {
    const { probabilityMean, logOddsMean, logOddsVar } = beliefMoments(0.3, 0.6);
    expect(probabilityMean).toBe(0.3);
    expect(logOddsMean).toBeCloseTo(-0.967298, 6);
    expect(logOddsVar).toBeCloseTo(0.6756, 12);
  });

  it('moves out from a fifth over a variance of one', () => {
    expect(beliefMoments(0.2, 1).logOddsMean).toBeCloseTo(-1.6863, 4);
  });

  it('takes steps that have those moments, averaged over outcomes and draws', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.02, max: 0.98, noNaN: true }),
        fc.double({ min: 0.01, max: 4, noNaN: true }),
        (p, logitVar) => {
          const over = (of: (endsYes: boolean, normal: number) => number) =>
            p * average((z) => of(true, z)) + (1 - p) * average((z) => of(false, z));
          const x = (endsYes: boolean, normal: number) =>
            beliefAfter({ logOdds: logit(p), logitVar, endsYes, normal });
          const moments = beliefMoments(p, logitVar);
          const step = { probability: p, logitVar };
          expect(
            over((endsYes, normal) => probabilityAfter({ ...step, endsYes, normal })),
          ).toBeCloseTo(p, 10);
          expect(over(x)).toBeCloseTo(moments.logOddsMean, 8);
          const centred = over((e, z) => (x(e, z) - moments.logOddsMean) ** 2);
          expect(centred).toBeCloseTo(moments.logOddsVar, 7);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('adds up to one over exclusive outcomes, and knows the winner in the end', () => {
    const step = { probabilities: [0.2, 0.5, 0.3], winner: 2, normals: [0.4, -1.2, 0.1] };
    const soon = exclusiveBeliefsAfter({ ...step, logitVar: 0.5 });
    expect(soon.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 14);
    const end = exclusiveBeliefsAfter({ ...step, logitVar: 200 });
    expect(end[2]).toBeCloseTo(1, 9);
    const still = exclusiveBeliefsAfter({ ...step, logitVar: 0 });
    still.forEach((p, i) => {
      expect(p).toBeCloseTo(step.probabilities[i] ?? 0, 14);
    });
  });

  it('of two outcomes is the belief of one', () => {
    const both = exclusiveBeliefsAfter({
      probabilities: [0.3, 0.7],
      logitVar: 0.4,
      winner: 0,
      normals: [1, -0.5],
    });
    // Two independent pieces of evidence of half the distance each are one of twice the variance.
    const one = probabilityAfter({
      probability: 0.3,
      logitVar: 0.8,
      endsYes: true,
      normal: 1.5 / Math.SQRT2,
    });
    expect(both[0]).toBeCloseTo(one, 12);
  });
});
