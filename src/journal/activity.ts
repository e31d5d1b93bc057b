// What a journal shows from outside, without opening it: when it was last written, and who holds it.

import { stat } from 'node:fs/promises';
import { type Claim, otherClaims, touchedAt } from './claims.ts';
import { errorCode, readPath } from './files.ts';
import { livenessOf } from './holder.ts';

/** A process that holds a journal, or may. */
export type JournalHolder = {
  readonly file: string;
  /** Absent where the claim cannot be read, as one that was torn. */
  readonly pid: number | undefined;
  /** It runs, as can be seen from here; of the others only sign of activity tell. */
  readonly isSeen: boolean;
  readonly touchedAtMs: number | undefined;
};

export type JournalActivity = {
  /** Nothing was sent after that, since an intent is on disk before it is sent; absent: never. */
  readonly writtenAtMs: number | undefined;
  /** Processes that hold it and are not known to be dead. */
  readonly holders: readonly JournalHolder[];
};

/** Files of one ledger: the data, and what is not in it yet. */
const SUFFIXES = ['', '-journal', '-wal'];

/** Looks at a journal that may be of a living daemon. @throws {BotError} `journal.copy` */
export async function journalActivity(journal: string): Promise<JournalActivity> {
  const path = await readPath(journal);
  const known: number[] = [];
  // One after the other: a disk that hangs holds one thread of those that look names up as well.
  for (const suffix of SUFFIXES) {
    const atMs = await writtenAtMs(`${path}${suffix}`);
    if (atMs !== undefined) known.push(atMs);
  }
  return {
    writtenAtMs: known.length === 0 ? undefined : Math.max(...known),
    holders: await livingHolders(path),
  };
}

async function livingHolders(path: string): Promise<readonly JournalHolder[]> {
  const claims = await otherClaims(path, '');
  const holders = await Promise.all(claims.map(holderOf));
  return holders.filter((holder) => holder !== undefined);
}

/** A claim that nobody can read may be of a process that runs: it is no proof of an end. */
async function holderOf({ file, holder }: Claim): Promise<JournalHolder | undefined> {
  const liveness = holder === undefined ? 'unknown' : await livenessOf(holder);
  if (liveness === 'dead') return undefined;
  return {
    file,
    pid: holder?.pid,
    isSeen: liveness === 'alive',
    touchedAtMs: await touchedAt(file),
  };
}

async function writtenAtMs(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).mtimeMs;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
