// Small steps on files that several of the journal's parts take.

import {
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { BotError } from '../domain/errors.ts';

/** What an account holds and does is nobody else's business. */
export const OWNER_ONLY = 0o600;
const FOLDER_OWNER_ONLY = 0o700;
const OTHERS = 0o077;
/** No link is followed, and nobody at the other end of a pipe waited for. */
const AS_IT_IS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * The one true path of a journal, whatever links lead to it; its folder is made when missing, for
 * the owner alone. One that is there may be for others, too, and stays as it is.
 *
 * @throws {BotError} `journal.write` when the folder cannot be made.
 */
export async function journalPath(path: string): Promise<string> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: FOLDER_OWNER_ONLY });
    return await truePath(path);
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

/**
 * The same for whoever only reads: nothing is made, for a reader may have no right to write anywhere. Where there
 * is no such folder it is the path itself, at which nothing will be found.
 *
 * @throws {BotError} `journal.copy`
 */
export async function readPath(path: string): Promise<string> {
  try {
    return await truePath(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return path;
    throw cannotRead(path, error);
  }
}

/** By which processes know that they mean the same journal, whatever links lead to it, and before it is made. */
export async function wholePath(path: string): Promise<string> {
  const whole = resolve(path);
  const real = await realpath(whole).catch(() => undefined);
  if (real !== undefined || dirname(whole) === whole) return real ?? whole;
  return join(await wholePath(dirname(whole)), basename(whole));
}

async function truePath(path: string): Promise<string> {
  const whole = await realpath(path).catch(() => undefined);
  return whole ?? join(await realpath(dirname(path)), basename(path));
}

/** Whether other users of the machine may look into the folder of a journal; no file in it is theirs to read. */
export async function isOpenToOthers(journal: string): Promise<boolean> {
  const { mode } = await stat(dirname(journal));
  return (mode & OTHERS) !== 0;
}

/**
 * What root makes in a folder of somebody else's, as a command by `sudo` beside a daemon with a user of its own, is given
 * to that one: it could not read it, and would take its journal for damaged. A file that has another name, too, may be one
 * of root's that somebody has linked there. Never rejects: not everywhere are there owners.
 */
export async function giveToOwner(file: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const handle = await open(file, AS_IT_IS).catch(() => undefined);
  try {
    const { uid, gid } = await stat(dirname(file));
    if ((await handle?.stat())?.nlink === 1) await handle?.chown(uid, gid);
  } catch {
    // It stays root's.
  } finally {
    await handle?.close().catch(() => undefined);
  }
}

/** The same for whoever cannot wait. */
export function giveToOwnerNow(file: string): void {
  if (process.getuid?.() !== 0) return;
  let handle: number | undefined;
  try {
    handle = openSync(file, AS_IT_IS);
    const { uid, gid } = statSync(dirname(file));
    if (fstatSync(handle).nlink === 1) fchownSync(handle, uid, gid);
  } catch {
    // It stays root's.
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/**
 * Replaces a file so that a reader, or a power cut, sees the old text or the new one, never a part.
 *
 * @throws {BotError} `journal.write`
 */
export async function writeWhole(file: string, text: string): Promise<void> {
  const draft = `${file}.${process.pid}.draft`;
  try {
    const handle = await open(draft, 'w', OWNER_ONLY);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await giveToOwner(draft);
    await rename(draft, file);
    await syncFolder(dirname(file));
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw cannotWrite(file, error);
  }
}

/** The same for whoever cannot wait: nothing else happens meanwhile. @throws {BotError} `journal.write` */
export function writeWholeNow(file: string, text: string): void {
  const draft = `${file}.${process.pid}.draft`;
  try {
    const handle = openSync(draft, 'w', OWNER_ONLY);
    try {
      writeFileSync(handle, text);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    giveToOwnerNow(draft);
    renameSync(draft, file);
    syncFolderNow(file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw cannotWrite(file, error);
  }
}

/** Makes the name of a file durable, on file systems that can. */
export function syncFolderNow(file: string): void {
  const handle = openSync(dirname(file), 'r');
  try {
    fsyncSync(handle);
  } catch {
    // As durable as it can be.
  } finally {
    closeSync(handle);
  }
}

/** Makes the names in a folder durable; file systems that cannot are as durable as they can be. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync().catch(() => undefined);
  } finally {
    await handle.close();
  }
}

export function cannotWrite(path: string, cause: unknown): BotError {
  return new BotError('journal.write', `${path} (${errorCode(cause)})`, { cause });
}

export function cannotRead(path: string, cause: unknown): BotError {
  return new BotError('journal.copy', `${path} (${errorCode(cause)})`, { cause });
}

/** `ENOENT` and its like. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
