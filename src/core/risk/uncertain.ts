// What limits read of the positions of one market: the end of each interval that hurts.
// @spec Architecture decision 8

import { intentId } from '../../domain/ids.ts';
import { LEGS } from '../../domain/market.ts';
import type { OrderReport } from '../../domain/order.ts';
import { clampShares, MICRO_PER_SHARE } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import { touchMarket } from '../kernel/market.ts';
import type { KernelStores } from '../kernel/stores.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import { LISTED_BY_MS } from '../orders/reconcile.ts';
import type { OrderStores } from '../orders/stores.ts';
import { doubtOrder } from '../positions/doubt.ts';
import type { PositionStores } from '../positions/stores.ts';
import { exposureOf, lossPair, type NetRange, uncertainOf } from './exposure.ts';
import type { RiskMarket } from './market.ts';
import type { MarketRisks } from './risk-book.ts';
import type { RiskStores } from './stores.ts';

/** The net position of a market, whatever became of what is uncertain. */
export function netRange({ positions }: PositionStores, market: RiskMarket): NetRange {
  const yes = market.tokenOf('yes');
  const no = market.tokenOf('no');
  return {
    least: clampShares(positions.low(yes) - positions.high(no)),
    expected: clampShares(positions.expected(yes) - positions.expected(no)),
    most: clampShares(positions.high(yes) - positions.low(no)),
  };
}

/** Cash of matched buys of a market that has not left the account yet, in nano-USDC. */
export function pendingBuysNano({ positions }: PositionStores, market: RiskMarket): number {
  return LEGS.reduce((nano, leg) => nano + positions.pendingCostNano(market.tokenOf(leg)), 0);
}

/** The report of an end comes within moments of the answer to its cancel: until then it is no doubt. */
const REPORTED_BY_MS = 2_000;

/** By how many micro-shares the wider of a market's positions is uncertain, reports under way left out. */
export function widthOf({ positions, nowMs }: PositionStores, market: RiskMarket): number {
  const sinceMs = nowMs - REPORTED_BY_MS;
  return Math.max(...LEGS.map((leg) => positions.width(market.tokenOf(leg), sinceMs)));
}

/** How uncertain a position may be before its market stops adding to it, in micro-shares. */
export function uncertainMax({ settings }: KernelStores): number {
  const { maxPositionShares = 0, maxUncertainShares = 0 } = settings?.risk ?? {};
  return (maxUncertainShares || maxPositionShares / 2) * MICRO_PER_SHARE;
}

/** Placements that gave their slot back and may still come to rest. */
export function arriving({ positions }: PositionStores): number {
  let count = 0;
  for (const { item } of positions.allUncertain()) if (item.cause === 'may_arrive') count += 1;
  return count;
}

// What each market risks, from its orders and shares.

/** Brings the sums of what markets risk up to date; those that changed, and no others. */
export function sumUpRisk(stores: RiskStores): void {
  stores.risk.updateExposure(stores.workQueue.exposed, (market) => risksOf(stores, market));
}

/** @param but - Orders that count for nothing, and whether what is uncertain does. */
export function risksOf(
  stores: PositionStores,
  market: RiskMarket,
  { gone, trustsEnds = false }: { gone?: ReadonlySet<OwnOrder>; trustsEnds?: boolean } = {},
): MarketRisks {
  const { id } = market.market;
  const { ledger, positions, refusals, copies } = stores;
  const orders = [...ledger.ofMarket(id)].filter((order) => !gone?.has(order));
  const open = trustsEnds ? [] : uncertainOf(stores, market);
  const mayRest = { mayRest: refusals.ofMarket(id), copies: copies.ofMarket(id) };
  const exposure = exposureOf(market, orders, open, mayRest);
  return {
    exposure,
    loss: lossPair(market.holdings(positions), exposure),
    holdNano: exposure.holdNano + pendingBuysNano(stores, market),
  };
}

// The network may deliver a placement twice, and then the venue has two orders of which one was answered. A placement
// without an answer counts twice until lists have shown what became of it. After a second copy was seen, so does each
// placement for a while: its own size, and that of a copy which no list could show yet.
// @spec Architecture decision 8

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
