// Timers of one venue, so that stopping the venue leaves none behind. What falls due in one moment shares one timer:
// orders that arrive together, and settlements of one delay, come by the hundred.

import type { Clock, Timers } from '../../domain/time.ts';

/** Longest delay that every timer implementation honours; longer ones are waited for in parts. */
const DELAY_MS_MAX = 2_000_000_000;

/** Tasks of one moment in the order in which they came; those called off leave a gap. */
type Bucket = { tasks: ((() => void) | undefined)[]; left: number; callOff: () => void };

export class TimerSet implements Timers {
  readonly #timers: Timers;
  readonly #clock: Clock;
  readonly #byMoment = new Map<number, Bucket>();

  constructor(timers: Timers, clock: Clock) {
    this.#timers = timers;
    this.#clock = clock;
  }

  after(delayMs: number, task: () => void): () => void {
    const atMs = this.#clock.nowMs() + delayMs;
    const bucket = this.#byMoment.get(atMs) ?? this.#opened(atMs, delayMs);
    const place = bucket.tasks.push(task) - 1;
    bucket.left += 1;
    return () => this.#callOff(atMs, bucket, place);
  }

  /** Calls everything off. */
  clear(): void {
    for (const bucket of this.#byMoment.values()) {
      bucket.callOff();
      bucket.tasks = [];
    }
    this.#byMoment.clear();
  }

  #opened(atMs: number, delayMs: number): Bucket {
    const bucket: Bucket = { tasks: [], left: 0, callOff: () => undefined };
    this.#arm(atMs, bucket, delayMs);
    this.#byMoment.set(atMs, bucket);
    return bucket;
  }

  #callOff(atMs: number, bucket: Bucket, place: number): void {
    if (bucket.tasks[place] === undefined) return;
    bucket.tasks[place] = undefined;
    bucket.left -= 1;
    if (bucket.left > 0 || this.#byMoment.get(atMs) !== bucket) return;
    this.#byMoment.delete(atMs);
    bucket.callOff();
  }

  #arm(atMs: number, bucket: Bucket, delayMs: number): void {
    const stepMs = Math.min(delayMs, DELAY_MS_MAX);
    bucket.callOff = this.#timers.after(stepMs, () => {
      if (delayMs > stepMs) this.#arm(atMs, bucket, delayMs - stepMs);
      else this.#run(atMs, bucket);
    });
  }

  /** What a task throws comes out when those of its moment have had their turn. */
  #run(atMs: number, bucket: Bucket): void {
    this.#byMoment.delete(atMs);
    const errors: unknown[] = [];
    for (let place = 0; place < bucket.tasks.length; place += 1) {
      const task = bucket.tasks[place];
      bucket.tasks[place] = undefined;
      try {
        task?.();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}
