// The endpoints of the double that a bot needs.

import { BOT, type Exchange, type Placed } from './exchange.ts';
import {
  acknowledgement,
  balancesShape,
  EVENT_ID,
  EVENT_SLUG,
  eventShape,
  orderShape,
  positionShapes,
  settledShape,
} from './shapes.ts';
import { type Grid, MICRO, type Order } from './terms.ts';

export type Answer = {
  readonly status: number;
  readonly body: object;
  readonly retryAfterSec?: number;
};
export type Request = { readonly method: string; readonly url: URL; readonly body: string };

const BATCH_MAX = 15;
const TRADES_MAX = 100;
const WRITES_MAX = 300;
const WRITES_MS = 10_000;
const UNAVAILABLE_EFFECT_EVERY = 4;

const STATUS: Readonly<Record<string, number>> = {
  order_not_found: 404,
  order_not_cancellable: 409,
  token_not_found: 404,
  market_not_found: 404,
  insufficient_balance: 422,
  insufficient_shares: 422,
  max_open_orders: 422,
  market_paused: 422,
  market_closed: 422,
  account_restricted: 403,
  geo_restricted: 403,
  internal_error: 500,
  rate_limited: 429,
  maintenance: 503,
  service_unavailable: 503,
};

/** What a person reads where an item of a batch is refused: there is no code for it. */
const PROSE: Readonly<Record<string, string>> = {
  max_open_orders: 'Too many open orders for this account',
  insufficient_balance: 'Insufficient USDC balance',
  insufficient_shares: 'Insufficient shares',
};

export class Routes {
  readonly #exchange: Exchange;
  readonly #grid: Grid;
  #writes: number[] = [];
  #unavailablePlacements = 0;

  constructor(exchange: Exchange, grid: Grid) {
    this.#exchange = exchange;
    this.#grid = grid;
  }

  answer(request: Request): Answer {
    const { switches } = this.#exchange;
    if (switches.refusesAll !== undefined) return failure(switches.refusesAll);
    if (!switches.isUnavailable) return this.#route(request);
    const isPlacement =
      request.method === 'POST' && /\/orders(\/batch)?$/.test(request.url.pathname);
    if (isPlacement) this.#unavailablePlacements += 1;
    // The dependency that is down may be the one that answers, not the one that trades.
    if (isPlacement && this.#unavailablePlacements % UNAVAILABLE_EFFECT_EVERY === 0) {
      this.#route(request);
    }
    return failure('service_unavailable');
  }

