// Breakers: something happens more often than anybody can have meant. Each counts within a sliding
// interval, trips once it is exceeded, and counts anew from there: what exceeds it again before it has
// cooled off lets it cool off from then.

import { consequenceOf } from '../../domain/codes.ts';
import type { StoredRecent } from '../../domain/record.ts';
import type { ControlName, RiskAction } from '../../domain/risk.ts';
import { MICRO_PER_SHARE, type MicroShares } from '../../domain/shares.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';
import type { AxisSide } from '../../strategy/index.ts';
import type { KernelStores } from '../kernel/stores.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import { type Counted, countedForMs, isOfAccount, type SlidingCount } from './counts.ts';
import { clearsText } from './latches.ts';
import { backOff, type RiskMarket } from './market.ts';
import type { RiskStores } from './stores.ts';
import { afterMs, onCountedAnew, trip } from './trip.ts';

/** Failures that later runs are reported, the latest: a breaker that allows more is one of a run. */
const FAILURES_TOLD_MAX = 1_000;

/** So many orders have just been sent. */
export function onOrdersSent(stores: RiskStores, count: number): void {
  const rate = stores.settings?.risk.orderRate;
  if (rate === undefined || rate.orders === 0) return;
  const { orders } = stores.controls.counts;
  orders.add(stores.nowMs, rate.intervalMs, { count, amount: 0 });
  if (orders.count < rate.orders) return;
  const detail = `${orders.count} orders in ${secondsOf(rate.intervalMs)}, ${rate.orders} allowed`;
  orders.clear();
  cool(stores, { control: 'order_rate', detail, ...rate });
}

/** An own order traded. */
export function onFillCounted(stores: RiskStores, market: RiskMarket, quantity: MicroShares): void {
  const burst = stores.settings?.risk.fillBurst;
  if (burst === undefined) return;
  const { intervalMs } = burst;
  const ofMarket = market.counts.fills;
  const ofAccount = stores.controls.counts.fills;
  ofMarket.add(stores.nowMs, intervalMs, { count: 1, amount: quantity });
  ofAccount.add(stores.nowMs, intervalMs, { count: 1, amount: quantity });
  const marketOver = overText(ofMarket, burst.marketFills, burst.marketShares, intervalMs);
  if (marketOver !== undefined) {
    ofMarket.clear();
    cool(stores, { control: 'fill_burst', market, detail: marketOver, ...burst });
  }
  const over = overText(ofAccount, burst.accountFills, burst.accountShares, intervalMs);
  if (over === undefined) return;
  ofAccount.clear();
  cool(stores, { control: 'fill_burst', detail: over, ...burst });
}

export function onSettlementFailed(stores: RiskStores): void {
  const limit = stores.settings?.risk.settlements;
  if (limit === undefined || limit.failures === 0) return;
  const { failures } = stores.controls.counts;
  failures.add(stores.nowMs, limit.intervalMs);
  tellOfFailure(stores, limit.intervalMs);
  if (failures.count < limit.failures) return;
  const detail = `${failures.count} settlements failed in ${secondsOf(limit.intervalMs)}`;
  failures.clear();
  cool(stores, { control: 'settlement_failures', detail, ...limit });
}

/** Nothing else on the disk says when a settlement failed: a match that did has not been one. */
function tellOfFailure(stores: RiskStores, intervalMs: number): void {
  const { counts } = stores.controls;
  const { nowMs } = stores;
  const untilMs = counts.cleared.untilMs({ control: 'settlement_failures' }) ?? 0;
  const sinceMs = Math.max(untilMs, addMs(nowMs, -countedForMs(intervalMs)));
  const counted = counts.failuresAtMs.filter((atMs) => atMs > sinceMs);
  counts.failuresAtMs = [...counted, nowMs].slice(-FAILURES_TOLD_MAX);
  stores.outbox.record({ kind: 'failures', failuresAtMs: counts.failuresAtMs });
}

/**
 * The venue refused an order. What has a cure of its own is not counted: a full budget, a clock, new
 * credentials, a market that is paused or over.
 */
export function onRefusalCounted(
  stores: RiskStores,
  market: RiskMarket,
  of: { readonly order: OwnOrder; readonly code: string },
): void {
  const { code, order } = of;
  if (!isCounted(code)) return;
  order.refusalCode = code;
  const limit = stores.settings?.risk.refusals;
  if (limit === undefined) return;
  const { intervalMs, coolOffMs, action } = limit;
  const then = { action, coolOffMs };
  const at = { code, nowMs: stores.nowMs, intervalMs };
  const side = order.axisSide;
  const ofSide = market.counts.bySide[side];
  const ofMarket = market.counts.refusals;
  const ofAccount = stores.controls.counts.refusals;
  const text = (count: number) => `${count} times ${code} in ${secondsOf(intervalMs)}`;
  const inSide = ofSide.add(at);
  const inMarket = ofMarket.add(at);
  const inAccount = isOfAccount(code) ? ofAccount.add(at) : 0;
  if (limit.side > 0 && inSide >= limit.side) {
    ofSide.clear(code);
    restSide(stores, market, { side, detail: text(inSide), coolOffMs });
  }
  if (limit.market > 0 && inMarket >= limit.market) {
    ofMarket.clear(code);
    cool(stores, { control: 'repeated_refusals', ...then, market, code, detail: text(inMarket) });
  }
  if (limit.account === 0 || inAccount < limit.account) return;
  ofAccount.clear(code);
  cool(stores, { control: 'repeated_refusals', ...then, code, detail: text(inAccount) });
}

