// What counts up to a control within an interval by the machine's clock: a little less than the interval,
// and none of it is counted while the control is on.

export class CauseCount {
  readonly #timesMs = new Map<string, number[]>();
  /** Reached, and not said yet. */
  readonly #reached = new Map<string, string>();

  clear(): void {
    this.#timesMs.clear();
    this.#reached.clear();
  }

  forget(key: string): void {
    this.#timesMs.delete(key);
  }

  /** The control has tripped, or was lifted: it counts anew from here. */
  onMoved(key: string): void {
    this.#timesMs.delete(key);
    this.#reached.delete(key);
  }

  add(
    key: string,
    at: { readonly hostMs: number; readonly intervalMs: number; readonly limit: number },
  ): void {
    const sinceMs = at.hostMs - at.intervalMs * SURE_PART;
    const times = (this.#timesMs.get(key) ?? []).filter((atMs) => atMs > sinceMs);
    times.push(at.hostMs);
    this.#timesMs.set(key, times);
    if (at.limit === 0 || times.length < at.limit) return;
    this.#reached.set(key, `${times.length} times in ${at.intervalMs} ms, ${at.limit} allowed`);
    this.#timesMs.delete(key);
  }

  /** What was reached and not said, by key. */
  reached(): Iterable<readonly [string, string]> {
    return this.#reached;
  }
}

/** The window slides in twentieths, and a turn comes a while after what it is reported. */
const SURE_PART = 0.7;
