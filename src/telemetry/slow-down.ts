// Wrong tokens are answered late, and the later the more of them come from one address; a right one never
// gets here.

import type { Clock, Timers, UnixMs } from '../domain/time.ts';

/** Addresses that are remembered; the oldest goes first. */
const ADDRESSES_MAX = 1_000;
/** Answers that wait at once: what comes on top is told so without a wait. */
const WAITING_MAX = 32;
const DELAY_MS_MIN = 100;
const DELAY_MS_MAX = 2_000;
const FORGOTTEN_MS = 60_000;

type Count = { readonly wrong: number; readonly atMs: UnixMs };

export class SlowDown {
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #counts = new Map<string, Count>();
  #waiting = 0;

  constructor(clock: Clock, timers: Timers) {
    this.#clock = clock;
    this.#timers = timers;
  }

  /** @returns False where too many wait already. */
  async onWrong(address: string): Promise<boolean> {
    if (this.#waiting >= WAITING_MAX) return false;
    const delayMs = this.#delayOf(address);
    this.#waiting += 1;
    await new Promise<void>((resolve) => this.#timers.after(delayMs, resolve));
    this.#waiting -= 1;
    return true;
  }

  #delayOf(address: string): number {
    const nowMs = this.#clock.nowMs();
    const before = this.#counts.get(address);
    const isFresh = before !== undefined && nowMs - before.atMs < FORGOTTEN_MS;
    const wrong = isFresh ? before.wrong + 1 : 1;
    this.#counts.delete(address);
    this.#counts.set(address, { wrong, atMs: nowMs });
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > ADDRESSES_MAX && oldest !== undefined) this.#counts.delete(oldest);
    return Math.min(DELAY_MS_MIN * 2 ** Math.min(wrong - 1, 10), DELAY_MS_MAX);
  }
}
