// Polymarket: books of outcome tokens, asked over REST and told over a WebSocket.
//
// The shapes are those of docs.polymarket.com: "Get multiple order books" (POST /books, an array of
// {token_id} answered by an array of books) and "Market Channel" (book, price_change, best_bid_ask, one message or
// an array of them). A socket that is open and answers PING may say nothing for hours
// (github.com/Polymarket/py-clob-client issue 292), so what is asked is what counts, and the socket only makes it sooner.

import type { VenueMids } from '../../domain/feed.ts';
import { valueAt } from '../pointer.ts';
import { numberOf } from '../statement.ts';
import { itemsOf, type Quote, type QuotesRead } from './quotes.ts';

export function polymarketBody({ outcomes }: VenueMids): string {
  return JSON.stringify(outcomes.map((outcome) => ({ token_id: outcome })));
}

export function polymarketSubscription({ outcomes }: VenueMids): string {
  return JSON.stringify({ assets_ids: outcomes, type: 'market', custom_feature_enabled: true });
}

/** Answered by `PONG`; a connection without it is closed by the venue. */
export const POLYMARKET_PROBE = 'PING';

export function polymarketQuotes(document: unknown, isStream: boolean): QuotesRead {
  const quotes = new Map<string, Quote>();
  const messages = Array.isArray(document) ? document : [document];
  for (const message of messages) takeMessage(message, quotes);
  if (isStream && quotes.size === 0) return { kind: 'skipped' };
  return { kind: 'quotes', isWhole: !isStream, quotes };
}

function takeMessage(message: unknown, into: Map<string, Quote>): void {
  const changes = itemsOf(valueAt(message, '/price_changes'));
  for (const change of changes) takeTouch(change, into);
  const type = valueAt(message, '/event_type');
  if (type === 'best_bid_ask') takeTouch(message, into);
  const asset = valueAt(message, '/asset_id');
  const isBook = Array.isArray(valueAt(message, '/bids')) && typeof asset === 'string';
  if (isBook && (type === undefined || type === 'book')) into.set(asset, bookTouch(message));
  if (type === 'market_resolved') takeResolved(message, into);
}

function takeTouch(change: unknown, into: Map<string, Quote>): void {
  const asset = valueAt(change, '/asset_id');
  const bid = valueAt(change, '/best_bid');
  const ask = valueAt(change, '/best_ask');
  if (typeof asset !== 'string' || bid === undefined || ask === undefined) return;
  into.set(asset, { bid: inside(numberOf(bid)), ask: inside(numberOf(ask)) });
}

/** Its two sides stand in no order that is promised. */
function bookTouch(book: unknown): Quote {
  const prices = (side: string): readonly number[] =>
    itemsOf(valueAt(book, side)).flatMap((level) => {
      const price = inside(numberOf(valueAt(level, '/price')));
      return price !== undefined && (numberOf(valueAt(level, '/size')) ?? 0) > 0 ? [price] : [];
    });
  const bids = prices('/bids');
  const asks = prices('/asks');
  return {
    bid: bids.length === 0 ? undefined : bids.reduce((a, b) => Math.max(a, b)),
    ask: asks.length === 0 ? undefined : asks.reduce((a, b) => Math.min(a, b)),
  };
}

function takeResolved(message: unknown, into: Map<string, Quote>): void {
  for (const asset of itemsOf(valueAt(message, '/assets_ids'))) {
    if (typeof asset === 'string') into.set(asset, { fault: 'resolved' });
  }
}

/** A side that is empty is told as a best price of 0 or 1. */
function inside(price: number | undefined): number | undefined {
  return price !== undefined && price > 0 && price < 1 ? price : undefined;
}
