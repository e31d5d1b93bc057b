// What lies beside a recording: which markets its tokens belong to and how they settled.

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { excerpt } from '../../domain/excerpt.ts';
import {
  eventId,
  type MarketId,
  marketId,
  outcomeId,
  type TokenId,
  tokenId,
} from '../../domain/ids.ts';
import { readJson } from '../../domain/json.ts';
import type { Event, Market, Outcome, OutcomeIndex } from '../../domain/market.ts';
import { parseTickSize, tickGrid } from '../../domain/ticks.ts';
import { type UnixMs, unixMs } from '../../domain/time.ts';

export type RecordedMarkets = {
  /** Open events without an expiry: a date of the past would tell the bot that all is over. */
  readonly events: readonly Event[];
  /** How markets settled, where that is known. */
  readonly winners: ReadonlyMap<MarketId, TokenId>;
  /** Where a replay starts unless told otherwise; `undefined` for the beginning. */
  readonly startsAtMs: UnixMs | undefined;
  readonly endsAtMs: UnixMs | undefined;
};

const outcomeShape = z.object({
  id: z.string(),
  name: z.string(),
  tokenId: z.string(),
  outcomeIndex: z.union([z.literal(0), z.literal(1)]),
});

/** An event in the venue's own shape. */
const venueEvent = z.object({
  id: z.string(),
  slug: z.string(),
  title: z.string(),
  category: z.string(),
  tickSize: z.union([z.string(), z.number()]),
  markets: z.array(
    z.object({
      id: z.string(),
      title: z.string().nullish(),
      outcomes: z.array(outcomeShape),
    }),
  ),
});

/** One of them, with its phases: the Betfair recordings. */
const eventShape = z.object({
  event: venueEvent,
  winningTokenIds: z.array(z.string()).default([]),
  phases: z.array(z.object({ ts: z.number(), status: z.string() })).default([]),
  lastTs: z.number().optional(),
});

/** Many of them, and no winner where none is named: a recording of `bookend record`. */
const eventsShape = z.object({
  events: z.array(venueEvent),
  winningTokenIds: z.array(z.string()).default([]),
  lastTs: z.number().optional(),
});

/** One event for each market, with a count of its changes: the Polymarket recordings. */
const marketsShape = z.object({
  markets: z.array(
    z.object({
      slug: z.string(),
      title: z.string(),
      category: z.string(),
      tickSize: z.union([z.string(), z.number()]),
      yesTokenId: z.string(),
      noTokenId: z.string(),
      resolvedYes: z.number().nullish(),
      quoteChanges: z.number().default(0),
    }),
  ),
});

/** Tokens alone, on the grid of 0.001: the load test. */
const tokensShape = z.object({
  tokens: z.array(z.object({ tokenId: z.string(), book: z.string() })),
});

const metaShape = z.union([eventShape, eventsShape, marketsShape, tokensShape]);
type Meta = z.infer<typeof metaShape>;
type EventMeta = z.infer<typeof eventShape>;
type EventsMeta = z.infer<typeof eventsShape>;
type MarketsMeta = z.infer<typeof marketsShape>;

/** A replay that starts at a reopening should go on at least this long. */
const DENSE_PART_MS_MIN = 600_000;

/** Some ten thousand markets. */
const META_LENGTH_MAX = 32 * 1024 * 1024;

/**
 * Reads the meta file of a recording in any of its shapes.
 * @param name - Name of the recording, for ids that the file does not give.
 * @throws {Error} When the text is none of the shapes, or a market lacks an outcome.
 */
export function parseMeta(name: string, text: string): RecordedMarkets {
  const read = readJson(text, META_LENGTH_MAX);
  if (!read.isRead) throw new Error(read.why);
  const parsed = metaShape.safeParse(read.value);
  if (!parsed.success) throw new Error(z.prettifyError(parsed.error), { cause: parsed.error });
  const recorded = marketsOf(name, parsed.data);
  checkDistinct(recorded.events);
  return recorded;
}

/** Of two markets with one id or token only one would ever be listed, or take the frames of both. */
function checkDistinct(events: readonly Event[]): void {
  const markets = events.flatMap((event) => event.markets);
  const tokens = markets.flatMap(({ yes, no }) => [yes.tokenId, no.tokenId]);
  const named = { event: events.map(({ slug }) => slug), market: markets.map(({ id }) => id) };
  for (const [kind, ids] of Object.entries({ ...named, token: tokens })) {
    const seen = new Set<string>();
    for (const id of ids) {
      if (seen.has(id)) throw new Error(`the ${kind} ${excerpt(id, 80)} is there twice`);
      seen.add(id);
    }
  }
}

function marketsOf(name: string, meta: Meta): RecordedMarkets {
  if ('event' in meta) return fromEvent(meta);
  if ('events' in meta) return fromEvents(meta);
  if ('markets' in meta) return fromMarkets(meta);
  return fromTokens(name, meta.tokens);
}

