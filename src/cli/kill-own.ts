// Which orders a kill means where only own ones are meant: what the ledger of its journal says.

import type { LedgerOwn } from '../app/ledger-own.ts';
import { inTime } from '../domain/in-time.ts';
import type { KillSettings } from '../settings/load.ts';
import type { ErrandAccess } from './options.ts';

type Reading = {
  readonly settings: Pick<KillSettings, 'journal'>;
  readonly access: ErrandAccess<KillSettings>;
};

/** A ledger that is read by nobody by then stands on a disk that hangs. */
const LEDGER_MS_MAX = 5_000;

/** Or why the ledger does not say. A kill of the whole account must not depend on what reads one. */
export async function ledgerOwn(errand: Reading): Promise<LedgerOwn | string> {
  const { timers } = errand.access;
  const why = `the ledger does not answer within ${LEDGER_MS_MAX / 1_000} s`;
  return await inTime<LedgerOwn | string>(openOwn(errand), why, { timers, ms: LEDGER_MS_MAX });
}

async function openOwn({ settings, access }: Reading): Promise<LedgerOwn | string> {
  const { path } = settings.journal;
  try {
    const { LedgerOwn: Reader } = await import('../app/ledger-own.ts');
    const { baseUrl } = access.settings.venue;
    return await Reader.open({ path, baseUrl, clock: access.clock });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
