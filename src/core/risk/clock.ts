// The machine's clock against the venue's: too far off, or moving, and nobody can tell how old what we
// see is, nor how long a request stays good. @spec Authentication › Signature, rule 3

import type { UnixMs } from '../../domain/time.ts';
import { onClockMoved } from '../book/resync.ts';
import type { RiskStores } from './stores.ts';
import { afterMs, ease, trip } from './trip.ts';

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
