// Public frames: books, trades and market status.
// @spec Events › Order book channel (Public), Trades channel (Public)

import { z } from 'zod';
import { WireError } from '../domain/errors.ts';
import { excerpt } from '../domain/excerpt.ts';
import type { TokenId } from '../domain/ids.ts';
import { marketId, tokenId } from '../domain/ids.ts';
import type { TradingStatus } from '../domain/market.ts';
import type { VenueMessage } from '../domain/message.ts';
import type { TickGrid } from '../domain/ticks.ts';
import { parseLevels, readLevelPrice, readLevelSize } from './books.ts';
import {
  anything,
  complaintText,
  decimal,
  maybe,
  parseWith,
  readTs,
  side,
  within,
  word,
} from './parse.ts';
import type { TokenLookup } from './tokens.ts';

export type BookFrameType =
  | 'orderbook.snapshot'
  | 'orderbook.delta'
  | 'last_trade_price'
  | 'market.status_update'
  | 'trade.executed';

/** In these frames `marketId` carries the token id; `trade.executed` names it `tokenId`. */
const addressed = z.object({ marketId: z.string(), tokenId: z.string() }).partial();
const snapshot = z.object({ levels: anything, ts: anything });
const delta = z.object({
  side: word('bid', 'ask'),
  price: decimal,
  size: decimal,
  ts: anything,
});
const trade = z.object({ price: decimal, size: decimal, ts: anything });
const executed = trade.extend({ side: maybe(side) });
const statusUpdate = z.object({ status: z.string() });

/** Of a status; those we know are shorter. */
const WORD_LENGTH_MAX = 40;
/** Every word we know for a state of trading, and what it means to us. */
const STATUS_WORDS: Readonly<Record<string, TradingStatus>> = {
  open: 'open',
  opened: 'open',
  resume: 'open',
  resumed: 'open',
  pause: 'paused',
  paused: 'paused',
  close: 'closed',
  closed: 'closed',
  resolve: 'resolved',
  resolved: 'resolved',
};

/**
 * Reads one public frame. A book frame of a known token that cannot be read is `bookUnreadable`:
 * what it would have changed is unknown, so the mirror of that token is no longer to be trusted.
 * @throws {WireError} when the frame's token is unreadable or not in our catalogue.
 */
export function readBookFrame(
  type: BookFrameType,
  frame: unknown,
  tokens: TokenLookup,
): readonly VenueMessage[] {
  if (type === 'market.status_update') return readStatus(frame, tokens);
  const tokenOf = addressedToken(frame);
  const grid = gridOf(tokenOf, tokens);
  if (type === 'trade.executed') return [readTrade(executed, frame, { tokenId: tokenOf, grid })];
  if (type === 'last_trade_price') return [readTrade(trade, frame, { tokenId: tokenOf, grid })];
  try {
    return [readChange(type, frame, { tokenId: tokenOf, grid })];
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return [{ kind: 'bookUnreadable', tokenId: tokenOf, detail: complaintText(error) }];
  }
}

/** What a status word of the venue means; a word we do not know keeps quotes off. */
export function readTradingStatus(text: string): TradingStatus {
  const key = excerpt(text, WORD_LENGTH_MAX).trim().toLowerCase();
  return Object.hasOwn(STATUS_WORDS, key) ? (STATUS_WORDS[key] ?? 'unknown') : 'unknown';
}

type Place = { readonly tokenId: TokenId; readonly grid: TickGrid };

function readChange(
  type: 'orderbook.snapshot' | 'orderbook.delta',
  frame: unknown,
  { tokenId, grid }: Place,
): VenueMessage {
  if (type === 'orderbook.snapshot') {
    const { levels, ts } = parseWith(snapshot, frame, type);
    const book = parseLevels(levels, grid, `${type}.levels`);
    return { kind: 'bookSnapshot', tokenId, ...book, venueTs: readTs(ts) };
  }
  const shape = parseWith(delta, frame, type);
  return {
    kind: 'bookDelta',
    tokenId,
    side: shape.side,
    price: within(`${type}.price`, () => readLevelPrice(shape.price, grid)),
    size: within(`${type}.size`, () => readLevelSize(shape.size)),
    venueTs: readTs(shape.ts),
  };
}

function readTrade(
  schema: typeof trade | typeof executed,
  frame: unknown,
  { tokenId, grid }: Place,
): VenueMessage {
  const shape = parseWith(schema, frame, 'trade');
  return {
    kind: 'trade',
    tokenId,
    price: within('trade.price', () => readLevelPrice(shape.price, grid)),
    size: within('trade.size', () => readLevelSize(shape.size)),
    takerSide: 'side' in shape ? shape.side : undefined,
    venueTs: readTs(shape.ts),
  };
}

/** A status names one token, or, with a venue that means it literally, a market of two. */
function readStatus(frame: unknown, tokens: TokenLookup): readonly VenueMessage[] {
  const { status } = parseWith(statusUpdate, frame, 'market.status_update');
  const word = excerpt(status, WORD_LENGTH_MAX);
  const meant = marketTokens(frame, tokens) ?? [addressedToken(frame)];
  return meant.map((tokenId) => ({
    kind: 'marketStatus',
    tokenId,
    status: readTradingStatus(status),
    word,
  }));
}

function marketTokens(frame: unknown, tokens: TokenLookup): readonly TokenId[] | undefined {
  const { marketId: id } = parseWith(addressed, frame, 'frame');
  const found = id === undefined || id === '' ? [] : tokens.tokensOf(marketId(id));
  return found.length > 0 ? found : undefined;
}

function addressedToken(frame: unknown): TokenId {
  const shape = parseWith(addressed, frame, 'frame');
  return within('frame.marketId', () => tokenId(shape.marketId ?? shape.tokenId ?? ''));
}

function gridOf(id: TokenId, tokens: TokenLookup): TickGrid {
  const grid = tokens.gridOf(id);
  if (!grid) throw new WireError('wire.field', `frame.tokenId: no tick size known for ${id}`);
  return grid;
}
