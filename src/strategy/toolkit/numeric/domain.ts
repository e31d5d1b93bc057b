// What every model demands of its inputs before it computes. A number that is not one becomes an
// assertion here, and so no price: the engine leaves a market whose strategy throws without quotes.

import { assert } from '../../../domain/assert.ts';

type Inputs = Readonly<Record<string, number>>;

/** @throws {AssertionError} When an input is zero, negative, infinite or not a number. */
export function assertPositive(inputs: Inputs): void {
  assertEach(inputs, isPositive, 'is a positive number');
}

/** @throws {AssertionError} When an input is negative, infinite or not a number. */
export function assertNotNegative(inputs: Inputs): void {
  assertEach(inputs, isNotNegative, 'is zero or a positive number');
}

/** @throws {AssertionError} When an input is infinite or not a number. */
export function assertFinite(inputs: Inputs): void {
  assertEach(inputs, Number.isFinite, 'is a finite number');
}

/** @throws {AssertionError} When an input does not lie strictly between 0 and 1. */
export function assertProbability(inputs: Inputs): void {
  assertEach(inputs, isProbability, 'lies between 0 and 1');
}

/** @throws {AssertionError} When an input is not a whole number. */
export function assertWhole(inputs: Inputs): void {
  assertEach(inputs, Number.isSafeInteger, 'is a whole number');
}

export function clamped(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function isPositive(value: number): boolean {
  return value > 0 && Number.isFinite(value);
}

function isNotNegative(value: number): boolean {
  return value >= 0 && Number.isFinite(value);
}

function isProbability(value: number): boolean {
  return value > 0 && value < 1;
}

/** Every decision comes through here several times: its statement is put together when it is false. */
function assertEach(inputs: Inputs, holds: (value: number) => boolean, statement: string): void {
  for (const name in inputs) {
    const value = inputs[name];
    if (value === undefined || !holds(value)) assert(false, `${name} ${statement}`);
  }
}
