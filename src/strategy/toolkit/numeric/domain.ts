// What every model demands of its inputs before it computes. A number that is not one becomes an
// assertion here, and so no price: the engine leaves a market whose strategy throws without quotes.

import { assert } from '../../../domain/assert.ts';

type Inputs = Readonly<Record<string, number>>;

// The first four are of one input and make no record of it: they run with every decision.

/** One input. @throws {AssertionError} When it is zero, negative, infinite or not a number. */
export function needPositive(name: string, value: number): void {
  if (!(value > 0 && Number.isFinite(value))) refuse(`${name} is a positive number`);
}

/** One input. @throws {AssertionError} When it is negative, infinite or not a number. */
export function needNotNegative(name: string, value: number): void {
  if (!(value >= 0 && Number.isFinite(value))) refuse(`${name} is zero or a positive number`);
}

/** One input. @throws {AssertionError} When it is infinite or not a number. */
export function needFinite(name: string, value: number): void {
  if (!Number.isFinite(value)) refuse(`${name} is a finite number`);
}

/** One input. @throws {AssertionError} When it does not lie strictly between 0 and 1. */
export function needProbability(name: string, value: number): void {
  if (!(value > 0 && value < 1)) refuse(`${name} lies between 0 and 1`);
}

/** @throws {AssertionError} When an input is zero, negative, infinite or not a number. */
export function assertPositive(inputs: Inputs): void {
  for (const name in inputs) needPositive(name, inputOf(inputs, name));
}

/** @throws {AssertionError} When an input is negative, infinite or not a number. */
export function assertNotNegative(inputs: Inputs): void {
  for (const name in inputs) needNotNegative(name, inputOf(inputs, name));
}

/** @throws {AssertionError} When an input is infinite or not a number. */
export function assertFinite(inputs: Inputs): void {
  for (const name in inputs) needFinite(name, inputOf(inputs, name));
}

/** @throws {AssertionError} When an input does not lie strictly between 0 and 1. */
export function assertProbability(inputs: Inputs): void {
  for (const name in inputs) needProbability(name, inputOf(inputs, name));
}

/** @throws {AssertionError} When an input is not a whole number. */
export function assertWhole(inputs: Inputs): void {
  for (const name in inputs) {
    if (!Number.isSafeInteger(inputOf(inputs, name))) refuse(`${name} is a whole number`);
  }
}

/** These run thousands of times a second: neither pairs nor sentences are made for what holds. */
function inputOf(inputs: Inputs, name: string): number {
  return inputs[name] ?? Number.NaN;
}

function refuse(statement: string): void {
  assert(false, statement);
}

export function clamped(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