  #route(request: Request): Answer {
    const path = request.url.pathname.replace(/^\/api/, '');
    const [first = '', second, third] = path.split('/').slice(1);
    switch (`${request.method} ${first}`) {
      case 'GET ok':
        return ok({});
      case 'GET time':
        return ok({ serverTime: Math.floor(this.#exchange.nowMs() / 1_000) });
      case 'GET events':
        return this.#events(second);
      case 'GET orderbook':
        return this.#book(second ?? '');
      case 'GET orders':
        return this.#list(request.url.searchParams.get('marketId') ?? undefined);
      case 'POST orders':
        return this.#post(second, request.body);
      case 'DELETE orders':
        return this.#delete(second, request.url.searchParams);
      case 'GET portfolio':
        return this.#portfolio(second ?? '', third);
      default:
        return failure('invalid_request', `no ${request.method} ${path}`);
    }
  }

  #events(id: string | undefined): Answer {
    const event = eventShape(this.#exchange, this.#grid);
    if (id === undefined) return ok({ items: [event], total: 1, limit: 20, offset: 0 });
    return id === EVENT_ID || id === EVENT_SLUG ? ok(event) : failure('market_not_found');
  }

  #book(tokenId: string): Answer {
    if (this.#exchange.marketOf(tokenId) === undefined) return failure('token_not_found');
    const levels = (side: 'bid' | 'ask') =>
      this.#exchange.levels(tokenId, side).map(([ticks, size]) => ({
        price: ticks / this.#grid.ticksPerUnit,
        size: size / MICRO,
      }));
    return ok({ bids: levels('bid'), asks: levels('ask') });
  }

  #list(marketId: string | undefined): Answer {
    const orders = this.#exchange.account(BOT).live();
    const wanted = orders.filter(({ market }) => marketId === undefined || market.id === marketId);
    return ok(wanted.map((order) => orderShape(order, this.#grid)));
  }

  #post(what: string | undefined, body: string): Answer {
    const sent = parsed(body);
    if (what === 'batch-cancel') return this.#batchCancel(sent['orderHashes']);
    if (!this.#mayWrite()) return failure('rate_limited');
    if (what === 'batch') return this.#batch(sent['orders']);
    if (what !== undefined) return failure('invalid_request');
    const placed = this.#place(sent);
    if (placed.kind === 'refused') return failure(placed.code);
    return ok(acknowledgement(placed.order, this.#grid));
  }

  #batch(orders: unknown): Answer {
    if (!Array.isArray(orders) || orders.length > BATCH_MAX) return failure('invalid_request');
    return ok(
      orders.map((each, index) => {
        const placed = this.#place(each);
        return placed.kind === 'accepted'
          ? { index, success: true, order: acknowledgement(placed.order, this.#grid) }
          : { index, success: false, error: PROSE[placed.code] ?? placed.code };
      }),
    );
  }

  #place(sent: Record<string, unknown>): Placed {
    const { tokenId, side, price, quantity, orderType, expiredAt } = sent;
    if (typeof price !== 'number') return { kind: 'refused', code: 'invalid_price' };
    if (typeof quantity !== 'number') return { kind: 'refused', code: 'invalid_quantity' };
    if (side !== 'BUY' && side !== 'SELL') return { kind: 'refused', code: 'invalid_parameter' };
    const expiresAtMs = orderType === 'GTD' ? Date.parse(String(expiredAt)) : undefined;
    return this.#exchange.place(BOT, {
      ...{ tokenId: String(tokenId), side, expiresAtMs },
      priceTicks: whole(price * this.#grid.ticksPerUnit),
      quantity: whole(quantity * MICRO),
      isFak: orderType === 'FAK' || orderType === 'FOK',
    });
  }

  #batchCancel(hashes: unknown): Answer {
    if (!Array.isArray(hashes)) return failure('invalid_request');
    if (this.#exchange.switches.failsBatchCancels) return failure('internal_error');
    const { orders } = this.#exchange.account(BOT);
    const done = hashes.filter((hash) => {
      const order = orders.get(String(hash));
      return order !== undefined && this.#exchange.cancel(order);
    });
    return ok({ cancelled: done.length, failed: hashes.length - done.length });
  }

  #delete(hash: string | undefined, query: URLSearchParams): Answer {
    if (hash === undefined) return ok(this.#cancelMany(query));
    if (!this.#mayWrite()) return failure('rate_limited');
    const order = this.#exchange.account(BOT).orders.get(hash);
    if (order === undefined) return failure('order_not_found');
    if (!this.#exchange.cancel(order)) return failure('order_not_cancellable');
    return ok({ cancelled: 1, failed: 0 });
  }

  #cancelMany(query: URLSearchParams): object {
    const tokenId = query.get('tokenId');
    const marketId = query.get('marketId');
    const isMeant = (order: Order) =>
      (tokenId === null || order.tokenId === tokenId) &&
      (marketId === null || order.market.id === marketId);
    const meant = this.#exchange.account(BOT).live().filter(isMeant);
    const cancelled = meant.filter((order) => this.#exchange.cancel(order)).length;
    return { cancelled, failed: meant.length - cancelled };
  }

  #portfolio(what: string, id: string | undefined): Answer {
    const account = this.#exchange.account(BOT);
    if (what === 'balances' || what === 'summary') {
      return ok(balancesShape(account, this.#exchange, this.#grid));
    }
    if (what === 'positions' || what === 'market') {
      const found = positionShapes(account, this.#exchange);
      return ok(found.filter((each) => id === undefined || Object.values(each).includes(id)));
    }
    if (what !== 'trades') return failure('invalid_request');
    const latest = this.#exchange.settledTrades.slice(-TRADES_MAX).reverse();
    return ok(latest.map((fill) => settledShape(fill, this.#grid)));
  }

  #mayWrite(): boolean {
    const nowMs = Date.now();
    this.#writes = this.#writes.filter((atMs) => nowMs - atMs < WRITES_MS);
    if (this.#writes.length >= WRITES_MAX) return false;
    this.#writes.push(nowMs);
    return true;
  }
}

/** A number that is whole but for the noise of doubles; any other is left for the exchange to refuse. */
function whole(value: number): number {
  const rounded = Math.round(value);
  return Math.abs(value - rounded) < 1e-6 ? rounded : value;
}

function parsed(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function ok(data: unknown): Answer {
  return { status: 200, body: { success: true, data } };
}

function failure(code: string, message = code): Answer {
  const answer = { status: STATUS[code] ?? 400, body: { success: false, code, message } };
  return code === 'rate_limited' ? { ...answer, retryAfterSec: 1 } : answer;
}
