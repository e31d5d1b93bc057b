// The own orders of a journal as an independent kill sees them: by a copy of its ledger, looked at again
// while a daemon may still be writing it.

import { BotError } from '../domain/errors.ts';
import type { OrderHash } from '../domain/ids.ts';
import type { CancelScope } from '../domain/message.ts';
import type { OrderReport } from '../domain/order.ts';
import type { Clock, UnixMs } from '../domain/time.ts';
import { OwnBook, type OwnOrders } from '../guard/own-book.ts';
import { ledgerStamp, readLedgerCopy } from '../journal/ledger/copy.ts';
import { updateOf } from './own-orders.ts';
import { VENUE_FACT } from './recovery.ts';

export type LedgerOwnOptions = {
  readonly path: string;
  readonly baseUrl: string;
  readonly clock: Clock;
};

/** A ledger is copied no more often than this. */
const REFRESH_MS = 1_000;

export class LedgerOwn implements OwnOrders {
  readonly #options: LedgerOwnOptions;
  readonly #book = new OwnBook();
  #stamp = '';
  #clockOffsetMs: number | undefined;
  #readAtMs: UnixMs;

  private constructor(options: LedgerOwnOptions) {
    this.#options = options;
    this.#readAtMs = options.clock.nowMs();
  }

  /**
   * @throws {BotError} `journal.absent` where there is no ledger, `journal.venue` when it is about
   *   another venue, `journal.copy` when it cannot be read: which orders are ours is not known then.
   */
  static async open(options: LedgerOwnOptions): Promise<LedgerOwn> {
    const own = new LedgerOwn(options);
    await own.#read();
    return own;
  }

  get isWhole(): boolean {
    return this.#book.isWhole;
  }

  /** Since when the latest placement has no answer, as far as the ledger tells. */
  get unansweredSinceMs(): UnixMs | undefined {
    return this.#book.unansweredSinceMs;
  }

  /** The venue's clock minus ours, as the ledger last kept it. */
  get clockOffsetMs(): number | undefined {
    return this.#clockOffsetMs;
  }

  live(scope: CancelScope): readonly OrderHash[] {
    return this.#book.live(scope);
  }

  among(reports: readonly OrderReport[]): readonly OrderReport[] {
    return this.#book.among(reports);
  }

  /** What cannot be read now was read before, and is looked at again the next time. */
  async refresh(): Promise<void> {
    const { clock, path } = this.#options;
    const sinceMs = clock.nowMs() - this.#readAtMs;
    if (sinceMs >= 0 && sinceMs < REFRESH_MS) return;
    this.#readAtMs = clock.nowMs();
    const stamp = await ledgerStamp(path).catch(() => this.#stamp);
    if (stamp !== this.#stamp) await this.#read().catch(() => undefined);
  }

  async #read(): Promise<void> {
    const { path, baseUrl, clock } = this.#options;
    const stamp = await ledgerStamp(path);
    const found = await readLedgerCopy({ path, clock }, (ledger) => ({
      venue: ledger.fact(VENUE_FACT),
      persisted: ledger.loadOwn(),
    }));
    if (found === 'absent') throw new BotError('journal.absent', path);
    const { venue, persisted } = found;
    if (venue !== undefined && venue !== baseUrl) {
      throw new BotError('journal.venue', `${path} is about ${venue}, not ${baseUrl}`);
    }
    // One that rests under a hash which nobody has kept may be ours then.
    this.#book.apply({ ...updateOf(persisted), isWhole: persisted.fault === undefined });
    this.#clockOffsetMs = persisted.clock?.offsetMs;
    this.#stamp = stamp;
  }
}
