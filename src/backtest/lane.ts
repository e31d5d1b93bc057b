// A one-way connection on virtual time: what goes in first comes out first, each after its delay.

import type { Clock, Timers } from '../domain/time.ts';

export class Lane<Item> {
  readonly #time: Clock & Timers;
  readonly #delayMs: () => number;
  readonly #arrive: (items: readonly Item[]) => void;
  /** What arrives together with the newest item; one timer carries all of it. */
  #newest: Item[] = [];
  #dueMs = Number.NEGATIVE_INFINITY;

  constructor(
    time: Clock & Timers,
    delayMs: () => number,
    arrive: (items: readonly Item[]) => void,
  ) {
    this.#time = time;
    this.#delayMs = delayMs;
    this.#arrive = arrive;
  }

  push(item: Item): void {
    const nowMs = this.#time.nowMs();
    // On one connection nothing overtakes what was sent before it.
    const dueMs = Math.max(nowMs + this.#delayMs(), this.#dueMs);
    if (dueMs === this.#dueMs && this.#newest.length > 0) {
      this.#newest.push(item);
      return;
    }
    const items = [item];
    this.#newest = items;
    this.#dueMs = dueMs;
    this.#time.after(dueMs - nowMs, () => {
      if (this.#newest === items) this.#newest = [];
      this.#arrive(items);
    });
  }
}
