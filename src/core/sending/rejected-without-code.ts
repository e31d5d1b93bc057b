// What is done about an item of a batch that was rejected without a code: only a list says that it does not rest.
// @spec Errors, rule 2

import type { Refusal } from '../../domain/message.ts';
import type { OrderReport, OrderUpdate } from '../../domain/order.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { EarlyUpdates } from '../orders/early-reports.ts';
import { type OwnOrder, remaining } from '../orders/own-order.ts';
import type { OrderStores } from '../orders/stores.ts';
import { doubtOrder } from '../positions/doubt.ts';
import type { SendingStores } from './stores.ts';

/** An item of a batch has neither a code nor a status. */
export function isProse({ code, httpStatus }: Refusal): boolean {
  return code === undefined && httpStatus === undefined;
}

/** Keeps room for it in all limits until a list has had its say. */
export function doubtRefusal({ refusals }: OrderStores, order: OwnOrder): void {
  // News of it may have come first, and then it counts by itself.
  if (order.state === 'refused') refusals.add(order);
}

/**
 * After a list was taken in: what it lacks never was, and what it shows counts by itself as soon as
 * anybody here can name it.
 */
export function settleRefusals(
  stores: SendingStores,
  { reports, askedAtMs }: { readonly reports: readonly OrderReport[]; readonly askedAtMs: UnixMs },
): void {
  if (stores.refusals.count === 0) return;
  const unnamed = reports.filter(({ orderHash }) => stores.ledger.byHash(orderHash) === undefined);
  const isOver = (order: OwnOrder) =>
    order.stateSinceMs < askedAtMs && !unnamed.some((report) => isLike(order, report));
  for (const order of stores.refusals.take(isOver)) {
    const market = stores.markets.get(order.marketId);
    if (market !== undefined) market.isDirty = true;
    // It may have rested and traded whole, and then no list shows it: only balances say so.
    if (isSpokenOf(stores, order)) doubtRefused(stores, order);
  }
}

/** News of a hash that nobody can name is about an order of its token, side and price. */
function isSpokenOf({ ledger }: OrderStores, order: OwnOrder): boolean {
  return ledger.early.all().some(({ orderHash, updates }) => {
    const [first] = updates;
    return first !== undefined && !ledger.isKnownHash(orderHash) && isSpokenOfBy(order, first);
  });
}

/** News of a hash that is nobody's may be of one that was refused: then it traded, and no list shows it. */
export function doubtRefusedLike(stores: SendingStores, { updates: [first] }: EarlyUpdates): void {
  const market = first && stores.byToken.get(first.tokenId)?.market;
  if (first === undefined || market === undefined) return;
  const refused = stores.refusals.ofMarket(market.market.id);
  for (const order of refused) if (isSpokenOfBy(order, first)) doubtRefused(stores, order);
}

function doubtRefused(stores: SendingStores, order: OwnOrder): void {
  const grid = stores.markets.get(order.marketId)?.grid;
  if (grid === undefined) return;
  doubtOrder(stores, order, { cause: 'order_end', grid, quantity: remaining(order) });
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
