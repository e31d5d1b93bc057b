// What root writes beside a daemon that has a user of its own, as a command by `sudo` does.

import { chownSync, linkSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { controlTokenOf } from '../../../src/app/control-token.ts';
import { pauseStopped, resumeStopped } from '../../../src/app/stopped-control.ts';
import { systemClock } from '../../../src/clock/system.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { noteErrand } from '../../../src/journal/errands.ts';
import { setLatch } from '../../../src/journal/latch.ts';
import { journalIn } from './support.ts';

const OWNER = 1_000;
const ERRAND = {
  ...{ atMs: unixMs(1), by: 'command kill', action: 'kill', target: 'account' },
  ...{ result: 'confirmed', detail: '' },
};

/** The names in it of files that are not the owner's. */
function othersIn(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => {
    const { uid, gid } = statSync(join(folder, name));
    return uid !== OWNER || gid !== OWNER;
  });
}

it.runIf(process.getuid?.() === 0)(
  'is for the user whose folder it is, who else takes his journal for damaged',
  async () => {
    const journal = journalIn(join('data', 'bookend.db'));
    const folder = dirname(journal);
    mkdirSync(folder);
    chownSync(folder, OWNER, OWNER);
    const clock = systemClock();
    await pauseStopped(journal, clock, 'sudo');
    await setLatch(journal, { by: 'sudo', reason: 'kill', at: undefined });
    await noteErrand(journal, ERRAND);
    await controlTokenOf({ controlToken: undefined, journal }, { warn: () => {} });
    const names = ['.mark', '.stops', '.killed', '.errands', '.token'];
    expect(readdirSync(folder)).toEqual(
      expect.arrayContaining(names.map((suffix) => `bookend.db${suffix}`)),
    );
    expect(othersIn(folder)).toEqual([]);
    await resumeStopped(journal, clock, 'sudo');
    expect(othersIn(folder)).toEqual([]);
  },
);

it.runIf(process.getuid?.() === 0)(
  'is his alone where it has no other name: a file of root that he has linked there stays one of root',
  async () => {
    const journal = journalIn(join('data', 'bookend.db'));
    const folder = dirname(journal);
    mkdirSync(folder);
    chownSync(folder, OWNER, OWNER);
    const secret = join(dirname(folder), 'secret');
    writeFileSync(secret, '', { mode: 0o600 });
    linkSync(secret, `${journal}.errands`);
    await noteErrand(journal, ERRAND);
    expect(statSync(secret).uid).toBe(0);
  },
);
