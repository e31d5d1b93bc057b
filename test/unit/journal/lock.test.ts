import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { unixMs } from '../../../src/domain/time.ts';
import { markHeld } from '../../../src/journal/claims.ts';
import { type Holder, livenessOf, ownHolder } from '../../../src/journal/holder.ts';
import { type Lock, type LockOptions, lockJournal } from '../../../src/journal/lock.ts';
import { journalIn } from './support.ts';

/** A machine that is busy gets some seconds for what takes milliseconds. */
const SOON = { timeout: 8_000, interval: 10 };

const AT = '2026-11-21T12:00:00.000Z';
const HAS_PROC = existsSync('/proc/self/stat');
if (!HAS_PROC) console.warn('no /proc here: what tells processes apart by their start is skipped');

const held: Lock[] = [];
const children: ChildProcess[] = [];
const lost: string[] = [];

afterEach(async () => {
  await Promise.all(held.splice(0).map((lock) => lock.release()));
  for (const child of children.splice(0)) child.kill('SIGKILL');
  lost.length = 0;
});

async function lock(journal: string, options: Partial<LockOptions> = {}): Promise<Lock> {
  const taken = await lockJournal({
    journal,
    clock: { nowMs: () => unixMs(Date.parse(AT)) },
    onLost: (detail) => lost.push(detail),
    silenceMs: 300,
    ...options,
  });
  held.push(taken);
  return taken;
}

function claims(journal: string): readonly string[] {
  return readdirSync(dirname(journal)).filter((name) => name.includes('.lock.'));
}

function claim(journal: string, holder: Holder | string): string {
  const file = `${journal}.lock.other`;
  writeFileSync(file, typeof holder === 'string' ? holder : `${JSON.stringify(holder)}\nheld\n`);
  return file;
}

/** A real process that does nothing, and who it is. */
async function otherProcess(): Promise<{ child: ChildProcess; holder: Holder }> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  children.push(child);
  await once(child, 'spawn');
  const own = await ownHolder(AT);
  const pid = child.pid ?? 0;
  return { child, holder: { ...own, pid, startTicks: await startTicksOf(pid) } };
}

async function startTicksOf(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
}

describe('a journal', () => {
  it('is locked by one instance, which says who it is', async () => {
    const journal = journalIn();
    await lock(journal);
    await expect(lock(journal)).rejects.toThrow(
      expect.objectContaining({
        code: 'journal.busy',
        message: expect.stringContaining(`is held by process ${process.pid} on `),
      }),
    );
  });

  it('can be locked again at once after a release', async () => {
    const journal = journalIn();
    await (await lock(journal)).release();
    await lock(journal);
    expect(claims(journal)).toHaveLength(1);
  });

  it('gets its folder when that is missing', async () => {
    const journal = join(dirname(journalIn()), 'deep', 'er', 'bookend.db');
    await lock(journal);
    expect(claims(journal)).toHaveLength(1);
  });

  it('is the same through a link to it', async () => {
    const journal = journalIn();
    writeFileSync(journal, '');
    const link = join(dirname(journalIn()), 'link.db');
    symlinkSync(journal, link);
    await lock(journal);
    await expect(lock(link)).rejects.toThrow('journal');
  });

  it('is not mixed up with a neighbour', async () => {
    const journal = journalIn();
    await lock(journal);
    await lock(`${journal}2`);
    expect(claims(journal)).toHaveLength(2);
  });

  it('cannot be locked where nothing can be written', async () => {
    const file = journalIn();
    writeFileSync(file, '');
    await expect(lock(join(file, 'below', 'bookend.db'))).rejects.toThrow(
      expect.objectContaining({ code: 'journal.write' }),
    );
  });

  it('is not taken where a claim on it can neither be read nor be known to be gone', async () => {
    const journal = journalIn();
    const file = `${journal}.lock.other`;
    symlinkSync(file, file);
    await expect(lock(journal)).rejects.toThrow('ELOOP');
    rmSync(file);
    await lock(journal);
  });

  it('goes to one of two that start in the same moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const journal = journalIn();
      const results = await Promise.allSettled([lock(journal), lock(journal)]);
      expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    }
  });

  it('never goes to two of many', async () => {
    const journal = journalIn();
    const tries = Array.from({ length: 12 }, () => lock(journal));
    const results = await Promise.allSettled(tries);
    const winners = results.filter((result) => result.status === 'fulfilled').length;
    expect(winners).toBeLessThanOrEqual(1);
    expect(claims(journal)).toHaveLength(winners);
  });
});

