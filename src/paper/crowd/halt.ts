// Waiting that can be cut short: by a stop for good, or by a pause until somebody resumes.

import type { Timers } from '../../domain/time.ts';

export class Halt {
  readonly #timers: Timers;
  #isPaused = false;
  #isStopped = false;
  #endWait: () => void = () => {};
  #endPause: () => void = () => {};

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#endPause();
  }

  stop(): void {
    this.#isStopped = true;
    this.#endWait();
    this.#endPause();
  }

  /** Waits for a time, or until the stop. */
  async wait(durationMs: number): Promise<void> {
    if (this.#isStopped) return;
    await new Promise<void>((resolve) => {
      const callOff = this.#timers.after(durationMs, resolve);
      this.#endWait = () => {
        callOff();
        resolve();
      };
    });
  }

  /** Waits while paused, or until the stop. */
  async untilResumed(): Promise<void> {
    while (this.#isPaused && !this.#isStopped) {
      await new Promise<void>((resolve) => {
        this.#endPause = resolve;
      });
    }
  }
}
