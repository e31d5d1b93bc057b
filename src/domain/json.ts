// JSON of others: how long and how deep a text is is known before anything is built of it. Every reader
// behind it may then walk its value without a thought about the stack.

import { excerpt } from './excerpt.ts';

/** A payload of the venue has five levels; more than this is nobody's. */
export const JSON_DEPTH_MAX = 32;

/** Objects and lists in one text: building many small ones is what takes time. */
const PARTS_MAX = 100_000;
/** A short text has fewer of them: a level of a book, the smallest thing that anybody sends, has 24 characters. */
const PART_LENGTH_MIN = 10;
/** The same of all values: ten thousand orders have half of these. */
const VALUES_MAX = 400_000;
const VALUE_LENGTH_MIN = 6;

type Limits = { readonly parts: number; readonly values: number };

export type JsonRead =
  | { readonly isRead: true; readonly value: unknown }
  /** What is wrong with the text, as the end of a sentence: `is no JSON`. */
  | { readonly isRead: false; readonly why: string };

/**
 * Reads one JSON text of at most `lengthMax` characters and `JSON_DEPTH_MAX` levels; it never throws.
 * What it costs is bounded by `lengthMax` alone.
 */
export function readJson(text: string, lengthMax: number): JsonRead {
  if (text.length > lengthMax) return refused(`is longer than ${lengthMax} characters`);
  const excess = excessOf(text, {
    parts: Math.min(PARTS_MAX, Math.ceil(lengthMax / PART_LENGTH_MIN)),
    values: Math.min(VALUES_MAX, Math.ceil(lengthMax / VALUE_LENGTH_MIN)),
  });
  if (excess !== undefined) return refused(excess);
  try {
    const value: unknown = JSON.parse(text);
    return { isRead: true, value };
  } catch {
    return refused('is no JSON');
  }
}

/** The value alone, or `undefined`, which JSON itself cannot say. */
export function jsonOr(text: string, lengthMax: number): unknown {
  const read = readJson(text, lengthMax);
  return read.isRead ? read.value : undefined;
}

/** The JSON of any value as a complaint may show it; what has none, or no end, is named by its kind. */
export function shownJson(value: unknown, lengthMax: number): string {
  try {
    return excerpt(JSON.stringify(value) ?? String(value), lengthMax);
  } catch {
    return typeof value;
  }
}

function refused(why: string): JsonRead {
  return { isRead: false, why };
}

/** A text with few brackets is not deep, a short one has few values, and nearly every frame is both. */
function excessOf(text: string, limits: Limits): string | undefined {
  // Each value but the last has a comma behind it.
  if (text.length / 2 > limits.values) return excessOfBytes(bytesOf(text), limits);
  const left = JSON_DEPTH_MAX - countTo(text, '{', JSON_DEPTH_MAX);
  return countTo(text, '[', left) < left ? undefined : excessOfBytes(bytesOf(text), limits);
}

/** How often a character stands in a text, counted to `countMax`. */
function countTo(text: string, character: string, countMax: number): number {
  let count = 0;
  let index = text.indexOf(character);
  while (index >= 0 && count < countMax) {
    count += 1;
    index = text.indexOf(character, index + 1);
  }
  return count;
}

const ENCODER = new TextEncoder();
/** The bytes of the text that is looked at: most need no memory of their own. */
const SCRATCH = new Uint8Array(65_536);
const BYTES_PER_CHARACTER_MAX = 3;

/** In UTF-8 no byte of a bracket or a quote is a part of anything else, and bytes are looked at faster. */
function bytesOf(text: string): Uint8Array {
  if (text.length * BYTES_PER_CHARACTER_MAX > SCRATCH.length) return ENCODER.encode(text);
  return SCRATCH.subarray(0, ENCODER.encodeInto(text, SCRATCH).written);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Brackets of both kinds differ in this bit alone. */
const KIND_BIT = 0x20;
const COMMA = 0x2c;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/** One look at each byte; brackets inside strings are no levels. */
function excessOfBytes(bytes: Uint8Array, limits: Limits): string | undefined {
  let depth = 0;
  let parts = 0;
  let values = 1;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte === QUOTE) {
      index = endOfString(bytes, index + 1);
    } else if ((byte | KIND_BIT) === OPENING) {
      depth += 1;
      parts += 1;
      if (depth > JSON_DEPTH_MAX) return `is deeper than ${JSON_DEPTH_MAX} levels`;
    } else if ((byte | KIND_BIT) === CLOSING) {
      depth -= 1;
    } else if (byte === COMMA) {
      values += 1;
    }
  }
  if (parts > limits.parts) return `has more than ${limits.parts} objects and lists`;
  return values > limits.values ? `has more than ${limits.values} values` : undefined;
}

/** Where the quote stands that ends a string, or the end of the text. */
function endOfString(bytes: Uint8Array, from: number): number {
  let index = from;
  while (index < bytes.length && bytes[index] !== QUOTE) {
    index += bytes[index] === BACKSLASH ? 2 : 1;
  }
  return index;
}
