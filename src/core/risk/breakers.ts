// Breakers: something happens more often than anybody can have meant. Each counts within a sliding
// interval, trips once it is exceeded, and counts anew from there: what exceeds it again before it has
// cooled off lets it cool off from then.

import type { Consequence } from '../../domain/codes.ts';
import type { StoredRecent } from '../../domain/record.ts';
import type { ControlName, RiskAction } from '../../domain/risk.ts';
import { MICRO_PER_SHARE, type MicroShares } from '../../domain/shares.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';
import type { AxisSide } from '../../strategy/index.ts';
import { onClockMoved } from '../book/resync.ts';
import type { KernelStores } from '../kernel/stores.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import { type Counted, countedForMs, isOfAccount, type SlidingCount } from './counts.ts';
import { clearsText } from './latches.ts';
import { backOff, type RiskMarket } from './market.ts';
import type { RiskStores } from './stores.ts';
import { afterMs, ease, onCountedAnew, trip } from './trip.ts';

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
  of: Refused & { readonly order: OwnOrder },
): void {
  const { code, order } = of;
  if (!isCounted(of)) return;
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

type Refused = { readonly code: string; readonly consequence: Consequence };

function isCounted({ code, consequence }: Refused): boolean {
  if (code === 'not_sent' || code.startsWith('market_')) return false;
  return !CURED.has(consequence);
}

/** What these call for is their cure. */
const CURED: ReadonlySet<Consequence> = new Set([
  'backOff',
  'resyncClock',
  'reloadCredentials',
  'reduceOnly',
]);

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

// The machine's clock against the venue's: too far off, or moving, and nobody can tell how old what we
// see is, nor how long a request stays good. @spec Authentication › Signature, rule 3

/** Somebody has set a clock: no drift between two measurements is as much. */
const SET_MS = 2_000;

type Reading = { readonly offsetMs: number; readonly roundTripMs: number };

/** The offset was measured. */
export function onClockOffset(stores: RiskStores, reading: Reading): void {
  const { offsetMs, roundTripMs } = reading;
  // What is dated ahead of the venue's clock is taken for longer: an independent kill should know.
  const aheadMs = stores.inFlightTracker.onClock(offsetMs, stores.nowMs, roundTripMs);
  if (aheadMs !== undefined)
    stores.outbox.record({ kind: 'ahead', ahead: { aheadMs, atMs: stores.nowMs } });
  onOffset(stores, offsetMs);
  const before = stores.clock.offsetMs;
  stores.clock.offsetMs = offsetMs;
  const movedMs = before === undefined ? undefined : Math.abs(offsetMs - before);
  stores.controls.clockMovedMs = movedMs;
  if (movedMs !== undefined && movedMs > SET_MS) onClockMoved(stores);
  watchOffset(stores);
  const clock = stores.settings?.risk.clock;
  if (clock === undefined) return;
  const { driftMsMax, action, coolOffMs } = clock;
  if (driftMsMax === 0 || movedMs === undefined || movedMs <= driftMsMax) return;
  trip(stores, {
    control: 'clock_drift',
    level: action,
    detail: () => `the offset moved by ${Math.round(movedMs)} ms between two measurements`,
    resumes: afterMs(stores, coolOffMs),
  });
}

/** The last offset against the settings, with a new measurement and with new settings. */
export function watchOffset(stores: RiskStores): void {
  const clock = stores.settings?.risk.clock;
  const offsetMs = stores.clock.offsetMs;
  if (clock === undefined || offsetMs === undefined) return;
  const { offsetMsMax, action } = clock;
  if (offsetMsMax === 0 || Math.abs(offsetMs) <= offsetMsMax) {
    ease(stores, 'clock_offset');
    return;
  }
  trip(stores, {
    control: 'clock_offset',
    level: action,
    detail: () => `the venue's clock is ${Math.round(offsetMs)} ms from ours`,
    resumes: { kind: 'condition', text: `the offset is at most ${offsetMsMax} ms` },
  });
}

// Our clock is at once ahead of where it was. The host may have slept, or this process; or somebody set the
// clock, and no time has passed for the venue. What was waited for waits as if none had, where to wait too
// little costs money.

/** Between two ticks there is less, or the clock has jumped; any horizon has room for as much. */
const JUMP_MS = 2_000;
/** What positions lag by has room for as much: they take two minutes, and are waited for a little longer. */
const LONG_JUMP_MS = 20_000;

/** What is less is no news to a run that comes after this one: its waits have room for it. */
const OFFSET_SAID_MS = 5_000;

/** It is that late. Time never runs backwards in here, whatever a clock does. */
export function passTo(stores: RiskStores, atMs: UnixMs): void {
  const beforeMs = stores.nowMs;
  const passedMs = atMs - beforeMs;
  if (passedMs <= 0) return;
  stores.clock.nowMs = atMs;
  if (beforeMs === 0 || passedMs <= JUMP_MS) return;
  stores.clock.jumpedByMs += passedMs;
  holdUp(stores, passedMs);
  stores.inFlightTracker.onJump(passedMs, atMs);
  if (passedMs > LONG_JUMP_MS) stores.clock.jumpedAtMs = atMs;
}

/**
 * The venue's clock minus ours was measured. A run that begins after our clock was set ahead has seen no
 * jump, and what an earlier one knew looks older than it is: the offset tells it.
 */
function onOffset(stores: RiskStores, offsetMs: number): void {
  const { clock, nowMs } = stores;
  const aheadMs = clock.knownOffsetMs - offsetMs;
  if (clock.offsetMs === undefined && aheadMs > LONG_JUMP_MS) {
    clock.jumpedAtMs = nowMs;
    stores.positions.onJump(aheadMs);
    stores.cash.onJump();
  }
  if (Math.abs(aheadMs) <= OFFSET_SAID_MS) return;
  clock.knownOffsetMs = offsetMs;
  stores.outbox.record({ kind: 'clock', clock: { offsetMs, atMs: nowMs } });
}

/** What has to last before a control trips, or lets go, lasts by the time that has passed and not by the clock. */
function holdUp(stores: RiskStores, byMs: number): void {
  const { cash } = stores.controls;
  stores.positions.onJump(byMs);
  stores.cash.onJump();
  if (cash.sinceMs !== undefined) cash.sinceMs += byMs;
  if (cash.agreedSinceMs !== undefined) cash.agreedSinceMs += byMs;
}
