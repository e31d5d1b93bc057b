// How a value of the wire becomes a value of the domain: a zod schema says the shape, the domain's
// own parsers say what a text means, and every complaint carries the path.

import { z } from 'zod';
import { WireError } from '../domain/errors.ts';
import { excerpt } from '../domain/excerpt.ts';
import { eventId, marketId, orderHash, outcomeId, tokenId } from '../domain/ids.ts';
import {
  MICRO_PER_SHARE,
  MICRO_SHARES_MAX,
  type MicroShares,
  microShares,
  parseShares,
} from '../domain/shares.ts';
import { decimalOf, parseTickSize, plainCount } from '../domain/ticks.ts';
import { type UnixMs, unixMs } from '../domain/time.ts';
import { parseUsdc, type Usdc } from '../domain/usdc.ts';
import { SHARES_MAX } from './limits.ts';

/** A complaint that names more than this many places helps nobody. */
const ISSUES_MAX = 3;
const DETAIL_LENGTH_MAX = 400;
/** No word of the interface is longer. */
const WORD_LENGTH_MAX = 60;
/** Digits of a fraction of a second that anybody sends, with the rest of a date, fit into this. */
const TIME_LENGTH_MAX = 60;
/** More than all money there is: an amount beyond it is noise, and doubles still hold it. */
const USDC_MAX = 1e15;
/** The last instant of ECMAScript time; anything beyond is not a date. */
const UNIX_MS_MAX = 8.64e15;
/** ISO 8601 with a date and a time; a date alone or a local form is refused. */
const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/i;

/** A field of any type, present or not. */
export const anything = z.unknown().optional();
/** Numbers of the wire come as decimal texts or, in older references, as JSON numbers. */
export const decimal = z.custom<string | number>(
  (value) => typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value)),
);

export const shares = decimal.transform(via(parseShares));
/** In micro-shares, also where these are more than can be acted on. */
export const countOfShares = decimal.transform(via(parseCount));
/** The same of an order, which is not read as one of nothing. */
export const countOfOrder = decimal.transform(via(parseOrderCount));
export const sumOfShares = decimal.transform(via(parseSumOfShares));
export const signedShares = decimal.transform(via(parseSignedShares));
export const usdc = decimal.transform(via(parseAmount));
/** A price that may lie between ticks, as averages and middles do. */
export const unitPrice = usdc.refine((price) => price.gte(0) && price.lte(1), '0 to 1 expected');
export const tickSize = decimal.transform(via(parseTickSize));
export const token = z.string().transform(via(tokenId));
export const hash = z.string().transform(via(orderHash));
export const isoTime = z.string().transform(via(parseIsoTime));
export const event = identifier(eventId);
export const market = identifier(marketId);
export const outcome = identifier(outcomeId);

/** `BUY` or `SELL`, in either case. */
export const side = word('BUY', 'SELL');

/** One of a few words of the interface, in either case, `-` and blanks read as `_`. */
export function word<const Words extends readonly string[]>(...words: Words) {
  return z.string().transform((text, context): Words[number] => {
    // As the interface spells it, in all but odd answers.
    const exact = words.find((candidate) => candidate === text);
    if (exact !== undefined) return exact;
    const normal = excerpt(text, WORD_LENGTH_MAX).trim().toUpperCase().replace(/[\s-]/g, '_');
    const known = words.find((candidate) => candidate.toUpperCase() === normal);
    if (known !== undefined) return known;
    context.addIssue({ code: 'custom', message: `${words.join(', ')} expected` });
    return z.NEVER;
  });
}

/**
 * A list of at most `countMax` items. How many there are is looked at first: one of a million items, each
 * of which is wrong, would otherwise be read to its end, and complained of a million times.
 */
export function list<Schema extends z.ZodType>(item: Schema, countMax: number) {
  return z
    .custom<readonly unknown[]>(Array.isArray, 'a list expected')
    .refine((items) => items.length <= countMax, `at most ${countMax} items expected`)
    .pipe(z.array(item));
}

/** A field that may be absent or null; past the wire both are `undefined`. */
export function maybe<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/**
 * Reads a value of the wire.
 * @param root - What the value is, the first part of the path in a complaint.
 * @throws {WireError} `wire.field`, with the path of each unreadable place.
 */
export function parseWith<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  root = '',
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const named = result.error.issues.slice(0, ISSUES_MAX).map((issue) => complaint(issue, root));
  throw new WireError('wire.field', excerpt(named.join('; '), DETAIL_LENGTH_MAX));
}

