// Values as JSON and back, exactly: decimals, absent values and odd numbers survive the way.

import { Decimal } from 'decimal.js';

/** A map with this key alone says what JSON has no word for. */
const TAG = '$';

/** Plain JSON of a value of the domain. */
export function toExact(value: unknown): unknown {
  if (value === undefined) return { [TAG]: 'undefined' };
  if (typeof value === 'number') return exactNumber(value);
  if (typeof value === 'bigint') return { [TAG]: 'bigint', text: value.toString() };
  if (typeof value !== 'object' || value === null) return value;
  if (Decimal.isDecimal(value)) return { [TAG]: 'decimal', text: value.toString() };
  if (Array.isArray(value)) return value.map(toExact);
  return exactMap(value);
}

/** The value that `toExact` was given. @throws {Error} when the text is not of its making. */
export function fromExact(json: unknown): unknown {
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map(fromExact);
  const fields = new Map<string, unknown>(Object.entries(json));
  return fields.has(TAG) ? untagged(fields) : plainMap(fields);
}

function exactNumber(value: number): unknown {
  const isPlain = Number.isFinite(value) && !Object.is(value, -0);
  return isPlain ? value : { [TAG]: 'number', text: Object.is(value, -0) ? '-0' : String(value) };
}

function exactMap(value: object): unknown {
  const entries = Object.entries(value).map(([name, inner]) => [name, toExact(inner)]);
  // A map that has the tag as a key of its own is told apart by being wrapped.
  return TAG in value ? { [TAG]: 'map', entries } : Object.fromEntries(entries);
}

function untagged(fields: ReadonlyMap<string, unknown>): unknown {
  const text = String(fields.get('text'));
  switch (fields.get(TAG)) {
    case 'undefined':
      return undefined;
    case 'number':
      return Number(text);
    case 'bigint':
      return BigInt(text);
    case 'decimal':
      return new Decimal(text);
    case 'map':
      return plainMap(entriesOf(fields.get('entries')));
    default:
      throw new Error(`unknown tag ${JSON.stringify(fields.get(TAG))}`);
  }
}

function entriesOf(value: unknown): Iterable<readonly [string, unknown]> {
  if (!Array.isArray(value)) throw new Error('a tagged map has no entries');
  return value.map((entry: unknown) => {
    if (!Array.isArray(entry)) throw new Error('an entry of a tagged map is no pair');
    return [String(entry[0]), entry[1]] as const;
  });
}

function plainMap(entries: Iterable<readonly [string, unknown]>): unknown {
  return Object.fromEntries([...entries].map(([name, inner]) => [name, fromExact(inner)]));
}
