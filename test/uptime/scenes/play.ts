// A scene: bookend through one row, short enough for `npm test`.

import type { Outcome } from '../rig/run-row.ts';
import { type FaultRow, faultRows, SHORT } from '../rows.ts';

const ROWS = faultRows(SHORT);

/** Nothing doubled, no limit broken. */
export const SAFE = { breaches: [], duplicates: 0 };
/** Part of the time with both sides resting: a side that was taken whole is back in milliseconds. */
export const UPTIME = 0.97;
export const NEVER = Number.POSITIVE_INFINITY;
export const RECOVERED_MS = 2_000;

export type Played = Outcome & {
  /** What its processes waited for a processor is taken off: tests run side by side. */
  readonly ownFirstQuoteMs: number;
  /** Infinite when it never recovered. */
  readonly recoverMs: number;
};

export async function played(row: FaultRow): Promise<Played> {
  const outcome = await ROWS[row].run('bookend', { isLight: true });
  const { firstQuoteMs = NEVER } = outcome.verdict;
  const { recoverMs } = outcome.verdict;
  return {
    ...outcome,
    ownFirstQuoteMs: firstQuoteMs - outcome.waitedMs,
    recoverMs: typeof recoverMs === 'number' ? recoverMs : NEVER,
  };
}
