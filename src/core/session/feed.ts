// What the socket tells: connection, books, market status; and how the core reports on orders.

import type { TokenId } from '../../domain/ids.ts';
import { LEGS } from '../../domain/market.ts';
import type { MessageOf } from '../../domain/message.ts';
import { noteStatus, type Place } from '../book/market.ts';
import { awaitSnapshot, onBaseline, onConnectionLost } from '../book/resync.ts';
import type { BookStores } from '../book/stores.ts';
import { notice, onDelta as watchDelta, onSnapshot as watchSnapshot } from '../book/watch.ts';
import type { MarketState } from '../sending/market.ts';
import type { SessionStores } from './stores.ts';

type Snapshot = MessageOf<'bookSnapshot'>;
type Delta = MessageOf<'bookDelta'>;
type Connection = MessageOf<'socketOpened' | 'socketLost' | 'authenticated' | 'authRefused'>;

export function onConnection(stores: SessionStores, message: Connection): void {
  switch (message.kind) {
    case 'socketOpened':
      stores.connection.onSocket(true);
      onOpened(stores);
      break;
    case 'socketLost':
      stores.connection.onSocket(false);
      for (const market of stores.markets.values()) forgetBooks(stores, market);
      break;
    case 'authenticated':
      stores.connection.onAuthenticated(stores.nowMs);
      break;
    case 'authRefused':
      stores.connection.onAuthRefused(message.detail);
      break;
  }
  for (const market of stores.markets.values()) market.isDirty = true;
  const reason =
    message.kind === 'socketLost'
      ? message.reason
      : message.kind === 'authRefused'
        ? message.detail
        : '';
  stores.outbox.report({ event: 'venue.socket', state: message.kind, reason });
}

/**
 * Tokens were added: counts the wait for the first snapshot of their books from now. What resyncs goes on
 * at its own pace, or markets that come one after the other would keep it from ever asking again.
 */
export function onSubscribed(stores: SessionStores, why: string): void {
  if (!stores.connection.isSocketOpen) return;
  for (const market of stores.markets.values()) {
    for (const leg of LEGS) {
      const { state, subscribedAtMs } = market.trust[leg];
      if (state === 'trusted' || subscribedAtMs > 0) continue;
      awaitSnapshot(stores, market.places[leg], why);
    }
  }
}

/** Everything is subscribed anew on a new connection. */
function onOpened(stores: SessionStores): void {
  for (const market of stores.markets.values()) {
    for (const leg of LEGS) {
      if (market.trust[leg].state === 'trusted') continue;
      awaitSnapshot(stores, market.places[leg], 'a first snapshot is in flight');
    }
  }
}

export function onBook(
  stores: SessionStores,
  message: Snapshot | Delta | MessageOf<'bookUnreadable'>,
): void {
  stores.connection.heardAtMs = stores.nowMs;
  stores.trust.frames += 1;
  switch (message.kind) {
    case 'bookSnapshot':
      onSnapshot(stores, message);
      return;
    case 'bookDelta':
      onDelta(stores, message);
      return;
    case 'bookUnreadable':
      onUnreadable(stores, message.tokenId, message.detail);
      return;
  }
}

function onSnapshot(stores: SessionStores, message: Snapshot): void {
  const place = bookAt(stores, message.tokenId);
  if (place === undefined) return;
  const { market, mirror } = place;
  if (hasFinerPrice(message.bids, market) || hasFinerPrice(message.asks, market)) {
    onUnreadable(stores, message.tokenId, 'a price of a finer grid than the market has');
    return;
  }
  const isSame = mirror.isSameAs(message);
  const before = mirror.state.kind;
  mirror.limits = stores.trustLimits;
  mirror.onSnapshot(message, stores.nowMs);
  market.live.hasten(stores.nowMs);
  market.onBook();
  if (!isSame || before !== 'live') watchSnapshot(stores, place, message);
  if (mirror.state.kind === 'live') {
    onBaseline(stores, place, 'snapshot', isSame && before === 'suspect');
  } else notice(stores, place);
}

function hasFinerPrice(levels: Snapshot['bids'], market: MarketState): boolean {
  for (const level of levels) if (level.price >= market.grid.ticksPerUnit) return true;
  return false;
}

function onDelta(stores: SessionStores, message: Delta): void {
  const place = bookAt(stores, message.tokenId, message.tokenNumber);
  if (place === undefined) return;
  const { market, mirror } = place;
  if (message.price >= market.grid.ticksPerUnit) {
    onUnreadable(stores, message.tokenId, 'a price of a finer grid than the market has');
    return;
  }
  mirror.onDelta(message, stores.nowMs);
  place.trust.keep(message);
  market.onBook();
  watchDelta(stores, place, message);
  notice(stores, place);
}

function onUnreadable(stores: SessionStores, tokenId: TokenId, detail: string): void {
  const place = bookAt(stores, tokenId);
  if (place === undefined) return;
  place.mirror.suspect('unreadable', detail);
  // What was lost would have changed a baseline that is in flight, too.
  place.trust.dropRest();
  place.market.onBook();
  notice(stores, place);
}

/** A public trade moves no book by itself; it says who came, and how far. */
export function onTrade(stores: SessionStores, message: MessageOf<'trade'>): void {
  stores.connection.heardAtMs = stores.nowMs;
  stores.trust.frames += 1;
  const market = stores.byToken.get(message.tokenId)?.market;
  if (market === undefined || market.isOffGrid) return;
  market.insight.onTrade(market.legOf(message.tokenId), message, stores.clock);
  market.isDirty = true;
}

/** @returns Whether the catalogue must be read for what the word means. */
export function onMarketStatus(stores: SessionStores, message: MessageOf<'marketStatus'>): boolean {
  const market = stores.byToken.get(message.tokenId)?.market;
  if (market === undefined) return false;
  const { status, word } = message;
  if (!noteStatus(stores, market, { status, word, evidence: `a frame says "${word}"` }))
    return false;
  return status !== 'open' && status !== 'paused';
}

function forgetBooks(stores: BookStores, market: MarketState): void {
  market.live.askAnew(stores.nowMs);
  for (const leg of LEGS) {
    market.book[leg].mirror.onDisconnect();
    onConnectionLost(stores, market.places[leg]);
  }
}

function bookAt(
  stores: SessionStores,
  tokenId: TokenId,
  tokenNumber?: number,
): Place<MarketState> | undefined {
  const place = stores.byToken.find(tokenId, tokenNumber);
  return place === undefined || place.market.isOffGrid ? undefined : place;
}
