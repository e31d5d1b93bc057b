// Public reads: health, books, prices and feeds.
// @spec Endpoints › Health, Order book (all Public), Price history and feeds (all Public)

import type { EventId, MarketId, OutcomeId, TokenId } from '../../domain/ids.ts';
import type { ReadOutcome } from '../../domain/message.ts';
import type { TickGrid } from '../../domain/ticks.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { Usdc } from '../../domain/usdc.ts';
import { type BookRead, parseBook, parseMidpoint } from '../../wire/books.ts';
import { encodeQuery, encodeSegment, type Query } from '../../wire/encode.ts';
import { FastSnapshotReader } from '../../wire/fast-snapshot.ts';
import { type Candle, parseCandles } from '../../wire/feeds.ts';
import { BOOK_DEPTH_MAX } from '../../wire/limits.ts';
import { formatIsoTime } from '../../wire/parse.ts';
import type { TokenLookup } from '../../wire/tokens.ts';
import type { Client } from './client.ts';

/** A middle needs both sides; without one there is none, which is an answer. */
export type Midpoint =
  | { readonly kind: 'mid'; readonly mid: Usdc }
  | { readonly kind: 'noMidpoint' };

export type CandlesQuery = {
  /** Whether this is an outcome's id or its token id is not shown. */
  readonly outcomeId: OutcomeId | TokenId;
  readonly interval?: 'm1' | 'm5' | 'm15' | 'h1' | 'h4' | 'd1';
  readonly fromMs?: UnixMs;
  readonly toMs?: UnixMs;
};

export interface PublicCalls {
  /** Whether the venue answers at all. */
  readOk(): Promise<ReadOutcome<true>>;
  readBook(tokenId: TokenId, depth?: number): Promise<ReadOutcome<BookRead>>;
  readMidpoint(tokenId: TokenId): Promise<ReadOutcome<Midpoint>>;
  /** `buy` is the best ask, `sell` the best bid; the answer's shape is not shown. */
  readPrice(tokenId: TokenId, side: 'buy' | 'sell'): Promise<ReadOutcome<unknown>>;
  readResolution(eventId: EventId, marketId?: MarketId): Promise<ReadOutcome<unknown>>;
  readMarket(marketId: MarketId): Promise<ReadOutcome<unknown>>;
  readCategories(): Promise<ReadOutcome<unknown>>;
  readCandles(query: CandlesQuery): Promise<ReadOutcome<readonly Candle[]>>;
  /** The names of its page parameters are not shown; they are sent as given. */
  readActivity(query?: Query): Promise<ReadOutcome<unknown>>;
  readLeaderboard(period: 'today' | 'weekly' | 'monthly' | 'all'): Promise<ReadOutcome<unknown>>;
}

/** Calls that need no credentials, but for the listing. @spec Endpoints › Order book (all Public) */
export function publicCalls(client: Client, tokens: TokenLookup): PublicCalls {
  return {
    ...bookCalls(client, tokens),
    readOk: () => get(client, { path: '/ok', isBodyFree: true, parse: () => true as const }),
    readResolution: (eventId, marketId) =>
      get(client, {
        route: '/events/:id/resolution',
        path: `/events/${encodeSegment(eventId)}/resolution`,
        query: { marketId },
        parse: asIs,
      }),
    readMarket: (marketId) =>
      get(client, {
        route: '/markets/:id',
        path: `/markets/${encodeSegment(marketId)}`,
        parse: asIs,
      }),
    readCategories: () => get(client, { path: '/categories', parse: asIs }),
    readCandles: ({ outcomeId, interval, fromMs, toMs }) =>
      get(client, {
        path: '/kline',
        query: {
          outcomeId,
          interval,
          from: fromMs === undefined ? undefined : formatIsoTime(fromMs),
          to: toMs === undefined ? undefined : formatIsoTime(toMs),
        },
        parse: parseCandles,
      }),
    readActivity: (query) => get(client, { path: '/activity', query: query ?? {}, parse: asIs }),
    readLeaderboard: (period) =>
      get(client, { path: '/leaderboard', query: { period }, parse: asIs }),
  };
}

type BookCalls = Pick<PublicCalls, 'readBook' | 'readMidpoint' | 'readPrice'>;

function bookCalls(client: Client, tokens: TokenLookup): BookCalls {
  const reader = new FastSnapshotReader(tokens);
  return {
    readBook: async (tokenId, depth = BOOK_DEPTH_MAX) => {
      const grid = tokens.gridOf(tokenId);
      if (!grid) return { kind: 'notSent', detail: 'no tick size known' };
      return await readBook(client, { tokenId, depth, grid, reader });
    },
    readMidpoint: async (tokenId) =>
      midpointOf(
        await get(client, {
          route: '/midpoint/:tokenId',
          path: `/midpoint/${tokenId}`,
          parse: parseMidpoint,
        }),
      ),
    readPrice: (tokenId, side) =>
      get(client, {
        route: '/price/:tokenId/:side',
        path: `/price/${tokenId}/${side}`,
        parse: asIs,
      }),
  };
}

function readBook(
  client: Client,
  wanted: {
    readonly tokenId: TokenId;
    readonly depth: number;
    readonly grid: TickGrid;
    readonly reader: FastSnapshotReader;
  },
): Promise<ReadOutcome<BookRead>> {
  return get(client, {
    route: '/orderbook/:tokenId',
    path: `/orderbook/${wanted.tokenId}`,
    query: { depth: wanted.depth },
    readBytes: (bytes) => wanted.reader.readBody(bytes, wanted.grid, wanted.tokenId),
    parse: (data) => parseBook(data, wanted.grid, wanted.tokenId),
  });
}

/** A 404 says that a side is empty, unless its code says that there is no such token. */
function midpointOf(outcome: ReadOutcome<Usdc>): ReadOutcome<Midpoint> {
  if (outcome.kind === 'ok') return { kind: 'ok', value: { kind: 'mid', mid: outcome.value } };
  if (outcome.kind !== 'refused' || outcome.refusal.httpStatus !== 404) return outcome;
  const { code } = outcome.refusal;
  const isUnknownToken = code === 'token_not_found' || code === 'market_not_found';
  return isUnknownToken ? outcome : { kind: 'ok', value: { kind: 'noMidpoint' } };
}

type Get<Value> = {
  readonly path: string;
  readonly route?: string;
  readonly query?: Query;
  readonly isBodyFree?: boolean;
  readonly readBytes?: (bytes: Uint8Array) => Value | undefined;
  readonly parse: (data: unknown) => Value;
};

function get<Value>(
  client: Client,
  { path, route, query, isBodyFree, readBytes, parse }: Get<Value>,
): Promise<ReadOutcome<Value>> {
  return client.call({
    method: 'GET',
    route: route ?? path,
    path: `${path}${encodeQuery(query ?? {})}`,
    lane: 'read',
    access: 'public',
    kind: 'read',
    isBodyFree: isBodyFree ?? false,
    ...(readBytes === undefined ? {} : { readBytes }),
    parse,
  });
}

function asIs(data: unknown): unknown {
  return data;
}
