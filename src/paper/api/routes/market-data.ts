// Public reads of time, events and books. @spec Endpoints › Health, Markets, Order book

import { Decimal } from 'decimal.js';
import { unixSec } from '../../../domain/time.ts';
import {
  BOOK_DEPTH_DEFAULT,
  BOOK_DEPTH_MAX,
  EVENTS_PAGE_DEFAULT,
  EVENTS_PAGE_MAX,
} from '../../../wire/limits.ts';
import { priceText } from '../../exchange/amounts.ts';
import type { TokenRef } from '../../exchange/events.ts';
import type { ListedEvent, ListedMarket } from '../../exchange/listed-market.ts';
import { VenueRefusal } from '../../exchange/refusal.ts';
import { eventJson, marketJson, statusJson } from '../encode-event.ts';
import { bookJson } from '../encode-order.ts';
import { invalid } from '../fields.ts';
import { queryChoice, queryFlag, queryText, queryWhole } from '../query.ts';
import { type Call, param, publicRoute, type Route } from '../route.ts';
import { isoText } from '../time-text.ts';

const OFFSET_MAX = 1_000_000;
const STATUSES = ['open', 'closed', 'resolved'] as const;

export const MARKET_DATA_ROUTES: readonly Route[] = [
  publicRoute('/ok', () => ({ status: 'ok' })),
  publicRoute('/time', time),
  publicRoute('/events', events),
  publicRoute('/events/:idOrSlug', (call) =>
    eventJson(call.exchange.catalogue.event(param(call, 'idOrSlug')), call.dialect),
  ),
  publicRoute('/events/:id/resolution', resolution),
  publicRoute('/markets/:id', market),
  publicRoute('/categories', categories),
  publicRoute('/orderbook/:tokenId', orderbook),
  publicRoute('/midpoint/:tokenId', midpoint),
  publicRoute('/price/:tokenId/:side', price),
];

/** @spec Endpoints › Health */
function time({ nowMs, dialect }: Call): unknown {
  const serverTime = unixSec(nowMs);
  return { serverTime: dialect.serverTimeAs === 'number' ? serverTime : String(serverTime) };
}

/** @spec Endpoints › Markets (all Public) */
function events(call: Call): unknown {
  const { query, dialect } = call;
  const limits = { min: 1, max: EVENTS_PAGE_MAX, default: EVENTS_PAGE_DEFAULT };
  const limit = queryWhole(query, 'limit', limits);
  const offset = queryWhole(query, 'offset', { min: 0, max: OFFSET_MAX, default: 0 });
  const found = call.exchange.catalogue.events().filter(eventFilter(call));
  const items = found.slice(offset, offset + limit).map((listed) => eventJson(listed, dialect));
  if (dialect.eventsAs === 'array') return items;
  const isCounted = queryFlag(query, 'includeTotal', true);
  return isCounted ? { items, total: found.length, limit, offset } : { items, limit, offset };
}

function eventFilter({ query, dialect }: Call): (listed: ListedEvent) => boolean {
  const unasked = dialect.listWithoutStatus === 'open' ? 'open' : undefined;
  const status = queryChoice(query, 'status', STATUSES) ?? unasked;
  const hasStatus = (listed: ListedEvent) => status === undefined || listed.status() === status;
  if (dialect.listFilters === 'ignored') return hasStatus;
  const category = queryText(query, 'category');
  const tag = queryText(query, 'tag');
  const search = queryText(query, 'search')?.toLowerCase();
  return (listed) =>
    hasStatus(listed) &&
    (category === undefined || listed.event.category === category) &&
    (tag === undefined || listed.hasTag(tag)) &&
    (search === undefined || listed.event.title.toLowerCase().includes(search));
}

function resolution(call: Call): unknown {
  const listed = call.exchange.catalogue.event(param(call, 'id'));
  const only = queryText(call.query, 'marketId');
  const markets = listed.markets.filter((each) => only === undefined || each.market.id === only);
  if (markets.length === 0) throw new VenueRefusal('market_not_found', 'not in this event');
  return {
    eventId: listed.event.id,
    status: statusJson(listed.status(), call.dialect),
    markets: markets.map((each) => resolutionOf(each, call)),
  };
}

function resolutionOf(each: ListedMarket, call: Call): unknown {
  const { winner } = each;
  return {
    marketId: each.market.id,
    status: statusJson(each.restStatus(), call.dialect),
    winningOutcomeIndex: winner ?? null,
    winningTokenId: winner === undefined ? null : each.outcome(winner).tokenId,
    timeline: each.timeline.map(({ status, atMs }) => ({ status, at: isoText(atMs) })),
  };
}

function market(call: Call): unknown {
  const found = call.exchange.catalogue.market(param(call, 'id'));
  const { event, grid } = found.listed;
  return {
    ...marketJson(found, call.dialect),
    eventId: event.id,
    eventSlug: event.slug,
    tickSize: call.dialect.numbersAs === 'text' ? grid.tickSize : Number(grid.tickSize),
  };
}

function categories(call: Call): unknown {
  const counts = new Map<string, number>();
  for (const { event } of call.exchange.catalogue.events()) {
    counts.set(event.category, (counts.get(event.category) ?? 0) + 1);
  }
  return [...counts].map(([slug, eventCount]) => ({ slug, name: slug, eventCount }));
}

/** @throws {VenueRefusal} `token_not_found`, where its market has no order book too. */
function bookToken(call: Call): TokenRef {
  const token = call.exchange.catalogue.token(param(call, 'tokenId'));
  if (token.market.hasOrderBook) return token;
  throw new VenueRefusal('token_not_found', 'its market has no order book');
}

/** @spec Endpoints › Order book (all Public) */
function orderbook(call: Call): unknown {
  const limits = { min: 1, max: BOOK_DEPTH_MAX, default: BOOK_DEPTH_DEFAULT };
  const depth = queryWhole(call.query, 'depth', limits);
  const token = bookToken(call);
  const book = call.exchange.context.books.of(token.market);
  return bookJson({ token, book, depth, nowMs: call.nowMs }, call.dialect);
}

/** @spec Errors, rule 1 */
function midpoint(call: Call): unknown {
  const { bid, ask, ticksPerUnit } = touch(call);
  if (bid === undefined || ask === undefined) {
    throw new VenueRefusal('no_liquidity', 'a side of the book is empty', { status: 404 });
  }
  return { mid: new Decimal(bid + ask).div(2).div(ticksPerUnit).toFixed() };
}

function price(call: Call): unknown {
  const { bid, ask, token } = touch(call);
  const side = param(call, 'side').toLowerCase();
  if (side !== 'buy' && side !== 'sell') return invalid('side', 'buy or sell');
  const best = side === 'buy' ? ask : bid;
  if (best === undefined) {
    throw new VenueRefusal('no_liquidity', 'this side of the book is empty', { status: 404 });
  }
  return { price: priceText(token.market.grid, best), side };
}

function touch(call: Call) {
  const token = call.exchange.catalogue.token(param(call, 'tokenId'));
  const book = call.exchange.context.books.of(token.market);
  return {
    token,
    ticksPerUnit: token.market.grid.ticksPerUnit,
    bid: book.levels(token.index, 'bid', 1)[0]?.priceTicks,
    ask: book.levels(token.index, 'ask', 1)[0]?.priceTicks,
  };
}
