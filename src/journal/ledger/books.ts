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
 * Removes the oldest day where it is too old, or the ledger too large. One at each call: whoever keeps fewer days from now
 * on would have quotes wait for the end of a year of fills.
 */
export function pruneBooks(
  { sql, rows }: { readonly sql: SqlFile; readonly rows: SealedRows },
  kept: BooksKept,
  nowMs: number,
): void {
  const oldestMs = rows.oldestDayMs();
  if (oldestMs === undefined) return;
  const days = sql.usedBytes() > kept.bytes ? DAYS_MIN : Math.max(kept.days, DAYS_MIN);
  const beforeMs = Math.min(oldestMs + DAY_MS, nowMs - days * DAY_MS);
  for (const table of GROWING) rows.removeDaysBefore(table, beforeMs);
}

/** Whether it is time to prune again; a clock that was set back puts nothing off. */
export function isDue(lastMs: UnixMs | undefined, nowMs: UnixMs, everyMs: number): boolean {
  return lastMs === undefined || nowMs < lastMs || nowMs - lastMs >= everyMs;
}
