// How late the venue was ever seen to accept a placement, by the ledger of a daemon: what an independent
// kill waits for beyond what is configured.

import { LEARNED_MARGIN_MS } from '../core/orders/arrivals.ts';
import { SLOWEST_KEPT_MS } from '../core/restore.ts';
import type { Clock } from '../domain/time.ts';
import { readLedgerCopy } from '../journal/ledger/copy.ts';
import { readSlowest } from '../journal/ledger/rows-risk.ts';

/**
 * How long to wait for what was sent, as the ledger has learnt it.
 *
 * @returns 0 where there is no ledger, or nothing was learnt lately.
 * @throws {BotError} `journal.write` when the ledger cannot be read.
 */
export async function learntHorizonMs(of: { path: string; clock: Clock }): Promise<number> {
  const found = await readLedgerCopy(of, (ledger) => readSlowest(ledger.fact('slowest')));
  if (found === 'absent' || found === undefined) return 0;
  const isOld = of.clock.nowMs() - found.atMs >= SLOWEST_KEPT_MS;
  return isOld ? 0 : found.tookMs + LEARNED_MARGIN_MS;
}
