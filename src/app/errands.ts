// Takes on record what commands did while no daemon ran, before anything is added to the record.

import type { OperatorAction } from '../domain/action.ts';
import { nextAction } from '../journal/action-chain.ts';
import { takeErrands } from '../journal/errands.ts';
import type { Ledger } from '../journal/ledger/ledger.ts';
import type { Log } from '../telemetry/logs.ts';
import { READ_MAX } from './operator-record.ts';

/** Each as a link of the chain, with the moment at which it was done. A start does not depend on it. */
export async function recordErrands(
  ledger: Ledger,
  journal: string,
  log: Pick<Log, 'warn'>,
): Promise<void> {
  try {
    await takeErrands(journal, (actions) => {
      const before = ledger.actions(READ_MAX);
      // An earlier start may have ended between the record and the end of the file.
      const known = new Set(before.map(keyOf));
      let last = before.at(-1);
      const records = actions
        .filter((each) => !known.has(keyOf(each)))
        .map((each) => {
          last = nextAction(last, each);
          return { kind: 'action', action: last } as const;
        });
      if (records.length > 0) ledger.commit(records);
    });
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    log.warn('journal.errands_unread', { detail });
  }
}

function keyOf({ atMs, by, target }: OperatorAction): string {
  return `${atMs} ${by} ${target}`;
}
