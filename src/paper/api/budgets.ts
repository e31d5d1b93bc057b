// Request budgets: how many in a window, whom they count for, and when to come back.

import type { UnixMs } from '../../domain/time.ts';
import { ORDER_WRITES_MAX, ORDER_WRITES_WINDOW_MS, READS_PER_SEC_MAX } from '../../wire/limits.ts';

export type Budget = { readonly count: number; readonly windowMs: number };

export type Budgets = {
  /** `sliding`: never more than the count in any window. `fixed`: the count starts anew. */
  readonly window: 'sliding' | 'fixed';
  readonly keyWrites: Budget;
  readonly keyReads: Budget;
  readonly bearerWrites: Budget;
  readonly bearerReads: Budget;
  /** Unauthenticated requests of one address. */
  readonly publicReads: Budget;
};

export const DEFAULT_BUDGETS: Budgets = {
  window: 'sliding',
  keyWrites: { count: ORDER_WRITES_MAX, windowMs: ORDER_WRITES_WINDOW_MS },
  keyReads: { count: READS_PER_SEC_MAX, windowMs: 1_000 },
  // The interface says "much smaller" and no number; these are a tenth.
  bearerWrites: { count: 30, windowMs: ORDER_WRITES_WINDOW_MS },
  bearerReads: { count: 50, windowMs: 1_000 },
  publicReads: { count: 1_000, windowMs: 1_000 },
};

/** Counters that exist at once; the longest unused goes first, and then starts from nothing. */
const COUNTERS_MAX = 10_000;

export class RateGate {
  readonly #window: Budgets['window'];
  readonly #counters = new Map<string, number[]>();

  constructor(window: Budgets['window']) {
    this.#window = window;
  }

  /** Counts one request, or answers with the milliseconds to wait. */
  take(key: string, budget: Budget, nowMs: UnixMs): number | undefined {
    const times = this.#recent(key, budget, nowMs);
    if (times.length >= budget.count) {
      return this.#windowEndMs(times[0] ?? nowMs, budget) - nowMs;
    }
    times.push(nowMs);
    return undefined;
  }

  #recent(key: string, budget: Budget, nowMs: UnixMs): number[] {
    const times = this.#counters.get(key) ?? [];
    while (times[0] !== undefined && this.#windowEndMs(times[0], budget) <= nowMs) times.shift();
    this.#counters.delete(key);
    this.#counters.set(key, times);
    const [oldest] = this.#counters.keys();
    if (this.#counters.size > COUNTERS_MAX && oldest !== undefined) this.#counters.delete(oldest);
    return times;
  }

  /** When a request stops counting. */
  #windowEndMs(atMs: number, { windowMs }: Budget): number {
    if (this.#window === 'sliding') return atMs + windowMs;
    return Math.floor(atMs / windowMs) * windowMs + windowMs;
  }
}
