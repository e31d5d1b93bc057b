// All sockets of the venue: who listens to what, and what each is told.

import type { Account } from '../exchange/account.ts';
import type { ExchangeEvent, TokenRef } from '../exchange/events.ts';
import { VenueRefusal } from '../exchange/refusal.ts';
import { bearerCaller, type Caller, socketCaller } from './auth.ts';
import { BookFeeds } from './book-feeds.ts';
import { RateGate } from './budgets.ts';
import { type ClientFrame, readClientFrame } from './client-frames.ts';
import type { Dialect } from './dialect.ts';
import type { Frame } from './frames.ts';
import type { HubOptions } from './hub-options.ts';
import { priceFrame, statusFrame, tradeFrame } from './public-frames.ts';
import { Session, type Transport } from './session.ts';
import { UserFrames } from './user-frames.ts';

export class Hub {
  readonly #options: HubOptions;
  readonly #sessions = new Set<Session>();
  readonly #tradeSubscribers = new Map<string, Set<Session>>();
  readonly #feeds: BookFeeds;
  readonly #users: UserFrames;
  readonly #rates = new RateGate('sliding');
  /** Calls off the pings of each open socket. */
  readonly #pings = new Map<Session, () => void>();
  #socketCount = 0;

  constructor(options: HubOptions) {
    this.#options = options;
    this.#feeds = new BookFeeds(options);
    this.#users = new UserFrames(options);
    options.exchange.listen((event) => this.#on(event));
  }

  /** Sockets that are open. */
  get count(): number {
    return this.#sessions.size;
  }

  get isFull(): boolean {
    return this.#sessions.size >= this.#options.limits.socketsMax;
  }

  /** Takes in a new connection. @spec Events › Connection */
  open(transport: Transport, address: string): Session {
    const { bufferBytesMax } = this.#options.limits;
    this.#socketCount += 1;
    const name = `${address}#${this.#socketCount}`;
    const { framesAs } = this.#options.dialect;
    const session = new Session(transport, { bufferBytesMax, address: name, framesAs });
    this.#sessions.add(session);
    session.send({ type: 'connected' });
    this.#schedulePing(session);
    return session;
  }

  /** A text frame of a client; nothing it may contain can throw. */
  receive(session: Session, raw: string): void {
    if (session.isClosed) return;
    const { framesPerSecMax } = this.#options.limits;
    const budget = { count: framesPerSecMax, windowMs: 1_000 };
    const nowMs = this.#options.exchange.context.clock.nowMs();
    if (this.#rates.take(session.address, budget, nowMs) !== undefined) {
      this.close(session);
      return;
    }
    const frame = readClientFrame(raw);
    if ('problem' in frame) session.send({ type: 'error', message: frame.problem });
    else this.#act(session, frame);
  }

  /** The connection is gone, from whichever end. */
  close(session: Session): void {
    session.terminate();
    if (!this.#sessions.delete(session)) return;
    this.#pings.get(session)?.();
    this.#pings.delete(session);
    this.#feeds.leave(session);
    this.#users.leave(session);
    for (const tokenId of session.trades) this.#tradeSubscribers.get(tokenId)?.delete(session);
  }

  closeAll(): void {
    for (const session of [...this.#sessions]) this.close(session);
  }

  #act(session: Session, frame: ClientFrame): void {
    switch (frame.type) {
      case 'ping':
        session.send({ type: 'pong' });
        return;
      case 'pong':
        return;
      case 'subscribe':
        this.#subscribe(session, frame);
        return;
      case 'unsubscribe':
        this.#unsubscribe(session, frame);
        return;
      case 'auth':
        this.#authenticate(session, frame);
    }
  }

  #subscribe(session: Session, frame: ClientFrame & { readonly type: 'subscribe' }): void {
    for (const id of frame.markets) {
      const token = this.#options.exchange.catalogue.findToken(id);
      if (!token) session.send({ type: 'error', message: `token_not_found: ${id}` });
      else if (frame.channel === 'trades') this.#joinTrades(session, token);
      else this.#feeds.join(session, token, frame.depth);
      if (session.isClosed) break;
    }
    this.#sweepClosed(session);
  }

  #joinTrades(session: Session, token: TokenRef): void {
    const { tokenId } = token.market.outcome(token.index);
    const subscribers = this.#tradeSubscribers.get(tokenId) ?? new Set<Session>();
    this.#tradeSubscribers.set(tokenId, subscribers.add(session));
    session.trades.add(tokenId);
  }

  /** The frame of the interface shows no channel, so what it ends is a matter of dialect. */
  #unsubscribe(session: Session, frame: ClientFrame & { readonly type: 'unsubscribe' }): void {
    const byDefault = this.#options.dialect.unsubscribeEnds === 'books' ? 'orderbook' : undefined;
    const channel = frame.channel ?? byDefault;
    for (const id of frame.markets) {
      const tokenId = id.toLowerCase();
      if (channel !== 'trades') this.#feeds.leaveToken(session, tokenId);
      if (channel === 'orderbook') continue;
      session.trades.delete(tokenId);
      this.#tradeSubscribers.get(tokenId)?.delete(session);
    }
  }

