// Limits were lowered while orders rest, or shares came that no order of ours brought: what is beyond limits goes,
// the outermost levels first, so that what is left fits. Placements are held to them at once; this is about what
// was there before.

import type { MarketId, TokenId } from '../../domain/ids.ts';
import type { CoreSettings } from '../../domain/input.ts';
import type { KernelStores } from '../kernel/stores.ts';
import { isCancellable, isLeaving, isUncancellable, type OwnOrder } from '../orders/own-order.ts';
import type { OrderStores } from '../orders/stores.ts';
import type { Lowered } from './controls.ts';
import type { LimitName } from './limits.ts';
import type { RiskMarket } from './market.ts';
import type { RiskBook } from './risk-book.ts';
import { RiskPass } from './risk-pass.ts';
import type { RiskStores } from './stores.ts';

/** Orders under way are named within moments, and cancels answered: a look a second is soon enough. */
const LOOK_MS = 1_000;

/** Shares moved by a trade by hand, or back by a failed settlement: what rests was admitted without that. */
export function holdToLimits(stores: RiskStores, tokenId: TokenId): void {
  const { nowMs: atMs, lowered, byToken } = stores;
  const id = byToken.get(tokenId)?.market.market.id;
  if (id === undefined) return;
  const { lookedAtMs, markets } = lowered ?? { lookedAtMs: atMs, markets: new Set<MarketId>() };
  stores.lowered = { atMs, lookedAtMs, markets: markets?.add(id) };
}

/** What is beyond limits that were lowered and is to go, once a second until nothing from before is. */
export function cutBeyond(stores: RiskStores): readonly OwnOrder[] {
  const { lowered, settings, nowMs } = stores;
  if (lowered === undefined || settings === undefined) return [];
  if (nowMs - lowered.lookedAtMs < LOOK_MS) return [];
  lowered.lookedAtMs = nowMs;
  const { markets } = lowered;
  const isQuoted = ({ market }: RiskMarket) => markets?.has(market.id) ?? true;
  const beyond = beyondLimits(stores, settings, { risk: stores.risk, isQuoted });
  if (beyond.size === 0 && !isAnyUnderWay(stores, lowered)) {
    stores.lowered = undefined;
    return [];
  }
  report(stores, beyond);
  return [...beyond.keys()];
}

/** Settings that are only asked about, under which markets risk something else. */
export type ForeseenRisk = { readonly risk: RiskBook; isQuoted(market: RiskMarket): boolean };

/**
 * Orders without which all others fit. What no cancel can name counts first, then level by level from the
 * middle outwards: so what goes is what is least likely to trade.
 */
export function beyondLimits(
  stores: RiskStores,
  settings: CoreSettings,
  foreseen?: ForeseenRisk,
): ReadonlyMap<OwnOrder, LimitName> {
  const orders = [...stores.ledger.exposed()].filter(
    (order) => !order.isOfOthers && isQuoted(stores, order, foreseen),
  );
  const leaving = orders.filter((order) => isLeaving(order) && !isUncancellable(order));
  const resting = orders.filter((order) => mayGo(order));
  const gone = new Set([...leaving, ...resting]);
  const beyond = new Map<OwnOrder, LimitName>();
  if (resting.length === 0) return beyond;
  const pass = new RiskPass(stores, {
    settings,
    gone,
    capitalShare: () => 1,
    trustsEnds: true,
    risk: foreseen?.risk,
  });
  for (const { market, order } of innermostFirst(stores, resting)) {
    const limit = pass.readmit(market, order);
    if (limit !== undefined) beyond.set(order, limit);
  }
  return beyond;
}

/** What rests on a market that would be quoted no more goes with it. */
function isQuoted(
  { markets }: RiskStores,
  { marketId }: OwnOrder,
  foreseen?: ForeseenRisk,
): boolean {
  const market = markets.get(marketId);
  return market === undefined || foreseen === undefined || foreseen.isQuoted(market);
}

/** Somebody can cancel it, and nobody has asked to yet. */
function mayGo(order: OwnOrder): boolean {
  return isCancellable(order) && !isUncancellable(order) && !isLeaving(order);
}

/**
 * From before the limits came down, and not known yet to rest or to be gone, or how much of it had traded:
 * that takes room from what rests when it is told, and takes no other order from the book before.
 */
function isAnyUnderWay(stores: OrderStores, { atMs, markets }: Lowered): boolean {
  for (const order of stores.ledger.exposed()) {
    const isFixed = order.isOfOthers || isUncancellable(order) || mayGo(order);
    const isOfThem = markets?.has(order.marketId) ?? true;
    if (!isFixed && isOfThem && order.sentAtMs <= atMs) return true;
  }
  return false;
}

type Ranked = { readonly market: RiskMarket; readonly order: OwnOrder; readonly rank: number };

/** The best of every side of every market, then the second of each, and so on. */
function innermostFirst(stores: RiskStores, orders: readonly OwnOrder[]): readonly Ranked[] {
  const sides = new Map<string, { readonly market: RiskMarket; readonly orders: OwnOrder[] }>();
  for (const order of orders) {
    const market = stores.markets.get(order.marketId);
    if (market === undefined) continue;
    const key = `${order.axisSide} ${order.marketId}`;
    const side = sides.get(key);
    if (side) side.orders.push(order);
    else sides.set(key, { market, orders: [order] });
  }
  const ranked = [...sides.values()].flatMap((side) =>
    side.orders
      .sort((a, b) => outwards(a) - outwards(b) || a.sentAtMs - b.sentAtMs)
      .map((order, rank) => ({ market: side.market, order, rank })),
  );
  return ranked.sort((a, b) => a.rank - b.rank);
}

function outwards({ axisSide, axisPrice }: OwnOrder): number {
  return axisSide === 'bid' ? -axisPrice : axisPrice;
}

/** Once for each order, however often its cancel has to be sent. */
function report(stores: KernelStores, beyond: ReadonlyMap<OwnOrder, LimitName>): void {
  const counts = new Map<
    string,
    { readonly order: OwnOrder; readonly limit: LimitName; n: number }
  >();
  for (const [order, limit] of beyond) {
    if (order.cancelAttempts > 0) continue;
    const key = `${order.marketId} ${limit}`;
    const count = counts.get(key) ?? { order, limit, n: 0 };
    count.n += 1;
    counts.set(key, count);
  }
  for (const { order, limit, n } of counts.values()) {
    stores.outbox.report({ event: 'limit.cut', marketId: order.marketId, limit, orders: n });
  }
}

// Which orders are ours to cancel: all of the account, or those that were sent from here.

export function cancelScopeOf({ controls, settings }: RiskStores): 'account' | 'own' {
  // What would cancel the orders of another trader would begin a war of cancels.
  if (controls.conflict.isKnown) return 'own';
  return settings?.orders.scope ?? 'account';
}
