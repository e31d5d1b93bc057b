// What the micro-price learns from: how the touch went from one state of spread and imbalance to the
// next. Plain counts of fixed size; adding one copies a row and nothing else.

import { assert } from '../../../domain/assert.ts';
import { clamped, sum } from '../numeric/domain.ts';
import { type Matrix, UNKNOWNS_MAX, type Vector } from '../numeric/linear.ts';
import { sizeImbalance, type Touch } from './weighted-mid.ts';

export type MicroPriceShape = {
  /** Equal parts of the imbalance from 0 to 1; an odd number, so that one of them is balanced. */
  readonly imbalanceBuckets: number;
  /** Spreads from 1 to this many ticks have states of their own; wider ones have none. */
  readonly spreadTicksMax: number;
};

export type MicroPriceCounts = {
  readonly shape: MicroPriceShape;
  /** Moves of the middle that are told apart, in half ticks; a longer one counts as the longest. */
  readonly moves: Vector;
  readonly still: Matrix;
  readonly moving: Matrix;
  readonly afterMove: Matrix;
  /** The touch before, while it had a state. */
  readonly last: { readonly state: number; readonly midHalfTicks: number } | undefined;
};

const MOVES_HALF_TICKS: Vector = [-2, -1, 1, 2];
/** A row that reaches this many transitions is halved, so that counts stay small and forget. */
const ROW_COUNT_MAX = 100_000;

export function newMicroPriceCounts(shape: MicroPriceShape): MicroPriceCounts {
  const states = statesOf(shape);
  const empty = (columns: number) =>
    Array.from({ length: states }, () => Array.from({ length: columns }, () => 0));
  return {
    shape,
    moves: MOVES_HALF_TICKS,
    still: empty(states),
    moving: empty(MOVES_HALF_TICKS.length),
    afterMove: empty(states),
    last: undefined,
  };
}

function statesOf({ imbalanceBuckets, spreadTicksMax }: MicroPriceShape): number {
  const isWhole = [imbalanceBuckets, spreadTicksMax].every((n) => Number.isSafeInteger(n) && n > 0);
  const states = imbalanceBuckets * spreadTicksMax;
  assert(imbalanceBuckets % 2 === 1, 'the micro-price has an odd number of imbalance buckets');
  assert(isWhole && states <= UNKNOWNS_MAX, 'the micro-price has 1 to UNKNOWNS_MAX states');
  return states;
}

/** The state of a touch, by spread and then imbalance; `undefined` for a spread that is too wide. */
export function touchState(shape: MicroPriceShape, touch: Touch): number | undefined {
  const spreadTicks = touch.ask - touch.bid;
  if (spreadTicks > shape.spreadTicksMax) return undefined;
  return (spreadTicks - 1) * shape.imbalanceBuckets + bucketOf(shape.imbalanceBuckets, touch);
}

/** Counted from the thinner side, so that bids and asks mirror exactly where buckets meet. */
function bucketOf(buckets: number, { bidSize, askSize }: Touch): number {
  const thinner = sizeImbalance(Math.min(bidSize, askSize), Math.max(bidSize, askSize));
  const fromEnd = Math.floor(thinner * buckets);
  return bidSize <= askSize ? fromEnd : buckets - 1 - fromEnd;
}

/** Counts the step from the last touch to this one; a touch without a state breaks the chain. */
export function withMicroPriceTouch(
  before: MicroPriceCounts,
  touch: Touch | undefined,
): MicroPriceCounts {
  const state = touch === undefined ? undefined : touchState(before.shape, touch);
  if (touch === undefined || state === undefined) return { ...before, last: undefined };
  const last = { state, midHalfTicks: touch.bid + touch.ask };
  if (before.last === undefined) return { ...before, last };
  const from = before.last.state;
  const moved = last.midHalfTicks - before.last.midHalfTicks;
  const after = withRoom({ ...before, last }, from);
  if (moved === 0) return { ...after, still: counted(after.still, from, state) };
  return {
    ...after,
    moving: counted(after.moving, from, moveColumn(after.moves, moved)),
    afterMove: counted(after.afterMove, from, state),
  };
}

function moveColumn(moves: Vector, moved: number): number {
  const longest = Math.max(...moves);
  return moves.indexOf(clamped(moved, -longest, longest));
}

function counted(counts: Matrix, row: number, column: number): Matrix {
  return counts.with(row, (counts[row] ?? []).with(column, (counts[row]?.[column] ?? 0) + 1));
}

/** Halves all of a row's counts when it is full. */
function withRoom(counts: MicroPriceCounts, row: number): MicroPriceCounts {
  const total = sum(counts.still[row] ?? []) + sum(counts.moving[row] ?? []);
  if (total < ROW_COUNT_MAX) return counts;
  const halved = (of: Matrix) =>
    of.with(
      row,
      (of[row] ?? []).map((count) => Math.floor(count / 2)),
    );
  return {
    ...counts,
    still: halved(counts.still),
    moving: halved(counts.moving),
    afterMove: halved(counts.afterMove),
  };
}
