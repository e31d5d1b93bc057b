// The time of a kill: whoever calls it waits for its word, and acts on it.

import type { SystemClock } from '../clock/system.ts';
import type { Clock } from '../domain/time.ts';
import { duration } from './status-lines.ts';

/** A timer cannot be set for ever, and nothing here is waited for a day. */
const LEFT_MS_MAX = 86_400_000;

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

  /** ` · ends within 18 s`, where it has an end. */
  leftText(): string {
    const leftMs = this.leftMs(Number.POSITIVE_INFINITY);
    return Number.isFinite(leftMs) ? ` · ends within ${duration(leftMs)}` : '';
  }

  /** What the task says in time, or what is to be said otherwise. */
  async bounded<Value>(task: Promise<Value>, otherwise: Value): Promise<Value> {
    let callOff = () => {};
    const late = new Promise<Value>((resolve) => {
      callOff = this.#timers.background.after(this.leftMs(), () => resolve(otherwise));
    });
    return await Promise.race([task, late]).finally(() => callOff());
  }
}
