// Reads a ledger that may be of a living daemon: a copy of its files is opened, the ledger itself never.

import { rmSync } from 'node:fs';
import { copyFile, mkdtemp, rm, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { BotError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/time.ts';
import { errorCode, readPath } from '../files.ts';
import { type Ledger, openLedger } from './ledger.ts';

export type CopyOptions = { readonly path: string; readonly clock: Clock };

/** What is not in the data file yet; a part of it that is torn is left out by its checksums. */
const WAL = '-wal';
/** The data file changes now and then only, when the daemon moves the rest into it. */
const ATTEMPTS_MAX = 5;

/** What a daemon that writes beside the copy must still have room for. */
const LEFT_FREE_BYTES = 16_000_000;
/** Hidden, a folder, and by no name that a journal has: nobody takes it for one. */
const BESIDE_PREFIX = '.bookend-copy-';

/**
 * Opens a copy of a ledger, gives it to `read`, and takes the copy away. It stands in the temporary
 * folder, and beside the ledger where that one has no room, cannot be written or is not there.
 *
 * @returns `absent` when there is no ledger.
 * @throws {BotError} `journal.copy` when it cannot be copied or read in either place.
 */
export async function readLedgerCopy<Value>(
  { path, clock }: CopyOptions,
  read: (ledger: Ledger) => Value,
): Promise<Value | 'absent'> {
  const source = await readPath(path);
  if ((await stamp(source)) === undefined) return 'absent';
  const readIn = async (folder: string): Promise<Value> => {
    const copy = join(folder, 'ledger.db');
    await copyWhole(source, copy);
    const ledger = await openLedger({ path: copy, clock, isCopy: true });
    try {
      return read(ledger);
    } finally {
      ledger.close();
    }
  };
  const beside = dirname(source);
  try {
    return await inFolder(join(tmpdir(), 'bookend-ledger-'), readIn);
  } catch (error) {
    try {
      await assertRoom(source, beside);
      return await inFolder(join(beside, BESIDE_PREFIX), readIn);
    } catch (second) {
      const detail = `${source} to ${tmpdir()} (${whyOf(error)}), nor to ${beside} (${whyOf(second)})`;
      throw cannotCopy(detail, second);
    }
  }
}

/** Makes a folder for `use` that is gone afterwards, also when the process ends meanwhile. */
async function inFolder<Value>(
  prefix: string,
  use: (folder: string) => Promise<Value>,
): Promise<Value> {
  const folder = await mkdtemp(prefix);
  const onExit = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', onExit);
  try {
    return await use(folder);
  } finally {
    process.off('exit', onExit);
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** A full disk would take from a living daemon what it writes its orders to. */
async function assertRoom(source: string, folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const bytes = (await sizeOf(source)) + (await sizeOf(`${source}${WAL}`));
  if (bavail * bsize < bytes + LEFT_FREE_BYTES) throw new Error('too little room');
}

async function sizeOf(file: string): Promise<number> {
  return await stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

function cannotCopy(detail: string, cause: unknown): BotError {
  return new BotError('journal.copy', detail, { cause });
}

function whyOf(error: unknown): string {
  if (error instanceof BotError || !(error instanceof Error)) return String(error);
  return 'code' in error ? errorCode(error) : error.message;
}

/** When a ledger was last written, in a form that tells one moment from another. */
export async function ledgerStamp(path: string): Promise<string> {
  const source = await readPath(path);
  return `${await stamp(source)} ${await stamp(`${source}${WAL}`)}`;
}

/** A data file that changed meanwhile may have taken over what its neighbour no longer has. */
async function copyWhole(source: string, copy: string): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const before = await stamp(source);
    if (before === undefined) throw new Error('it went away');
    await copyIfThere(source, copy);
    await copyIfThere(`${source}${WAL}`, `${copy}${WAL}`);
    if ((await stamp(source)) === before) return;
  }
  throw new Error('it changes too fast');
}

async function copyIfThere(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to);
  } catch (error) {
    // The folder of the copy may be what is not there: that is no ledger without a neighbour.
    const isGone = errorCode(error) === 'ENOENT' && (await stamp(from)) === undefined;
    if (!isGone) throw error;
    await rm(to, { force: true });
  }
}

async function stamp(file: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeMs } = await stat(file);
    return `${ino} ${size} ${mtimeMs}`;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw cannotCopy(`${file} (${errorCode(error)})`, error);
  }
}