  /** @spec Authentication › WebSocket authentication */
  #authenticate(session: Session, frame: ClientFrame & { readonly type: 'auth' }): void {
    const venue = { accounts: this.#options.exchange.accounts, nowMs: this.#options.nowMs() };
    try {
      const isBearer = 'token' in frame;
      const caller = isBearer ? bearerCaller(frame.token, venue) : socketCaller(frame, venue);
      this.#admit(session, caller);
    } catch (error) {
      if (!(error instanceof VenueRefusal)) throw error;
      session.send(errorFrame(error, this.#options.dialect));
    }
  }

  #admit(session: Session, caller: Caller): void {
    this.#users.leave(session);
    session.caller = caller;
    this.#users.join(session, caller.account);
    session.send({ type: 'authenticated' });
  }

  #on(event: ExchangeEvent): void {
    switch (event.kind) {
      case 'levelChanged':
        this.#feeds.touch(event.token, event.side, event.priceTicks);
        return;
      case 'bookReset':
        this.#feeds.reset(event.market);
        return;
      case 'statusChanged':
        this.#tellStatus(event);
        return;
      case 'tradeExecuted':
        this.#tellTrade(event);
        return;
      case 'priceSettled':
        this.#feeds.tell(event.token, priceFrame(event));
        return;
      case 'keyRevoked':
        this.#endSessions(event.account, event.apiKey);
        return;
      case 'listed':
      case 'matched':
        return;
      default:
        this.#users.on(event);
    }
  }

  #tellStatus(event: ExchangeEvent & { readonly kind: 'statusChanged' }): void {
    const { market, status } = event;
    for (const index of [0, 1] as const) {
      const token = { market, index };
      const frame = statusFrame(token, status, {
        nowMs: this.#options.nowMs(),
        dialect: this.#options.dialect,
      });
      this.#feeds.tell(token, frame);
    }
    if (status === 'open') this.#feeds.reset(market);
  }

  #tellTrade(event: ExchangeEvent & { readonly kind: 'tradeExecuted' }): void {
    const { market, index } = event.token;
    const subscribers = this.#tradeSubscribers.get(market.outcome(index).tokenId);
    if (!subscribers || subscribers.size === 0 || this.#options.faults.mute.trades) return;
    const text = JSON.stringify(tradeFrame(event));
    for (const session of [...subscribers]) this.#sendOrClose(session, text);
  }

  /** Regenerated credentials end what the old ones opened. @spec Authentication › Credentials */
  #endSessions(account: Account, apiKey: string): void {
    for (const session of [...this.#sessions]) {
      const { caller } = session;
      if (caller?.account === account && caller.apiKey === apiKey) this.#revoke(session);
    }
  }

  /** The session ends in any case; what its socket is told is not shown. */
  #revoke(session: Session): void {
    const { dialect } = this.#options;
    if (dialect.revokedSession === 'close') {
      this.close(session);
      return;
    }
    this.#users.leave(session);
    session.caller = undefined;
    if (dialect.revokedSession === 'nothing') return;
    const refusal = new VenueRefusal('unknown_api_key', 'the key was regenerated');
    session.send(errorFrame(refusal, dialect));
  }

  #sendOrClose(session: Session, text: string): void {
    session.sendText(text);
    this.#sweepClosed(session);
  }

  #sweepClosed(session: Session): void {
    if (session.isClosed) this.close(session);
  }

  #schedulePing(session: Session): void {
    const { exchange, limits, faults } = this.#options;
    const callOff = exchange.context.timers.after(limits.pingMs, () => {
      if (!faults.mute.pings) session.ping();
      if (session.isClosed) this.close(session);
      else this.#schedulePing(session);
    });
    this.#pings.set(session, callOff);
  }
}

function errorFrame(refusal: VenueRefusal, dialect: Dialect): Frame {
  const message = `${refusal.code}: ${refusal.message}`;
  return dialect.failureCodes
    ? { type: 'error', code: refusal.code, message }
    : { type: 'error', message };
}
