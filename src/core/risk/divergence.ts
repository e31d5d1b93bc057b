// Our ledger and the venue do not agree, longer than anything in flight explains: what is wrong may be
// ours, so limits that rest on it cannot be trusted and trading holds until they agree again.

import { intentId } from '../../domain/ids.ts';
import { LEGS } from '../../domain/market.ts';
import type { OrderReport } from '../../domain/order.ts';
import { clampShares, formatShares, MICRO_PER_SHARE } from '../../domain/shares.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';
import { touchMarket } from '../kernel/market.ts';
import { NANO_PER_USDC } from '../kernel/nano.ts';
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
import { ease, trip } from './trip.ts';

/** A settlement that shows before its frame comes may hide what is missing for as long, and no longer. */
const AGREED_MS = 30_000;

/** After a read of the balances: cash that nothing known explains, complete sets under way included. */
export function watchCash(stores: RiskStores, unexplainedNano: number): void {
  const limit = stores.settings?.risk.divergence;
  if (limit === undefined || limit.forMs === 0 || limit.cashUsdc === 0) return;
  const { nowMs, controls } = stores;
  const { cash } = controls;
  cash.unexplainedNano = unexplainedNano;
  if (Math.abs(unexplainedNano) <= limit.cashUsdc * NANO_PER_USDC) {
    cash.agreedSinceMs ??= nowMs;
    if (nowMs - cash.agreedSinceMs < AGREED_MS) return;
    cash.sinceMs = undefined;
    ease(stores, 'cash_divergence');
    return;
  }
  cash.agreedSinceMs = undefined;
  cash.sinceMs ??= nowMs;
  if (nowMs - cash.sinceMs < limit.forMs) return;
  const usdc = (unexplainedNano / NANO_PER_USDC).toFixed(2);
  trip(stores, {
    control: 'cash_divergence',
    level: limit.action,
    detail: () => `nothing we know explains ${usdc} USDC of cash`,
    resumes: { kind: 'condition', text: 'cash moves by what we know again, for half a minute' },
  });
}

/**
 * Adding stops at once; when the doubt lasts a minute, quotes are pulled for the quiet that settles it. Looks
 * are a second apart and may miss a moment without doubt.
 */
const PULL_AFTER_MS = 65_000;
/** Balances are read, and a number is adopted, within this beyond the lag. */
const ADOPTED_BY_MS = 30_000;

/** A position too uncertain to add to: held to selling and reducing until it is known better. */
export function watchPosition(stores: RiskStores, market: RiskMarket): void {
  const { id } = market.market;
  const max = uncertainMax(stores);
  const width = widthOf(stores, market);
  if (width <= max) {
    if (market.doubt !== undefined) ease(stores, 'position_uncertain', id);
    market.doubt = undefined;
    return;
  }
  const { nowMs } = stores;
  const { sinceMs, pulledUntilMs } = market.doubt ?? { sinceMs: nowMs, pulledUntilMs: undefined };
  const isDue = pulledUntilMs === undefined && nowMs - sinceMs >= PULL_AFTER_MS;
  const quietMs = (stores.settings?.timing.positionLagMs ?? 0) + ADOPTED_BY_MS;
  market.doubt = { sinceMs, pulledUntilMs: isDue ? addMs(nowMs, quietMs) : pulledUntilMs };
  if (isDue) market.isDirty = true;
  trip(stores, {
    control: 'position_uncertain',
    marketId: id,
    level: 'stop-adding',
    detail: () => `${sharesText(width)} shares are uncertain, ${sharesText(max)} allowed`,
    resumes: { kind: 'condition', text: 'reports, cash or quiet say what traded' },
  });
}

/** Its quotes are pulled, once, for the quiet in which balances settle what is uncertain. */
export function isReconciling({ doubt }: RiskMarket, nowMs: UnixMs): boolean {
  return doubt?.pulledUntilMs !== undefined && nowMs < doubt.pulledUntilMs;
}

/** Markets with anything uncertain are looked at once a second, quoted or not. */
export function watchUncertain(stores: RiskStores): void {
  const markets = new Set<RiskMarket>();
  for (const tokenId of stores.positions.uncertainTokens) {
    const market = stores.byToken.get(tokenId)?.market;
    if (market !== undefined) markets.add(market);
  }
  for (const market of stores.markets.values()) if (market.doubt !== undefined) markets.add(market);
  for (const market of markets) {
    const was = isReconciling(market, stores.nowMs);
    watchPosition(stores, market);
    if (was !== isReconciling(market, stores.nowMs)) market.isDirty = true;
  }
}

function sharesText(micro: number): string {
  return formatShares(clampShares(micro));
}

/** Orders on the venue that we never sent and that no cancel of ours removes; once a second. */
export function watchExternal(stores: RiskStores): void {
  const limit = stores.settings?.risk.divergence;
  if (limit === undefined || limit.forMs === 0) return;
  const count = externalsMs(stores).filter((restsMs) => restsMs >= limit.forMs).length;
  if (count === 0) {
    ease(stores, 'order_divergence');
    return;
  }
  trip(stores, {
    control: 'order_divergence',
    level: limit.action,
    detail: () => `${count} orders that we never sent do not go away`,
    resumes: { kind: 'condition', text: 'the venue shows none of them any more' },
  });
}

/** For how long the oldest of them has rested as far as we know; none where they are wanted. */
export function externalMs(stores: OrderStores): number {
  return Math.max(0, ...externalsMs(stores));
}

/** What is somebody else's on purpose is left alone; a jump of our clock is no time in which a cancel could have removed any. */
function externalsMs({ settings, ledger, clock, nowMs }: OrderStores): readonly number[] {
  if (settings?.orders.externalOrders === 'adopt') return [];
  return [...ledger.exposed()]
    .filter((order) => order.isExternal && order.isOfOthers !== true)
    .map(({ sentAtMs }) => nowMs - Math.max(sentAtMs, clock.jumpedAtMs ?? 0));
}

export function widestShares({ positions }: PositionStores): number {
  let width = 0;
  for (const tokenId of positions.uncertainTokens) {
    width = Math.max(width, positions.width(tokenId));
  }
  return width / MICRO_PER_SHARE;
}

// What limits read of the positions of one market: the end of each interval that hurts.
// @spec Architecture decision 8

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
