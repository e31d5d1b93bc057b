// What every model demands of its inputs before it computes. A number that is not one becomes an
// assertion here, and so no price: the engine leaves a market whose strategy throws without quotes.

import { assert } from '../../../domain/assert.ts';

type Inputs = Readonly<Record<string, number>>;

/** @throws {AssertionError} When an input is zero, negative, infinite or not a number. */
export function assertPositive(inputs: Inputs): void {
  for (const [name, value] of Object.entries(inputs)) {
    assert(value > 0 && Number.isFinite(value), `${name} is a positive number`);
  }
}

/** @throws {AssertionError} When an input is negative, infinite or not a number. */
export function assertNotNegative(inputs: Inputs): void {
  for (const [name, value] of Object.entries(inputs)) {
    assert(value >= 0 && Number.isFinite(value), `${name} is zero or a positive number`);
  }
}

/** @throws {AssertionError} When an input is infinite or not a number. */
export function assertFinite(inputs: Inputs): void {
  for (const [name, value] of Object.entries(inputs)) {
    assert(Number.isFinite(value), `${name} is a finite number`);
  }
}

/** @throws {AssertionError} When an input does not lie strictly between 0 and 1. */
export function assertProbability(inputs: Inputs): void {
  for (const [name, value] of Object.entries(inputs)) {
    assert(value > 0 && value < 1, `${name} lies between 0 and 1`);
  }
}

/** @throws {AssertionError} When an input is not a whole number. */
export function assertWhole(inputs: Inputs): void {
  for (const [name, value] of Object.entries(inputs)) {
    assert(Number.isSafeInteger(value), `${name} is a whole number`);
  }
}

export function clamped(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
