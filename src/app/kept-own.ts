// The own orders as a guard knows them after a death: what the trader had told of, and, where it did not
// get to tell everything because the guard did not read, what its ledger says.

import type { OrderHash } from '../domain/ids.ts';
import type { CancelScope } from '../domain/message.ts';
import type { OrderReport } from '../domain/order.ts';
import type { Clock, UnixMs } from '../domain/time.ts';
import type { OwnOrders } from '../guard/own-book.ts';

export type KeptOwnOptions = {
  readonly told: OwnOrders;
  /** Opens the ledger; it is asked for once, and what goes wrong with it changes nothing. */
  readonly open: () => Promise<OwnOrders>;
  readonly clock: Clock;
  readonly onFailed?: (error: unknown) => void;
};

/**
 * So long after a death the ledger is read: a next life has taken over by then, which reads it itself,
 * and what was told is cancelled. No proof is as early.
 */
const READ_AFTER_MS = 3_000;

export class KeptOwn implements OwnOrders {
  readonly #options: KeptOwnOptions;
  readonly #startedAtMs: UnixMs;
  #kept: OwnOrders | undefined;
  #isAsked = false;

  constructor(options: KeptOwnOptions) {
    this.#options = options;
    this.#startedAtMs = options.clock.nowMs();
  }

  get isWhole(): boolean {
    return this.#options.told.isWhole || this.#kept?.isWhole === true;
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
    const { open, clock, onFailed } = this.#options;
    await this.#kept?.refresh?.();
    if (this.#isAsked || clock.nowMs() - this.#startedAtMs < READ_AFTER_MS) return;
    this.#isAsked = true;
    void open().then(
      (kept) => {
        this.#kept = kept;
      },
      (error: unknown) => onFailed?.(error),
    );
  }
}
