// Orders that the venue refuses to cancel, as it may where an order has traded in part: they rest until
// they trade whole or the venue ends them. They count everywhere, and quotes go on around them.
// @spec States and transitions › Order status values

import type { OrderHash } from '../../domain/ids.ts';
import { formatShares } from '../../domain/shares.ts';
import { formatPrice } from '../../domain/ticks.ts';
import type { AxisSide } from '../../strategy/index.ts';
import type { MarketState } from '../market.ts';
import type { World } from '../world.ts';
import { isUncancellable, type OwnOrder, refusalsMin, remaining } from './own-order.ts';

/** From here on the pauses between two cancels of it are seconds. */
const ATTEMPTS_MIN = 5;

/** A cancel of it was answered with a refusal, and a later list shows it. */
export function onCancelRefused(world: World, order: OwnOrder): void {
  order.wasCancelRefused = false;
  const wasKnown = isUncancellable(order);
  order.cancelRefusals += 1;
  if (!wasKnown && isUncancellable(order)) report(world, order);
}

/** A start or a stop has had it refused time and again. */
export function noteUncancellable(world: World, order: OwnOrder): void {
  const leastCount = refusalsMin(order);
  if (order.cancelRefusals >= leastCount) return;
  order.cancelRefusals = leastCount;
  order.cancelAttempts = Math.max(order.cancelAttempts, ATTEMPTS_MIN);
  order.cancelAnsweredAtMs = world.nowMs;
  if (order.state === 'cancelUnresolved') world.ledger.signal(order, 'open', world.nowMs);
  report(world, order);
}

/** A quote would meet it: that side stays away from there for as long as it rests. */
export function waitBehind(market: MarketState, side: AxisSide, order: OwnOrder): void {
  const at = formatPrice(market.grid, order.axisPrice);
  const { orderHash = '', isOfOthers } = order;
  market.desk.waiting[side] = isOfOthers
    ? {
        code: 'order_of_others_met',
        detail: `order ${orderHash} at ${at} is in the way: somebody else sent it on this account`,
        clears: 'it trades, whoever sent it cancels it, or the price moves away',
      }
    : {
        code: 'own_order_stuck',
        detail: `own order ${orderHash} at ${at} is in the way, and the venue refuses to cancel it`,
        clears: 'it trades, the venue cancels it, or the price moves away',
      };
}

/** @param refused - What a stop or start under way has learnt. */
export function uncancellable(world: World, refused: readonly OrderHash[]): readonly OrderHash[] {
  const hashes = new Set<OrderHash>(refused);
  for (const order of world.ledger.exposed()) {
    if (order.orderHash !== undefined && isUncancellable(order)) hashes.add(order.orderHash);
  }
  for (const orderHash of world.restored.staying) hashes.add(orderHash);
  return [...hashes];
}

/** Open orders that rest on markets which are not quoted here. */
export function elsewhere({ externals, restored }: World): number {
  return externals.now.size + restored.stayingCount;
}

function report(world: World, order: OwnOrder): void {
  const market = world.markets.get(order.marketId);
  world.outbox.report({
    event: 'order.uncancellable',
    orderHash: order.orderHash,
    tokenId: order.tokenId,
    side: order.side,
    price: market ? formatPrice(market.grid, order.price) : String(order.price),
    left: formatShares(remaining(order)),
    attempts: order.cancelAttempts,
  });
}
