// The markets that somebody looks at: a page asks for the history of the one it shows every few seconds, and the
// trader tells of those more often than their turn comes among a thousand.

import type { Clock } from '../domain/time.ts';

/** Each adds to every bit that the trader tells. */
const LOOKED_MAX = 4;
/** Three times as long as a page waits before it asks again. */
const FORGOTTEN_MS = 15_000;

export class Looks {
  readonly #clock: Clock;
  readonly #onChange: (marketIds: readonly string[]) => void;
  /** When somebody last looked, the latest last. */
  readonly #atMs = new Map<string, number>();

  constructor(clock: Clock, onChange: (marketIds: readonly string[]) => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  get marketIds(): readonly string[] {
    return [...this.#atMs.keys()];
  }

  add(marketId: string): void {
    const isNew = !this.#atMs.delete(marketId);
    this.#atMs.set(marketId, this.#clock.nowMs());
    const [oldest] = this.#atMs.keys();
    if (this.#atMs.size > LOOKED_MAX && oldest !== undefined) this.#atMs.delete(oldest);
    if (isNew) this.#onChange(this.marketIds);
  }

  /** Those that nobody looks at any longer are forgotten. */
  prune(): void {
    const before = this.#atMs.size;
    const sinceMs = this.#clock.nowMs() - FORGOTTEN_MS;
    for (const [marketId, atMs] of this.#atMs) if (atMs < sinceMs) this.#atMs.delete(marketId);
    if (this.#atMs.size < before) this.#onChange(this.marketIds);
  }
}
