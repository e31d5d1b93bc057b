// Small dense linear systems, for the micro-price: a few dozen states.

import { assert } from '../../../domain/assert.ts';
import { sum } from './domain.ts';

export type Vector = readonly number[];
/** Rows of equal length. */
export type Matrix = readonly Vector[];

/** Elimination takes n³ steps: 64 unknowns are a quarter of a million. */
export const UNKNOWNS_MAX = 64;
/** A pivot this small beside a matrix of probabilities means that its rows depend on each other. */
const PIVOT_MIN = 1e-12;

export function dot(a: Vector, b: Vector): number {
  return sum(a.map((value, index) => value * (b[index] ?? 0)));
}

export function times(matrix: Matrix, vector: Vector): Vector {
  return matrix.map((row) => dot(row, vector));
}

/**
 * The `x` of `matrix x = right`, or `undefined` when the matrix is singular. Gaussian elimination
 * with row pivoting.
 */
export function solved(matrix: Matrix, right: Vector): Vector | undefined {
  const count = matrix.length;
  assert(count <= UNKNOWNS_MAX, 'a linear system stays within its bound');
  const rows = matrix.map((row, index) => [...row, right[index] ?? 0]);
  for (let column = 0; column < count; column += 1) {
    if (!eliminate(rows, column)) return undefined;
  }
  return rows.map((row, index) => (row[count] ?? 0) / (row[index] ?? 1));
}

/** Leaves the column with its pivot only; `false` when it has none. */
function eliminate(rows: number[][], column: number): boolean {
  const pivot = pivotRow(rows, column);
  const size = Math.abs(pivot?.[column] ?? 0);
  if (pivot === undefined || size < PIVOT_MIN) return false;
  rows.splice(rows.indexOf(pivot), 1);
  rows.splice(column, 0, pivot);
  for (const row of rows) {
    if (row !== pivot) subtract(row, pivot, column);
  }
  return true;
}

function pivotRow(rows: readonly number[][], column: number): number[] | undefined {
  const size = (row: readonly number[]) => Math.abs(row[column] ?? 0);
  return rows
    .slice(column)
    .reduce<number[] | undefined>(
      (best, row) => (best === undefined || size(row) > size(best) ? row : best),
      undefined,
    );
}

function subtract(row: number[], pivot: readonly number[], column: number): void {
  const factor = (row[column] ?? 0) / (pivot[column] ?? 1);
  if (factor === 0) return;
  pivot.forEach((value, index) => {
    row[index] = (row[index] ?? 0) - factor * value;
  });
}
