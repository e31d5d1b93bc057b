// What a journal shows of who writes it: whoever kills beside it waits by that.

import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { journalActivity } from '../../../src/journal/activity.ts';
import { ownHolder } from '../../../src/journal/holder.ts';
import { journalIn } from './support.ts';

function written(file: string, atSec: number): void {
  writeFileSync(file, '');
  utimesSync(file, atSec, atSec);
}

describe('a journal, seen from outside', () => {
  it('was never written, and nobody holds it, where there is none', async () => {
    expect(await journalActivity(journalIn())).toEqual({ writtenAtMs: undefined, holders: [] });
  });

  it('was never written where its folder is not there, and no folder is made to see that', async () => {
    const journal = join(journalIn(), 'none', 'run.db');
    expect(await journalActivity(journal)).toEqual({ writtenAtMs: undefined, holders: [] });
    expect(existsSync(dirname(journal))).toBe(false);
  });

  it.each(['', '-journal', '-wal'])(
    'was written when the latest of its files was: %s',
    async (latest) => {
      const journal = journalIn();
      for (const suffix of ['', '-journal', '-wal']) written(`${journal}${suffix}`, 1_000);
      written(`${journal}${latest}`, 2_000);
      expect((await journalActivity(journal)).writtenAtMs).toBe(2_000_000);
    },
  );

  it.runIf(existsSync('/proc/self/stat'))(
    'is held by a process that runs, and perhaps by one whose claim cannot be read',
    async () => {
      const journal = journalIn();
      const own = await ownHolder('2026-11-21T12:00:00.000Z');
      const dead = { ...own, startTicks: '1' };
      writeFileSync(`${journal}.lock.1`, `${JSON.stringify(own)}\nheld\n`);
      writeFileSync(`${journal}.lock.2`, `${JSON.stringify(dead)}\nheld\n`);
      writeFileSync(`${journal}.lock.3`, '{"pid":');
      const { holders } = await journalActivity(journal);
      expect(holders.map(({ pid, isSeen }) => [pid, isSeen])).toEqual([
        [process.pid, true],
        [undefined, false],
      ]);
    },
  );
});
