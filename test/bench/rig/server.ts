// A venue of nothing but sockets for measurements: it accepts whatever is placed, keeps no orders, and
// says at once when a placement has arrived whole. The daemon and the minimal programs each have their
// own path on it, so that all are measured by the same clock.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { idText } from './desk.ts';

export type RigClient = (typeof RIG_CLIENTS)[number];

/** `own` is the daemon in the scope of own orders; `dutiful` is the minimal program with the duties of whoever trades safely. */
const RIG_CLIENTS = ['daemon', 'own', 'minimal', 'dutiful'] as const;

/** One of the placements of a client, when its last byte was there. */
export type Placed = { readonly client: RigClient; readonly atMs: number; readonly orders: number };

export type RigServer = {
  readonly baseUrl: (client: RigClient) => string;
  readonly wsUrl: (client: RigClient) => string;
  isSubscribed(client: RigClient): boolean;
  /** Orders that a client has placed so far. */
  placedBy(client: RigClient): number;
  /** Sends one frame to a client, now. */
  send(client: RigClient, text: string): void;
  onPlaced: (placed: Placed) => void;
  /** A bulk cancel has arrived whole. */
  onCancel: (atMs: number) => void;
  readonly counts: { placements: number; requests: number };
  stop(): Promise<void>;
};

export type RigServerOptions = {
  /**
   * A venue is away: it answers when this has passed, so that the work for a first request is not
   * counted into the way of a second one, which has come whole meanwhile. At once without it.
   */
  readonly answerAfterMs?: number;
  /** Events beside the one that is quoted, each of `MARKETS_OF_EVENT` markets; none without it. */
  readonly watchedEvents?: number;
  /** Books that change are kept, so that REST tells them right; without it REST tells of no book. */
  readonly books?: RigBooks;
};

/** The bids of each token that has changed, by their distance from the best; 0 where it is as it began. */
export type RigBooks = Map<string, Float64Array>;

/** Markets of one event that is watched and not quoted. */
export const MARKETS_OF_EVENT = 25;
const LEVELS = 20;
const BEST_BID_CENTS = 40;
const SHARES_AT_FIRST = 1_000;

/** What a level of bids shows from now on. */
export function setBid(books: RigBooks, token: string, away: number, size: number): void {
  const known = books.get(token) ?? new Float64Array(LEVELS);
  known[away] = size;
  books.set(token, known);
}

/** Slug of an event that is watched. */
export function watchedSlug(event: number): string {
  return `watched-${event}`;
}

