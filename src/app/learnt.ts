// How late a placement may arrive by the ledger of a daemon: what whoever waits for a proof without a
// daemon waits for beyond what is configured.

import { SLOWEST_KEPT_MS } from '../core/account/restore.ts';
import { LEARNED_MARGIN_MS } from '../core/orders/deadlines.ts';
import type { PersistedState } from '../domain/record.ts';
import type { Clock, UnixMs } from '../domain/time.ts';
import type { HorizonUpdate } from '../guard/horizon.ts';
import { readLedgerCopy } from '../journal/ledger/copy.ts';
import { readAhead, readSlowest } from '../journal/ledger/rows-risk.ts';

export type LearntOptions = {
  readonly path: string;
  readonly clock: Clock;
  /** What is configured; a clock that ran ahead makes it longer. */
  readonly horizonMs: number;
};

/** A reading of the clock concerns what was sent until two minutes later, and not what came then. */
const AHEAD_KEPT_MS = 120_000;

/**
 * How long to wait for what was sent, as the ledger has learnt it: from the slowest acceptance, and from
 * a clock of ours that ran ahead of the venue's.
 *
 * @returns 0 where there is no ledger, or nothing was learnt lately.
 * @throws {BotError} `journal.copy` when the ledger cannot be read.
 */
export async function learntHorizonMs(options: LearntOptions): Promise<number> {
  const { slowestMs, aheadMs } = await learntLateness(options);
  const bySlowestMs = slowestMs === undefined ? 0 : slowestMs + LEARNED_MARGIN_MS;
  return Math.max(bySlowestMs, aheadMs === undefined ? 0 : options.horizonMs + aheadMs);
}

/**
 * What the ledger has learnt lately of how late placements are accepted; nothing where there is none.
 *
 * @throws {BotError} `journal.copy` when the ledger cannot be read.
 */
export async function learntLateness(options: LearntOptions): Promise<HorizonUpdate> {
  const found = await readLedgerCopy(options, (ledger) => ({
    slowest: readSlowest(ledger.fact('slowest')),
    ahead: readAhead(ledger.fact('ahead')),
  }));
  return found === 'absent' ? {} : latenessOf(found, options.clock.nowMs(), options.horizonMs);
}

/** What of it holds now. */
export function latenessOf(
  { slowest, ahead }: Pick<PersistedState, 'slowest' | 'ahead'>,
  nowMs: UnixMs,
  horizonMs: number,
): HorizonUpdate {
  const isSlowNow = slowest !== undefined && nowMs - slowest.atMs < SLOWEST_KEPT_MS;
  const isAheadNow =
    ahead !== undefined && nowMs - ahead.atMs < horizonMs + ahead.aheadMs + AHEAD_KEPT_MS;
  return {
    slowestMs: isSlowNow ? slowest.tookMs : undefined,
    aheadMs: isAheadNow ? ahead.aheadMs : undefined,
  };
}
