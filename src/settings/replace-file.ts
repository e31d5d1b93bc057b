// Writes a configuration so that whoever watches it sees the old text or the new one, never a part.

import {
  closeSync,
  copyFileSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { BotError } from '../domain/errors.ts';

/** What a file that is new may be read by: it holds no secrets. */
const NEW_MODE = 0o644;

/**
 * Puts a text in place of a file's, and keeps what was there in `<file>.bak`. A link stays a link, and the mode of
 * the file stays as it is.
 *
 * @returns Where the old text is kept; `undefined` where there was no file.
 * @throws {BotError} `settings.write`, for instance where the file is mounted read-only.
 */
export function replaceFile(file: string, text: string): string | undefined {
  try {
    const isThere = existsSync(file);
    if (!isThere) mkdirSync(dirname(file), { recursive: true });
    const target = isThere ? realpathSync(file) : file;
    const backup = isThere ? `${target}.bak` : undefined;
    if (backup !== undefined) copyFileSync(target, backup);
    replaceWhole(target, text, isThere ? statSync(target).mode : NEW_MODE);
    return backup;
  } catch (error) {
    throw cannotWrite(file, error);
  }
}

function replaceWhole(target: string, text: string, mode: number): void {
  const draft = `${target}.${process.pid}.draft`;
  try {
    writeDraft(draft, text, mode);
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

function cannotWrite(file: string, cause: unknown): BotError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
  return new BotError('settings.write', `${file} (${code})`, { cause });
}

function writeDraft(draft: string, text: string, mode: number): void {
  const handle = openSync(draft, 'w', mode);
  try {
    // Whatever the user's mask says: a daemon of another user goes on reading it.
    fchmodSync(handle, mode);
    writeFileSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
