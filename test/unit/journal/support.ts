// A journal path in a folder of its own, and a journal as a process that was killed leaves it.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { unixMs } from '../../../src/domain/time.ts';
import type { RunFacts } from '../../../src/journal/recording-line.ts';
import { tempFolder } from '../../support/temp-folder.ts';

/** A process that records, and knows of no strategy that was suspended. */
export const RUN_FACTS: RunFacts = {
  startedAtMs: unixMs(1),
  version: '1.2.3',
  node: process.version,
  suspended: [],
};

export function journalIn(name = 'bookend.db'): string {
  return join(tempFolder('journal'), name);
}

/**
 * Copies the files of a journal that is being written to a folder beside it, as they are at this moment.
 *
 * Another process copies: a process that closes a file of SQLite gives up the locks that it holds on it.
 *
 * @returns The path of the copy.
 */
export function leftBehind(journal: string): string {
  const folder = dirname(journal);
  const to = mkdtempSync(join(folder, 'left-'));
  const names = readdirSync(folder).filter((name) => name.startsWith(basename(journal)));
  execFileSync('cp', ['--preserve=mode', ...names.map((name) => join(folder, name)), to]);
  return join(to, basename(journal));
}
