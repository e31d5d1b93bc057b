// What a source says, read from its text: a JSON document, a bare number, or a line of CSV.

import { clipped } from '../domain/excerpt.ts';
import type { FeedChoice } from '../domain/feed.ts';
import { jsonOr, shownJson } from '../domain/json.ts';
import { isDecimalText } from '../domain/ticks.ts';
import { type UnixMs, unixMs } from '../domain/time.ts';
import { valueAt } from './pointer.ts';
import { STATEMENT_BYTES_MAX } from './source.ts';

export type Refusal = {
  readonly kind: 'refused';
  /** Where in the text, for people. */
  readonly place: string;
  readonly found: string;
  /** What would be right. */
  readonly right: string;
};

export type Statement = {
  readonly kind: 'stated';
  readonly price: number;
  /** Standard deviation of the price, where the source states one. */
  readonly deviation: number | undefined;
  readonly atMs: UnixMs | undefined;
  /** When the oldest part of it was asked for or told, where it has parts of several texts. */
  readonly heardAtMs?: UnixMs;
};

/** `skipped`: about something else than this market. */
export type Reading = Statement | Refusal | { readonly kind: 'skipped' };

type Wanted = Pick<FeedChoice, 'fields' | 'only'>;
type Touch = NonNullable<Wanted['fields']['touch']>;

/** Where a document states these when the configuration does not say it. */
export const USUAL_FIELDS = { uncertainty: '/uncertainty', time: '/time' } as const;

/** What a number may be that is read as the price. */
export type PriceKind = {
  readonly right: string;
  readonly isRight: (price: number) => boolean;
  readonly deviationMax: number;
};

const PROBABILITY: PriceKind = {
  right: 'a number strictly between 0 and 1',
  isRight: (price) => price > 0 && price < 1,
  deviationMax: 0.5,
};
/** Nothing is traded at more, and sums of such are still numbers. */
const SPOT_MAX = 1e15;

export const SPOT: PriceKind = {
  right: `a number more than 0 and at most ${SPOT_MAX}`,
  isRight: (price) => price > 0 && price <= SPOT_MAX,
  deviationMax: SPOT_MAX,
};
const DEVIATION_RIGHT = 'a standard deviation of the price, more than 0 and at most 0.5';
const TIME_RIGHT = 'Unix seconds or milliseconds, or ISO 8601 with its zone';
const CSV_RIGHT = 'price[,uncertainty[,time]]';

/**
 * Reads one whole statement.
 * @param isStream - Messages without the field of the price are about something else there.
 */
export function readStatement(
  text: string,
  wanted: Wanted,
  isStream: boolean,
  kind: PriceKind = PROBABILITY,
): Reading {
  const trimmed = text.trim();
  if (trimmed === '') return refusal('the text', 'nothing', 'JSON, a number, or a line of CSV');
  const document = jsonOr(trimmed, STATEMENT_BYTES_MAX);
  if (typeof document === 'object' && document !== null) {
    return readDocument(document, { wanted, isStream, kind });
  }
  if (document === undefined || document === null) return readCsv(trimmed, kind);
  return stated({ price: document, deviation: undefined, time: undefined }, PLAIN, kind);
}

/** The last line that is whole: a line without its end may still be written. */
export function lastWholeLine(text: string): string | undefined {
  const lines = text.split('\n').slice(0, -1);
  return lines.findLast((line) => line.trim() !== '');
}

/** Whether the text as a whole is one JSON document, which needs no line end. */
export function isDocument(text: string): boolean {
  const value = jsonOr(text.trim(), STATEMENT_BYTES_MAX);
  return typeof value === 'object' && value !== null;
}

type How = { readonly wanted: Wanted; readonly isStream: boolean; readonly kind: PriceKind };

function readDocument(document: object, { wanted, isStream, kind }: How): Reading {
  const { fields, only } = wanted;
  if (only !== undefined && String(valueAt(document, only.field)) !== only.value) {
    return { kind: 'skipped' };
  }
  const touch = fields.touch === undefined ? undefined : middleOf(document, fields.touch);
  if (typeof touch === 'object') return touch;
  const price = fields.touch === undefined ? valueAt(document, fields.price) : touch;
  if (price === undefined && isStream) return { kind: 'skipped' };
  return dated(document, price, { fields, kind });
}

