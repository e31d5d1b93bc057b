// The machine's clock against the venue's: too far off, or moving, and nobody can tell how old what we
// see is, nor how long a request stays good. @spec Authentication › Signature, rule 3

import { onClockMoved } from '../book/resync.ts';
import type { OrderStores } from '../orders/stores.ts';
import { onOffset } from './clock-jumps.ts';
import type { RiskStores } from './stores.ts';
import { afterMs, ease, trip } from './trip.ts';

/** Somebody has set a clock: no drift between two measurements is as much. */
const SET_MS = 2_000;

type Reading = { readonly offsetMs: number; readonly roundTripMs: number };

/** The offset was measured. */
export function onClockOffset(stores: RiskStores, reading: Reading): void {
  noteAhead(stores, reading);
  const { offsetMs } = reading;
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

/** What is dated ahead of the venue's clock is taken for longer: an independent kill should know. */
function noteAhead(stores: OrderStores, { offsetMs, roundTripMs }: Reading): void {
  const aheadMs = stores.inFlightTracker.onClock(offsetMs, stores.nowMs, roundTripMs);
  if (aheadMs === undefined) return;
  stores.outbox.record({ kind: 'ahead', ahead: { aheadMs, atMs: stores.nowMs } });
}