export async function startRigServer(
  markets: number,
  options: RigServerOptions = {},
): Promise<RigServer> {
  const { answerAfterMs } = options;
  const sockets = new Map<RigClient, WebSocket>();
  const subscribed = new Set<RigClient>();
  const counts = { placements: 0, requests: 0 };
  const placedBy = new Map<RigClient, number>();
  let hashes = 0;
  const orders = new Map<string, object>();
  const answer = answers(markets, options);
  const http = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const atMs = performance.now();
      counts.requests += 1;
      const client = clientOf(request);
      const body = Buffer.concat(chunks).toString('utf8');
      const isPlacement =
        request.method === 'POST' && /\/orders(\/batch)?$/.test(request.url ?? '');
      if (isPlacement) {
        const count = ordersIn(body);
        counts.placements += count;
        placedBy.set(client, (placedBy.get(client) ?? 0) + count);
        server.onPlaced({ client, atMs, orders: count });
      }
      if (request.url?.endsWith('/batch-cancel')) server.onCancel(atMs);
      const reply = (): void => {
        answer({ request, response, body, placed });
        if (request.url?.endsWith('/batch-cancel')) endOrders(client, body);
      };
      if (answerAfterMs === undefined) reply();
      else setTimeout(reply, answerAfterMs);
    });
  });
  const placed = (order: object): string => {
    hashes += 1;
    const hash = `0x${hashes.toString(16)}`;
    orders.set(hash, order);
    return hash;
  };
  const endOrders = (client: RigClient, body: string): void => {
    for (const hash of hashesIn(body)) {
      const order = orders.get(hash);
      if (order && orders.delete(hash)) sockets.get(client)?.send(cancelledText(hash, order));
    }
  };
  const ws = new WebSocketServer({ server: http, perMessageDeflate: false });
  ws.on('connection', (socket, request) => {
    const client = clientOf(request);
    sockets.set(client, socket);
    socket.send('{"type":"connected"}');
    socket.on('message', (data: Buffer) => {
      const frame: unknown = JSON.parse(data.toString('utf8'));
      if (isOfType(frame, 'auth')) socket.send('{"type":"authenticated"}');
      if (isOfType(frame, 'ping')) socket.send('{"type":"pong"}');
      if (!isOfType(frame, 'subscribe') || 'channel' in frame) return;
      subscribed.add(client);
      for (const token of tokensIn(frame)) socket.send(snapshotText(token, options.books));
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const address = http.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const server: RigServer = {
    baseUrl: (client) => `http://127.0.0.1:${port}/${client}/api`,
    wsUrl: (client) => `ws://127.0.0.1:${port}/${client}/ws`,
    isSubscribed: (client) => subscribed.has(client),
    placedBy: (client) => placedBy.get(client) ?? 0,
    send: (client, text) => sockets.get(client)?.send(text),
    onPlaced: () => {},
    onCancel: () => {},
    counts,
    stop: async () => {
      for (const socket of sockets.values()) socket.terminate();
      ws.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return server;
}

export function deltaText(token: string, side: 'bid' | 'ask', price: number, size: number): string {
  return `{"type":"orderbook.delta","marketId":"${token}","side":"${side}","price":${price},"size":${size},"ts":${Date.now()}}`;
}

export function tokenText(market: number, isYes: boolean): string {
  return idText(2 * market + (isYes ? 1 : 2));
}

function clientOf(request: IncomingMessage): RigClient {
  return RIG_CLIENTS.find((client) => request.url?.startsWith(`/${client}/`)) ?? 'daemon';
}

function isOfType(frame: unknown, type: string): frame is { readonly type: string } {
  return typeof frame === 'object' && frame !== null && 'type' in frame && frame.type === type;
}

function tokensIn(frame: object): readonly string[] {
  const tokens: unknown = Reflect.get(frame, 'markets');
  return Array.isArray(tokens) ? tokens.map(String) : [];
}

function ordersIn(body: string): number {
  return body.split('"tokenId"').length - 1;
}

function snapshotText(token: string, books: RigBooks | undefined): string {
  const levels = levelsOf(token, books);
  return JSON.stringify({ type: 'orderbook.snapshot', marketId: token, levels, ts: Date.now() });
}

function levelsOf(token: string, books: RigBooks | undefined): object {
  const changed = books?.get(token);
  const level = (cents: number, size: number) => ({ price: cents / 100, size });
  return {
    bids: Array.from({ length: LEVELS }, (_, away) =>
      level(BEST_BID_CENTS - away, changed?.[away] || SHARES_AT_FIRST),
    ),
    asks: Array.from({ length: LEVELS }, (_, away) =>
      level(100 - BEST_BID_CENTS + away, SHARES_AT_FIRST),
    ),
  };
}

type Asked = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: string;
  /** Keeps an order and names it. */
  readonly placed: (order: object) => string;
};

function hashesIn(body: string): readonly string[] {
  return body.match(/0x[0-9a-f]+/g) ?? [];
}

/** The user channel tells of an end that an answer reported, too. */
function cancelledText(orderHash: string, order: object): string {
  const shown = { tokenId: '', side: '', price: 0, quantity: 0, ...order };
  const { tokenId, side, price, quantity } = shown;
  const about = { id: orderHash, orderHash, tokenId, side, price: String(price) };
  const left = { status: 'CANCELLED', filledQuantity: '0', remaining: String(quantity) };
  return JSON.stringify({ type: 'order.update', data: { ...about, ...left } });
}

function listingOf(slug: string, first: number, markets: number): object {
  return {
    id: slug,
    slug,
    title: slug,
    category: 'none',
    marketType: 'CTF',
    status: 'open',
    tickSize: '0.01',
    expiryTime: '2100-01-01T00:00:00.000Z',
    markets: Array.from({ length: markets }, (_, count) => marketOf(first + count)),
  };
}

function marketOf(index: number): object {
  return {
    id: `m-${index}`,
    title: `Market ${index}`,
    status: 'open',
    enableOrderBook: true,
    volume: '0',
    outcomes: [1, 0].map((outcomeIndex) => ({
      id: `o-${index}-${outcomeIndex}`,
      name: outcomeIndex === 1 ? 'Yes' : 'No',
      tokenId: tokenText(index, outcomeIndex === 1),
      outcomeIndex,
      lastPrice: '0.5',
    })),
  };
}

/** The least that a client needs to trust in a venue. */
function answers(markets: number, { watchedEvents = 0, books }: RigServerOptions) {
  const listing = listingOf('bench', 0, markets);
  const bySlug = new Map([['bench', listing]]);
  for (let event = 0; event < watchedEvents; event += 1) {
    const slug = watchedSlug(event);
    bySlug.set(slug, listingOf(slug, markets + event * MARKETS_OF_EVENT, MARKETS_OF_EVENT));
  }
  const balances = {
    cashBalance: '9000000',
    availableBalance: '9000000',
    usdcOnHold: '0',
    positions: [],
  };
  return ({ request, response, body, placed }: Asked): void => {
    const path = (request.url ?? '').replace(/^\/\w+\/api/, '').split('?')[0] ?? '';
    const data = payload({ method: request.method ?? '', path, body, placed });
    const text = JSON.stringify({ success: true, data });
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  };

  function payload(of: {
    readonly method: string;
    readonly path: string;
    readonly body: string;
    readonly placed: Asked['placed'];
  }): unknown {
    if (of.path === '/time') return { serverTime: Math.floor(Date.now() / 1_000) };
    if (of.path === '/events') return { items: [listing], total: 1, limit: 20, offset: 0 };
    if (of.path.startsWith('/events/')) return bySlug.get(of.path.slice('/events/'.length));
    if (of.path === '/portfolio/balances') return balances;
    if (of.path.startsWith('/orderbook/')) {
      const token = of.path.slice('/orderbook/'.length);
      return books === undefined ? { bids: [], asks: [] } : levelsOf(token, books);
    }
    if (of.path === '/orders/batch-cancel') {
      return { cancelled: of.body.split('"0x').length - 1, failed: 0 };
    }
    if (of.path === '/orders/batch') {
      return batchIn(of.body).map((order, index) => ({
        index,
        success: true,
        order: orderOf(order, of.placed(order)),
      }));
    }
    if (of.path === '/orders' && of.method === 'POST') {
      const order: object = JSON.parse(of.body);
      return orderOf(order, of.placed(order));
    }
    if (of.path === '/orders' && of.method === 'DELETE') return { cancelled: 0, failed: 0 };
    return [];
  }
}

function batchIn(body: string): readonly object[] {
  const parsed: unknown = JSON.parse(body);
  const orders: unknown =
    typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, 'orders') : [];
  return Array.isArray(orders) ? orders : [];
}

function orderOf(order: object, hash: string): object {
  return {
    id: hash,
    orderHash: hash,
    ...order,
    filledQuantity: '0',
    holdQuantity: '0',
    status: 'OPEN',
    timeInForce: 'GTC',
    expiredAt: null,
    createdAt: new Date().toISOString(),
  };
}
