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

/** One stretch of time in units of the matrix's largest rate. */
const STRETCH = 16;
/** Rows of a step add up to 3 at most, so that terms shrink from the 48th on and end before this. */
const TERMS_MAX = 250;
/**
 * Stretches of one solution, some 50 ms of work at 200 rows. A horizon that needs more is cut: the
 * shape of the solution has settled long before, unless the inputs are absurd.
 */
const STRETCHES_MAX = 4_000;
/** The shape counts as settled when a whole stretch changes no row by more than this, relatively. */
const SETTLED = 1e-14;

/**
 * Grows a positive vector through `dv/dt = B v` for `durationSec`, up to a common factor: the
 * largest row of the result is 1, since only ratios of rows matter.
 *
 * `e^(B t) = e^(-r t) sum of (r t)^n/n! (1 + B/r)^n`, with `r` large enough that no entry of
 * `1 + B/r` is negative: sums of positive terms lose no digits, however unequal the rows are.
 *
 * @throws {AssertionError} When a neighbour's entry is negative, an entry is not finite, or the
 *   start is not positive.
 */
export function grown(
  matrix: Tridiagonal,
  start: readonly number[],
  durationSec: number,
): readonly number[] {
  assertNotNegative({ durationSec });
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
  const step = scaledStep(matrix, rate);
  let left = durationSec * rate;
  let shape = scaled(start);
  for (let stretch = 0; left > 0 && stretch < STRETCHES_MAX; stretch += 1) {
    const next = scaled(series(step, shape, Math.min(left, STRETCH)));
    const hasSettled = isSettled(shape, next);
    shape = next;
    left -= STRETCH;
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

function scaledStep(matrix: Tridiagonal, rate: number): Tridiagonal {
  return {
    toPrevious: matrix.toPrevious.map((x) => x / rate),
    diagonal: matrix.diagonal.map((x) => 1 + x / rate),
    toNext: matrix.toNext.map((x) => x / rate),
  };
}

/** `sum of length^n/n! step^n v`; ends when another term changes no row. */
function series(step: Tridiagonal, start: readonly number[], length: number): readonly number[] {
  let term = start;
  let total = start;
  for (let n = 1; n <= TERMS_MAX; n += 1) {
    term = times(step, term, length / n);
    const next = total.map((x, i) => x + (term[i] ?? 0));
    if (n > 3 * length && next.every((x, i) => x === total[i])) break;
    total = next;
  }
  return total;
}

function times(step: Tridiagonal, v: readonly number[], factor: number): readonly number[] {
  return v.map((x, i) => {
    const previous = (step.toPrevious[i] ?? 0) * (v[i - 1] ?? 0);
    const next = (step.toNext[i] ?? 0) * (v[i + 1] ?? 0);
    return factor * (previous + (step.diagonal[i] ?? 0) * x + next);
  });
}

function scaled(v: readonly number[]): readonly number[] {
  const top = Math.max(...v);
  return v.map((x) => x / top);
}

function isSettled(before: readonly number[], after: readonly number[]): boolean {
  return after.every((x, i) => Math.abs(x - (before[i] ?? 0)) <= SETTLED * x);
}
