// The venue client's lanes on virtual time: the same limits as over the network, without its queue,
// which keeps its window by the machine's own clock.

import { AsyncResource } from 'node:async_hooks';
import type { Dispatcher } from 'undici';
import type { Clock, Timers } from '../../../src/domain/time.ts';
import type { Lane, Lanes } from '../../../src/venue/http/lanes.ts';
import type { Turn } from '../../../src/venue/http/limiter.ts';

type LaneBudget = {
  readonly cap: number;
  readonly windowMs: number;
  readonly concurrency: number;
  readonly waitMsMax: number;
  readonly queueMax: number;
};

type Waiting = { readonly start: () => void; readonly isUrgent: boolean };

/** What the client is given where nobody configures anything else. */
const BUDGETS: Readonly<Record<keyof Lanes, LaneBudget>> = {
  order: { cap: 300, windowMs: 10_250, concurrency: 12, waitMsMax: 2_000, queueMax: 200 },
  read: { cap: 250, windowMs: 1_250, concurrency: 12, waitMsMax: 5_000, queueMax: 2_000 },
  exit: { cap: 1_000_000, windowMs: 1, concurrency: 64, waitMsMax: 1, queueMax: 1 },
  all: { cap: 1_000_000, windowMs: 1, concurrency: 64, waitMsMax: 1, queueMax: 1 },
};

export function simulatedLanes(
  pool: Dispatcher,
  time: { readonly clock: Clock; readonly timers: Timers },
): Lanes {
  const lane = (name: keyof Lanes): Lane => new SimulatedLane(pool, BUDGETS[name], time);
  return { order: lane('order'), read: lane('read'), exit: lane('exit'), all: lane('all') };
}

export class SimulatedLane implements Lane {
  readonly pool: Dispatcher;
  readonly #budget: LaneBudget;
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #starts: number[] = [];
  #waiting: Waiting[] = [];
  #underWay = 0;
  #closedUntilMs = 0;
  #isStopped = false;

  constructor(
    pool: Dispatcher,
    budget: LaneBudget,
    time: { readonly clock: Clock; readonly timers: Timers },
  ) {
    this.pool = pool;
    this.#budget = budget;
    this.#clock = time.clock;
    this.#timers = time.timers;
  }

  run<Value>(task: () => Promise<Value>, isUrgent: boolean): Promise<Turn<Value>> {
    const refusal = this.#refusal();
    if (refusal !== undefined) return Promise.resolve({ kind: 'notRun', detail: refusal });
    return new Promise((resolve, reject) => {
      // A turn that comes later still belongs to whoever asked for it.
      const asker = new AsyncResource('SimulatedLane');
      const waiting: Waiting = {
        isUrgent,
        start: () => {
          callOff();
          this.#begin();
          asker
            .runInAsyncScope(task)
            .then((value) => resolve({ kind: 'ran', value }), reject)
            .finally(() => this.#finished());
        },
      };
      const callOff = this.#timers.after(this.#budget.waitMsMax, () => {
        this.#waiting = this.#waiting.filter((each) => each !== waiting);
        resolve({ kind: 'notRun', detail: 'its turn came too late' });
      });
      this.#enqueue(waiting);
      this.#pump();
    });
  }

  closeFor(durationMs: number): void {
    if (this.#budget.queueMax === 1) return;
    this.#closedUntilMs = Math.max(this.#closedUntilMs, this.#clock.nowMs() + durationMs);
    this.#timers.after(durationMs, () => this.#pump());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#waiting = [];
    await this.pool.destroy();
  }

  #refusal(): string | undefined {
    const { waitMsMax, queueMax } = this.#budget;
    if (this.#isStopped) return 'stopped';
    if (this.#waiting.length >= queueMax) return `${queueMax} requests already wait`;
    const closedMs = this.#closedUntilMs - this.#clock.nowMs();
    return closedMs > waitMsMax ? `the venue asked us to wait ${closedMs} ms` : undefined;
  }

  #enqueue(waiting: Waiting): void {
    const place = waiting.isUrgent ? this.#waiting.findIndex((each) => !each.isUrgent) : -1;
    if (place < 0) this.#waiting.push(waiting);
    else this.#waiting.splice(place, 0, waiting);
  }

  #pump(): void {
    while (this.#waiting.length > 0 && this.#mayStart()) this.#waiting.shift()?.start();
  }

  #mayStart(): boolean {
    const { cap, windowMs, concurrency } = this.#budget;
    const nowMs = this.#clock.nowMs();
    if (this.#isStopped || nowMs < this.#closedUntilMs || this.#underWay >= concurrency)
      return false;
    const [oldest] = this.#starts;
    if (this.#starts.length < cap || oldest === undefined) return true;
    const freeInMs = oldest + windowMs - nowMs;
    if (freeInMs <= 0) return true;
    this.#timers.after(freeInMs, () => this.#pump());
    return false;
  }

  #begin(): void {
    this.#underWay += 1;
    if (this.#budget.queueMax === 1) return;
    this.#starts.push(this.#clock.nowMs());
    if (this.#starts.length > this.#budget.cap) this.#starts.shift();
  }

  #finished(): void {
    this.#underWay -= 1;
    this.#pump();
  }
}
