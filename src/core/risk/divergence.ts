// Our ledger and the venue do not agree, longer than anything in flight explains: what is wrong may be
// ours, so limits that rest on it cannot be trusted and trading holds until they agree again.

import { clampShares, formatShares, MICRO_PER_SHARE } from '../../domain/shares.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';
import { onClockMoved } from '../book/resync.ts';
import { NANO_PER_USDC } from '../kernel/nano.ts';
import type { OrderStores } from '../orders/stores.ts';
import type { PositionStores } from '../positions/stores.ts';
import type { RiskMarket } from './market.ts';
import type { RiskStores } from './stores.ts';
import { afterMs, ease, trip } from './trip.ts';
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

// New settings lift nothing whose cause is still there: what holds by a condition is asked again of what
// was last measured, and only what nobody asks for any more lets go at once.

/**
 * Settings changed, or came before what a previous run left: what is switched off by now measures nothing
 * any more, and would hold for good. Losses, blindness, external orders, positions and prices are looked at anew within a second,
 * cash with its next reads; a clock is measured seldom, and its last offset is at hand.
 */
export function askConditionsAgain(stores: RiskStores): void {
  if (stores.settings === undefined) return;
  for (const { control, marketId, resumes } of stores.controls.latches.all()) {
    if (resumes.kind !== 'condition') continue;
    // Of the account it says that no loss can be measured, and with the next tick that none has to be.
    if (control === 'unmarked_position' && marketId === undefined) continue;
    if (!stores.controls.isAskedFor(control, stores.settings.risk)) ease(stores, control, marketId);
  }
  watchOffset(stores);
}

/** Nobody looks at a market that is quoted no more: what holds there by a condition would hold, and page people, for good. */
export function easeUnquoted(stores: RiskStores): void {
  const { catalogue, markets, controls } = stores;
  if (catalogue === undefined || controls.latches.size === 0) return;
  for (const { control, marketId } of controls.latches.all()) {
    if (marketId !== undefined && !markets.has(marketId)) ease(stores, control, marketId);
  }
}
