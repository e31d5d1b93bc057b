// The machine the daemon runs on: its clock, which may drift and be set, and the timers of one process.

import { type Clock, type Timers, type UnixMs, unixMs } from '../../../src/domain/time.ts';

/**
 * Never runs backwards while a process runs, like the system clock; a jump ahead is a host that slept. Where
 * the time of day is set back only the next process begins with it.
 */
export class HostClock implements Clock {
  readonly #truth: Clock;
  #anchorMs: number;
  #aheadMs = 0;
  /** How far the time of day is behind this clock. */
  #behindMs = 0;
  #driftPerMs = 0;
  #lastMs = 0;

  constructor(truth: Clock) {
    this.#truth = truth;
    this.#anchorMs = truth.nowMs();
  }

  nowMs(): UnixMs {
    const trueMs = this.#truth.nowMs();
    const ownMs = trueMs + this.#aheadMs + (trueMs - this.#anchorMs) * this.#driftPerMs;
    this.#lastMs = Math.max(this.#lastMs, Math.floor(ownMs));
    return unixMs(this.#lastMs);
  }

  jump(aheadMs: number): void {
    this.#aheadMs += aheadMs;
  }

  /** Somebody sets the time of day, ahead or back; what leads this clock is followed at once. */
  set(byMs: number): void {
    this.#behindMs -= byMs;
    if (this.#behindMs >= 0) return;
    this.#aheadMs -= this.#behindMs;
    this.#behindMs = 0;
  }

  /** A process begins, and reads the time of day. */
  begin(): void {
    if (this.#behindMs === 0) return;
    this.#aheadMs -= this.#behindMs;
    this.#behindMs = 0;
    this.#lastMs = 0;
  }

  drift(perMs: number): void {
    const trueMs = this.#truth.nowMs();
    this.#aheadMs += (trueMs - this.#anchorMs) * this.#driftPerMs;
    this.#anchorMs = trueMs;
    this.#driftPerMs = perMs;
  }
}

/** Timers that end with the process that set them. */
export class ProcessTimers implements Timers {
  readonly #timers: Timers;
  readonly #onRun: () => void;
  readonly #waiting = new Set<() => void>();
  #isOver = false;

  /** @param onRun - Told before each task, since a task may wake promises. */
  constructor(timers: Timers, onRun: () => void) {
    this.#timers = timers;
    this.#onRun = onRun;
  }

  after(delayMs: number, task: () => void): () => void {
    if (this.#isOver) return () => undefined;
    const callOff = this.#timers.after(delayMs, () => {
      this.#waiting.delete(callOff);
      this.#onRun();
      task();
    });
    this.#waiting.add(callOff);
    return () => {
      this.#waiting.delete(callOff);
      callOff();
    };
  }

  end(): void {
    this.#isOver = true;
    for (const callOff of this.#waiting) callOff();
    this.#waiting.clear();
  }
}

/** Timers that can be stopped for good, so that the world around the daemon stands still. */
export class FreezableTimers implements Timers {
  readonly #timers: Timers;
  readonly #delayMsMin: number;
  #isFrozen = false;

  /** @param delayMsMin - Nothing comes sooner than this: a slower pace. */
  constructor(timers: Timers, delayMsMin = 0) {
    this.#timers = timers;
    this.#delayMsMin = delayMsMin;
  }

  after(delayMs: number, task: () => void): () => void {
    return this.#timers.after(Math.max(delayMs, this.#delayMsMin), () => {
      if (!this.#isFrozen) task();
    });
  }

  freeze(): void {
    this.#isFrozen = true;
  }
}
