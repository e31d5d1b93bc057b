// The network may deliver a placement twice, and then the venue has two orders of which one was answered. A placement
// without an answer counts twice until lists have shown what became of it. After a second copy was seen, so does each
// placement for a while: its own size, and that of a copy which no list could show yet.
// @spec Architecture decision 8

import { intentId } from '../../domain/ids.ts';
import type { OrderReport } from '../../domain/order.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import { LISTED_BY_MS } from '../orders/reconcile.ts';
import { doubtOrder } from '../positions/doubt.ts';
import type { World } from '../world.ts';

/** For so long after a copy was seen another one is likely: faults of a network last seconds to minutes. */
const LIKELY_MS = 60_000;

/** Whether placements may be delivered twice, as others were a moment ago. */
export function areCopiesLikely({ copySeenAtMs, nowMs }: World): boolean {
  return copySeenAtMs !== undefined && nowMs - copySeenAtMs < LIKELY_MS;
}

/** A copy of it counts from now on, until a list could have shown it. */
export function countCopy(world: World, order: OwnOrder): void {
  world.copies.add(order);
  touch(world, order);
}

/**
 * An order that nobody here can name came to rest or traded. Where it is like one of ours it is a copy of that, and
 * what was sent lately may have copies, too.
 * @returns The order of ours that it is like.
 */
export function noteCopy(
  world: World,
  seen: Pick<OrderReport, 'tokenId' | 'side' | 'price'>,
): OwnOrder | undefined {
  const original = ownLike(world, seen);
  if (original === undefined) return undefined;
  world.copySeenAtMs = world.nowMs;
  for (const order of world.ledger.exposed())
    if (mayHaveCopy(world, order)) countCopy(world, order);
  return original;
}

/** Nobody has reported an order, and both it and a copy of it may have traded. */
export function doubtCopy(world: World, order: OwnOrder): void {
  const grid = world.markets.get(order.marketId)?.grid;
  if (grid === undefined) return;
  const copy = { ...order, intentId: intentId(`${order.intentId}-copy`) };
  doubtOrder(world, copy, { cause: 'may_arrive', grid, quantity: order.quantity });
}

/** After a list was taken in: what it shows counts by itself, and what it could have shown never was. */
export function settleCopies(world: World, askedAtMs: UnixMs): void {
  if (world.copies.count === 0) return;
  const isOver = (order: OwnOrder) =>
    order.state !== 'unknown' && order.sentAtMs + LISTED_BY_MS <= askedAtMs;
  for (const order of world.copies.take(isOver)) touch(world, order);
}

/** One of ours that is, or was a moment ago, just there. */
export function ownLike(
  world: World,
  { tokenId, side, price }: Pick<OrderReport, 'tokenId' | 'side' | 'price'>,
): OwnOrder | undefined {
  const market = world.marketOf(tokenId);
  if (market === undefined) return undefined;
  for (const order of world.ledger.ofMarket(market.market.id)) {
    if (order.isExternal || order.tokenId !== tokenId) continue;
    if (order.side === side && order.price === price) return order;
  }
  return undefined;
}

function mayHaveCopy({ listAskedAtMs }: World, order: OwnOrder): boolean {
  return !order.isExternal && !order.isOfOthers && order.sentAtMs + LISTED_BY_MS > listAskedAtMs;
}

function touch(world: World, { marketId }: OwnOrder): void {
  const market = world.markets.get(marketId);
  if (market !== undefined) market.isDirty = true;
}
