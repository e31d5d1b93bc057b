// The test-only control route: another process makes things go wrong, or moves the market.

import { Decimal } from 'decimal.js';
import { z } from 'zod';
import { isVenueCode } from '../../domain/codes.ts';
import { marketId, type TokenId, tokenId } from '../../domain/ids.ts';
import { type MicroShares, microShares } from '../../domain/shares.ts';
import { parsePrice } from '../../domain/ticks.ts';
import type { PaperCore } from '../assemble.ts';
import { MICRO } from '../exchange/amounts.ts';
import { VenueRefusal } from '../exchange/refusal.ts';
import { CURRENT_DIALECT } from './dialect.ts';
import { orderJson } from './encode-order.ts';
import { failureAnswer, successAnswer } from './envelope.ts';
import type { Mute } from './faults.ts';
import { readJson } from './json.ts';
import type { ApiRequest, ApiResponse } from './message.ts';

/** Outside the API's prefix, so that nothing of the interface is shadowed. */
export const CONTROL_PREFIX = '/__control/';

type Verb = (venue: PaperCore, body: unknown) => unknown;

/** Everything a test may ask for, as `POST /__control/<verb>` with a JSON body. */
const VERBS: Readonly<Record<string, Verb>> = {
  fault: verb(
    z.object({
      method: z.string().optional(),
      path: z.string().optional(),
      times: z.int().min(1).optional(),
      action: faultAction(),
    }),
    ({ faults }, fault) => faults.plan(fault),
  ),
  clearFaults: verb(z.object({}), ({ faults }) => faults.clear()),
  dropSockets: verb(z.object({}), ({ hub }) => hub.closeAll()),
  shiftClock: verb(z.object({ ms: z.int() }), ({ faults }, { ms }) => faults.shiftClock(ms)),
  mute: verb(
    z.object({
      books: z.union([z.enum(['none', 'all']), z.array(z.string())]).default('none'),
      trades: z.boolean().default(false),
      user: z.boolean().default(false),
      pings: z.boolean().default(false),
    }),
    ({ faults }, { books, ...rest }) => faults.muteFrames({ ...rest, books: mutedBooks(books) }),
  ),
  failSettlements: verb(z.object({ count: z.int().min(0) }), ({ exchange }, { count }) =>
    exchange.settlement.failNext(count),
  ),
  delaySettlements: verb(
    z.object({ count: z.int().min(0), ms: z.int().min(0) }),
    ({ exchange }, { count, ms }) => exchange.settlement.delayNext(count, ms),
  ),
  regenerate: verb(z.object({ account: z.string() }), (venue, { account }) =>
    venue.regenerate(account),
  ),
  openOrders: verb(z.object({ account: z.string() }), ({ exchange }, { account }) =>
    exchange
      .openOrders(exchange.accounts.named(account))
      .map((order) => orderJson(order, CURRENT_DIALECT)),
  ),
  status: verb(
    z.object({ marketId: z.string(), status: z.enum(['open', 'paused', 'closed']) }),
    ({ desk }, order) => desk.setTradingStatus(marketId(order.marketId), order.status),
  ),
  orderBook: verb(z.object({ marketId: z.string(), enabled: z.boolean() }), ({ exchange }, order) =>
    exchange.setOrderBook(exchange.catalogue.market(order.marketId), order.enabled),
  ),
  resolve: verb(z.object({ marketId: z.string(), winner: z.string() }), ({ desk }, order) =>
    desk.resolve(marketId(order.marketId), tokenId(order.winner)),
  ),
  fund: verb(z.object({ trader: z.string(), cash: z.number().positive() }), ({ desk }, order) =>
    desk.fund(order.trader, new Decimal(order.cash)),
  ),
  mintSets: verb(
    z.object({ trader: z.string(), marketId: z.string(), shares: z.number().positive() }),
    ({ desk }, order) => desk.mintSets(order.trader, marketId(order.marketId), micro(order.shares)),
  ),
  place: verb(
    z.object({
      trader: z.string(),
      tokenId: z.string(),
      side: z.enum(['BUY', 'SELL']),
      price: z.number(),
      shares: z.number().positive(),
      timeInForce: z.enum(['GTC', 'FOK', 'FAK']).default('GTC'),
    }),
    ({ desk, exchange }, { trader, shares, ...order }) => {
      const { market, index } = exchange.catalogue.token(order.tokenId);
      return desk.place(trader, {
        ...order,
        tokenId: market.outcome(index).tokenId,
        price: parsePrice(market.grid, order.price),
        quantity: micro(shares),
      });
    },
  ),
  cancelAll: verb(z.object({ trader: z.string() }), ({ desk }, { trader }) => ({
    cancelled: desk.cancelAll(trader),
  })),
};

/** Answers one control request, in the usual envelope. Never throws. */
export function controlAnswer(venue: PaperCore, request: ApiRequest): ApiResponse {
  try {
    const name = request.target.slice(CONTROL_PREFIX.length);
    const run = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
    if (!run) throw new VenueRefusal('invalid_request', 'no such control', { status: 404 });
    return successAnswer(run(venue, parsed(request.body)) ?? {});
  } catch (error) {
    return failureAnswer(error, CURRENT_DIALECT);
  }
}

function verb<Shape extends z.ZodType>(
  shape: Shape,
  run: (venue: PaperCore, order: z.infer<Shape>) => unknown,
): Verb {
  return (venue, body) => {
    const result = shape.safeParse(body);
    if (result.success) return run(venue, result.data);
    throw new VenueRefusal('invalid_request', z.prettifyError(result.error));
  };
}

function faultAction() {
  return z.discriminatedUnion('kind', [
    z.object({ kind: z.enum(['dropReply', 'dropRequest', 'garbage']) }),
    z.object({ kind: z.enum(['delayReply', 'delayEffect']), ms: z.int().min(0) }),
    z.object({ kind: z.enum(['failBefore', 'failAfter']), status: z.int().min(500).max(599) }),
    z.object({ kind: z.literal('loseItems'), indexes: z.array(z.int()) }),
    z.object({
      kind: z.literal('refuse'),
      code: z.string().refine(isVenueCode, 'a code of the interface'),
      retryAfterSec: z.int().min(0).optional(),
    }),
  ]);
}

function mutedBooks(books: 'none' | 'all' | readonly string[]): Mute['books'] {
  return typeof books === 'string' ? books : new Set<TokenId>(books.map(tokenId));
}

function micro(shares: number): MicroShares {
  return microShares(Math.round(shares * MICRO));
}

function parsed(body: string): unknown {
  const read = body === '' ? { value: {} } : readJson(body);
  if (read) return read.value;
  throw new VenueRefusal('invalid_request', 'the body is not JSON');
}
