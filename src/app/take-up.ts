// Opens the ledger of the journal and says what an earlier life left there.

import { BotError } from '../domain/errors.ts';
import type { StoredLife } from '../domain/record.ts';
import { type Ledger, openLedger } from '../journal/ledger/ledger.ts';
import type { Closing } from './closing.ts';
import type { DaemonOptions } from './compose.ts';

export type TakenUp = { readonly ledger: Ledger; readonly life: StoredLife };

/** The fact that tells which venue the records are about. */
export const VENUE_FACT = 'venue_base_url';

/**
 * Takes up where an earlier life ended. A ledger that speaks of another venue would be believed about
 * orders and money that are not there, so it is refused rather than mixed or thrown away.
 *
 * @throws {BotError} `journal.write` when it cannot be used, `journal.venue` when it is another's.
 */
export async function takeUpLedger(
  { settings, clock, log, isVenueNew = false }: DaemonOptions,
  closing: Closing,
): Promise<TakenUp> {
  const { path } = settings.journal;
  const ledger = await openLedger({ path, clock });
  closing.add('ledger', () => ledger.close());
  if (isVenueNew) ledger.forget();
  checkVenue(ledger, settings.venue.baseUrl, path);
  const life = ledger.load();
  const { orders, flows, halt } = life;
  log.info('ledger.opened', {
    path,
    ordersNotEnded: orders.length,
    markets: flows.length,
    halted: halt?.limit,
  });
  return { ledger, life };
}

function checkVenue(ledger: Ledger, baseUrl: string, path: string): void {
  const known = ledger.fact(VENUE_FACT);
  if (known === undefined) ledger.setFact(VENUE_FACT, baseUrl);
  else if (known !== baseUrl) {
    throw new BotError('journal.venue', `${path} is about ${known}, not ${baseUrl}`);
  }
}
