// The machine's own clock and timers: the one place that reads the time of day and sets real timers.

import { performance } from 'node:perf_hooks';
import { assert } from '../domain/assert.ts';
import { addMs, type Clock, type Timers, type UnixMs, unixMs } from '../domain/time.ts';

export type SystemClock = Clock &
  Timers & {
    /** Timers that let the process end: for housekeeping nobody needs to wait for. */
    readonly background: Timers;
    /**
     * A clock that begins at this one's time and is carried by steady time alone. Who waits until nothing can
     * arrive any more waits by it: a time of day that is set ahead has let no time pass. While a host sleeps
     * it may stand still, and then the wait is longer.
     */
    steady(): Clock;
    /**
     * What somebody else dates by the time of day (a file, a source of prices) in the time of this clock, which goes on
     * where that was set back: else all that is new would look old for good.
     */
    fromTimeOfDay(atMs: UnixMs): UnixMs;
    /** Told, soon after it, that the time of day was set ahead or the host has slept: what was measured by it before is wrong. */
    onJump(listener: () => void): void;
  };

/** Where a system clock reads the machine; the default is the machine, a test gives its own. */
export type TimeSource = {
  /** Time of day; may jump either way when somebody sets it. */
  readonly wallMs: () => number;
  /** Time since some moment; never runs backwards, but may stand still while the host sleeps. */
  readonly steadyMs: () => number;
};

/** Longest delay of a Node timer; a longer one would fire at once. */
const NODE_DELAY_MS_MAX = 2 ** 31 - 1;

/** The time of day may lead the steady time by this much before we follow it. */
const LEAD_MS_MAX = 1_000;

const MACHINE: TimeSource = {
  wallMs: () => Date.now(),
  steadyMs: () => performance.now(),
};

/**
 * The system clock, anchored to the time of day when it is made and carried on by steady time.
 *
 * It never runs backwards: a time of day set back is ignored, and the venue's clock offset, which
 * is measured against this clock, makes up for it. It follows a jump ahead, for that is what a
 * host looks like that slept: everything it knows is old, and must look old.
 *
 * `after` keeps the process alive until its task has run or was called off, so that a cancel that
 * waits for its proof is never cut short; `background.after` does not.
 */
export function systemClock(source: TimeSource = MACHINE): SystemClock {
  const listeners: (() => void)[] = [];
  const nowMs = steadyClock(source, () => {
    // Whoever has asked for the time is in the middle of something.
    for (const listener of listeners) queueMicrotask(listener);
  });
  return {
    nowMs,
    onJump: (listener) => void listeners.push(listener),
    after: (delayMs, task) => startTimer(delayMs, task, 'keepsProcess'),
    background: { after: (delayMs, task) => startTimer(delayMs, task, 'letsProcessEnd') },
    steady: () => carriedOn(nowMs(), source.steadyMs),
    fromTimeOfDay: (atMs) => {
      const now = nowMs();
      const leadMs = now - Math.floor(source.wallMs());
      if (leadMs <= LEAD_MS_MAX) return atMs;
      // Nothing comes to be of the future by it.
      return unixMs(Math.min(atMs + leadMs, Math.max(atMs, now)));
    },
  };
}

function carriedOn(fromMs: UnixMs, steadyMs: TimeSource['steadyMs']): Clock {
  const beganAtMs = steadyMs();
  return { nowMs: () => addMs(fromMs, Math.floor(steadyMs() - beganAtMs)) };
}

function steadyClock(source: TimeSource, onJump: () => void): () => UnixMs {
  let aheadMs = source.wallMs() - source.steadyMs();
  let lastMs = 0;
  return () => {
    const steadyMs = source.steadyMs();
    const wallMs = source.wallMs();
    if (wallMs - (steadyMs + aheadMs) > LEAD_MS_MAX) {
      aheadMs = wallMs - steadyMs;
      onJump();
    }
    lastMs = Math.max(lastMs, Math.floor(steadyMs + aheadMs));
    return unixMs(lastMs);
  };
}

function startTimer(
  delayMs: number,
  task: () => void,
  hold: 'keepsProcess' | 'letsProcessEnd',
): () => void {
  assert(!Number.isNaN(delayMs), 'a delay is a number');
  let leftMs = Math.max(0, delayMs);
  let handle: NodeJS.Timeout;
  const arm = (): void => {
    const partMs = Math.min(leftMs, NODE_DELAY_MS_MAX);
    leftMs -= partMs;
    handle = setTimeout(leftMs > 0 ? arm : task, partMs);
    if (hold === 'letsProcessEnd') handle.unref();
  };
  arm();
  return () => clearTimeout(handle);
}
