// Requests as the venue reads them: bodies, queries and client frames.
// @spec Endpoints › Orders (all Auth), Events › Client frames

import { assert } from '../domain/assert.ts';
import type { EventId, MarketId, OrderHash, TokenId } from '../domain/ids.ts';
import type { CancelScope } from '../domain/message.ts';
import type { LimitOrder, Side } from '../domain/order.ts';
import { type Identity, isBearer } from '../domain/secret.ts';
import { formatShares, type MicroShares, sharesNumber } from '../domain/shares.ts';
import { priceNumber, type TickGrid } from '../domain/ticks.ts';
import { addMs, type UnixSec } from '../domain/time.ts';
import type { Usdc } from '../domain/usdc.ts';
import type { WireChoices } from './choices.ts';
import { BATCH_CANCEL_MAX, BATCH_ORDERS_MAX, BOOK_DEPTH_MAX } from './limits.ts';
import { formatIsoTime } from './parse.ts';
import { SOCKET_PATH, signature } from './signature.ts';

/** A market order names what it may spend or what it sells, never both. */
export type MarketOrder = {
  readonly tokenId: TokenId;
  readonly timeInForce: 'FOK' | 'FAK';
  readonly maxSlippageBps: number | undefined;
} & (
  | { readonly side: 'BUY'; readonly maxSpend: Usdc }
  | { readonly side: 'SELL'; readonly quantity: MicroShares }
);

export type EventsQuery = {
  readonly status?: 'open' | 'closed' | 'resolved' | undefined;
  readonly category?: string | undefined;
  readonly tag?: string | undefined;
  readonly search?: string | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly includeTotal?: boolean | undefined;
};

export type SetChange = {
  readonly eventId: EventId;
  readonly marketId: MarketId | undefined;
  /** Complete sets; one set costs one USDC. */
  readonly amount: MicroShares;
};

/** What a query string is made of; an absent value is left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** Six decimals, the finest amount of USDC. */
const USDC_PLACES = 6;

/**
 * The query string, with its `?`, exactly as it is sent and signed; empty without parameters.
 * @spec Authentication › Signature
 */
export function encodeQuery(query: Query): string {
  const parts = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(key)}=${encodeURIComponent(String(value))}`],
  );
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

/** One segment of a path. */
export function encodeSegment(text: string): string {
  return encodeURIComponent(text);
}

/**
 * The body of one limit order. Price and quantity are JSON numbers whose shortest decimal text is
 * exact, since neither needs more than 15 digits.
 * @param clockOffsetMs - Venue time minus ours: a date of ours is told in the venue's time.
 * @spec Endpoints › POST /orders (limit order)
 */
export function limitOrderBody(
  order: LimitOrder,
  { grid, clockOffsetMs }: { readonly grid: TickGrid; readonly clockOffsetMs: number },
): object {
  const { tokenId, side, lifetime } = order;
  const body = {
    tokenId,
    side,
    price: priceNumber(grid, order.price),
    quantity: sharesNumber(order.quantity),
    orderType: lifetime.timeInForce,
  };
  if (lifetime.timeInForce !== 'GTD') return body;
  const expiresAt = addMs(lifetime.expiresAtMs, Math.round(clockOffsetMs));
  return { ...body, expiredAt: formatIsoTime(expiresAt) };
}

/** The body of a batch placement. @spec Endpoints › POST /orders/batch */
export function batchBody(orders: readonly object[]): object {
  assert(orders.length >= 1 && orders.length <= BATCH_ORDERS_MAX, 'a batch holds 1 to 15 orders');
  return { orders };
}

/** The body of a batch cancel. @spec Endpoints › Cancelling */
export function batchCancelBody(orderHashes: readonly OrderHash[]): object {
  const { length } = orderHashes;
  assert(length >= 1 && length <= BATCH_CANCEL_MAX, 'a batch cancel holds 1 to 100 hashes');
  return { orderHashes };
}

/** The query that narrows `DELETE /orders`. @spec Endpoints › Cancelling */
export function cancelScopeQuery(scope: CancelScope): Query {
  switch (scope.kind) {
    case 'account':
      return {};
    case 'token':
      return { tokenId: scope.tokenId };
    case 'market':
      return { marketId: scope.marketId };
  }
}

/** The body of a market order. @spec Endpoints › POST /orders/market */
export function marketOrderBody(order: MarketOrder): object {
  const { tokenId, side, timeInForce, maxSlippageBps } = order;
  const size =
    order.side === 'BUY'
      ? { maxSpend: order.maxSpend.toDecimalPlaces(USDC_PLACES, 1).toFixed() }
      : { quantity: formatShares(order.quantity) };
  const body: { tokenId: TokenId; side: Side } = { tokenId, side };
  return {
    ...body,
    ...size,
    timeInForce,
    ...(maxSlippageBps === undefined ? {} : { maxSlippageBps }),
  };
}

/** The body of a split or merge. @spec Endpoints › Conditional tokens (all Auth) */
export function setChangeBody(change: SetChange, choices: WireChoices): object {
  const { eventId, marketId, amount } = change;
  return {
    eventId,
    ...(marketId === undefined ? {} : { marketId }),
    amount: chainAmount(amount, choices),
  };
}

/** The auth frame. @spec Authentication › WebSocket authentication */
export function authFrame(credentials: Identity, atSec: UnixSec): string {
  if (isBearer(credentials)) {
    return JSON.stringify({ type: 'auth', token: credentials.bearerToken.reveal() });
  }
  return JSON.stringify({
    type: 'auth',
    apiKey: credentials.apiKey.reveal(),
    passphrase: credentials.apiPassphrase.reveal(),
    timestamp: String(atSec),
    signature: signature(
      { method: 'GET', path: SOCKET_PATH, body: '' },
      { secret: credentials.apiSecret, atSec },
    ),
  });
}

/** @spec Events › Client frames */
export function subscribeBooksFrame(markets: readonly TokenId[], depth: number): string {
  assert(Number.isInteger(depth) && depth >= 1 && depth <= BOOK_DEPTH_MAX, 'a depth is 1 to 200');
  return JSON.stringify({ type: 'subscribe', markets, depth });
}

/** @spec Events › Client frames */
export function subscribeTradesFrame(markets: readonly TokenId[]): string {
  return JSON.stringify({ type: 'subscribe', channel: 'trades', markets });
}

/** @spec Events › Client frames */
export function unsubscribeFrame(markets: readonly TokenId[]): string {
  return JSON.stringify({ type: 'unsubscribe', markets });
}

/** @spec Events › Connection */
export const PING_FRAME = JSON.stringify({ type: 'ping' });
/** @spec Events › Connection */
export const PONG_FRAME = JSON.stringify({ type: 'pong' });

function chainAmount(amount: MicroShares, { chainAmount }: WireChoices): string | number {
  switch (chainAmount) {
    case 'decimalText':
      return formatShares(amount);
    case 'number':
      return sharesNumber(amount);
    case 'microText':
      return String(amount);
  }
}
