// Where a dry run keeps its ledger, and everything beside it: in a folder of its own, so that no live run ever takes
// simulated orders for real ones, or the other way round.

import { basename, dirname, join } from 'node:path';
import type { Settings } from '../settings/settings.ts';

const FOLDER = 'dry-run';

/** The journal of the dry run of a configuration that names this one. */
export function dryJournalPath(path: string): string {
  return join(dirname(path), FOLDER, basename(path));
}

/** The same settings about the ledger of their dry run. */
export function onDryJournal<Own extends Pick<Settings, 'journal'>>(settings: Own): Own {
  const { journal } = settings;
  return { ...settings, journal: { ...journal, path: dryJournalPath(journal.path) } };
}
