// What a journal shows from outside, without opening it: when it was last written, and who holds it.

import { stat } from 'node:fs/promises';
import { otherClaims } from './claims.ts';
import { errorCode, journalPath } from './files.ts';
import { type Holder, lifeOf } from './holder.ts';

export type JournalActivity = {
  /** Nothing was sent after that, since an intent is on disk before it is sent; absent: never. */
  readonly writtenAtMs: number | undefined;
  /** Processes that hold it and live, as far as can be seen from here. */
  readonly holders: readonly Holder[];
};

/** Files of one ledger: the data, and what is not in it yet. */
const SUFFIXES = ['', '-journal', '-wal'];

/** Looks at a journal that may be of a living daemon. @throws {BotError} `journal.write` */
export async function journalActivity(journal: string): Promise<JournalActivity> {
  const path = await journalPath(journal);
  const times = await Promise.all(SUFFIXES.map((suffix) => writtenAtMs(`${path}${suffix}`)));
  const known = times.filter((each) => each !== undefined);
  return {
    writtenAtMs: known.length === 0 ? undefined : Math.max(...known),
    holders: await livingHolders(path),
  };
}

async function livingHolders(path: string): Promise<readonly Holder[]> {
  const claims = await otherClaims(path, '');
  const lives = await Promise.all(
    claims.map(async ({ holder }) => {
      const isDead = holder !== undefined && (await lifeOf(holder)) === 'dead';
      return isDead ? undefined : holder;
    }),
  );
  return lives.filter((holder) => holder !== undefined);
}

async function writtenAtMs(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).mtimeMs;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
