// How much a ledger keeps of what grows with the years, its fills and settlements: so many days, within a size.

import type { UnixMs } from '../../domain/time.ts';
import type { SqlFile } from './database.ts';
import type { SealedRows } from './sealed.ts';

export type BooksKept = {
  readonly days: number;
  /** Of the ledger as a whole. */
  readonly bytes: number;
};

const DAY_MS = 86_400_000;
/** Whatever the bounds say: what the venue's history may still tell again is known by these, and counted once. */
const DAYS_MIN = 30;
const GROWING = ['fills', 'settlements'] as const;

/**
 * Rows of a table that go at a time: settlements of one day lie on as many pages as there are of them, and a day of 50 fills a
 * minute at once takes the seconds in which a guard takes the trader for hung, at every start anew.
 */
const ROWS_AT_A_TIME = 300;
const PRUNE_MS = 10_000;

export class OldBooks {
  readonly #kept: BooksKept;
  /** The end of a day that some rows have gone of: the others follow, whatever room that leaves. */
  #begunMs = 0;
  #prunedAtMs: UnixMs | undefined;

  constructor(kept: BooksKept) {
    this.#kept = kept;
  }

  /** Removes some of the oldest day now and then, where it is too old, or the ledger too large. */
  prune({ sql, rows }: { readonly sql: SqlFile; readonly rows: SealedRows }, nowMs: UnixMs): void {
    if (!isDue(this.#prunedAtMs, nowMs, PRUNE_MS)) return;
    this.#prunedAtMs = nowMs;
    const oldestMs = rows.oldestDayMs();
    if (oldestMs === undefined) return;
    const endMs = oldestMs + DAY_MS;
    if (endMs > this.#begunMs && endMs > this.#keptFromMs(sql, nowMs)) return;
    this.#begunMs = endMs;
    for (const table of GROWING) rows.removeOldest(table, endMs, ROWS_AT_A_TIME);
  }

  #keptFromMs(sql: SqlFile, nowMs: number): number {
    const { days, bytes } = this.#kept;
    return nowMs - DAY_MS * (sql.usedBytes() > bytes ? DAYS_MIN : Math.max(days, DAYS_MIN));
  }
}

/** Whether it is time to prune again; a clock that was set back puts nothing off. */
export function isDue(lastMs: UnixMs | undefined, nowMs: UnixMs, everyMs: number): boolean {
  return lastMs === undefined || nowMs < lastMs || nowMs - lastMs >= everyMs;
}