describe.skipIf(!HAS_PROC)('the claim of another process', () => {
  it('holds while it runs, and not when it was killed', async () => {
    const journal = journalIn();
    const { child, holder } = await otherProcess();
    claim(journal, holder);
    await expect(lock(journal)).rejects.toThrow(`is held by process ${holder.pid}`);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await lock(journal);
    expect(claims(journal)).toHaveLength(1);
  });

  it('does not hold when its pid belongs to a later process', async () => {
    const journal = journalIn();
    const { holder } = await otherProcess();
    claim(journal, { ...holder, startTicks: '1' });
    await lock(journal);
    expect(claims(journal)).toHaveLength(1);
  });

  it.each([
    { name: 'in another container', change: { pidNamespace: 'pid:[1]' } },
    { name: 'of another boot', change: { bootId: 'another' } },
  ])('$name does not hold when it shows no sign of activity', async ({ change }) => {
    const journal = journalIn();
    const waits: string[] = [];
    claim(journal, { ...(await ownHolder(AT)), ...change });
    await lock(journal, { onWait: (detail) => waits.push(detail) });
    expect(waits).toHaveLength(1);
  });

  it('in another container holds as long as it shows sign of activity', async () => {
    const journal = journalIn();
    const file = claim(journal, { ...(await ownHolder(AT)), pidNamespace: 'pid:[1]' });
    let at = 1_000;
    const signs = setInterval(() => {
      at += 1;
      utimesSync(file, at, at);
    }, 20);
    await expect(lock(journal)).rejects.toThrow('is held by');
    clearInterval(signs);
  });

  it.each(['', 'partial', '{"pid":"x"}\n', '[]\n'])(
    'that reads %j is watched for a sign of activity and then removed',
    async (text) => {
      const journal = journalIn();
      claim(journal, text);
      await lock(journal);
      expect(claims(journal)).toHaveLength(1);
    },
  );

  it('of which nobody knows when it started holds as long as it shows sign of activity', async () => {
    const { holder } = await otherProcess();
    expect(await livenessOf({ ...holder, startTicks: undefined })).toBe('unknown');
  });

  it('is watched beside all others that nobody can read: many cost no more time than one', async () => {
    const journal = journalIn();
    for (const id of [1, 2, 3]) writeFileSync(`${journal}.lock.${id}`, '');
    const there: number[] = [];
    await lock(journal, { onWait: () => there.push(claims(journal).length) });
    expect(there).toEqual([4, 4, 4]);
    expect(claims(journal)).toHaveLength(1);
  });

  it('that is our own is alive', async () => {
    expect(await livenessOf(await ownHolder(AT))).toBe('alive');
  });
});

describe('a lock', () => {
  it('shows sign of activity', async () => {
    const journal = journalIn();
    await lock(journal, { signMs: 20 });
    const file = join(dirname(journal), claims(journal)[0] ?? '');
    utimesSync(file, 1, 1);
    await expect.poll(() => mtime(file), SOON).toBeGreaterThan(1_000_000);
  });

  it('that somebody removed is told to its holder once', async () => {
    const journal = journalIn();
    await lock(journal, { signMs: 20 });
    rmSync(join(dirname(journal), claims(journal)[0] ?? ''));
    await expect.poll(() => lost.length, SOON).toBe(1);
    await sleep(100);
    expect(lost).toEqual([expect.stringContaining('was removed')]);
  });

  it('that somebody removed is not made anew by what its holder notes on it', async () => {
    const journal = journalIn();
    const own = await lock(journal);
    const file = join(dirname(journal), claims(journal)[0] ?? '');
    rmSync(file);
    await own.markStopping();
    await expect(markHeld(file)).rejects.toThrow('ENOENT');
    expect(claims(journal)).toEqual([]);
  });

  it('that was released is not lost', async () => {
    const journal = journalIn();
    await (await lock(journal, { signMs: 10 })).release();
    await sleep(60);
    expect(lost).toEqual([]);
  });
});

async function mtime(file: string): Promise<number> {
  return (await stat(file)).mtimeMs;
}

describe('a journal whose holder is stopping', () => {
  // A clock that is set back again and again: none but a steady one says how long a start has waited.
  let looks = 0;
  const clock = {
    nowMs: () => {
      looks += 1;
      return unixMs(Date.now() - looks * 3_600_000);
    },
  };

  it('is waited for, and locked as soon as it is free', async () => {
    const journal = journalIn();
    const first = await lock(journal);
    const told: string[] = [];
    const second = lock(journal, { clock, waitMs: 20_000, onWait: (text) => told.push(text) });
    await first.markStopping();
    await sleep(500);
    expect(told).toHaveLength(1);
    expect(told[0]).toContain(`process ${process.pid}`);
    await first.release();
    await second;
    expect(claims(journal)).toHaveLength(1);
  });

  it('is named where it takes longer than that', async () => {
    const journal = journalIn();
    const first = await lock(journal);
    await first.markStopping();
    const startedAtMs = Date.now();
    const named = new RegExp(
      `process ${process.pid} on .*is stopping and has not ended within 2 s`,
    );
    await expect(lock(journal, { clock, waitMs: 2_000 })).rejects.toThrow(named);
    expect(Date.now() - startedAtMs).toBeGreaterThanOrEqual(2_000);
  });

  it('is named at once where nobody is to wait', async () => {
    const journal = journalIn();
    const first = await lock(journal);
    await first.markStopping();
    await expect(lock(journal)).rejects.toThrow('has not ended within 0 s');
  });

  it('is not waited for where it does not say so within a second', async () => {
    const journal = journalIn();
    await lock(journal);
    const startedAtMs = Date.now();
    await expect(lock(journal, { clock, waitMs: 60_000 })).rejects.toThrow('stop it, or use');
    expect(Date.now() - startedAtMs).toBeLessThan(30_000);
  });

  it('is not waited for any longer when the start is called off', async () => {
    const journal = journalIn();
    const first = await lock(journal);
    await first.markStopping();
    const calledOff = AbortSignal.timeout(300);
    await expect(lock(journal, { clock, waitMs: 60_000, calledOff })).rejects.toThrow('aborted');
  });
});
