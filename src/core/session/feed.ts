// What the socket tells: connection, books, market status; and how the core reports on orders.

import type { TokenId } from '../../domain/ids.ts';
import type { VenueMessage } from '../../domain/message.ts';
import type { OrderSignal, OrderState } from '../../domain/order.ts';
import { formatShares } from '../../domain/shares.ts';
import { formatPrice } from '../../domain/ticks.ts';
import { awaitSnapshot, onBaseline, onConnectionLost } from '../book/resync.ts';
import { notice, onDelta as watchDelta, onSnapshot as watchSnapshot } from '../book/watch.ts';
import type { MarketState, Place } from '../market.ts';
import type { Leg, OwnOrder } from '../orders/own-order.ts';
import { noteStatus } from '../quoting/status.ts';
import type { World } from '../world.ts';

type Snapshot = Extract<VenueMessage, { kind: 'bookSnapshot' }>;
type Delta = Extract<VenueMessage, { kind: 'bookDelta' }>;
type Unreadable = Extract<VenueMessage, { kind: 'bookUnreadable' }>;
type Trade = Extract<VenueMessage, { kind: 'trade' }>;
type Status = Extract<VenueMessage, { kind: 'marketStatus' }>;
type Connection = Extract<
  VenueMessage,
  { kind: 'socketOpened' | 'socketLost' | 'authenticated' | 'authRefused' }
>;

const LEGS: readonly Leg[] = ['yes', 'no'];

export function onConnection(world: World, message: Connection): void {
  switch (message.kind) {
    case 'socketOpened':
      world.isSocketOpen = true;
      onOpened(world);
      break;
    case 'socketLost':
      world.isSocketOpen = false;
      world.isAuthenticated = false;
      for (const market of world.markets.values()) forgetBooks(world, market);
      break;
    case 'authenticated':
      world.isAuthenticated = true;
      world.authenticatedSinceMs = world.nowMs;
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

/**
 * Tokens were added: counts the wait for the first snapshot of their books from now. What resyncs goes on
 * at its own pace, or markets that come one after the other would keep it from ever asking again.
 */
export function onSubscribed(world: World, why: string): void {
  if (!world.isSocketOpen) return;
  for (const market of world.markets.values()) {
    for (const leg of LEGS) {
      const { state, subscribedAtMs } = market.trust[leg];
      if (state === 'trusted' || subscribedAtMs > 0) continue;
      awaitSnapshot(world, market.places[leg], why);
    }
  }
}

/** Everything is subscribed anew on a new connection. */
function onOpened(world: World): void {
  for (const market of world.markets.values()) {
    for (const leg of LEGS) {
      if (market.trust[leg].state === 'trusted') continue;
      awaitSnapshot(world, market.places[leg], 'a first snapshot is in flight');
    }
  }
}

export function onBook(world: World, message: Snapshot | Delta | Unreadable): void {
  world.heardAtMs = world.nowMs;
  world.trust.frames += 1;
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
  const place = bookAt(world, message.tokenId);
  if (place === undefined) return;
  const { market, mirror } = place;
  if (hasFinerPrice(message.bids, market) || hasFinerPrice(message.asks, market)) {
    onUnreadable(world, message.tokenId, 'a price of a finer grid than the market has');
    return;
  }
  const isSame = mirror.isSameAs(message);
  const before = mirror.state.kind;
  mirror.limits = world.trustLimits;
  mirror.onSnapshot(message, world.nowMs);
  market.live.hasten(world.nowMs);
  market.onBook();
  if (!isSame || before !== 'live') watchSnapshot(world, place, message);
  if (mirror.state.kind === 'live') {
    onBaseline(world, place, 'snapshot', isSame && before === 'suspect');
  } else notice(world, place);
}

function hasFinerPrice(levels: Snapshot['bids'], market: MarketState): boolean {
  for (const level of levels) if (level.price >= market.grid.ticksPerUnit) return true;
  return false;
}

function onDelta(world: World, message: Delta): void {
  const place = bookAt(world, message.tokenId, message.tokenNumber);
  if (place === undefined) return;
  const { market, mirror } = place;
  if (message.price >= market.grid.ticksPerUnit) {
    onUnreadable(world, message.tokenId, 'a price of a finer grid than the market has');
    return;
  }
  mirror.onDelta(message, world.nowMs);
  place.trust.keep(message);
  market.onBook();
  watchDelta(world, place, message);
  notice(world, place);
}

function onUnreadable(world: World, tokenId: TokenId, detail: string): void {
  const place = bookAt(world, tokenId);
  if (place === undefined) return;
  place.mirror.onUnreadable(detail, world.nowMs);
  // What was lost would have changed a baseline that is in flight, too.
  place.trust.dropRest();
  place.market.onBook();
  notice(world, place);
}

/** A public trade moves no book by itself; it says who came, and how far. */
export function onTrade(world: World, message: Trade): void {
  world.heardAtMs = world.nowMs;
  world.trust.frames += 1;
  const market = world.marketOf(message.tokenId);
  if (market === undefined || market.isRegridding) return;
  market.insight.onTrade(market.legOf(message.tokenId), message, world);
  market.isDirty = true;
}

/** @returns Whether the catalogue must be read for what the word means. */
export function onMarketStatus(world: World, message: Status): boolean {
  const market = world.marketOf(message.tokenId);
  if (market === undefined) return false;
  const { status, word } = message;
  if (!noteStatus(world, market, { status, word, evidence: `a frame says "${word}"` }))
    return false;
  return status !== 'open' && status !== 'paused';
}

function forgetBooks(world: World, market: MarketState): void {
  market.live.askAnew(world.nowMs);
  for (const leg of LEGS) {
    market.book[leg].mirror.onDisconnect();
    onConnectionLost(world, market.places[leg]);
  }
}

function bookAt(world: World, tokenId: TokenId, tokenNumber?: number): Place | undefined {
  const place = world.byToken.find(tokenId, tokenNumber);
  return place === undefined || place.market.isRegridding ? undefined : place;
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

function priceText(world: World, order: OwnOrder): string {
  const market = world.markets.get(order.marketId);
  return market ? formatPrice(market.grid, order.price) : String(order.price);
}

/** A frame that nobody here can read is said, and changes nothing. */
export function reportUnrecognised(
  world: World,
  { frameType, detail }: Extract<VenueMessage, { kind: 'unrecognised' }>,
): void {
  world.outbox.report({ event: 'frame.unrecognised', frameType, detail });
}
