// How long to wait before the next recorded moment, and for real.

import type { UnixMs } from '../../domain/time.ts';

export type PaceOptions = {
  readonly nowMs: () => UnixMs;
  /** Recorded time per real time; infinite for no waiting at all. */
  readonly speed: number;
  /** A longer silence of the recording is cut to this, in real time. */
  readonly silenceMsMax: number;
};

/** Later than this, lost time is given up rather than made good for in a rush. */
const LATE_MS_MAX = 1_000;

export class Pace {
  readonly #options: PaceOptions;
  #dueMs: number;
  #recordedMs: number | undefined;
  #lostMs = 0;

  constructor(options: PaceOptions) {
    this.#options = options;
    this.#dueMs = options.nowMs();
  }

  /** Time given up so far because frames could not be applied as fast as they came. */
  get lostMs(): number {
    return this.#lostMs;
  }

  /** Takes the next frame's recorded time; returns how long it is still to wait, or 0. */
  waitMs(recordedMs: UnixMs): number {
    const gapMs = Math.max(0, recordedMs - (this.#recordedMs ?? recordedMs));
    this.#recordedMs = recordedMs;
    this.#dueMs += Math.min(gapMs / this.#options.speed, this.#options.silenceMsMax);
    const leftMs = this.#dueMs - this.#options.nowMs();
    if (leftMs < -LATE_MS_MAX) this.#giveUp(-leftMs);
    return Math.max(0, leftMs);
  }

  /** Counts from this moment again, after a rest that was wanted. */
  restart(): void {
    this.#dueMs = this.#options.nowMs();
  }

  #giveUp(lateMs: number): void {
    this.#dueMs += lateMs;
    // Nobody who asked for no waiting at all can be late.
    if (Number.isFinite(this.#options.speed)) this.#lostMs += lateMs;
  }
}
