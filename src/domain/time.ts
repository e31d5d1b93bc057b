// Points in time. Durations are plain numbers whose names end in their unit.

import type { Brand } from './brand.ts';

export type UnixMs = Brand<number, 'UnixMs'>;
export type UnixSec = Brand<number, 'UnixSec'>;

export function unixMs(at: number): UnixMs {
  return at as UnixMs;
}

export function unixSec(at: UnixMs): UnixSec {
  return Math.floor(at / 1_000) as UnixSec;
}

export function addMs(at: UnixMs, durationMs: number): UnixMs {
  return (at + durationMs) as UnixMs;
}

export interface Clock {
  nowMs(): UnixMs;
}

export interface Timers {
  /** Runs `task` once after `delayMs`; the returned function calls it off. */
  after(delayMs: number, task: () => void): () => void;
}
