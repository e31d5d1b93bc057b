// What every kind of source is told and tells.

import type { LookupFunction } from 'node:net';
import type { FeedChoice } from '../domain/feed.ts';
import type { Clock, Timers, UnixMs } from '../domain/time.ts';

/** What a source reads; it is stopped before the feed is. */
export interface Source {
  stop(): void;
}

export type SourceSink = {
  /** One whole statement, and the time it has when it states none. */
  onText(text: string, usualAtMs: UnixMs): void;
  /** The source cannot be read. */
  onFailure(detail: string): void;
  /** Something beside the prices failed, as keeping a session alive: it is counted, and prices go on. */
  onTrouble(detail: string): void;
  /** Whether the last statement was refused, and so is worth reading again unchanged. */
  isRefused(): boolean;
};

export type SourceTools = {
  readonly choice: FeedChoice;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly fromTimeOfDay: (atMs: UnixMs) => UnixMs;
  readonly random: () => number;
  readonly lookup: LookupFunction;
  readonly sink: SourceSink;
};

/** Bytes of one statement; a price with everything around it is far smaller. */
export const STATEMENT_BYTES_MAX = 262_144;

/** The delay before an attempt: doubling, bounded, jittered so that many do not come at once. */
export function retryMs(
  bounds: { readonly msMin: number; readonly msMax: number },
  failures: number,
  random: () => number,
): number {
  const full = Math.min(bounds.msMax, bounds.msMin * 2 ** Math.min(Math.max(0, failures - 1), 20));
  return Math.round(full * (1 - random() / 2));
}

/** What went wrong, short; the code of a system error says more than its text. */
export function causeText(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, 160);
  const { cause } = error;
  const inner = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  const own = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return (inner ?? own ?? error.message).slice(0, 160);
}
