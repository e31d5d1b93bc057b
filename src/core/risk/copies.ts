// The network may deliver a placement twice, and then the venue has two orders of which one was answered. A placement
// without an answer counts twice until lists have shown what became of it. After a second copy was seen, so does each
// placement for a while: its own size, and that of a copy which no list could show yet.
// @spec Architecture decision 8

import { intentId } from '../../domain/ids.ts';
import type { OrderReport } from '../../domain/order.ts';
import type { UnixMs } from '../../domain/time.ts';
import { touchMarket } from '../kernel/market.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import { LISTED_BY_MS } from '../orders/reconcile.ts';
import type { OrderStores } from '../orders/stores.ts';
import { doubtOrder } from '../positions/doubt.ts';
import type { RiskStores } from './stores.ts';

/** For so long after a copy was seen another one is likely: faults of a network last seconds to minutes. */
const LIKELY_MS = 60_000;

/** Whether placements may be delivered twice, as others were a moment ago. */
export function areCopiesLikely({ copies: { seenAtMs }, nowMs }: OrderStores): boolean {
  return seenAtMs !== undefined && nowMs - seenAtMs < LIKELY_MS;
}

/** A copy of it counts from now on, until a list could have shown it. */
export function countCopy(stores: RiskStores, order: OwnOrder): void {
  stores.copies.add(order);
  touchMarket(stores, order.marketId);
}

/**
 * An order that nobody here can name came to rest or traded. Where it is like one of ours it is a copy of that, and
 * what was sent lately may have copies, too. Of another quantity it is somebody else's, who quotes at our price.
 * @returns The order of ours that it is like.
 */
export function noteCopy(
  stores: RiskStores,
  seen: Pick<OrderReport, 'tokenId' | 'side' | 'price'> & { readonly quantity: number | undefined },
): OwnOrder | undefined {
  const original = ownLike(stores, seen, seen.quantity);
  if (original === undefined) return undefined;
  stores.copies.seenAtMs = stores.nowMs;
  for (const order of stores.ledger.exposed())
    if (mayHaveCopy(stores, order)) countCopy(stores, order);
  return original;
}

/** Nobody has reported an order, and both it and a copy of it may have traded. */
export function doubtCopy(stores: RiskStores, order: OwnOrder): void {
  const grid = stores.markets.get(order.marketId)?.grid;
  if (grid === undefined) return;
  const copy = { ...order, intentId: intentId(`${order.intentId}-copy`) };
  doubtOrder(stores, copy, { cause: 'may_arrive', grid, quantity: order.quantity });
}

/** After a list was taken in: what it shows counts by itself, and what it could have shown never was. */
export function settleCopies(stores: RiskStores, askedAtMs: UnixMs): void {
  if (stores.copies.count === 0) return;
  const isOver = (order: OwnOrder) =>
    order.state !== 'unknown' && order.sentAtMs + LISTED_BY_MS <= askedAtMs;
  for (const { marketId } of stores.copies.take(isOver)) touchMarket(stores, marketId);
}

/** One of ours that is, or was a moment ago, just there; of several the one of that quantity. */
export function ownLike(
  stores: RiskStores,
  { tokenId, side, price }: Pick<OrderReport, 'tokenId' | 'side' | 'price'>,
  quantity?: number,
): OwnOrder | undefined {
  const market = stores.byToken.get(tokenId)?.market;
  if (market === undefined) return undefined;
  for (const order of stores.ledger.ofMarket(market.market.id)) {
    if (order.isExternal || order.tokenId !== tokenId) continue;
    if ((quantity ?? order.quantity) !== order.quantity) continue;
    if (order.side === side && order.price === price) return order;
  }
  return undefined;
}

function mayHaveCopy({ listAskedAtMs }: OrderStores, order: OwnOrder): boolean {
  return !order.isExternal && !order.isOfOthers && order.sentAtMs + LISTED_BY_MS > listAskedAtMs;
}
