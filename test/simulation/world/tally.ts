// Counters of what happened, so that a simulation in which nothing happened is noticed.

/** Counts by name, as they can be written down. */
export type Counts = readonly (readonly [string, number])[];

export class Tally {
  static from(counts: Counts): Tally {
    const tally = new Tally();
    for (const [name, count] of counts) tally.add(name, count);
    return tally;
  }

  readonly #counts = new Map<string, number>();

  add(name: string, count = 1): void {
    if (count === 0) return;
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + count);
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  addAll(other: Tally): void {
    for (const [name, count] of other.#counts) this.add(name, count);
  }

  /** By name, so that two equal tallies print alike. */
  entries(): Counts {
    return [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1));
  }
}
