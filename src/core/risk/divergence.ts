// Our ledger and the venue do not agree, longer than anything in flight explains: what is wrong may be
// ours, so limits that rest on it cannot be trusted and trading holds until they agree again.

import { clampShares, formatShares, MICRO_PER_SHARE } from '../../domain/shares.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';
import { NANO_PER_USDC } from '../kernel/nano.ts';
import type { OrderStores } from '../orders/stores.ts';
import type { PositionStores } from '../positions/stores.ts';
import type { RiskMarket } from './market.ts';
import type { RiskStores } from './stores.ts';
import { ease, trip } from './trip.ts';
import { uncertainMax, widthOf } from './uncertain.ts';

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
