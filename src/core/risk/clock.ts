// The machine's clock against the venue's: too far off, or moving, and nobody can tell how old what we
// see is, nor how long a request stays good. @spec Authentication › Signature, rule 3

import type { World } from '../world.ts';
import { onOffset } from './clock-jumps.ts';
import { afterMs, ease, trip } from './trip.ts';

type Reading = { readonly offsetMs: number; readonly roundTripMs: number };

/** The offset was measured. */
export function onClockOffset(world: World, reading: Reading): void {
  noteAhead(world, reading);
  const { offsetMs } = reading;
  onOffset(world, offsetMs);
  const before = world.clockOffsetMs;
  world.clockOffsetMs = offsetMs;
  const movedMs = before === undefined ? undefined : Math.abs(offsetMs - before);
  world.controls.clockMovedMs = movedMs;
  watchOffset(world);
  const clock = world.settings?.risk.clock;
  if (clock === undefined) return;
  const { driftMsMax, action, coolOffMs } = clock;
  if (driftMsMax === 0 || movedMs === undefined || movedMs <= driftMsMax) return;
  trip(world, {
    control: 'clock_drift',
    level: action,
    detail: () => `the offset moved by ${Math.round(movedMs)} ms between two measurements`,
    resumes: afterMs(world, coolOffMs),
  });
}

/** The last offset against the settings, with a new measurement and with new settings. */
export function watchOffset(world: World): void {
  const clock = world.settings?.risk.clock;
  const offsetMs = world.clockOffsetMs;
  if (clock === undefined || offsetMs === undefined) return;
  const { offsetMsMax, action } = clock;
  if (offsetMsMax === 0 || Math.abs(offsetMs) <= offsetMsMax) {
    ease(world, 'clock_offset');
    return;
  }
  trip(world, {
    control: 'clock_offset',
    level: action,
    detail: () => `the venue's clock is ${Math.round(offsetMs)} ms from ours`,
    resumes: { kind: 'condition', text: `the offset is at most ${offsetMsMax} ms` },
  });
}

/** What is dated ahead of the venue's clock is taken for longer: an independent kill should know. */
function noteAhead(world: World, { offsetMs, roundTripMs }: Reading): void {
  const aheadMs = world.inFlightTracker.onClock(offsetMs, world.nowMs, roundTripMs);
  if (aheadMs === undefined) return;
  world.outbox.record({ kind: 'ahead', ahead: { aheadMs, atMs: world.nowMs } });
}
