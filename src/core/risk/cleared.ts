// When breakers began to count anew, for the runs to come: their ledger tells what was sent, filled and
// refused, and not what of it has tripped a breaker already, or was seen by an operator.

import type { StoredCleared } from '../../domain/risk.ts';
import type { UnixMs } from '../../domain/time.ts';

/** What is forgotten is counted once more by a later run: that stops too early, and never too late. */
const CLEARED_MAX = 1_000;
/** No breaker counts for longer. */
const INTERVAL_MS_MAX = 86_400_000;

/** What counts for itself: a breaker, the market or the account that it counts, and a code of refusals. */
export type Counted = Omit<StoredCleared, 'atMs'>;

export class Cleared {
  /** The latest of each. */
  readonly #byScope = new Map<string, StoredCleared>();

  /** A later one takes its place. */
  add(cleared: StoredCleared): void {
    const key = keyOf(cleared);
    this.#byScope.delete(key);
    this.#byScope.set(key, cleared);
    const oldest = this.#byScope.keys().next().value;
    if (this.#byScope.size > CLEARED_MAX && oldest !== undefined) this.#byScope.delete(oldest);
  }

  /** Until when what happened counts no more, `undefined` where everything does. */
  untilMs({ code, ...scope }: Counted): UnixMs | undefined {
    const ofAll = this.#byScope.get(keyOf(scope))?.atMs;
    const ofCode =
      code === undefined ? undefined : this.#byScope.get(keyOf({ ...scope, code }))?.atMs;
    if (ofAll === undefined || ofCode === undefined) return ofAll ?? ofCode;
    return ofAll > ofCode ? ofAll : ofCode;
  }

  /** All that may still matter to a run that begins now or later. */
  current(nowMs: UnixMs): readonly StoredCleared[] {
    for (const [key, { atMs }] of this.#byScope) {
      if (nowMs - atMs > INTERVAL_MS_MAX) this.#byScope.delete(key);
    }
    return [...this.#byScope.values()];
  }
}

function keyOf({ control, marketId, code }: Counted): string {
  return JSON.stringify([control, marketId, code]);
}
