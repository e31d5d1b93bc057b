// Counters of what happened, so that a simulation in which nothing happened is noticed.

export class Tally {
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
  entries(): readonly (readonly [string, number])[] {
    return [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1));
  }
}
