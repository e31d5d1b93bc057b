// What traders before had learnt of late acceptances, where no trader of this guard has told it: a guard
// of a new host knows nothing of the clock and the venue that the host before had. The ledger does.

import type { Timers } from '../domain/time.ts';
import type { Horizon, HorizonUpdate } from './horizon.ts';

export type LearnerOptions = {
  readonly horizon: Horizon;
  readonly timers: Timers;
  /** Reads it; rejects when the ledger is there and cannot be read. Absent where there is none. */
  readonly learn: (() => Promise<HorizonUpdate>) | undefined;
  /** Whether a proof is waited for; whoever takes over reads the ledger itself. */
  readonly isNeeded: () => boolean;
  readonly onLearnt: (known: HorizonUpdate & { readonly proofAfterMs: number }) => void;
  readonly onFailed: (trouble: { readonly detail: string; readonly proofAfterMs: number }) => void;
};

/** A next run has taken over by then and tells; to load what reads a ledger would hold it up. */
const LEARN_AFTER_MS = 3_000;
/** A ledger that could not be read is tried again this often, as long as a proof waits for it. */
const AGAIN_MS = 10_000;

export class Learner {
  readonly #options: LearnerOptions;
  #isUnderWay = false;

  constructor(options: LearnerOptions) {
    this.#options = options;
  }

  /** No proof is earlier after a death: nothing while it is known, the longest while it is not. */
  get atLeastMs(): number {
    const { learn, horizon } = this.#options;
    return learn === undefined || horizon.isTold ? 0 : horizon.longestMs;
  }

  /** A watch begins. */
  onDeath(): void {
    if (this.atLeastMs > 0 && !this.#isUnderWay) this.#after(LEARN_AFTER_MS);
  }

  #after(durationMs: number): void {
    this.#isUnderWay = true;
    this.#options.timers.after(durationMs, () => void this.#learn());
  }

  async #learn(): Promise<void> {
    const { learn, horizon, isNeeded, onLearnt, onFailed } = this.#options;
    this.#isUnderWay = false;
    if (learn === undefined || horizon.isTold || !isNeeded()) return;
    this.#isUnderWay = true;
    try {
      const known = await learn();
      horizon.onTold(known);
      onLearnt({ ...known, proofAfterMs: horizon.ms });
    } catch (error) {
      onFailed({ detail: String(error), proofAfterMs: horizon.longestMs });
      this.#after(AGAIN_MS);
    }
  }
}
