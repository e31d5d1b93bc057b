// Listed events, their markets and outcomes, in both generations.
// @spec Resources and their fields › Event, Market, Outcome

import { z } from 'zod';
import { WireError } from '../domain/errors.ts';
import { excerpt } from '../domain/excerpt.ts';
import { shownJson } from '../domain/json.ts';
import type { Event, Market, MarketStatus, Outcome } from '../domain/market.ts';
import { ITEMS_MAX } from './limits.ts';
import {
  anything,
  complaintText,
  event,
  isoTime,
  list,
  market,
  maybe,
  outcome,
  parseWith,
  pathText,
  tickSize,
  token,
} from './parse.ts';

/** An event or market that could not be read; the rest of the answer stands. */
export type Skipped = {
  readonly path: string;
  readonly detail: string;
  /** Id and slug of a listed event, or the id of a market, as far as these are there. */
  readonly names?: readonly string[];
};

export type EventsPage = {
  readonly items: readonly Event[];
  readonly skipped: readonly Skipped[];
  /** Items the venue sent, read or not: the step to the next page. */
  readonly itemCount: number;
  /** Ids or slugs in the order sent, to notice a venue that repeats itself. */
  readonly keys: readonly string[];
  /** `undefined` with `includeTotal=false` and in the older bare array. */
  readonly total: number | undefined;
};

export type NamedEvent = {
  readonly event: Event | undefined;
  readonly skipped: readonly Skipped[];
};

export type ReadEvent = { readonly event: Event; readonly skipped: readonly Skipped[] };

/** Markets of one event; far above any election, far below what would hurt. */
const MARKETS_MAX = 5_000;
/** Of one market, of which just two are right. */
const OUTCOMES_MAX = 100;
const TEXT_LENGTH_MAX = 500;

const page = z.object({
  items: list(z.unknown(), ITEMS_MAX),
  total: maybe(z.int().nonnegative()).catch(undefined),
});
const bare = list(z.unknown(), ITEMS_MAX);
const text = z.string().transform((value) => excerpt(value, TEXT_LENGTH_MAX));
const outcomeShape = z.object({
  id: outcome,
  name: maybe(text),
  tokenId: token,
  outcomeIndex: z.union([z.literal(0), z.literal(1), z.literal('0'), z.literal('1')]),
});
/** Of each market of a listing: made once, for making it takes a hundred times as long as its use. */
const keyedShape = z.object({ id: anything, slug: anything });
const marketShape = z.object({
  id: market,
  title: maybe(text),
  status: z.string(),
  enableOrderBook: maybe(z.boolean()),
  outcomes: list(z.unknown(), OUTCOMES_MAX),
});
const eventShape = z.object({
  id: event,
  slug: maybe(text),
  title: maybe(text),
  category: maybe(text),
  status: z.string(),
  tickSize,
  expiryTime: maybe(z.union([isoTime, z.literal('').transform(() => undefined)])),
  markets: list(z.unknown(), MARKETS_MAX),
});

/**
 * Reads one answer of `GET /events`, a page or a bare array.
 * @throws {WireError} `wire.field` when it is neither.
 * @spec Endpoints › Markets (all Public)
 */
export function parseEventsPage(data: unknown): EventsPage {
  const { items, total } = Array.isArray(data)
    ? { items: parseWith(bare, data, 'events'), total: undefined }
    : parseWith(page, data);
  const events: Event[] = [];
  const skipped: Skipped[] = [];
  for (const [index, item] of items.entries()) {
    const path = `events[${index}]`;
    const place = { path, skipped, names: namesOf(item) };
    collect(() => events.push(readEvent(item, path, skipped)), place);
  }
  return { items: events, skipped, itemCount: items.length, keys: items.map(keyOf), total };
}

/**
 * Reads one event; a market of it that cannot be read is skipped and named.
 * @throws {WireError} `wire.field`
 */
export function parseEvent(data: unknown): ReadEvent {
  const skipped: Skipped[] = [];
  return { event: readEvent(data, 'event', skipped), skipped };
}

/** An event that was asked for by its name; one that cannot be read is skipped and named, as in a listing. */
export function parseNamedEvent(data: unknown, name: string): NamedEvent {
  const events: Event[] = [];
  const skipped: Skipped[] = [];
  const path = namedPath(name);
  collect(() => events.push(readEvent(data, path, skipped)), { path, skipped });
  return { event: events[0], skipped };
}