/** The venue took an order of this side: what it refused there before was not for ever. */
export function onAccepted(market: RiskMarket, side: AxisSide): void {
  market.refusals[side] = 0;
  market.counts.bySide[side].forget();
}

function isCounted(code: string): boolean {
  if (code === 'not_sent' || code.startsWith('market_')) return false;
  return !CURED.has(consequenceOf(code));
}

/** What these call for is their cure. */
const CURED = new Set<string>(['backOff', 'resyncClock', 'reloadCredentials', 'reduceOnly']);

/** One side rests; its market and the account go on. */
function restSide(
  stores: KernelStores,
  market: RiskMarket,
  of: { readonly side: AxisSide; readonly detail: string; readonly coolOffMs: number },
): void {
  const { side, detail, coolOffMs } = of;
  const control = 'repeated_refusals';
  backOff(stores, market, side, { code: control, detail, forMs: coolOffMs });
  stores.outbox.report({
    event: 'control.tripped',
    control,
    marketId: market.market.id,
    raisedTo: 'stop-adding',
    detail: `${side}: ${detail}`,
    clears: clearsText(afterMs(stores, coolOffMs), stores.nowMs),
  });
}

type Cooling = {
  readonly control: ControlName;
  readonly market?: RiskMarket;
  readonly code?: string;
  readonly detail: string;
  readonly action: RiskAction;
  readonly coolOffMs: number;
};

function cool(stores: RiskStores, of: Cooling): void {
  const { control, market, code, detail, action, coolOffMs } = of;
  const marketId = market?.market.id;
  onCountedAnew(stores, { control, marketId, code });
  trip(stores, {
    control,
    marketId,
    level: action,
    detail: () => detail,
    resumes: afterMs(stores, coolOffMs),
  });
}

function overText(
  window: SlidingCount,
  fills: number,
  shares: number,
  intervalMs: number,
): string | undefined {
  const traded = window.amount / MICRO_PER_SHARE;
  const within = `in ${secondsOf(intervalMs)}`;
  if (fills > 0 && window.count >= fills) return `${window.count} fills ${within}`;
  return shares > 0 && traded >= shares ? `${traded} shares filled ${within}` : undefined;
}

function secondsOf(durationMs: number): string {
  return `${Math.round(durationMs / 1_000)} s`;
}

// What previous runs did within the intervals of the breakers, by the ledger. A process that dies again
// and again would begin to count anew each time, and be held to nothing.

type Dated = { readonly atMs: UnixMs };

/** Counts on for the account. What has tripped a breaker, or was lifted, is counted no second time. */
export function restoreCounts(stores: RiskStores, recent: StoredRecent): void {
  const { counts } = stores.controls;
  const { orderRate, fillBurst } = stores.settings?.risk ?? {};
  for (const cleared of recent.cleared ?? []) counts.cleared.add(cleared);
  const isRateCounted = isSince(stores, { control: 'order_rate' });
  for (const atMs of recent.ordersAtMs.toSorted((a, b) => a - b))
    if (orderRate && isRateCounted(atMs)) counts.orders.add(atMs, orderRate.intervalMs);
  const isFillCounted = isSince(stores, { control: 'fill_burst' });
  for (const fill of recent.fills.toSorted(byTime)) {
    const { atMs, quantity } = fill;
    counts.recentFills.add(fill);
    const what = { count: 1, amount: quantity };
    if (fillBurst && isFillCounted(atMs)) counts.fills.add(atMs, fillBurst.intervalMs, what);
  }
  restoreRefused(stores, recent);
}

/** A side that rested for refusals rests no more: what is counted of it is of one run. */
function restoreRefused(stores: RiskStores, recent: StoredRecent): void {
  const { counts } = stores.controls;
  const { refusals, settlements } = stores.settings?.risk ?? {};
  for (const refusal of recent.refusals?.toSorted(byTime) ?? []) {
    const { code, atMs } = refusal;
    counts.recentRefusals.add(refusal);
    const isSinceCleared = isAfterCleared(stores, { control: 'repeated_refusals', code }, atMs);
    if (refusals && isOfAccount(code) && isSinceCleared)
      counts.refusals.add({ code, nowMs: atMs, intervalMs: refusals.intervalMs });
  }
  counts.failuresAtMs = recent.failuresAtMs ?? [];
  for (const atMs of counts.failuresAtMs)
    if (settlements && isAfterCleared(stores, { control: 'settlement_failures' }, atMs))
      counts.failures.add(atMs, settlements.intervalMs);
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
