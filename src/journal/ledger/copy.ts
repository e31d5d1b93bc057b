// Reads a ledger that may be of a living daemon: a copy of its files is opened, the ledger itself never.

import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BotError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/time.ts';
import { cannotWrite, errorCode, journalPath } from '../files.ts';
import { type Ledger, openLedger } from './ledger.ts';

export type CopyOptions = { readonly path: string; readonly clock: Clock };

/** What is not in the data file yet; a part of it that is torn is left out by its checksums. */
const WAL = '-wal';
/** The data file changes now and then only, when the daemon moves the rest into it. */
const ATTEMPTS_MAX = 5;

/**
 * Opens a copy of a ledger, gives it to `read`, and takes the copy away.
 *
 * @returns `absent` when there is no ledger.
 * @throws {BotError} `journal.write` when it cannot be copied or read.
 */
export async function readLedgerCopy<Value>(
  { path, clock }: CopyOptions,
  read: (ledger: Ledger) => Value,
): Promise<Value | 'absent'> {
  const source = await journalPath(path);
  if ((await stamp(source)) === undefined) return 'absent';
  const folder = await mkdtemp(join(tmpdir(), 'bookend-ledger-')).catch((error: unknown) => {
    throw cannotWrite(tmpdir(), error);
  });
  try {
    const copy = join(folder, 'ledger.db');
    await copyWhole(source, copy);
    const ledger = await openLedger({ path: copy, clock });
    try {
      return read(ledger);
    } finally {
      ledger.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** When a ledger was last written, in a form that tells one moment from another. */
export async function ledgerStamp(path: string): Promise<string> {
  const source = await journalPath(path);
  return `${await stamp(source)} ${await stamp(`${source}${WAL}`)}`;
}

/** A data file that changed meanwhile may have taken over what its neighbour no longer has. */
async function copyWhole(source: string, copy: string): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const before = await stamp(source);
    await copyIfThere(source, copy);
    await copyIfThere(`${source}${WAL}`, `${copy}${WAL}`);
    if ((await stamp(source)) === before) return;
  }
  throw new BotError('journal.write', `${source} changes too fast to be copied`);
}

async function copyIfThere(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') await rm(to, { force: true });
    else throw cannotWrite(from, error);
  }
}

async function stamp(file: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeMs } = await stat(file);
    return `${ino} ${size} ${mtimeMs}`;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw cannotWrite(file, error);
  }
}
