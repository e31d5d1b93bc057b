// How often something happened within an interval, and how much of it: fixed memory and O(1) for an
// addition. The window slides in twentieths, and what it counts is up to that much older than stated: a
// limit holds for whatever interval of that length, and so for some a little longer.

import type { UnixMs } from '../../domain/time.ts';

const SLOTS = 20;
/** The one that is under way is no whole one. */
const KEPT = SLOTS + 1;

/** How long ago something may have happened that an interval still counts. */
export function countedForMs(intervalMs: number): number {
  return Math.ceil((intervalMs * KEPT) / SLOTS);
}

export class SlidingCount {
  readonly #counts = new Float64Array(KEPT);
  readonly #amounts = new Float64Array(KEPT);
  #intervalMs = 0;
  #slot = Number.NEGATIVE_INFINITY;
  #count = 0;
  #amount = 0;

  /** Occurrences within the interval that ends with the last call, and up to a twentieth of it before. */
  get count(): number {
    return this.#count;
  }

  get amount(): number {
    return this.#amount;
  }

  add(
    nowMs: UnixMs,
    intervalMs: number,
    what: { readonly count: number; readonly amount: number },
  ): void {
    this.advance(nowMs, intervalMs);
    const place = this.#slot % KEPT;
    this.#counts[place] = (this.#counts[place] ?? 0) + what.count;
    this.#amounts[place] = (this.#amounts[place] ?? 0) + what.amount;
    this.#count += what.count;
    this.#amount += what.amount;
  }

  /** Forgets what has left the interval; another interval begins anew. */
  advance(nowMs: UnixMs, intervalMs: number): void {
    if (intervalMs !== this.#intervalMs) this.clear(intervalMs);
    const slot = Math.floor((nowMs * SLOTS) / intervalMs);
    if (slot <= this.#slot) return;
    const from = Math.max(this.#slot + 1, slot - SLOTS);
    for (let each = from; each <= slot; each += 1) this.#forget(each % KEPT);
    this.#slot = slot;
  }

  clear(intervalMs = this.#intervalMs): void {
    this.#counts.fill(0);
    this.#amounts.fill(0);
    this.#count = 0;
    this.#amount = 0;
    this.#intervalMs = intervalMs;
    this.#slot = Number.NEGATIVE_INFINITY;
  }

  #forget(place: number): void {
    this.#count -= this.#counts[place] ?? 0;
    this.#amount -= this.#amounts[place] ?? 0;
    this.#counts[place] = 0;
    this.#amounts[place] = 0;
  }
}