function fromEvent(meta: EventMeta): RecordedMarkets {
  const winning = new Set(meta.winningTokenIds.map(tokenId));
  const event = venueShaped(meta.event);
  const { markets } = event;
  const settled = winning.size > 0 ? markets : [];
  const winnerOf = ({ yes, no }: Market) => (winning.has(yes.tokenId) ? yes : no).tokenId;
  return {
    events: [event],
    winners: new Map(settled.map((market) => [market.id, winnerOf(market)])),
    startsAtMs: denseStart(meta),
    endsAtMs: meta.lastTs === undefined ? undefined : unixMs(meta.lastTs),
  };
}

function fromEvents({ events: shapes, winningTokenIds, lastTs }: EventsMeta): RecordedMarkets {
  const winning = new Set(winningTokenIds.map(tokenId));
  const events = shapes.map(venueShaped);
  const winners = events
    .flatMap(({ markets }) => markets)
    .flatMap(({ id, yes, no }) =>
      [yes.tokenId, no.tokenId]
        .filter((token) => winning.has(token))
        .map((token) => [id, token] as const),
    );
  const endsAtMs = lastTs === undefined ? undefined : unixMs(lastTs);
  return { events, winners: new Map(winners), startsAtMs: undefined, endsAtMs };
}

function venueShaped({ markets: shapes, ...event }: z.infer<typeof venueEvent>): Event {
  const markets = shapes.map((market) => {
    const outcome = (index: OutcomeIndex): Outcome => {
      const found = market.outcomes.find((each) => each.outcomeIndex === index);
      if (!found) throw new Error(`market ${market.id} has no outcome ${index}`);
      const ids = { id: outcomeId(found.id), tokenId: tokenId(found.tokenId) };
      return { ...ids, name: found.name, outcomeIndex: index };
    };
    return openMarket(market.id, market.title ?? market.id, outcome(1), outcome(0));
  });
  return openEvent({ ...event, markets });
}

/**
 * The last reopening that leaves enough of the recording to be worth watching: what goes before it
 * is mostly the thin and slow trade of days ahead, and a reopening brings fresh snapshots.
 */
function denseStart({ phases, lastTs }: EventMeta): UnixMs | undefined {
  const reopenings = phases.slice(1).filter((phase) => phase.status === 'OPEN');
  const ts = reopenings.findLast((phase) => (lastTs ?? 0) - phase.ts >= DENSE_PART_MS_MIN)?.ts;
  return ts === undefined ? undefined : unixMs(ts);
}

/** Most active first. */
function fromMarkets(meta: MarketsMeta): RecordedMarkets {
  const ranked = [...meta.markets].sort((a, b) => b.quoteChanges - a.quoteChanges);
  const listed = ranked.map((each) => {
    const { slug, title, category, tickSize } = each;
    const market = binaryMarket(slug, title, each.yesTokenId, each.noTokenId);
    return {
      event: openEvent({ id: slug, slug, title, category, tickSize, markets: [market] }),
      market,
      resolvedYes: each.resolvedYes,
    };
  });
  const winners = new Map<MarketId, TokenId>();
  for (const { market, resolvedYes } of listed) {
    if (resolvedYes === 1) winners.set(market.id, market.yes.tokenId);
    if (resolvedYes === 0) winners.set(market.id, market.no.tokenId);
  }
  const events = listed.map(({ event }) => event);
  return { events, winners, startsAtMs: undefined, endsAtMs: undefined };
}

function fromTokens(
  name: string,
  tokens: readonly { readonly tokenId: string; readonly book: string }[],
): RecordedMarkets {
  const markets = tokens.map((token) =>
    binaryMarket(`${name}-${token.book}`, token.book, token.tokenId, siblingId(token.tokenId)),
  );
  const { tickSize } = tickGrid('0.001');
  const event = openEvent({
    id: name,
    slug: name,
    title: name,
    category: 'loadtest',
    tickSize,
    markets,
  });
  return { events: [event], winners: new Map(), startsAtMs: undefined, endsAtMs: undefined };
}

/** A NO token for a recording that knows none; the same one each time. */
function siblingId(yesTokenId: string): string {
  return `0x${createHash('sha256').update(`${yesTokenId}:NO`).digest('hex')}`;
}

function binaryMarket(id: string, title: string, yesToken: string, noToken: string): Market {
  const outcome = (name: string, outcomeIndex: OutcomeIndex, token: string): Outcome => ({
    id: outcomeId(`${id}-${name.toLowerCase()}`),
    name,
    tokenId: tokenId(token),
    outcomeIndex,
  });
  return openMarket(id, title, outcome('Yes', 1, yesToken), outcome('No', 0, noToken));
}

function openMarket(id: string, title: string, yes: Outcome, no: Outcome): Market {
  return { id: marketId(id), title, status: 'open', enableOrderBook: true, yes, no };
}

function openEvent(meta: {
  readonly id: string;
  readonly slug: string;
  readonly title: string;
  readonly category: string;
  readonly tickSize: string | number;
  readonly markets: readonly Market[];
}): Event {
  const { id, tickSize, ...rest } = meta;
  const grid = parseTickSize(tickSize);
  return { ...rest, id: eventId(id), grid, status: 'open', expiryAtMs: undefined };
}
