// Events, one page or all of them. @spec Endpoints › Markets (all Public)

import type { Event } from '../../domain/market.ts';
import type { Failure, ReadOutcome } from '../../domain/message.ts';
import { isAboutAsker, isNotThere } from '../../wire/codes.ts';
import { type EventsQuery, encodeQuery, encodeSegment } from '../../wire/encode.ts';
import {
  type EventsPage,
  type NamedEvent,
  namedPath,
  parseEvent,
  parseEventsPage,
  parseNamedEvent,
  type ReadEvent,
  type Skipped,
} from '../../wire/events.ts';
import { EVENTS_PAGE_MAX } from '../../wire/limits.ts';
import type { Client } from './client.ts';

/** A whole catalogue, with what of it could not be read. */
export type Listing = {
  readonly events: readonly Event[];
  readonly skipped: readonly Skipped[];
  /** The venue has more than was asked for: these are the first of it. */
  readonly isCut?: boolean;
};

export interface EventCalls {
  readEventsPage(query: EventsQuery): Promise<ReadOutcome<EventsPage>>;
  /** Every page, or the first `pagesMax`; one page that fails means that all of it failed. */
  readAllEvents(
    query?: Omit<EventsQuery, 'limit' | 'offset'>,
    pagesMax?: number,
  ): Promise<ReadOutcome<Listing>>;
  readEvent(idOrSlug: string): Promise<ReadOutcome<ReadEvent>>;
  /** The named events; a name that the venue does not know is left out, and what cannot be read is named. */
  readNamedEvents(idsOrSlugs: readonly string[]): Promise<ReadOutcome<Listing>>;
}

/** 100,000 events: far above any venue, and an end to a venue that pages for ever. */
const PAGES_MAX = 1_000;

/** Names asked for together, and how often one is when the venue limits reads, or fails at it. */
const NAMES_AT_ONCE = 8;
const NAME_TRIES = 5;
/** One that gets no answer takes the whole time of a read. */
const SILENT_TRIES = 2;

/** Calls about what is listed. @spec Endpoints › Markets (all Public) */
export function eventCalls(client: Client): EventCalls {
  const readPage = (query: EventsQuery) => readEventsPage(client, query);
  const readOne = (name: string) =>
    readEvent(client, name, (data): NamedEvent => parseNamedEvent(data, name));
  return {
    readEventsPage: readPage,
    readAllEvents: (query = {}, pagesMax) => readAllEvents(readPage, query, pagesMax),
    readEvent: (idOrSlug) => readEvent(client, idOrSlug, parseEvent),
    readNamedEvents: (names) => readNamedEvents(readOne, names),
  };
}

async function readEventsPage(
  client: Client,
  query: EventsQuery,
): Promise<ReadOutcome<EventsPage>> {
  return await client.call({
    method: 'GET',
    route: '/events',
    path: `/events${encodeQuery(query)}`,
    lane: 'read',
    access: 'public',
    kind: 'read',
    parse: parseEventsPage,
  });
}

async function readEvent<Value>(
  client: Client,
  idOrSlug: string,
  parse: (data: unknown) => Value,
): Promise<ReadOutcome<Value>> {
  return await client.call({
    method: 'GET',
    route: '/events/:idOrSlug',
    path: `/events/${encodeSegment(idOrSlug)}`,
    lane: 'read',
    access: 'public',
    kind: 'read',
    parse,
  });
}

/**
 * Reads page after page until the venue has sent as many events as it says there are, or a page
 * brings nothing new. A page shorter than asked for is no end: a venue may cap it lower than we
 * ask; and a venue that ignores `offset` repeats itself, which ends it too.
 */
async function readAllEvents(
  readPage: (query: EventsQuery) => Promise<ReadOutcome<EventsPage>>,
  query: Omit<EventsQuery, 'limit' | 'offset'>,
  pagesMax?: number,
): Promise<ReadOutcome<Listing>> {
  const events = new Map<string, Event>();
  const skipped: Skipped[] = [];
  const seen = new Set<string>();
  let offset = 0;
  for (let pages = 0; pages < (pagesMax ?? PAGES_MAX); pages += 1) {
    const outcome = await readPage({ ...query, limit: EVENTS_PAGE_MAX, offset });
    if (outcome.kind !== 'ok') return outcome;
    const page = outcome.value;
    const fresh = page.keys.filter((key) => !seen.has(key));
    for (const event of page.items) events.set(event.id, event);
    if (fresh.length > 0) skipped.push(...page.skipped);
    for (const key of fresh) seen.add(key);
    offset += page.itemCount;
    const isLast = page.total !== undefined && offset >= page.total;
    if (isLast || fresh.length === 0) {
      return { kind: 'ok', value: { events: [...events.values()], skipped } };
    }
  }
  if (pagesMax !== undefined) {
    return { kind: 'ok', value: { events: [...events.values()], skipped, isCut: true } };
  }
  return { kind: 'unknown', cause: 'unreadable', detail: `events: more than ${PAGES_MAX} pages` };
}

