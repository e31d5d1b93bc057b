// The time of a kill: whoever calls it waits for its word, and acts on it.

import type { SystemClock } from '../clock/system.ts';
import { inTime } from '../domain/in-time.ts';
import type { Clock } from '../domain/time.ts';
import { duration } from './status-lines.ts';

/** A timer cannot be set for ever, and nothing here is waited for a day. */
const LEFT_MS_MAX = 86_400_000;
/** For what comes behind the last list: whether a daemon has confirmed, and whether the latch is on the disk. */
const BEHIND_MS = 1_000;

export class KillTime {
  readonly #timers: SystemClock;
  readonly #clock: Clock;
  readonly #endMs: number;

  /** @param durationMs - From now on; infinite where only a proof ends it. */
  constructor(clock: SystemClock, durationMs: number) {
    this.#timers = clock;
    this.#clock = clock.steady();
    this.#endMs = this.#clock.nowMs() + durationMs;
  }

  /** What is left of it, and no more than `atMostMs`. */
  leftMs(atMostMs: number = LEFT_MS_MAX): number {
    return Math.max(0, Math.min(atMostMs, this.#endMs - this.#clock.nowMs()));
  }

  /** What of it cancels and lists may take; of little time they have most. */
  sweepMs(): number {
    const leftMs = this.leftMs();
    return Math.max(leftMs - BEHIND_MS, leftMs * 0.8);
  }

  /** ` · ends within 18 s`, where it has an end. */
  leftText(): string {
    const leftMs = this.leftMs(Number.POSITIVE_INFINITY);
    return Number.isFinite(leftMs) ? ` · ends within ${duration(leftMs)}` : '';
  }

  /** What the task says in time, or what is to be said otherwise. */
  async bounded<Value>(task: Promise<Value>, otherwise: Value, atMostMs?: number): Promise<Value> {
    const { background: timers } = this.#timers;
    return await inTime(task, otherwise, { timers, ms: this.leftMs(atMostMs) });
  }
}
