// Whose turn it is to be looked at: some of all markets at a time, each as often as every other.

export class RecyclingTurn<Market> {
  #markets: readonly Market[] = [];
  #version = -1;
  #at = 0;

  /** The next `count` of the markets, which are those of `version`. */
  next(markets: ReadonlyMap<unknown, Market>, version: number, count: number): readonly Market[] {
    if (this.#version !== version) {
      this.#version = version;
      this.#markets = [...markets.values()];
    }
    const size = this.#markets.length;
    if (size === 0) return [];
    const from = this.#at % size;
    this.#at = from + count;
    const upTo = from + Math.min(count, size);
    return [
      ...this.#markets.slice(from, upTo),
      ...this.#markets.slice(0, Math.max(0, upTo - size)),
    ];
  }
}
