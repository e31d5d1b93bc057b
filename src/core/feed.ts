// What the socket tells: connection, books, market status; and how the core reports on orders.

import type { TokenId } from '../domain/ids.ts';
import type { VenueMessage } from '../domain/message.ts';
import type { OrderSignal, OrderState } from '../domain/order.ts';
import { formatShares } from '../domain/shares.ts';
import { formatPrice } from '../domain/ticks.ts';
import type { BookMirror } from './book/mirror.ts';
import type { MarketState } from './market.ts';
import type { Leg, OwnOrder } from './orders/own-order.ts';
import type { World } from './world.ts';

type Snapshot = Extract<VenueMessage, { kind: 'bookSnapshot' }>;
type Delta = Extract<VenueMessage, { kind: 'bookDelta' }>;
type Unreadable = Extract<VenueMessage, { kind: 'bookUnreadable' }>;
type Trade = Extract<VenueMessage, { kind: 'trade' }>;
type Status = Extract<VenueMessage, { kind: 'marketStatus' }>;
type Connection = Extract<
  VenueMessage,
  { kind: 'socketOpened' | 'socketLost' | 'authenticated' | 'authRefused' }
>;

/** A subscription whose snapshot has not come by then is renewed; each try doubles the wait. */
const SNAPSHOT_MS = 3_000;
const SNAPSHOT_MS_MAX = 60_000;

const LEGS: readonly Leg[] = ['yes', 'no'];

export function onConnection(world: World, message: Connection): void {
  switch (message.kind) {
    case 'socketOpened':
      world.isSocketOpen = true;
      onSubscribed(world);
      break;
    case 'socketLost':
      world.isSocketOpen = false;
      world.isAuthenticated = false;
      for (const market of world.markets.values()) forgetBooks(market);
      break;
    case 'authenticated':
      world.isAuthenticated = true;
      world.authRefusal = undefined;
      break;
    case 'authRefused':
      world.isAuthenticated = false;
      world.authRefusal = message.detail;
      break;
  }
  for (const market of world.markets.values()) market.isDirty = true;
  const reason =
    message.kind === 'socketLost'
      ? message.reason
      : message.kind === 'authRefused'
        ? message.detail
        : '';
  world.outbox.report({ event: 'venue.socket', state: message.kind, reason });
}

/** Counts the wait for each first snapshot from now. */
export function onSubscribed(world: World): void {
  for (const market of world.markets.values()) {
    for (const leg of LEGS) market.subscribedAtMs[leg] = world.nowMs;
  }
}

export function onBook(world: World, message: Snapshot | Delta | Unreadable): void {
  world.heardAtMs = world.nowMs;
  switch (message.kind) {
    case 'bookSnapshot':
      onSnapshot(world, message);
      return;
    case 'bookDelta':
      onDelta(world, message);
      return;
    case 'bookUnreadable':
      onUnreadable(world, message.tokenId, message.detail);
      return;
  }
}

function onSnapshot(world: World, message: Snapshot): void {
  const at = bookAt(world, message.tokenId);
  if (at === undefined) return;
  const { market, mirror, leg } = at;
  const levels = [...message.bids, ...message.asks];
  if (levels.some((level) => level.price >= market.grid.ticksPerUnit)) {
    onUnreadable(world, message.tokenId, 'a price of a finer grid than the market has');
    return;
  }
  const before = mirror.state.kind;
  mirror.onSnapshot(message, world.nowMs);
  market.resubscribes[leg] = 0;
  touched(world, market, leg, before);
}

function onDelta(world: World, message: Delta): void {
  const at = bookAt(world, message.tokenId);
  if (at === undefined) return;
  const { market, mirror, leg } = at;
  if (message.price >= market.grid.ticksPerUnit) {
    onUnreadable(world, message.tokenId, 'a price of a finer grid than the market has');
    return;
  }
  const before = mirror.state.kind;
  mirror.onDelta(message, world.nowMs);
  touched(world, market, leg, before);
}

function onUnreadable(world: World, tokenId: TokenId, detail: string): void {
  const at = bookAt(world, tokenId);
  if (at === undefined) return;
  const before = at.mirror.state.kind;
  at.mirror.onUnreadable(detail, world.nowMs);
  touched(world, at.market, at.leg, before);
}