function dated(
  document: object,
  price: unknown,
  { fields, kind }: { readonly fields: Wanted['fields']; readonly kind: PriceKind },
): Reading {
  const deviation = valueAt(document, fields.uncertainty ?? USUAL_FIELDS.uncertainty);
  const time = valueAt(document, fields.time ?? USUAL_FIELDS.time);
  if (fields.uncertainty !== undefined && deviation === undefined) {
    return refusal(fields.uncertainty, 'nothing', DEVIATION_RIGHT);
  }
  if (fields.time !== undefined && time === undefined) {
    return refusal(fields.time, 'nothing', TIME_RIGHT);
  }
  const places = {
    price: priceFieldOf(fields),
    deviation: fields.uncertainty ?? USUAL_FIELDS.uncertainty,
    time: fields.time ?? USUAL_FIELDS.time,
  };
  return stated({ price, deviation, time }, places, kind);
}

function priceFieldOf({ touch, price }: Wanted['fields']): string {
  if (touch !== undefined) return `the middle of ${touch.bid} and ${touch.ask}`;
  return price === '' ? 'the document' : price;
}

/** `undefined` where neither side is there. */
function middleOf(document: object, touch: Touch): number | Refusal | undefined {
  const bid = valueAt(document, touch.bid);
  const ask = valueAt(document, touch.ask);
  if (bid === undefined && ask === undefined) return undefined;
  const best = { bid: numberOf(bid), ask: numberOf(ask) };
  if (best.bid === undefined) return refusal(touch.bid, shown(bid), 'the best bid, a number');
  if (best.ask === undefined) return refusal(touch.ask, shown(ask), 'the best ask, a number');
  if (best.ask < best.bid) return refusal(touch.ask, shown(ask), `not below the bid ${best.bid}`);
  return (best.bid + best.ask) / 2;
}

function readCsv(line: string, kind: PriceKind): Reading {
  // A fourth is one too many, however many follow it.
  const cells = line.split(',', 4).map((cell) => cell.trim());
  if (cells.length > 3) return refusal('the line', shown(line), CSV_RIGHT);
  const [price, deviation, time] = cells.map((cell) => (cell === '' ? undefined : cell));
  return stated({ price, deviation, time }, COLUMNS, kind);
}

type Raw = { readonly price: unknown; readonly deviation: unknown; readonly time: unknown };
type Places = Readonly<Record<keyof Raw, string>>;

const PLAIN: Places = { price: 'the value', deviation: '', time: '' };
const COLUMNS: Places = { price: 'column 1', deviation: 'column 2', time: 'column 3' };

function stated(raw: Raw, places: Places, kind: PriceKind): Reading {
  const price = numberOf(raw.price);
  if (price === undefined || !kind.isRight(price)) {
    return refusal(places.price, shown(raw.price), kind.right);
  }
  const deviation = absentOr(raw.deviation, numberOf);
  if (
    deviation === 'wrong' ||
    (deviation !== undefined && !(deviation > 0 && deviation <= kind.deviationMax))
  ) {
    return refusal(places.deviation, shown(raw.deviation), DEVIATION_RIGHT);
  }
  const atMs = absentOr(raw.time, timeOf);
  if (atMs === 'wrong') return refusal(places.time, shown(raw.time), TIME_RIGHT);
  return { kind: 'stated', price, deviation, atMs };
}

function absentOr<Value>(
  raw: unknown,
  read: (raw: unknown) => Value | undefined,
): Value | 'wrong' | undefined {
  return raw === undefined || raw === null ? undefined : (read(raw) ?? 'wrong');
}

/** A finite number, or a text that is one. */
export function numberOf(raw: unknown): number | undefined {
  const value = typeof raw === 'string' && isDecimalText(raw.trim()) ? Number(raw) : raw;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Seconds stay below this until the year 5138, and milliseconds were above it since 1973. */
const SECONDS_MAX = 1e11;
const TIME_LENGTH_MAX = 60;
const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/;

function timeOf(raw: unknown): UnixMs | undefined {
  const count = numberOf(raw);
  if (count !== undefined) {
    if (!(count > 0)) return undefined;
    return unixMs(Math.round(count < SECONDS_MAX ? count * 1_000 : count));
  }
  if (typeof raw !== 'string' || raw.length > TIME_LENGTH_MAX) return undefined;
  if (!ISO.test(raw)) return undefined;
  const atMs = Date.parse(raw);
  return Number.isFinite(atMs) ? unixMs(atMs) : undefined;
}

export function refusal(place: string, found: string, right: string): Refusal {
  return { kind: 'refused', place, found, right };
}

/** A complaint stays one short line, whatever a source sends. */
const SHOWN_LENGTH_MAX = 60;

export function shown(raw: unknown): string {
  if (raw === undefined) return 'nothing';
  return clipped(shownJson(raw, SHOWN_LENGTH_MAX + 1), SHOWN_LENGTH_MAX);
}
