// The micro-price: where the middle of a book is going, given spread and imbalance, learnt from how it
// went before.
// Source: Stoikov, The micro-price: a high-frequency estimator of future prices, Quantitative Finance
// 18(12), 2018.

import { sum } from '../numeric/domain.ts';
import { type Matrix, solved, times, type Vector } from '../numeric/linear.ts';
import { type MicroPriceCounts, type MicroPriceShape, touchState } from './micro-price-counts.ts';
import type { Touch } from './weighted-mid.ts';

/** Transitions between states of the touch, as probabilities: each row of all three adds up to one. */
export type TouchChain = {
  /** Q: to another state (or the same) without a move of the middle. */
  readonly still: Matrix;
  /** R1: the middle moves by `moves[column]`. */
  readonly moving: Matrix;
  /** R2: the middle moves, and this is the state after it. */
  readonly afterMove: Matrix;
  /** K: sizes of moves, in any unit of price; the adjustments come in the same. */
  readonly moves: Vector;
};

/** Moves looked ahead; with six the rest is below a hundredth of a tick. */
export const TERMS_USUAL = 6;

/**
 * The expected change of the middle for each state: `G* = sum of B^i g1`, with
 * `g1 = (1-Q)^-1 R1 K` (until the next move) and `B = (1-Q)^-1 R2`. `undefined` when a state
 * never sees the middle move, so that the sum has no end.
 */
export function microPriceAdjustments(chain: TouchChain, terms = TERMS_USUAL): Vector | undefined {
  const leaving = chain.still.map((row, i) => row.map((p, j) => (i === j ? 1 : 0) - p));
  let change = solved(leaving, times(chain.moving, chain.moves));
  let total = change;
  for (let term = 1; term < terms; term += 1) {
    // B g is (1-Q)^-1 (R2 g): solving once more is cheaper than forming B.
    if (change === undefined || total === undefined) return undefined;
    change = solved(leaving, times(chain.afterMove, change));
    total = added(total, change);
  }
  return total;
}

function added(a: Vector, b: Vector | undefined): Vector | undefined {
  return b === undefined ? undefined : a.map((value, index) => value + (b[index] ?? 0));
}

/**
 * Probabilities from counts, made symmetric first: every transition is also counted mirrored, bids for
 * asks and up for down, so that a past trend is not taken for a rule.
 *
 * @param priorCount - Transitions that each state is believed to have made beforehand: moves of half
 *   a tick, up as often as down, back to itself. It draws the estimate of a rare state to the middle.
 */
export function touchChainOf(counts: MicroPriceCounts, priorCount: number): TouchChain {
  const { imbalanceBuckets } = counts.shape;
  const mirror = (state: number) => mirroredState(state, imbalanceBuckets);
  const still = symmetric(counts.still, mirror, mirror);
  const moving = symmetric(counts.moving, mirror, (move) => counts.moves.length - 1 - move);
  const afterMove = symmetric(counts.afterMove, mirror, mirror);
  const half = counts.moves.map((move) => (Math.abs(move) === 1 ? priorCount / 2 : 0));
  const totals = still.map((row, i) => sum(row) + sum(moving[i] ?? []) + priorCount);
  const share = (row: Vector, i: number) => row.map((count) => divided(count, totals[i]));
  return {
    still: still.map(share),
    moving: moving.map((row, i) =>
      share(
        row.map((n, k) => n + (half[k] ?? 0)),
        i,
      ),
    ),
    afterMove: afterMove.map((row, i) =>
      share(
        row.map((n, j) => n + (i === j ? priorCount : 0)),
        i,
      ),
    ),
    moves: counts.moves,
  };
}

function divided(count: number, total: number | undefined): number {
  return total === undefined || total === 0 ? 0 : count / total;
}

function mirroredState(state: number, imbalanceBuckets: number): number {
  const bucket = state % imbalanceBuckets;
  return state - bucket + (imbalanceBuckets - 1 - bucket);
}

function symmetric(
  counts: Matrix,
  mirrorRow: (row: number) => number,
  mirrorColumn: (column: number) => number,
): Matrix {
  return counts.map((row, i) =>
    row.map((count, j) => count + (counts[mirrorRow(i)]?.[mirrorColumn(j)] ?? 0)),
  );
}

/**
 * The micro-price of a touch in ticks, its middle plus the adjustment of its state; `undefined` where
 * it has none. `fairTicks` bounds its influence.
 *
 * @param adjustmentsHalfTicks - From `microPriceAdjustments` of counts of the same shape.
 */
export function microPriceTicks(
  shape: MicroPriceShape,
  adjustmentsHalfTicks: Vector,
  touch: Touch,
): number | undefined {
  const state = touchState(shape, touch);
  const adjustment = state === undefined ? undefined : adjustmentsHalfTicks[state];
  return adjustment === undefined ? undefined : (touch.bid + touch.ask + adjustment) / 2;
}
