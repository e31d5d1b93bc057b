// A guard that cancels behind its trader holds the journal meanwhile.

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GuardHold } from '../../../src/app/guard-hold.ts';
import { systemClock } from '../../../src/clock/system.ts';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { journalActivity } from '../../../src/journal/activity.ts';
import { lockJournal } from '../../../src/journal/lock.ts';
import { passOf, peeked } from '../guard/support.ts';
import { journalIn } from '../journal/support.ts';

const clock = systemClock();

async function holders(journal: string) {
  return (await journalActivity(journal)).holders;
}

async function anotherInstance(journal: string) {
  return await lockJournal({ journal, clock, onLost: () => {}, waitMs: 0 });
}

describe('the hold of a guard', () => {
  it('keeps another instance away until it is released, which says that it is stopping', async () => {
    const journal = journalIn();
    const hold = new GuardHold(journal, clock);
    expect(await hold.take()).toBe(true);
    await expect(anotherInstance(journal)).rejects.toThrow('is stopping');
    const [file = ''] = (await holders(journal)).map((holder) => holder.file);
    expect(existsSync(file)).toBe(true);
    await hold.release();
    expect(existsSync(file)).toBe(false);
    await (await anotherInstance(journal)).release();
  });

  it('is not given beside another instance, which stays', async () => {
    const journal = journalIn();
    const other = await anotherInstance(journal);
    const hold = new GuardHold(journal, clock);
    expect(await hold.take()).toBe(false);
    await hold.release();
    expect(await holders(journal)).toHaveLength(1);
    await other.release();
  });

  it('keeps nobody from cancelling where the disk takes no claim', async () => {
    const file = journalIn('no-folder');
    writeFileSync(file, '');
    const hold = new GuardHold(join(file, 'bookend.db'), clock);
    expect(await hold.take()).toBe(true);
    await hold.release();
  });

  it('that was released before it was given is given back', async () => {
    const journal = journalIn();
    const hold = new GuardHold(journal, clock);
    const taken = hold.take();
    await hold.release();
    expect(await taken).toBe(true);
    expect(await holders(journal)).toEqual([]);
  });

  it('keeps nobody from ending for longer than half a second where a disk hangs', async () => {
    const time = new VirtualClock();
    const hanging = {
      markStopping: async () => {},
      release: async () => await new Promise<never>(() => {}),
    };
    const hold = new GuardHold(journalIn(), time, async () => hanging);
    expect(await hold.take()).toBe(true);
    const released = peeked(hold.release().then(() => 'released'));
    await passOf(time, 499, 1);
    expect(released.value).toBeUndefined();
    await passOf(time, 1, 1);
    expect(released.value).toBe('released');
  });
});
