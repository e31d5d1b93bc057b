// The sockets of the double: books coalesced every 150 ms, public trades, and the user channel.

import type { Server } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { BOT, type Exchange, type ExchangeListener } from './exchange.ts';
import { settledShape, updateFrame } from './shapes.ts';
import type { AxisSide, Fill, Grid, Market, Order } from './terms.ts';
import { isFresh, MICRO } from './terms.ts';

const FLUSH_MS = 150;
const PING_MS = 30_000;
const SIDES: readonly AxisSide[] = ['bid', 'ask'];

type Session = {
  readonly socket: WebSocket;
  readonly books: Set<string>;
  readonly trades: Set<string>;
  isAccount: boolean;
};
type ClientFrame = {
  readonly type?: string;
  readonly channel?: unknown;
  readonly markets?: unknown;
  readonly apiKey?: unknown;
  readonly timestamp?: unknown;
};

export class Hub implements ExchangeListener {
  readonly #grid: Grid;
  readonly #apiKey: string;
  readonly #sessions = new Set<Session>();
  readonly #dirty = new Set<string>();
  /** Levels as they were flushed last, by token and side. */
  readonly #sent = new Map<string, Map<number, number>>();
  readonly #timers: readonly NodeJS.Timeout[];
  #sockets: WebSocketServer | undefined;
  #exchange: Exchange | undefined;

  constructor(grid: Grid, apiKey: string) {
    this.#grid = grid;
    this.#apiKey = apiKey;
    this.#timers = [
      setInterval(() => this.#flush(), FLUSH_MS),
      setInterval(() => this.#ping(), PING_MS),
    ];
  }

  serve(server: Server, exchange: Exchange): void {
    this.#exchange = exchange;
    this.#sockets = new WebSocketServer({ server, path: '/ws' });
    this.#sockets.on('connection', (socket) => this.#accept(socket));
  }

  dropSockets(): void {
    for (const { socket } of this.#sessions) socket.terminate();
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.dropSockets();
    this.#sockets?.close();
  }

  onOrder(order: Order): void {
    if (order.owner === BOT) this.#toAccount(updateFrame(order, this.#grid));
  }

  onMatch(market: Market, axisTicks: number, quantity: number, taker: Order): void {
    const ts = this.#nowMs();
    const size = quantity / MICRO;
    const { tokenId, side, priceTicks } = taker;
    const isYes = tokenId === market.tokens[1];
    const ticks = isYes ? axisTicks : this.#grid.ticksPerUnit - axisTicks;
    const price = (side === 'BUY' ? Math.min(ticks, priceTicks) : ticks) / this.#grid.ticksPerUnit;
    for (const session of this.#sessions) {
      if (!session.trades.has(tokenId)) continue;
      send(session, { type: 'trade.executed', ...{ tokenId, price, size, side, ts } });
    }
  }

  onSettled(fill: Fill): void {
    this.#toAccount({ type: 'trade.settled', ...settledShape(fill, this.#grid) });
    const { tokenId } = fill.order;
    const price = fill.priceTicks / this.#grid.ticksPerUnit;
    const size = fill.quantity / MICRO;
    for (const session of this.#sessions) {
      if (!session.books.has(tokenId)) continue;
      const ts = this.#nowMs();
      send(session, { type: 'last_trade_price', marketId: tokenId, ...{ price, size, ts } });
    }
  }

  onFailed({ order, quantity }: Fill): void {
    const { market, side } = order;
    const reason = 'reverted on-chain';
    const failed = { reason, marketId: market.id, side, quantity: String(quantity / MICRO) };
    this.#toAccount({ type: 'trade.failed', ...failed });
  }

  /** Nobody says when it ends. */
  tellPause(market: Market): void {
    for (const marketId of market.tokens) {
      const frame = { type: 'market.status_update', marketId, status: 'PAUSE', ts: this.#nowMs() };
      for (const session of this.#sessions) if (session.books.has(marketId)) send(session, frame);
    }
  }

  onBook(market: Market): void {
    for (const tokenId of market.tokens) this.#dirty.add(tokenId);
  }

  #nowMs(): number {
    return this.#exchange?.nowMs() ?? Date.now();
  }

  #toAccount(frame: object): void {
    if (this.#exchange?.switches.losesUserFrames === true) return;
    for (const session of this.#sessions) if (session.isAccount) send(session, frame);
  }

  #accept(socket: WebSocket): void {
    const session: Session = { socket, books: new Set(), trades: new Set(), isAccount: false };
    this.#sessions.add(session);
    socket.on('message', (data) => this.#receive(session, frameOf(String(data))));
    socket.on('close', () => this.#sessions.delete(session));
    socket.on('error', () => socket.terminate());
    send(session, { type: 'connected' });
  }

  #receive(session: Session, frame: ClientFrame): void {
    const tokens = Array.isArray(frame.markets) ? frame.markets.map(String) : [];
    const ofTrades = frame.channel === 'trades';
    switch (frame.type) {
      case 'ping':
        send(session, { type: 'pong' });
        return;
      case 'auth':
        session.isAccount =
          frame.apiKey === this.#apiKey && isFresh(Number(frame.timestamp), this.#nowMs());
        if (session.isAccount) send(session, { type: 'authenticated' });
        else send(session, { type: 'error', message: 'auth failed' });
        return;
      case 'subscribe':
        for (const token of tokens) (ofTrades ? session.trades : session.books).add(token);
        if (!ofTrades) for (const token of tokens) this.#snapshot(session, token);
        return;
      case 'unsubscribe':
        for (const token of tokens) (ofTrades ? session.trades : session.books).delete(token);
        return;
      default:
    }
  }

  /** What the last flush left: the changes since come with the next one. */
  #snapshot(session: Session, tokenId: string): void {
    const levelsOf = (side: AxisSide) => {
      const sign = side === 'bid' ? -1 : 1;
      return [...(this.#sent.get(`${tokenId} ${side}`) ?? [])]
        .sort((a, b) => sign * (a[0] - b[0]))
        .map(([ticks, size]) => this.#level(ticks, size));
    };
    const levels = { bids: levelsOf('bid'), asks: levelsOf('ask') };
    send(session, { type: 'orderbook.snapshot', marketId: tokenId, levels, ts: this.#nowMs() });
  }

  #level(ticks: number, size: number): { readonly price: number; readonly size: number } {
    return { price: ticks / this.#grid.ticksPerUnit, size: size / MICRO };
  }

  #flush(): void {
    for (const tokenId of this.#dirty) for (const side of SIDES) this.#flushSide(tokenId, side);
    this.#dirty.clear();
  }

  #flushSide(tokenId: string, side: AxisSide): void {
    const before = this.#sent.get(`${tokenId} ${side}`) ?? new Map<number, number>();
    const now = new Map(this.#exchange?.levels(tokenId, side) ?? []);
    this.#sent.set(`${tokenId} ${side}`, now);
    const ts = this.#nowMs();
    for (const ticks of new Set([...before.keys(), ...now.keys()])) {
      const size = now.get(ticks) ?? 0;
      if (size === (before.get(ticks) ?? 0)) continue;
      const frame = { type: 'orderbook.delta', marketId: tokenId, side, ts };
      for (const session of this.#sessions) {
        if (session.books.has(tokenId)) send(session, { ...frame, ...this.#level(ticks, size) });
      }
    }
  }

  #ping(): void {
    for (const session of this.#sessions) {
      send(session, { type: 'ping' });
      session.socket.ping();
    }
  }
}

function frameOf(text: string): ClientFrame {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function send({ socket }: Session, frame: object): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(frame));
}
