// Timers of one venue, so that stopping the venue leaves none behind.

import type { Timers } from '../../domain/time.ts';

/** Longest delay that every timer implementation honours; longer ones are waited for in parts. */
const DELAY_MS_MAX = 2_000_000_000;

export class TimerSet implements Timers {
  readonly #timers: Timers;
  readonly #pending = new Map<number, () => void>();
  #count = 0;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  after(delayMs: number, task: () => void): () => void {
    const key = this.#count;
    this.#count += 1;
    this.#arm(key, delayMs, task);
    return () => {
      this.#pending.get(key)?.();
      this.#pending.delete(key);
    };
  }

  /** Calls everything off. */
  clear(): void {
    for (const callOff of this.#pending.values()) callOff();
    this.#pending.clear();
  }

  #arm(key: number, delayMs: number, task: () => void): void {
    const stepMs = Math.min(delayMs, DELAY_MS_MAX);
    const callOff = this.#timers.after(stepMs, () => {
      if (delayMs > stepMs) {
        this.#arm(key, delayMs - stepMs, task);
        return;
      }
      this.#pending.delete(key);
      task();
    });
    this.#pending.set(key, callOff);
  }
}