type Answered = { readonly name: string; readonly outcome: ReadOutcome<NamedEvent> };

async function readNamedEvents(
  readOne: (name: string) => Promise<ReadOutcome<NamedEvent>>,
  names: readonly string[],
): Promise<ReadOutcome<Listing>> {
  const events = new Map<string, Event>();
  const skipped: Skipped[] = [];
  for (let from = 0; from < names.length; from += NAMES_AT_ONCE) {
    const some = names.slice(from, from + NAMES_AT_ONCE);
    const answered = await Promise.all(
      some.map(async (name) => ({ name, outcome: await readPaced(readOne, name) })),
    );
    const failure = take(answered, { events, skipped });
    if (failure !== undefined) return failure;
  }
  return { kind: 'ok', value: { events: [...events.values()], skipped } };
}

/**
 * One event that the venue fails at, in whatever words, costs the others nothing; where it has given none at all, it is
 * the venue.
 */
function take(
  answered: readonly Answered[],
  into: { readonly events: Map<string, Event>; readonly skipped: Skipped[] },
): Failure | undefined {
  let failure: Failure | undefined;
  for (const { name, outcome } of answered) {
    if (outcome.kind === 'ok') {
      const { event, skipped } = outcome.value;
      if (event !== undefined) into.events.set(event.id, event);
      into.skipped.push(...skipped);
    } else if (isNotFound(outcome)) continue;
    else if (isOfOne(outcome)) {
      into.skipped.push({ path: namedPath(name), detail: detailOf(outcome) });
      failure = outcome;
    } else return outcome;
  }
  return into.events.size === 0 ? failure : undefined;
}

/** A venue that counts few reads a second, or fails at one, is asked again for what is left, and not for all from the beginning. */
async function readPaced(
  readOne: (name: string) => Promise<ReadOutcome<NamedEvent>>,
  name: string,
): Promise<ReadOutcome<NamedEvent>> {
  let outcome = await readOne(name);
  for (let tries = 1; tries < triesOf(outcome); tries += 1) outcome = await readOne(name);
  return outcome;
}

/** Where reads are limited, the lane is closed for as long as the venue asked: the next try waits by itself. */
function triesOf(outcome: ReadOutcome<unknown>): number {
  if (outcome.kind === 'unknown' && outcome.cause === 'timeout') return SILENT_TRIES;
  if (outcome.kind !== 'refused') return isOfOne(outcome) ? NAME_TRIES : 1;
  const { code, httpStatus = 0 } = outcome.refusal;
  return code === 'rate_limited' || httpStatus >= 500 ? NAME_TRIES : 1;
}

/**
 * It may be for this event alone that the venue fails, or what stands before it: with a stated failure, with a page of
 * its own, with more than anybody reads, or with no answer. Whoever may not ask, or not now, asks for no event, and a
 * connection that breaks is of none.
 */
function isOfOne(
  outcome: ReadOutcome<unknown>,
): outcome is Extract<Failure, { kind: 'refused' | 'unknown' }> {
  if (outcome.kind === 'refused') return !isAboutAsker(outcome.refusal);
  return outcome.kind === 'unknown' && outcome.cause !== 'connection';
}

function detailOf(outcome: Extract<Failure, { kind: 'refused' | 'unknown' }>): string {
  if (outcome.kind === 'unknown') return outcome.detail;
  const { code, message, httpStatus } = outcome.refusal;
  return `HTTP ${httpStatus}, ${code ?? message}`;
}

/** Only the venue's own envelope says that an event does not exist. */
function isNotFound(outcome: ReadOutcome<unknown>): boolean {
  return outcome.kind === 'refused' && isNotThere(outcome.refusal);
}
