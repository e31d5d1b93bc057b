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

/** Removes the days that are too old, and while the ledger is too large one day more at each call: the oldest. */
export function pruneBooks(
  { sql, rows }: { readonly sql: SqlFile; readonly rows: SealedRows },
  kept: BooksKept,
  nowMs: number,
): void {
  const daysBeforeMs = (days: number): number => nowMs - Math.max(days, DAYS_MIN) * DAY_MS;
  const oldestMs = rows.oldestDayMs();
  const isTooLarge = oldestMs !== undefined && sql.usedBytes() > kept.bytes;
  const excessMs = isTooLarge ? Math.min(oldestMs + DAY_MS, daysBeforeMs(DAYS_MIN)) : 0;
  const beforeMs = Math.max(daysBeforeMs(kept.days), excessMs);
  for (const table of GROWING) rows.removeDaysBefore(table, beforeMs);
}

/** Whether it is time to prune again; a clock that was set back puts nothing off. */
export function isDue(lastMs: UnixMs | undefined, nowMs: UnixMs, everyMs: number): boolean {
  return lastMs === undefined || nowMs < lastMs || nowMs - lastMs >= everyMs;
}
