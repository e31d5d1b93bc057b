// Small steps on files that several of the journal's parts take.

import { mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { BotError } from '../domain/errors.ts';

/**
 * The one true path of a journal, whatever links lead to it; its folder is made when missing.
 *
 * @throws {BotError} `journal.write` when the folder cannot be made.
 */
export async function journalPath(path: string): Promise<string> {
  try {
    await mkdir(dirname(path), { recursive: true });
    const whole = await realpath(path).catch(() => undefined);
    return whole ?? join(await realpath(dirname(path)), basename(path));
  } catch (error) {
    throw cannotWrite(path, error);
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
    const handle = await open(draft, 'w', 0o644);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
    await syncFolder(dirname(file));
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw cannotWrite(file, error);
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

/** `ENOENT` and its like. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
