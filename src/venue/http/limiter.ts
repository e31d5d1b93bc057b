// Never more than so many requests in any window, by a strict p-queue with two guards around it.

import PQueue from 'p-queue';
import type { Timers } from '../../domain/time.ts';

export type LimiterOptions = {
  readonly cap: number;
  readonly windowMs: number;
  /** Requests under way at once: the connections of the lane, so that none waits unseen. */
  readonly concurrency: number;
  readonly waitMsMax: number;
  readonly queueMax: number;
  readonly timers: Timers;
  /** Time that is never set; the default is the machine's. */
  readonly steadyMs?: () => number;
};

/** What became of a turn: the task's own result, or why the task never ran. */
export type Turn<Value> =
  | { readonly kind: 'ran'; readonly value: Value }
  | { readonly kind: 'notRun'; readonly detail: string };

/** A wall clock that moved by more than this against steady time was set by somebody. */
const STEP_MS = 500;

/**
 * A strict sliding window.
 *
 * p-queue keeps its window by the time of day. A clock set ahead empties the window early and lets
 * a second burst out; a clock set back blocks the queue until the old time comes round again. So
 * each start is checked once more by steady time, and a queue whose clock was set is replaced.
 */
export class Limiter {
  readonly #options: LimiterOptions;
  readonly #waiting = new Set<AbortController>();
  /**
   * Those that nobody used to end a wait, for the next turns: making one takes as long as a
   * signature. As many as requests may be under way.
   */
  readonly #spare: AbortController[] = [];
  /** The last `cap` starts by steady time, oldest first. */
  readonly #starts: number[] = [];
  #queue: PQueue;
  readonly #steadyMs: () => number;
  #wallAheadMs: number;
  #closedUntilMs = 0;
  #reopen: (() => void) | undefined;
  #isStopped = false;

  constructor(options: LimiterOptions) {
    this.#options = options;
    this.#steadyMs = options.steadyMs ?? (() => performance.now());
    this.#queue = this.#freshQueue();
    this.#wallAheadMs = this.#readWallAheadMs();
  }

  /** Runs the task when its turn comes, urgent ones first; a turn too late never comes. */
  async run<Value>(task: () => Promise<Value>, isUrgent = false): Promise<Turn<Value>> {
    const refusal = this.#refusal();
    if (refusal !== undefined) return { kind: 'notRun', detail: refusal };
    this.#noticeStep();
    const abort = this.#spare.pop() ?? new AbortController();
    this.#waiting.add(abort);
    const callOff = this.#options.timers.after(this.#options.waitMsMax, () => abort.abort());
    const leave = () => {
      callOff();
      this.#waiting.delete(abort);
    };
    let isStarted = false;
    const turn = async (): Promise<Turn<Value>> => {
      isStarted = true;
      leave();
      return await this.#start(task);
    };
    try {
      return await this.#queue.add(turn, { signal: abort.signal, priority: isUrgent ? 1 : 0 });
    } catch (error) {
      if (isStarted) throw error;
      return { kind: 'notRun', detail: this.#isStopped ? 'stopped' : 'its turn came too late' };
    } finally {
      leave();
      this.#keep(abort);
    }
  }

  /** Lets nothing start for a while: the venue said `Retry-After`. @spec Limits */
  closeFor(durationMs: number): void {
    const untilMs = this.#steadyMs() + durationMs;
    if (this.#isStopped || untilMs <= this.#closedUntilMs) return;
    this.#closedUntilMs = untilMs;
    this.#queue.pause();
    this.#reopen?.();
    this.#reopen = this.#options.timers.after(durationMs, () => {
      this.#reopen = undefined;
      this.#queue.start();
    });
  }

  /** Nothing starts any more; what waits is told so. */
  stop(): void {
    this.#isStopped = true;
    this.#reopen?.();
    this.#queue.pause();
    for (const abort of this.#waiting) abort.abort();
  }

  /** The queue has let go of it by now; one that has ended a wait has no second use. */
  #keep(abort: AbortController): void {
    const hasRoom = this.#spare.length < this.#options.concurrency;
    if (hasRoom && !abort.signal.aborted) this.#spare.push(abort);
  }

  #refusal(): string | undefined {
    const { queueMax, waitMsMax } = this.#options;
    if (this.#isStopped) return 'stopped';
    if (this.#waiting.size >= queueMax) return `${queueMax} requests already wait`;
    const closedMs = Math.ceil(this.#closedUntilMs - this.#steadyMs());
    return closedMs > waitMsMax ? `the venue asked us to wait ${closedMs} ms` : undefined;
  }

  /** The second guard: the start must also be legal by steady time. */
  async #start<Value>(task: () => Promise<Value>): Promise<Turn<Value>> {
    const { cap, windowMs, timers, waitMsMax } = this.#options;
    const nowMs = this.#steadyMs();
    const freeAtMs = this.#starts.length < cap ? nowMs : (this.#starts[0] ?? nowMs) + windowMs;
    const delayMs = Math.max(0, freeAtMs - nowMs);
    if (delayMs > waitMsMax) return { kind: 'notRun', detail: 'its turn came too late' };
    this.#starts.push(nowMs + delayMs);
    if (this.#starts.length > cap) this.#starts.shift();
    if (delayMs > 0) await new Promise<void>((resolve) => timers.after(delayMs, resolve));
    if (this.#isStopped) return { kind: 'notRun', detail: 'stopped' };
    return { kind: 'ran', value: await task() };
  }

  /** A queue stuck behind a clock set back is left to its waiters; new turns get a new queue. */
  #noticeStep(): void {
    const aheadMs = this.#readWallAheadMs();
    const isStepped = Math.abs(aheadMs - this.#wallAheadMs) > STEP_MS;
    this.#wallAheadMs = aheadMs;
    if (!isStepped) return;
    const { isPaused } = this.#queue;
    this.#queue = this.#freshQueue();
    if (isPaused) this.#queue.pause();
  }

  #readWallAheadMs(): number {
    return Date.now() - this.#steadyMs();
  }

  #freshQueue(): PQueue {
    const { cap, windowMs, concurrency } = this.#options;
    return new PQueue({ strict: true, intervalCap: cap, interval: windowMs, concurrency });
  }
}