/** A public trade moves no book by itself; it says who came, and how far. */
export function onTrade(world: World, message: Trade): void {
  world.heardAtMs = world.nowMs;
  const market = world.marketOf(message.tokenId);
  if (market === undefined || market.isRegridding) return;
  market.insight.onTrade(market.legOf(message.tokenId), message, world.nowMs);
  market.isDirty = true;
}

/** @returns Whether the catalogue must be read for what the word means. */
export function onMarketStatus(world: World, message: Status): boolean {
  const market = world.marketOf(message.tokenId);
  if (market === undefined || market.liveStatus === message.status) return false;
  market.liveStatus = message.status;
  market.isDirty = true;
  world.outbox.report({
    event: 'market.status',
    marketId: market.market.id,
    status: message.status,
    word: message.word,
  });
  return message.status !== 'open' && message.status !== 'paused';
}

/** Lets time pass over the books and renews subscriptions that a doubtful book needs. */
export function onTick(world: World): void {
  for (const market of world.markets.values()) {
    for (const leg of LEGS) {
      const { mirror } = market.book[leg];
      const before = mirror.state.kind;
      mirror.onTick(world.nowMs);
      if (mirror.state.kind !== before) touched(world, market, leg, before);
      if (world.isSocketOpen && !market.isRegridding) renewIfDoubtful(world, market, leg);
    }
  }
}

function renewIfDoubtful(world: World, market: MarketState, leg: Leg): void {
  const { state } = market.book[leg].mirror;
  if (state.kind === 'live') return;
  const since = market.subscribedAtMs[leg] ?? world.nowMs;
  const waitMs = Math.min(SNAPSHOT_MS * 2 ** market.resubscribes[leg], SNAPSHOT_MS_MAX);
  // The first renewal of a book that was live and became suspect does not wait.
  const isFirst = state.kind === 'suspect' && market.resubscribes[leg] === 0;
  if (!isFirst && world.nowMs - since < waitMs) return;
  market.subscribedAtMs[leg] = world.nowMs;
  market.resubscribes[leg] += 1;
  world.outbox.send({ kind: 'resubscribe', tokenId: market.tokenOf(leg) });
}

function forgetBooks(market: MarketState): void {
  for (const leg of LEGS) {
    market.book[leg].mirror.onDisconnect();
    market.resubscribes[leg] = 0;
  }
}

type BookAt = { readonly market: MarketState; readonly leg: Leg; readonly mirror: BookMirror };

function bookAt(world: World, tokenId: TokenId): BookAt | undefined {
  const market = world.marketOf(tokenId);
  if (market === undefined || market.isRegridding) return undefined;
  const leg = market.legOf(tokenId);
  return { market, leg, mirror: market.book[leg].mirror };
}

function touched(world: World, market: MarketState, leg: Leg, before: string): void {
  market.isDirty = true;
  market.bookUpdates += 1;
  const { state } = market.book[leg].mirror;
  if (state.kind === before) return;
  const reason = state.kind === 'suspect' ? `${state.cause}: ${state.detail}` : '';
  const tokenId = market.tokenOf(leg);
  world.outbox.report({ event: 'book.state', tokenId, state: state.kind, reason });
}

export function reportMove(
  world: World,
  order: OwnOrder,
  from: OrderState,
  signal: OrderSignal,
): void {
  world.outbox.report({
    event: 'order.moved',
    orderHash: order.orderHash,
    tokenId: order.tokenId,
    side: order.side,
    price: priceText(world, order),
    quantity: formatShares(order.quantity),
    from,
    to: order.state,
    signal,
  });
}

export function reportAnomaly(
  world: World,
  order: OwnOrder | undefined,
  signal: OrderSignal,
  detail: string,
): void {
  world.outbox.report({
    event: 'order.anomaly',
    orderHash: order?.orderHash,
    state: order?.state ?? 'unknownOrder',
    signal,
    detail,
  });
}

function priceText(world: World, order: OwnOrder): string {
  const market = world.markets.get(order.marketId);
  return market ? formatPrice(market.grid, order.price) : String(order.price);
}