/**
 * Runs one reading of the domain; its complaint gets the path of the place.
 * @throws {WireError} `wire.field`
 */
export function within<Value>(path: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw placed(path, error);
  }
}

/** `events[3].markets[0]` from the parts of a path. */
export function pathText(root: string, path: readonly PropertyKey[]): string {
  let text = root;
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else text += text === '' ? String(part) : `.${String(part)}`;
  }
  return text;
}

/** The text of a complaint, clipped: payloads are the venue's and may be of any length. */
export function complaintText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return excerpt(text, DETAIL_LENGTH_MAX);
}

/** @throws {WireError} `wire.field` when the text is not an ISO 8601 date and time. */
export function parseIsoTime(text: string): UnixMs {
  const isTime = text.length <= TIME_LENGTH_MAX && ISO_TIME.test(text);
  const atMs = isTime ? Date.parse(text) : Number.NaN;
  if (!Number.isFinite(atMs)) throw new WireError('wire.field', 'an ISO 8601 time expected');
  return unixMs(atMs);
}

/** The ISO 8601 text of a point in time, in UTC with milliseconds. */
export function formatIsoTime(at: UnixMs): string {
  return new Date(at).toISOString();
}

/** A `ts` of a frame, or `undefined`: no frame is lost for the sake of its stamp. */
export function readTs(value: unknown): UnixMs | undefined {
  const count =
    typeof value === 'string' && value.length <= 17 && /^\d+$/.test(value) ? Number(value) : value;
  const isTime = typeof count === 'number' && count >= 0 && count <= UNIX_MS_MAX;
  return isTime ? unixMs(Math.trunc(count)) : undefined;
}

/** @throws {WireError} `wire.usdc` when the amount is none that could exist. */
function parseAmount(wire: string | number): Usdc {
  const amount = parseUsdc(wire);
  if (amount.abs().gt(USDC_MAX)) throw new WireError('wire.usdc', String(wire));
  return amount;
}

const SHARE_PLACES = 6;
/** So much of a share is the noise of a venue that adds doubles: it sends 9.999999999999998 for 10. */
const NOISE_SHARES = 1e-9;

/**
 * Shares that the venue has added up, as what has traded or is held: of one finer than a micro-share, which no page
 * forbids, the rest is cut off, and more than can be counted is the most that can. To read nothing of an account for the
 * sake of it, as of ten million shares at a tenth of a cent, would end all quotes.
 * @throws {WireError} `wire.quantity` when negative, or more than there can be.
 */
export function parseSumOfShares(wire: string | number): MicroShares {
  return microShares(Math.min(parseCount(wire), MICRO_SHARES_MAX));
}

function parseCount(wire: string | number): number {
  const plain = plainCount(wire, MICRO_PER_SHARE);
  if (plain !== undefined) return plain;
  const cut = decimalOf(wire)?.plus(NOISE_SHARES).toDecimalPlaces(SHARE_PLACES, 1);
  const count = cut?.times(MICRO_PER_SHARE).toNumber() ?? 0;
  const isWide = count > MICRO_SHARES_MAX && count <= SHARES_MAX * MICRO_PER_SHARE;
  return isWide ? count : parseShares(cut?.toString() ?? wire);
}

function parseOrderCount(wire: string | number): number {
  const cut = parseCount(wire);
  return cut === 0 ? parseShares(wire) : cut;
}

/** @throws {WireError} `wire.quantity`; unlike a resting quantity a change may be negative. */
export function parseSignedShares(wire: string | number): MicroShares {
  const text = String(wire);
  // Zero minus the count, so that minus nothing is plain zero.
  return text.startsWith('-')
    ? microShares(0 - parseSumOfShares(text.slice(1)))
    : parseSumOfShares(wire);
}

/** Runs a parser of the domain inside a schema, its complaint at the schema's path. */
function via<From, To>(parser: (from: From) => To) {
  return (from: From, context: z.RefinementCtx): To => {
    try {
      return parser(from);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
      return z.NEVER;
    }
  };
}

/** Ids are texts; a deployment that numbers its rows sends whole numbers. */
function identifier<Id>(parser: (text: string) => Id) {
  const text = z.union([z.string(), z.int().transform(String)]);
  return text.transform(via(parser));
}

function placed(path: string, cause: WireError): WireError {
  return new WireError('wire.field', `${path}: ${cause.message}`, { cause });
}

function complaint(issue: z.core.$ZodIssue, root: string): string {
  const path = pathText(root, issue.path);
  return path === '' ? issue.message : `${path}: ${issue.message}`;
}
