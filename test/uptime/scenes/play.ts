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

/** Others that run at the same time make a start slow, and none fast: one of so many is enough. */
const STARTS_MAX = 4;

/** The fastest of a few starts; the first one that is fast enough is the last, and so is one that is not safe. */
export async function startsWithin(firstQuoteMs: number, row: FaultRow): Promise<Played> {
  let best = await played(row);
  for (let starts = 1; starts < STARTS_MAX && isSafe(best); starts += 1) {
    if (best.ownFirstQuoteMs <= firstQuoteMs) break;
    const next = await played(row);
    if (next.ownFirstQuoteMs < best.ownFirstQuoteMs || !isSafe(next)) best = next;
  }
  return best;
}

function isSafe({ verdict }: Played): boolean {
  return verdict.breaches.length === 0 && verdict.duplicates === 0;
}
