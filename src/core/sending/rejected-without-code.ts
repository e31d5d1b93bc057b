// What is done about an item of a batch that was rejected without a code: only a list says that it does not rest.
// @spec Errors, rule 2

import type { Refusal } from '../../domain/message.ts';
import type { OrderReport, OrderUpdate } from '../../domain/order.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { EarlyUpdates } from '../orders/early-reports.ts';
import { type OwnOrder, remaining } from '../orders/own-order.ts';
import { doubtOrder } from '../positions/doubt.ts';
import type { World } from '../world.ts';

/** An item of a batch has neither a code nor a status. */
export function isProse({ code, httpStatus }: Refusal): boolean {
  return code === undefined && httpStatus === undefined;
}

/** Keeps room for it in all limits until a list has had its say. */
export function doubtRefusal({ refusals }: World, order: OwnOrder): void {
  // News of it may have come first, and then it counts by itself.
  if (order.state === 'refused') refusals.add(order);
}

/**
 * After a list was taken in: what it lacks never was, and what it shows counts by itself as soon as
 * anybody here can name it.
 */
export function settleRefusals(
  world: World,
  { reports, askedAtMs }: { readonly reports: readonly OrderReport[]; readonly askedAtMs: UnixMs },
): void {
  if (world.refusals.count === 0) return;
  const unnamed = reports.filter(({ orderHash }) => world.ledger.byHash(orderHash) === undefined);
  const isOver = (order: OwnOrder) =>
    order.stateSinceMs < askedAtMs && !unnamed.some((report) => isLike(order, report));
  for (const order of world.refusals.take(isOver)) {
    const market = world.markets.get(order.marketId);
    if (market !== undefined) market.isDirty = true;
    // It may have rested and traded whole, and then no list shows it: only balances say so.
    if (isSpokenOf(world, order)) doubtRefused(world, order);
  }
}

/** News of a hash that nobody can name is about an order of its token, side and price. */
function isSpokenOf({ ledger }: World, order: OwnOrder): boolean {
  return ledger.earlyUpdates(Number.POSITIVE_INFINITY).some(({ orderHash, updates }) => {
    const [first] = updates;
    return first !== undefined && !ledger.isKnownHash(orderHash) && isSpokenOfBy(order, first);
  });
}

/** News of a hash that is nobody's may be of one that was refused: then it traded, and no list shows it. */
export function doubtRefusedLike(world: World, { updates: [first] }: EarlyUpdates): void {
  const market = first && world.marketOf(first.tokenId);
  if (first === undefined || market === undefined) return;
  const refused = world.refusals.ofMarket(market.market.id);
  for (const order of refused) if (isSpokenOfBy(order, first)) doubtRefused(world, order);
}

function doubtRefused(world: World, order: OwnOrder): void {
  const grid = world.markets.get(order.marketId)?.grid;
  if (grid === undefined) return;
  doubtOrder(world, order, { cause: 'order_end', grid, quantity: remaining(order) });
}

function isSpokenOfBy(order: OwnOrder, { tokenId, side, price }: OrderUpdate): boolean {
  return order.tokenId === tokenId && order.side === side && order.price === price;
}

function isLike(order: OwnOrder, report: OrderReport): boolean {
  return (
    report.isOffGrid !== true &&
    order.tokenId === report.tokenId &&
    order.side === report.side &&
    order.price === report.price &&
    order.quantity === report.quantity
  );
}
