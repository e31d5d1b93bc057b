// What a start does behind a power cut. In the scope of the account an order leaves before its intent is on the disk:
// the cut may have taken placements, and what they traded, from the end of the ledger. The orders are no matter, since
// the start clears the account when none of them can arrive any more; positions may be other than the ledger says.

import { SIGNED_WITHIN_MS } from '../core/kernel/bounds.ts';
import type { StoredLatch } from '../domain/risk.ts';
import { addMs, type UnixMs } from '../domain/time.ts';
import { BEHIND_MS_MAX } from './journal-writer.ts';

/** What was sent before the machine came back has arrived by then, or never does. */
export function lastArrivalMs(bootedAtMs: UnixMs, horizonMs: number): UnixMs {
  return addMs(bootedAtMs, SIGNED_WITHIN_MS + horizonMs);
}

/** Balances are read, and a number is adopted, within this beyond their lag. */
const ADOPTED_BY_MS = 30_000;

/** Nothing adds to a position until balances must show what the cut may have taken. */
export function latchAfterCut(nowMs: UnixMs, positionLagMs: number): StoredLatch {
  return {
    control: 'position_uncertain',
    marketId: undefined,
    level: 'stop-adding',
    detail: `a power cut may have taken the fills of ${BEHIND_MS_MAX} ms`,
    sinceMs: nowMs,
    resumes: { kind: 'time', atMs: addMs(nowMs, positionLagMs + ADOPTED_BY_MS) },
  };
}
