// A ledger that is read by a copy, where the temporary folder takes none.

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../src/clock/system.ts';
import { readLedgerCopy } from '../../../src/journal/ledger/copy.ts';
import { openLedger } from '../../../src/journal/ledger/ledger.ts';

const clock = systemClock();
let folder: string;
let data: string;
let temporary: string;
let path: string;

const read = async () => await readLedgerCopy({ path, clock }, (ledger) => ledger.fact('who'));

async function failureOf(task: Promise<unknown>): Promise<string> {
  return await task.then(
    () => 'it was read',
    (error: unknown) => String(error),
  );
}

/** In the folder of the ledger; its log goes when the library has let go of it, soon after the close. */
async function names(): Promise<readonly string[]> {
  return (await readdir(data)).filter((name) => !/-(?:wal|shm)$/.test(name));
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bookend-copy-test-'));
  data = join(folder, 'data');
  temporary = join(folder, 'tmp');
  path = join(data, 'bookend.db');
  await mkdir(temporary);
  const ledger = await openLedger({ path, clock });
  ledger.setFact('who', 'me');
  ledger.close();
  vi.stubEnv('TMPDIR', temporary);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

describe('a copy of a ledger', () => {
  it('stands in the temporary folder while it is read, and is gone afterwards', async () => {
    const before = await names();
    expect(await read()).toBe('me');
    expect(await readdir(temporary)).toEqual([]);
    expect(await names()).toEqual(before);
  });

  it('stands beside the ledger where there is no temporary folder, and is gone afterwards', async () => {
    vi.stubEnv('TMPDIR', join(folder, 'absent'));
    const before = await names();
    expect(await read()).toBe('me');
    expect(await names()).toEqual(before);
  });

  it('stands beside the ledger where the temporary folder is no folder', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    vi.stubEnv('TMPDIR', file);
    expect(await read()).toBe('me');
  });

  it('that fails half way leaves nothing behind in either place, and says where to and why', async () => {
    await rm(`${path}-wal`, { force: true });
    await mkdir(`${path}-wal`);
    const before = await names();
    const failure = await failureOf(read());
    expect(failure).toContain(`could not be copied and read: ${path} to ${temporary} (`);
    expect(failure).toContain(`nor to ${data} (`);
    expect(failure).toMatch(/\((EISDIR|ENOTSUP|EINVAL|ERR_FS_\w+)\)$/);
    expect(await readdir(temporary)).toEqual([]);
    expect(await names()).toEqual(before);
  });

  it('of a ledger in which a flipped bit has made a text no text says so, and ends no process', async () => {
    const bytes = await readFile(path);
    const at = bytes.lastIndexOf('whome');
    bytes.writeUInt8(bytes.readUInt8(at + 'who'.length) ^ 0x80, at + 'who'.length);
    await writeFile(path, bytes);
    expect(await failureOf(read())).toContain('a text in it is malformed');
  });

  it('whose reader fails leaves nothing behind either', async () => {
    const fails = (): never => {
      throw new Error('no such row');
    };
    const before = await names();
    expect(await failureOf(readLedgerCopy({ path, clock }, fails))).toContain('no such row');
    expect(await readdir(temporary)).toEqual([]);
    expect(await names()).toEqual(before);
  });
});
