// Reads query parameters. @spec Endpoints

import type { UnixMs } from '../../domain/time.ts';
import { datetimeOf, invalid } from './fields.ts';

/** A parameter that is absent or empty is `undefined`. */
export function queryText(query: URLSearchParams, name: string): string | undefined {
  const text = query.get(name);
  return text === null || text === '' ? undefined : text;
}

/** @throws {VenueRefusal} `invalid_parameter` outside the bounds or not a whole number. */
export function queryWhole(
  query: URLSearchParams,
  name: string,
  bounds: { readonly min: number; readonly max: number; readonly default: number },
): number {
  const text = queryText(query, name);
  if (text === undefined) return bounds.default;
  const count = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  const isWithin = count >= bounds.min && count <= bounds.max;
  return isWithin ? count : invalid(name, `a whole number from ${bounds.min} to ${bounds.max}`);
}

/** @throws {VenueRefusal} `invalid_parameter` */
export function queryFlag(query: URLSearchParams, name: string, otherwise: boolean): boolean {
  const text = queryText(query, name);
  if (text === undefined) return otherwise;
  if (text === 'true' || text === '1') return true;
  return text === 'false' || text === '0' ? false : invalid(name, 'true or false');
}

/** @throws {VenueRefusal} `invalid_parameter` */
export function queryChoice<Choice extends string>(
  query: URLSearchParams,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const text = queryText(query, name)?.toLowerCase();
  if (text === undefined) return undefined;
  return choices.find((choice) => choice === text) ?? invalid(name, choices.join(' or '));
}

/** @throws {VenueRefusal} `invalid_parameter` */
export function queryDatetime(query: URLSearchParams, name: string): UnixMs | undefined {
  const text = queryText(query, name);
  return text === undefined ? undefined : datetimeOf(text, name);
}