/** Where an event is that was asked for by its name. */
export function namedPath(name: string): string {
  return `event[${name}]`;
}

/**
 * A status in either spelling. A word we do not know keeps quotes off like `closed` does, until
 * the venue says a word we do know. @spec Event and market status
 */
export function readMarketStatus(word: string): MarketStatus {
  const known = (['open', 'closed', 'resolved'] as const).find((status) => status === wordOf(word));
  return known ?? 'closed';
}

const WORD_LENGTH_MAX = 40;

function wordOf(text: string): string {
  return excerpt(text, WORD_LENGTH_MAX).trim().toLowerCase();
}

function readEvent(data: unknown, path: string, skipped: Skipped[]): Event {
  const shape = parseWith(eventShape, data, path);
  noteUnknownStatus(shape.status, path, skipped);
  const title = shape.title ?? '';
  const markets: Market[] = [];
  for (const [index, item] of shape.markets.entries()) {
    const at = `${path}.markets[${index}]`;
    const place = { path: at, skipped, names: namesOf(item) };
    collect(() => markets.push(readMarket(item, { path: at, title, skipped })), place);
  }
  return {
    id: shape.id,
    slug: shape.slug ?? String(shape.id),
    title,
    category: shape.category ?? '',
    status: readMarketStatus(shape.status),
    grid: shape.tickSize,
    expiryAtMs: shape.expiryTime,
    markets,
    // Of an event of which just one market comes true it may be one of these.
    ...(markets.length < shape.markets.length && { unread: shape.markets.length - markets.length }),
  };
}

type MarketPlace = {
  readonly path: string;
  /** Of the event, which a market without a title of its own goes by. */
  readonly title: string;
  readonly skipped: Skipped[];
};

function readMarket(data: unknown, { path, title, skipped }: MarketPlace): Market {
  const shape = parseWith(marketShape, data, path);
  noteUnknownStatus(shape.status, path, skipped);
  const outcomes = shape.outcomes.map((item, index) =>
    readOutcome(item, pathText(path, ['outcomes', index])),
  );
  const yes = outcomes.find(({ outcomeIndex }) => outcomeIndex === 1);
  const no = outcomes.find(({ outcomeIndex }) => outcomeIndex === 0);
  if (outcomes.length !== 2 || !yes || !no || yes.tokenId === no.tokenId) {
    throw new WireError('wire.field', `${path}.outcomes: two outcomes, 0 and 1, expected`);
  }
  return {
    id: shape.id,
    title: shape.title ?? title,
    status: readMarketStatus(shape.status),
    enableOrderBook: shape.enableOrderBook ?? true,
    yes,
    no,
  };
}

function readOutcome(data: unknown, path: string): Outcome {
  const shape = parseWith(outcomeShape, data, path);
  return {
    id: shape.id,
    name: shape.name ?? '',
    tokenId: shape.tokenId,
    outcomeIndex: Number(shape.outcomeIndex) === 1 ? 1 : 0,
  };
}

function noteUnknownStatus(word: string, path: string, skipped: Skipped[]): void {
  if (readMarketStatus(word) !== 'closed' || wordOf(word) === 'closed') return;
  skipped.push({
    path: `${path}.status`,
    detail: `unknown word ${excerpt(word, WORD_LENGTH_MAX)}`,
  });
}

/** Runs one reading; what cannot be read is named and left out. */
function collect(
  read: () => unknown,
  { skipped, ...place }: Omit<Skipped, 'detail'> & { readonly skipped: Skipped[] },
): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    skipped.push({ ...place, detail: complaintText(error) });
  }
}

function namesOf(item: unknown): readonly string[] {
  const keyed = keyedShape.safeParse(item).data;
  return [keyed?.id, keyed?.slug].filter(isName).map(String);
}

function isName(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

/** Ids and slugs are far shorter. */
const KEY_LENGTH_MAX = 2_000;

/** As JSON, since an id may be anything at all: a thing that has no text, or one without an end. */
function keyOf(item: unknown): string {
  const keyed = keyedShape.safeParse(item);
  return keyed.success ? shownJson([keyed.data.id, keyed.data.slug], KEY_LENGTH_MAX) : '';
}
