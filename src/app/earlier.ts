// Whether an earlier run has left orders on the venue, for a guard whose trader was told to end before it
// could look.

import { BotError } from '../domain/errors.ts';
import type { Clock } from '../domain/time.ts';
import { journalActivity } from '../journal/activity.ts';
import { readLedgerCopy } from '../journal/ledger/copy.ts';
import { VENUE_FACT } from './recovery.ts';

export type EarlierOptions = {
  readonly path: string;
  readonly baseUrl: string;
  readonly clock: Clock;
};

/**
 * Whether the ledger knows of orders that had not ended and that nobody looks after: another instance
 * does where it holds the journal, and what rests on another venue is not ours to cancel here.
 *
 * @throws {BotError} `journal.busy` when a process may hold it that cannot be seen from here, `journal.copy`
 *   or `journal.write` when it cannot be read: nobody knows then.
 */
export async function hasLeftOrders({ path, baseUrl, clock }: EarlierOptions): Promise<boolean> {
  const { holders } = await journalActivity(path);
  if (holders.some(({ isSeen }) => isSeen)) return false;
  const [unseen] = holders;
  if (unseen !== undefined) throw new BotError('journal.busy', `${path} (${unseen.file})`);
  const found = await readLedgerCopy({ path, clock }, (ledger) => ({
    venue: ledger.fact(VENUE_FACT) ?? baseUrl,
    orders: ledger.loadOwn().orders.length,
  }));
  return found !== 'absent' && found.venue === baseUrl && found.orders > 0;
}
