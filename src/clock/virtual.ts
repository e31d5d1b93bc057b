// A clock that stands still until it is moved: a day passes in moments, and always the same day.

import { assert } from '../domain/assert.ts';
import { addMs, type Clock, type Timers, type UnixMs, unixMs } from '../domain/time.ts';
import { TaskQueue } from './task-queue.ts';

/** Tasks within one millisecond before we call it an endless loop; a busy one has thousands. */
const TASKS_PER_MS_MAX = 1_000_000;

export type VirtualClockOptions = {
  readonly startMs?: number;
  /** Lower it where an endless loop should be found sooner. */
  readonly tasksPerMsMax?: number;
};

/** A clock and timers on virtual time; it complains where real ones would fail quietly. */
export class VirtualClock implements Clock, Timers {
  readonly #tasks = new TaskQueue();
  readonly #tasksPerMsMax: number;
  #nowMs: number;
  #isRunning = false;
  #isClosed = false;

  constructor(options: VirtualClockOptions = {}) {
    this.#nowMs = options.startMs ?? 0;
    this.#tasksPerMsMax = options.tasksPerMsMax ?? TASKS_PER_MS_MAX;
  }

  nowMs(): UnixMs {
    return unixMs(this.#nowMs);
  }

  /** Tasks that wait for their time. */
  get pending(): number {
    return this.#tasks.size;
  }

  /** When the next task is due; `undefined` when none waits. */
  nextDueMs(): UnixMs | undefined {
    const task = this.#tasks.peek();
    return task && unixMs(task.dueMs);
  }

  /** @throws {AssertionError} After `close`, or for a delay that is no finite number. */
  after(delayMs: number, task: () => void): () => void {
    assert(!this.#isClosed, 'nobody sets a timer on a closed clock');
    assert(Number.isFinite(delayMs), 'a delay is a finite number');
    const entry = this.#tasks.add(this.#nowMs + Math.max(0, delayMs), task);
    return () => this.#tasks.callOff(entry);
  }

  /** Moves time on by a duration, running what falls due. @throws {AssertionError} */
  advance(durationMs: number): void {
    assert(durationMs >= 0, 'time does not run backwards');
    this.runUntil(addMs(this.nowMs(), durationMs));
  }

  /**
   * Moves time on to a moment, running what falls due on the way and at it, in order of time and
   * then of arrival. What a task throws comes out here, with the clock at that task's time.
   *
   * @throws {AssertionError} After `close`, from within a task, backwards, or when tasks go on
   *   within one millisecond without end.
   */
  runUntil(untilMs: number): void {
    assert(!this.#isClosed, 'nobody moves a closed clock');
    assert(!this.#isRunning, 'a task does not move the clock that runs it');
    assert(untilMs >= this.#nowMs, 'time does not run backwards');
    this.#isRunning = true;
    try {
      this.#runDue(untilMs);
      if (!this.#isClosed) this.#nowMs = untilMs;
    } finally {
      this.#isRunning = false;
    }
  }

  /** Ends the clock; returns how many tasks were still waiting, so that a test can hold it to 0. */
  close(): number {
    const left = this.#tasks.size;
    this.#isClosed = true;
    this.#tasks.clear();
    return left;
  }

  #runDue(untilMs: number): void {
    let ran = 0;
    let inMs = Math.floor(this.#nowMs);
    for (;;) {
      const task = this.#tasks.peek();
      if (!task || task.dueMs > untilMs) return;
      this.#tasks.take();
      this.#nowMs = task.dueMs;
      ran = Math.floor(task.dueMs) === inMs ? ran + 1 : 1;
      inMs = Math.floor(task.dueMs);
      assert(ran <= this.#tasksPerMsMax, 'tasks do not follow each other without end');
      task.run();
    }
  }
}
