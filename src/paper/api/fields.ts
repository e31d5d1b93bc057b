// Reads single fields of a request, each failure with the code the interface has for it.

import { Decimal } from 'decimal.js';
import { type UnixMs, unixMs } from '../../domain/time.ts';
import { MICRO } from '../exchange/amounts.ts';
import { VenueRefusal } from '../exchange/refusal.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Longest text of any single field; nothing legitimate comes near it. */
const TEXT_MAX = 500;

/** @throws {VenueRefusal} `invalid_request` when a body is not a JSON object. */
export function fieldsOf(body: unknown): Fields {
  if (isFields(body)) return body;
  throw new VenueRefusal('invalid_request', 'the body is not a JSON object');
}

/** Whether a parsed value is a JSON object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @throws {VenueRefusal} `missing_parameter`, `invalid_parameter` */
export function requiredText(fields: Fields, name: string): string {
  return optionalText(fields, name) ?? missing(name);
}

/** @throws {VenueRefusal} `invalid_parameter` */
export function optionalText(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' || value === '' || value.length > TEXT_MAX) {
    return invalid(name, 'a short text');
  }
  return value;
}

/** @throws {VenueRefusal} `missing_parameter`, `invalid_parameter` */
export function requiredChoice<Choice extends string>(
  fields: Fields,
  name: string,
  choices: readonly Choice[],
): Choice {
  return optionalChoice(fields, name, choices) ?? missing(name);
}

/** @throws {VenueRefusal} `invalid_parameter` */
export function optionalChoice<Choice extends string>(
  fields: Fields,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const text = optionalText(fields, name);
  if (text === undefined) return undefined;
  return choices.find((choice) => choice === text) ?? invalid(name, choices.join(' or '));
}

/** @throws {VenueRefusal} `missing_parameter`, `invalid_parameter` */
export function requiredList(fields: Fields, name: string, countMax: number): readonly unknown[] {
  const value = fields[name];
  if (value === undefined || value === null) return missing(name);
  if (!Array.isArray(value)) return invalid(name, 'an array');
  if (value.length === 0 || value.length > countMax) {
    throw new VenueRefusal('invalid_request', `${name}: 1 to ${countMax} items`);
  }
  return value;
}

/** @throws {VenueRefusal} `invalid_parameter` */
export function optionalWhole(fields: Fields, name: string, max: number): number | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0 || value > max) {
    return invalid(name, `a whole number from 0 to ${max}`);
  }
  return value;
}

const ISO_DATETIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** @throws {VenueRefusal} `invalid_parameter` when the text is not an ISO 8601 datetime. */
export function datetimeOf(text: string, name: string): UnixMs {
  const atMs = ISO_DATETIME.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? invalid(name, 'an ISO 8601 datetime') : unixMs(atMs);
}

/** A plain decimal text or number, or `undefined` for anything else. */
export function decimalOf(value: unknown, acceptsText: boolean): Decimal | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return new Decimal(value);
  const isPlain = typeof value === 'string' && /^-?\d{1,20}(\.\d{1,20})?$/.test(value);
  return acceptsText && isPlain ? new Decimal(value) : undefined;
}

/** Whole micro-shares, or `undefined` when the amount is finer or too large to count exactly. */
export function microOf(amount: Decimal): number | undefined {
  const count = amount.times(MICRO);
  if (!count.isInteger() || count.abs().gt(Number.MAX_SAFE_INTEGER)) return undefined;
  return count.toNumber();
}

/** @throws {VenueRefusal} `missing_parameter` */
export function missing(name: string): never {
  throw new VenueRefusal('missing_parameter', `${name} is required`);
}

/** @throws {VenueRefusal} `invalid_parameter` */
export function invalid(name: string, wanted: string): never {
  throw new VenueRefusal('invalid_parameter', `${name}: ${wanted} expected`);
}
