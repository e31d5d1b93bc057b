// How far the venue's clock is from ours, from answers in whole seconds.
// @spec Endpoints › Health, Authentication › Signature

import type { UnixMs, UnixSec } from '../../domain/time.ts';

export type ClockProbe = {
  readonly sentAtMs: UnixMs;
  readonly receivedAtMs: UnixMs;
  readonly serverTimeSec: UnixSec;
};

/** The offset lies between these two, for certain while neither clock is stepped. */
export type OffsetBounds = {
  readonly atMs: UnixMs;
  readonly lowMs: number;
  readonly highMs: number;
};

/** Two clocks in good order run apart by less than this, half a millisecond per second. */
const DRIFT_PER_MS = 0.0005;

/**
 * What one more probe tells. The venue read its clock at some moment between sending and receiving
 * and cut the fraction of the second off, so a single probe leaves a second and a round trip open;
 * several probes narrow it, because the truth lies inside all of them. Bounds that exclude each
 * other mean that a clock was stepped: then only the last probe counts.
 */
export function narrow(before: OffsetBounds | undefined, probe: ClockProbe): OffsetBounds {
  const { sentAtMs, receivedAtMs, serverTimeSec } = probe;
  const serverMs = serverTimeSec * 1_000;
  const single = {
    atMs: receivedAtMs,
    lowMs: serverMs - receivedAtMs,
    highMs: serverMs + 1_000 - sentAtMs,
  };
  if (!before || receivedAtMs < before.atMs) return single;
  const slackMs = (receivedAtMs - before.atMs) * DRIFT_PER_MS;
  const lowMs = Math.max(single.lowMs, before.lowMs - slackMs);
  const highMs = Math.min(single.highMs, before.highMs + slackMs);
  return lowMs <= highMs ? { atMs: receivedAtMs, lowMs, highMs } : single;
}

/** Whether a probe and what is known exclude each other: a clock was stepped, or one of the two tells nothing. */
export function contradicts(known: OffsetBounds | undefined, probe: ClockProbe): boolean {
  if (!known || probe.receivedAtMs < known.atMs) return false;
  const { lowMs, highMs } = narrow(known, probe);
  const slackMs = (probe.receivedAtMs - known.atMs) * DRIFT_PER_MS;
  return highMs < known.lowMs - slackMs || lowMs > known.highMs + slackMs;
}

/** The middle of what is possible: never further off than half the width. */
export function offsetMs({ lowMs, highMs }: OffsetBounds): number {
  return (lowMs + highMs) / 2;
}
