// The single point from which orders leave. @spec Architecture decision 7

import { assert } from '../../domain/assert.ts';
import type { Lifetime, LimitOrder } from '../../domain/order.ts';
import { changesAtMs, enterOwnSize, syncOwnSizes } from '../book/own-sizes.ts';
import { BATCH_ORDERS_MAX } from '../kernel/bounds.ts';
import type { MarketState } from '../market.ts';
import { newOrder } from '../orders/new-order.ts';
import { isExposed, type OwnOrder, staysPut } from '../orders/own-order.ts';
import type { RoutedOrder } from '../orders/routing.ts';
import type { WriteClass } from '../quoting/target.ts';
import { onOrdersSent } from '../risk/breakers.ts';
import { areCopiesLikely, countCopy } from '../risk/copies.ts';
import type { World } from '../world.ts';
import { isLastAlone, isProbing } from './alone.ts';
import { onAskedWith } from './restriction.ts';

/** An order to send; `writeClass` says what for, and is absent of what is meant to take. */
export type Placement = {
  readonly market: MarketState;
  readonly routed: RoutedOrder;
  readonly writeClass?: WriteClass;
};

const RESTING: Lifetime = { timeInForce: 'GTC' };
const TAKING: Lifetime = { timeInForce: 'FAK' };

/** Sends one batch, which costs one write; every order is in the ledger before it leaves. */
export function place(
  world: World,
  batch: readonly Placement[],
  purpose: 'rest' | 'take' = 'rest',
): void {
  assert(batch.length <= BATCH_ORDERS_MAX, 'a batch holds at most 15 orders');
  assert(world.isGateOpen, 'nothing is placed behind a closed gate');
  const requestId = world.outbox.nextRequestId();
  const orders: LimitOrder[] = [];
  const leaving: OwnOrder[] = [...world.leaving];
  for (const market of new Set(batch.map((each) => each.market))) {
    syncOwnSizes(market, world.ledger, world);
    world.workQueue.onSynced(market, changesAtMs(market));
  }
  for (const { market, routed, writeClass } of batch) {
    const lifetime = purpose === 'take' ? TAKING : restingLifetime(world);
    const order = newOrder({
      grid: market.grid,
      routed,
      intentId: world.nextIntentId(),
      requestId,
      marketId: market.market.id,
      tokenId: market.tokenOf(routed.leg),
      nowMs: world.nowMs,
      datedByMs: world.clockOffsetMs ?? 0,
      expiresAtMs: lifetime.timeInForce === 'GTD' ? lifetime.expiresAtMs : undefined,
      settingsVersion: world.settingsVersion,
      isTake: purpose === 'take',
    });
    world.ledger.add(order);
    if (areCopiesLikely(world)) countCopy(world, order);
    enterOwnSize(market, order);
    watchUnified(world, market, order);
    world.arms.touched.add(market);
    leaving.push(order);
    const { intentId, tokenId, side, price, quantity } = order;
    world.placed[writeClass ?? 'take'] += 1;
    const { ticksPerUnit } = market.grid;
    orders.push({ intentId, tokenId, side, price, ticksPerUnit, quantity, lifetime });
    if (isProbing(market)) onProbed(market, world);
    if (isLastAlone(world, market, order)) market.goesAlone = undefined;
    market.desk.waiting[order.axisSide] = undefined;
  }
  world.leaving = leaving;
  onAskedWith(world, requestId);
  world.budget.onSent(requestId, world.nowMs);
  onOrdersSent(world, batch.length);
  world.outbox.send({ kind: 'placeOrders', requestId, orders });
}

/** The one order of it has left: the rest waits for its answer. */
function onProbed(market: MarketState, { nowMs }: World): void {
  market.live.onProbed(nowMs);
  market.missing = [];
  market.isDirty = true;
}

/** Whether the venue shows one book twice is only asked where the settings leave it open. */
function watchUnified({ settings, trust, ledger }: World, market: MarketState, order: OwnOrder) {
  if (settings?.book.unified !== 'auto') return;
  trust.unified.watch(market.book, order, ledger.ofMarket(market.market.id));
}

function restingLifetime({ renewal, expiry, nowMs }: World): Lifetime {
  return renewal.timeInForce === 'GTD' ? expiry.next(renewal.gtd, nowMs) : RESTING;
}

/** Own live orders must never meet: own YES bid + own NO bid < 1, over cancels under way too. */
export function crossesOwn(
  world: World,
  market: MarketState,
  quote: { readonly side: 'bid' | 'ask'; readonly price: number },
): boolean {
  return ownInTheWay(world, market, quote) !== undefined;
}

/** The own order that a quote would meet, one that will not move before any other. */
export function ownInTheWay(
  world: World,
  market: MarketState,
  quote: { readonly side: 'bid' | 'ask'; readonly price: number },
): OwnOrder | undefined {
  let found: OwnOrder | undefined;
  for (const order of world.ledger.ofMarket(market.market.id)) {
    if (!isExposed(order) || order.axisSide === quote.side) continue;
    const meets =
      quote.side === 'bid' ? quote.price >= order.axisPrice : quote.price <= order.axisPrice;
    if (meets && (found === undefined || staysPut(order))) found = order;
  }
  return found;
}
