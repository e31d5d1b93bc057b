// The own orders as a guard knows them after a death: what the trader had reported, and, where it did not
// get to tell everything because the guard did not read, what its ledger says.

import type { OrderHash } from '../domain/ids.ts';
import type { CancelScope } from '../domain/message.ts';
import type { OrderReport } from '../domain/order.ts';
import type { Clock, UnixMs } from '../domain/time.ts';
import type { OwnOrders } from '../guard/own-book.ts';

export type KeptOwnOptions = {
  readonly told: OwnOrders;
  /** Opens the ledger; what goes wrong is told once, and it is asked for again and again. */
  readonly open: () => Promise<OwnOrders>;
  readonly clock: Clock;
  readonly onFailed?: (error: unknown) => void;
};

/**
 * So long after a death the ledger is read: a next run has taken over by then, which reads it itself,
 * and what was told is cancelled. No proof is as early.
 */
const READ_AFTER_MS = 3_000;
/** A ledger that could not be read is tried again this often, as long as a proof waits for it. */
const AGAIN_MS = 10_000;

export class KeptOwn implements OwnOrders {
  readonly #options: KeptOwnOptions;
  readonly #startedAtMs: UnixMs;
  #kept: OwnOrders | undefined;
  /** It is being read, or was. */
  #isAsked = false;
  #failedAtMs: UnixMs | undefined;

  constructor(options: KeptOwnOptions) {
    this.#options = options;
    this.#startedAtMs = options.clock.nowMs();
  }

  /**
   * By the ledger alone: a guard that did not read cannot know what it was not told. Where somebody else's
   * orders are listed, one of them may be ours until the ledger says that none is.
   */
  get isWhole(): boolean {
    return this.#kept?.isWhole === true;
  }

  live(scope: CancelScope): readonly OrderHash[] {
    const kept = this.#kept?.live(scope) ?? [];
    return [...new Set([...this.#options.told.live(scope), ...kept])];
  }

  among(reports: readonly OrderReport[]): readonly OrderReport[] {
    const ours = new Set(this.#options.told.among(reports));
    for (const report of this.#kept?.among(reports) ?? []) ours.add(report);
    return reports.filter((report) => ours.has(report));
  }

  /** The ledger is not waited for: what is known is looked for meanwhile. */
  async refresh(): Promise<void> {
    await this.#kept?.refresh?.();
    const { open, clock } = this.#options;
    const nowMs = clock.nowMs();
    const sinceMs = this.#failedAtMs === undefined ? AGAIN_MS : nowMs - this.#failedAtMs;
    const isDue = nowMs - this.#startedAtMs >= READ_AFTER_MS && sinceMs >= AGAIN_MS;
    if (this.#isAsked || !isDue) return;
    this.#isAsked = true;
    void open().then(
      (kept) => {
        this.#kept = kept;
      },
      (error: unknown) => this.#onFailed(error),
    );
  }

  #onFailed(error: unknown): void {
    const { clock, onFailed } = this.#options;
    if (this.#failedAtMs === undefined) onFailed?.(error);
    this.#failedAtMs = clock.nowMs();
    this.#isAsked = false;
  }
}
