// A stop ends in time, whatever happens: whoever asked for it waits, and would end it by force some time.

import type { Timers } from '../domain/time.ts';

export type StopDeadlineOptions = {
  readonly timers: Timers;
  /** Infinite where there is none. */
  readonly durationMs: number;
  /** A trader that runs on is ended now: what it left is cancelled and listed until the end. */
  readonly onLastLook: () => void;
  readonly onOver: () => void;
};

const LAST_LOOK_MS = 1_000;

export class StopDeadline {
  readonly #options: StopDeadlineOptions;
  #callOffs: readonly (() => void)[] = [];

  constructor(options: StopDeadlineOptions) {
    this.#options = options;
  }

  begin(): void {
    const { timers, durationMs, onLastLook, onOver } = this.#options;
    if (durationMs === Number.POSITIVE_INFINITY) return;
    const lastLookMs = Math.min(LAST_LOOK_MS, durationMs / 4);
    this.#callOffs = [
      timers.after(durationMs - lastLookMs, onLastLook),
      timers.after(durationMs, onOver),
    ];
  }

  callOff(): void {
    for (const callOff of this.#callOffs) callOff();
  }
}
