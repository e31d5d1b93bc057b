// How values of neighbouring inventories stand to each other, after a while or for good.

import { assert } from '../../../domain/assert.ts';
import { grown, type Tridiagonal } from './tridiagonal.ts';

/**
 * `ln(v_{i+1}/v_i)` of `v = e^(B t) start`, for each row but the last; `undefined` where the scale of
 * doubles does not hold both. For an infinite `t` it is that of the vector to which every start tends.
 */
export function logStepsAfter(
  matrix: Tridiagonal,
  start: readonly number[],
  durationSec: number,
): readonly (number | undefined)[] {
  if (durationSec === Number.POSITIVE_INFINITY) return settledLogSteps(matrix);
  const values = grown(matrix, start, durationSec);
  return values.slice(1).map((value, row) => finiteLog(value / (values[row] ?? Number.NaN)));
}

function finiteLog(ratio: number): number | undefined {
  const log = Math.log(ratio);
  return Number.isFinite(log) ? log : undefined;
}

/** Halving any interval this often reaches the rounding of its ends. */
const HALVINGS_MAX = 1_100;

/**
 * Steps of the positive vector with `B v = m v`, for the largest `m`: found by halving, since from
 * each `m` above it all ratios of neighbours come out positive, and below it one does not. Ratios are
 * right as long as they are followed from an end towards the peak of the vector, so that both ends
 * are followed to the row where they fit together best.
 *
 * @throws {AssertionError} When a row has no neighbour to go to, or an entry is not finite.
 */
function settledLogSteps(matrix: Tridiagonal): readonly (number | undefined)[] {
  const { toPrevious, diagonal, toNext } = matrix;
  const areRows = diagonal.every(Number.isFinite) && diagonal.length > 1;
  const areSteps = toPrevious.slice(1).every(isStep) && toNext.slice(0, -1).every(isStep);
  assert(areRows && areSteps, 'every row can reach its neighbours');
  const growth = largestGrowth(matrix);
  const up = ratios(matrix, growth);
  const down = ratios(turned(matrix), growth).toReversed();
  const peak = bestFit(matrix, growth, { up, down });
  return up.map((ratio, row) => finiteLog(row < peak ? ratio : 1 / (down[row] ?? Number.NaN)));
}

/** The row whose own equation is missed least by ratios from both ends. */
function bestFit(
  { toPrevious, diagonal, toNext }: Tridiagonal,
  growth: number,
  { up, down }: { readonly up: readonly number[]; readonly down: readonly number[] },
): number {
  const misses = diagonal.map((entry, row) => {
    const fromPrevious = row === 0 ? 0 : (toPrevious[row] ?? 0) / (up[row - 1] ?? Number.NaN);
    const last = row === diagonal.length - 1;
    const fromNext = last ? 0 : (toNext[row] ?? 0) / (down[row] ?? Number.NaN);
    return Math.abs(growth - entry - fromPrevious - fromNext);
  });
  return misses.indexOf(Math.min(...misses));
}

function isStep(entry: number): boolean {
  return entry > 0 && Number.isFinite(entry);
}

function largestGrowth(matrix: Tridiagonal): number {
  const { toPrevious, diagonal, toNext } = matrix;
  let low = Math.max(...diagonal);
  let high = Math.max(...diagonal.map((x, i) => x + (toPrevious[i] ?? 0) + (toNext[i] ?? 0)));
  for (let halving = 0; halving < HALVINGS_MAX; halving += 1) {
    const middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    if (isAbove(matrix, middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** Whether a growth is at or above the largest one: all ratios positive, the last row not short. */
function isAbove(matrix: Tridiagonal, growth: number): boolean {
  const up = ratios(matrix, growth);
  const last = matrix.diagonal.length - 1;
  const left = growth - (matrix.diagonal[last] ?? 0);
  const used = (matrix.toPrevious[last] ?? 0) / (up[last - 1] ?? Number.NaN);
  return up.every((ratio) => ratio > 0) && left >= used;
}

/** `v_{i+1}/v_i` from the first row on. */
function ratios({ toPrevious, diagonal, toNext }: Tridiagonal, growth: number): readonly number[] {
  const found: number[] = [];
  let before = Number.POSITIVE_INFINITY;
  for (let row = 0; row < diagonal.length - 1; row += 1) {
    const left = growth - (diagonal[row] ?? 0) - (toPrevious[row] ?? 0) / before;
    before = left / (toNext[row] ?? 0);
    found.push(before);
  }
  return found;
}

/** The same matrix with its rows and columns in reverse. */
function turned({ toPrevious, diagonal, toNext }: Tridiagonal): Tridiagonal {
  return {
    toPrevious: toNext.toReversed(),
    diagonal: diagonal.toReversed(),
    toNext: toPrevious.toReversed(),
  };
}
