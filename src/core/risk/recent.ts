// What previous runs did within the intervals of the breakers, by the ledger. A process that dies again
// and again would begin to count anew each time, and be held to nothing.

import type { StoredRecent } from '../../domain/record.ts';
import type { UnixMs } from '../../domain/time.ts';
import { type Counted, isOfAccount } from './counts.ts';
import type { RiskMarket } from './market.ts';
import type { RiskStores } from './stores.ts';

type Dated = { readonly atMs: UnixMs };

/** Counts on for the account. What has tripped a breaker, or was lifted, is counted no second time. */
export function restoreCounts(stores: RiskStores, recent: StoredRecent): void {
  for (const cleared of recent.cleared ?? []) stores.controls.counts.cleared.add(cleared);
  restoreOrders(stores, recent);
  restoreFills(stores, recent);
  restoreRefusals(stores, recent);
  restoreFailures(stores, recent);
}

/** The same for a market, when it is met. */
export function restoreMarketCounts(stores: RiskStores, market: RiskMarket): void {
  const { fillBurst, refusals } = stores.settings?.risk ?? {};
  const { counts } = stores.controls;
  const marketId = market.market.id;
  const isCounted = isSince(stores, { control: 'fill_burst', marketId });
  for (const { atMs, quantity } of counts.recentFills.take(marketId)) {
    const what = { count: 1, amount: quantity };
    if (fillBurst && isCounted(atMs)) market.counts.fills.add(atMs, fillBurst.intervalMs, what);
  }
  for (const { code, atMs } of counts.recentRefusals.take(marketId)) {
    const at = { control: 'repeated_refusals', marketId, code } as const;
    if (refusals && isAfterCleared(stores, at, atMs))
      market.counts.refusals.add({ code, nowMs: atMs, intervalMs: refusals.intervalMs });
  }
}

function restoreOrders(stores: RiskStores, { ordersAtMs }: StoredRecent): void {
  const orderRate = stores.settings?.risk.orderRate;
  const orders = ordersAtMs.filter(isSince(stores, { control: 'order_rate' }));
  for (const atMs of orders.toSorted((a, b) => a - b)) {
    if (orderRate)
      stores.controls.counts.orders.add(atMs, orderRate.intervalMs, { count: 1, amount: 0 });
  }
}

function restoreFills(stores: RiskStores, { fills }: StoredRecent): void {
  const { counts } = stores.controls;
  const fillBurst = stores.settings?.risk.fillBurst;
  const isCounted = isSince(stores, { control: 'fill_burst' });
  for (const fill of fills.toSorted(byTime)) {
    counts.recentFills.add(fill);
    const what = { count: 1, amount: fill.quantity };
    if (fillBurst && isCounted(fill.atMs)) counts.fills.add(fill.atMs, fillBurst.intervalMs, what);
  }
}

/** A side that rested for refusals rests no more: what is counted of it is of one run. */
function restoreRefusals(stores: RiskStores, { refusals = [] }: StoredRecent): void {
  const { counts } = stores.controls;
  const limit = stores.settings?.risk.refusals;
  for (const refusal of refusals.toSorted(byTime)) {
    const { code, atMs } = refusal;
    counts.recentRefusals.add(refusal);
    const isSinceCleared = isAfterCleared(stores, { control: 'repeated_refusals', code }, atMs);
    if (limit && isOfAccount(code) && isSinceCleared)
      counts.refusals.add({ code, nowMs: atMs, intervalMs: limit.intervalMs });
  }
}

function restoreFailures(stores: RiskStores, { failuresAtMs = [] }: StoredRecent): void {
  const { counts } = stores.controls;
  const limit = stores.settings?.risk.settlements;
  counts.failuresAtMs = failuresAtMs;
  for (const atMs of failuresAtMs) {
    if (limit && isAfterCleared(stores, { control: 'settlement_failures' }, atMs))
      counts.failures.add(atMs, limit.intervalMs, { count: 1, amount: 0 });
  }
}

/** An earlier version said of what trips no more than what the breaker that still holds says. */
function isSince(stores: RiskStores, counted: Counted): (atMs: UnixMs) => boolean {
  const { latches } = stores.controls;
  const sinceMs = latches.get(counted.control, counted.marketId)?.sinceMs;
  return (atMs) =>
    isAfterCleared(stores, counted, atMs) && (sinceMs === undefined || atMs > sinceMs);
}

function isAfterCleared({ controls }: RiskStores, counted: Counted, atMs: UnixMs): boolean {
  const untilMs = controls.counts.cleared.untilMs(counted);
  return untilMs === undefined || atMs > untilMs;
}

function byTime(one: Dated, other: Dated): number {
  return one.atMs - other.atMs;
}
