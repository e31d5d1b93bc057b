// How late a placement may arrive by the ledger of a daemon: what an independent kill waits for beyond
// what is configured.

import { LEARNED_MARGIN_MS } from '../core/orders/arrivals.ts';
import { SLOWEST_KEPT_MS } from '../core/restore.ts';
import type { StoredAhead, StoredSlowest } from '../domain/record.ts';
import type { Clock } from '../domain/time.ts';
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
 * @throws {BotError} `journal.write` when the ledger cannot be read.
 */
export async function learntHorizonMs(options: LearntOptions): Promise<number> {
  const found = await readLedgerCopy(options, (ledger) => ({
    slowest: readSlowest(ledger.fact('slowest')),
    ahead: readAhead(ledger.fact('ahead')),
  }));
  if (found === 'absent') return 0;
  return Math.max(bySlowest(options, found.slowest), byClock(options, found.ahead));
}

function bySlowest({ clock }: LearntOptions, slowest: StoredSlowest | undefined): number {
  if (slowest === undefined || clock.nowMs() - slowest.atMs >= SLOWEST_KEPT_MS) return 0;
  return slowest.tookMs + LEARNED_MARGIN_MS;
}

function byClock({ clock, horizonMs }: LearntOptions, ahead: StoredAhead | undefined): number {
  if (ahead === undefined) return 0;
  const untilMs = horizonMs + ahead.aheadMs;
  return clock.nowMs() - ahead.atMs >= untilMs + AHEAD_KEPT_MS ? 0 : untilMs;
}
