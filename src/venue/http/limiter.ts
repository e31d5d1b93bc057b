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
    return await (this.#startAtOnce(task) ?? this.#startInTurn(task, isUrgent));
  }

  /**
   * A turn that has nothing to wait for needs nothing that would end its wait: no timer, no signal.
   * @returns Nothing when the queue sees it otherwise; then it has not started and never will.
   */
  #startAtOnce<Value>(task: () => Promise<Value>): Promise<Turn<Value>> | undefined {
    const queue = this.#queue;
    const { concurrency } = this.#options;
    if (queue.size > 0 || queue.pending >= concurrency || queue.isPaused) return undefined;
    if (this.#legalInMs() > 0) return undefined;
    let isStarted = false;
    const turn = queue.add(async () => {
      isStarted = true;
      return await this.#start(task);
    });
    if (isStarted) return turn;
    // By the time of day the window is still full. It waits alone, so it alone is taken out again.
    queue.clear();
    return undefined;
  }

  async #startInTurn<Value>(task: () => Promise<Value>, isUrgent: boolean): Promise<Turn<Value>> {
    const abort = new AbortController();
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

  #refusal(): string | undefined {
    const { queueMax, waitMsMax } = this.#options;
    if (this.#isStopped) return 'stopped';
    if (this.#waiting.size >= queueMax) return `${queueMax} requests already wait`;
    const closedMs = Math.ceil(this.#closedUntilMs - this.#steadyMs());
    return closedMs > waitMsMax ? `the venue asked us to wait ${closedMs} ms` : undefined;
  }

  /** The second guard: the start must also be legal by steady time. */
  async #start<Value>(task: () => Promise<Value>): Promise<Turn<Value>> {
    const { cap, timers, waitMsMax } = this.#options;
    const nowMs = this.#steadyMs();
    const delayMs = this.#legalInMs(nowMs);
    if (delayMs > waitMsMax) return { kind: 'notRun', detail: 'its turn came too late' };
    this.#starts.push(nowMs + delayMs);
    if (this.#starts.length > cap) this.#starts.shift();
    if (delayMs > 0) await new Promise<void>((resolve) => timers.after(delayMs, resolve));
    if (this.#isStopped) return { kind: 'notRun', detail: 'stopped' };
    return { kind: 'ran', value: await task() };
  }

  /** How long by steady time until one more start is legal. */
  #legalInMs(nowMs = this.#steadyMs()): number {
    const { cap, windowMs } = this.#options;
    const oldestMs = this.#starts[0];
    if (oldestMs === undefined || this.#starts.length < cap) return 0;
    return Math.max(0, oldestMs + windowMs - nowMs);
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
