// Shapes of payloads, read from the interface document alone: the parsers of the client are not used
// here, so that a mistake of theirs does not repeat itself.

import { CardFailure, holds } from './card.ts';

/** Whether a value is as described, and how it is described. */
export type Kind = { readonly is: (value: unknown) => boolean; readonly says: string };
export type Fields = Readonly<Record<string, Kind>>;

const DECIMAL = /^-?\d+(\.\d+)?$/;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/;

export const isText = kind('a text', (value) => typeof value === 'string');
export const isId = kind('an id', (value) => typeof value === 'string' && value !== '');
export const isHex = kind('hex text', (value) => isMatch(value, /^0x[0-9a-f]+$/i));
export const isDecimalText = kind('a decimal text', (value) => isMatch(value, DECIMAL));
export const isNumber = kind('a number', (value) => Number.isFinite(value));
/** Where an older reference shows a number, either is right. */
export const isDecimal = either(isDecimalText, isNumber);
export const isWhole = kind('a whole number', (value) => Number.isSafeInteger(value));
export const isFlag = kind('true or false', (value) => typeof value === 'boolean');
export const isDatetime = kind('an ISO 8601 datetime', (value) => isMatch(value, ISO));
export const isList = kind('a list', Array.isArray);
export const isNone = kind('null', (value) => value === null);
/** Lower case, or upper case in an older reference. */
export const isStatus = oneOf('open', 'closed', 'resolved', 'OPEN', 'CLOSED', 'RESOLVED');

export function oneOf(...words: readonly string[]): Kind {
  return kind(words.join(' or '), (value) => typeof value === 'string' && words.includes(value));
}

export function either(one: Kind, other: Kind): Kind {
  return kind(`${one.says} or ${other.says}`, (value) => one.is(value) || other.is(value));
}

export function optional(inner: Kind): Kind {
  return kind(`${inner.says} or nothing`, (value) => value === undefined || inner.is(value));
}

/** @throws {CardFailure} With the path of the first field that is not as described. */
export function hasFields(value: unknown, fields: Fields, path: string): void {
  for (const [name, { is, says }] of Object.entries(fields)) {
    const found = at(value, name);
    holds(is(found), `${path}.${name}: ${says} expected, seen ${textOf(found)}`);
  }
}

/** @throws {CardFailure} */
export function listOf(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new CardFailure(`${path}: a list expected, ${textOf(value)}`);
  return value;
}

/** Walks into parsed JSON; `undefined` where the path ends. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let here = value;
  for (const step of path) {
    here = typeof here === 'object' && here !== null ? Reflect.get(here, step) : undefined;
  }
  return here;
}

export function textAt(value: unknown, ...path: readonly (string | number)[]): string {
  return String(at(value, ...path));
}

function kind(says: string, is: (value: unknown) => boolean): Kind {
  return { says, is };
}

function isMatch(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value);
}

function textOf(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 80);
}
