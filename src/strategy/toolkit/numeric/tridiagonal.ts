// e^(B t) z for a tridiagonal B with neighbours that never subtract: the linear systems to which the
// inventory problems of Guéant-Lehalle-Fernandez-Tapia and of Cartea-Jaimungal reduce.

import { assert } from '../../../domain/assert.ts';
import { assertFinite, assertNotNegative } from './domain.ts';

/** Row `i` is `toPrevious[i]`, `diagonal[i]`, `toNext[i]`; entries that leave the matrix are ignored. */
export type Tridiagonal = {
  readonly toPrevious: readonly number[];
  readonly diagonal: readonly number[];
  readonly toNext: readonly number[];
};

/** A squaring takes n³ steps, a million at this bound; all of them together tens of milliseconds. */
export const ROWS_MAX = 101;
/** Doublings of the first short stretch of time: a horizon that needs more is cut, long settled. */
const DOUBLINGS_MAX = 60;
/** Terms of the first stretch; rows of a step add up to 3 at most, and 3^40/40! is 1e-29. */
const TERMS = 40;
/** The shape counts as settled when twice the time changes no row by more than this, relatively. */
const SETTLED = 1e-14;

/** A square matrix by rows. */
type Square = readonly Float64Array[];

/**
 * Grows a positive vector through `dv/dt = B v` for `durationSec`, up to a common factor: the
 * largest row of the result is 1, since only ratios of rows matter.
 *
 * `e^(B t) = e^(-r t) sum of (r t)^n/n! (1 + B/r)^n` for a short `t`, with `r` large enough that no
 * entry of `1 + B/r` is negative, then squared until `t` is the duration: sums of positive terms lose
 * no digits, however unequal the rows are.
 *
 * @throws {AssertionError} When a neighbour's entry is negative, an entry is not finite, the start is
 *   not positive, or there are more than `ROWS_MAX` rows.
 */
export function grown(
  matrix: Tridiagonal,
  start: readonly number[],
  durationSec: number,
): readonly number[] {
  assertNotNegative({ durationSec });
  assert(start.length <= ROWS_MAX, 'a tridiagonal system stays within its bound');
  assert(
    [...matrix.toPrevious, ...matrix.toNext].every((x) => x >= 0),
    'neighbours add',
  );
  assert(
    start.every((x) => x > 0 && Number.isFinite(x)),
    'the start is positive',
  );
  const rate = largestRate(matrix);
  assertFinite({ rate });
  const length = rate * durationSec;
  const doublings = Math.min(DOUBLINGS_MAX, Math.max(0, Math.ceil(Math.log2(length))));
  let growth = firstStretch(matrix, rate, Math.min(1, length / 2 ** doublings));
  let shape = shaped(growth, start);
  for (let doubling = 0; doubling < doublings; doubling += 1) {
    growth = squared(growth);
    const next = shaped(growth, start);
    const hasSettled = next.every((x, i) => Math.abs(x - (shape[i] ?? 0)) <= SETTLED * x);
    shape = next;
    if (hasSettled) break;
  }
  return shape;
}

function largestRate({ toPrevious, diagonal, toNext }: Tridiagonal): number {
  const rates = diagonal.map((x, i) =>
    Math.max(Math.abs(x), (toPrevious[i] ?? 0) + (toNext[i] ?? 0)),
  );
  return Math.max(...rates, Number.MIN_VALUE);
}

/** `sum of length^n/n! (1 + B/rate)^n`, for a length of 1 at most. */
function firstStretch(matrix: Tridiagonal, rate: number, length: number): Square {
  const count = matrix.diagonal.length;
  let term: Square = matrix.diagonal.map((_, i) => new Float64Array(count).fill(1, i, i + 1));
  const total = term.map((row) => row.slice());
  for (let n = 1; n <= TERMS; n += 1) {
    const before = term;
    term = before.map((row, i) => {
      const next = new Float64Array(count);
      addScaled(next, row, (length / n) * (1 + (matrix.diagonal[i] ?? 0) / rate));
      addScaled(next, before[i - 1], ((length / n) * (matrix.toPrevious[i] ?? 0)) / rate);
      addScaled(next, before[i + 1], ((length / n) * (matrix.toNext[i] ?? 0)) / rate);
      return next;
    });
    for (const [i, row] of term.entries()) addScaled(total[i], row, 1);
  }
  return total;
}

/** The matrix times itself, scaled so that its largest entry is 1. */
function squared(matrix: Square): Square {
  const result = matrix.map((row) => {
    const next = new Float64Array(row.length);
    for (const [k, factor] of row.entries()) addScaled(next, matrix[k], factor);
    return next;
  });
  const top = Math.max(...result.map((row) => Math.max(...row)));
  for (const row of result)
    row.forEach((x, i) => {
      row[i] = x / top;
    });
  return result;
}

function addScaled(to: Float64Array | undefined, from: Float64Array | undefined, factor: number) {
  if (to === undefined || from === undefined || factor === 0) return;
  for (let i = 0; i < to.length; i += 1) to[i] = (to[i] ?? 0) + factor * (from[i] ?? 0);
}

function shaped(matrix: Square, start: readonly number[]): readonly number[] {
  const grownRows = matrix.map((row) => row.reduce((sum, x, i) => sum + x * (start[i] ?? 0), 0));
  const top = Math.max(...grownRows);
  return grownRows.map((x) => x / top);
}
