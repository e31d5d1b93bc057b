// Small real servers that speak as other venues do: the books of Polymarket over REST and WebSocket, the markets of
// Kalshi, and the odds of Betfair with its session.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

export type Touch = { readonly bid: string; readonly ask: string };

type Answer = { readonly status: number; readonly body: unknown };

async function served(
  answer: (request: IncomingMessage, body: string) => Answer,
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const server = createServer((request, response) => void respond(request, response, answer));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { url: `http://127.0.0.1:${port}`, close };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (request: IncomingMessage, body: string) => Answer,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const { status, body } = answer(request, Buffer.concat(chunks).toString('utf8'));
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

const FAR = { size: '10' };

/** Its two sides stand with the best price last, and worse ones beside it, as there. */
function polymarketBook(asset: string, { bid, ask }: Touch): Record<string, unknown> {
  return {
    asset_id: asset,
    market: '0xbd31',
    bids: [
      { price: '0.01', ...FAR },
      { price: bid, size: '30' },
    ],
    asks: [
      { price: '0.99', ...FAR },
      { price: ask, size: '25' },
    ],
    timestamp: String(Date.now()),
    hash: '0x0',
  };
}

export type Polymarket = {
  readonly from: string;
  readonly stream: string;
  /** Books that are asked for and told to who subscribes; what is absent is not listed. */
  readonly books: Map<string, Touch>;
  readonly heard: string[];
  asked: number;
  /** What is asked is refused. */
  isDown: boolean;
  /** A change of the best prices, told on the socket alone. */
  tell(asset: string, touch: Touch): void;
  say(message: unknown): void;
  cut(): void;
  close(): Promise<void>;
};

export async function polymarket(books: ReadonlyMap<string, Touch>): Promise<Polymarket> {
  const state = { books: new Map(books), heard: [] as string[], asked: 0, isDown: false };
  const http = await served((request, body) => {
    state.asked += 1;
    if (state.isDown) return { status: 503, body: {} };
    if (request.method !== 'POST' || request.url !== '/books') return { status: 404, body: {} };
    const tokens: { token_id: string }[] = JSON.parse(body);
    const found = tokens.flatMap(({ token_id: asset }) => {
      const touch = state.books.get(asset);
      return touch === undefined ? [] : [polymarketBook(asset, touch)];
    });
    return { status: 200, body: found };
  });
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', path: '/ws/market' });
  await new Promise<void>((resolve) => server.once('listening', () => resolve()));
  server.on('connection', (socket: WebSocket) =>
    socket.on('message', (data) => onText(socket, data)),
  );
  const onText = (socket: WebSocket, data: unknown): void => {
    const text = String(data);
    state.heard.push(text);
    if (text === 'PING') {
      socket.send('PONG');
      return;
    }
    const { assets_ids: assets }: { assets_ids: string[] } = JSON.parse(text);
    const told = assets.flatMap((asset) => {
      const touch = state.books.get(asset);
      return touch === undefined ? [] : [{ event_type: 'book', ...polymarketBook(asset, touch) }];
    });
    socket.send(JSON.stringify(told));
  };
  const say = (message: unknown): void => {
    for (const client of server.clients) client.send(JSON.stringify(message));
  };
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    from: http.url,
    stream: `ws://127.0.0.1:${port}/ws/market`,
    say,
    tell: (asset: string, { bid, ask }: Touch) =>
      say({
        event_type: 'price_change',
        market: '0xbd31',
        price_changes: [
          { asset_id: asset, price: bid, size: '200', side: 'BUY', best_bid: bid, best_ask: ask },
        ],
        timestamp: String(Date.now()),
      }),
    cut: () => {
      for (const client of server.clients) client.terminate();
    },
    close: async () => {
      for (const client of server.clients) client.terminate();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await http.close();
    },
  });
}

export type Kalshi = {
  readonly from: string;
  readonly markets: Map<string, Record<string, unknown>>;
  readonly asked: string[];
  close(): Promise<void>;
};

export const kalshiMarket = (bid: string, ask: string, status = 'active') => ({
  ...{ status, yes_bid_dollars: bid, yes_ask_dollars: ask },
});

export async function kalshi(
  markets: ReadonlyMap<string, Record<string, unknown>>,
): Promise<Kalshi> {
  const state = { markets: new Map(markets), asked: [] as string[] };
  const { url, close } = await served((request) => {
    const asked = new URL(request.url ?? '', 'http://here');
    if (state.asked.length < 1_000) state.asked.push(request.url ?? '');
    if (asked.pathname !== '/trade-api/v2/markets') return { status: 404, body: {} };
    const tickers = (asked.searchParams.get('tickers') ?? '').split(',');
    const found = tickers.flatMap((ticker) => {
      const market = state.markets.get(ticker);
      return market === undefined ? [] : [{ ticker, ...market }];
    });
    return { status: 200, body: { markets: found, cursor: '' } };
  });
  return Object.assign(state, { from: `${url}/trade-api/v2`, close });
}

export type Betfair = {
  readonly from: string;
  readonly keepAlive: string;
  book: Record<string, unknown>;
  isSessionOver: boolean;
  kept: number;
  close(): Promise<void>;
};

export const BETFAIR_KEYS = { appKey: 'app-key-of-ours', session: 'session-of-ours' };

export const betfairRunner = (selectionId: number, back: number, lay: number) => ({
  ...{ selectionId, handicap: 0, status: 'ACTIVE' },
  ex: {
    availableToBack: [
      { price: back, size: 120 },
      { price: back - 0.1, size: 500 },
    ],
    availableToLay: [
      { price: lay, size: 80 },
      { price: lay + 0.1, size: 400 },
    ],
    tradedVolume: [],
  },
});

export async function betfair(runners: readonly object[]): Promise<Betfair> {
  const book = { marketId: '1.2345', isMarketDataDelayed: false, status: 'OPEN', runners };
  const state = { book: book as Record<string, unknown>, isSessionOver: false, kept: 0 };
  const { url, close } = await served((request, body) => {
    const { headers } = request;
    const isKnown =
      headers['x-application'] === BETFAIR_KEYS.appKey &&
      headers['x-authentication'] === BETFAIR_KEYS.session;
    if (request.url === '/api/keepAlive' && isKnown) {
      state.kept += 1;
      return { status: 200, body: { token: BETFAIR_KEYS.session, status: 'SUCCESS', error: '' } };
    }
    if (!isKnown || state.isSessionOver) {
      const fault = { faultcode: 'Client', faultstring: 'ANGX-0003' };
      return { status: 400, body: fault };
    }
    if (request.method !== 'POST' || request.url !== '/rest/v1.0/listMarketBook/') {
      return { status: 404, body: {} };
    }
    const { marketIds }: { marketIds: string[] } = JSON.parse(body);
    return { status: 200, body: marketIds.includes('1.2345') ? [state.book] : [] };
  });
  return Object.assign(state, {
    from: `${url}/rest/v1.0`,
    keepAlive: `${url}/api/keepAlive`,
    close,
  });
}
