// Writes a configuration so that whoever watches it sees the old text or the new one, never a part. Nothing waits
// for the disk meanwhile: a trader goes on.

import { copyFile, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { BotError } from '../domain/errors.ts';

/** What a file that is new may be read by: it holds no secrets. */
const NEW_MODE = 0o644;

/**
 * Puts a text in place of a file's, and keeps what was there in `<file>.bak`. A link stays a link, and the mode of
 * the file stays as it is.
 *
 * @param isStillMeant - Asked in the last moment, when the new text is on the disk and the old one still in its place.
 * @returns Where the old text is kept; `undefined` where there was no file.
 * @throws {BotError} `settings.write`, for instance where the file is mounted read-only.
 */
export async function replaceFile(
  file: string,
  text: string,
  isStillMeant: () => Promise<boolean> = async () => true,
): Promise<string | undefined> {
  try {
    const mode = await modeOf(file);
    const target = mode === undefined ? file : await realpath(file);
    const backup = mode === undefined ? undefined : `${target}.bak`;
    const draft = `${target}.${process.pid}.draft`;
    try {
      await writeDraft(draft, text, mode ?? NEW_MODE);
      if (!(await isStillMeant()))
        throw new BotError('settings.write', `${file} changed meanwhile`);
      if (backup !== undefined) await copyFile(target, backup);
      await rename(draft, target);
    } catch (error) {
      await rm(draft, { force: true }).catch(() => undefined);
      throw error;
    }
    return backup;
  } catch (error) {
    throw error instanceof BotError ? error : cannotWrite(file, error);
  }
}

/** `undefined` where there is no file. */
async function modeOf(file: string): Promise<number | undefined> {
  return (await stat(file).catch(() => undefined))?.mode;
}

async function writeDraft(draft: string, text: string, mode: number): Promise<void> {
  const handle = await open(draft, 'w', mode);
  try {
    // Whatever the user's mask says: a daemon of another user goes on reading it.
    await handle.chmod(mode);
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function cannotWrite(file: string, cause: unknown): BotError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
  if (code === 'ENOENT') {
    return new BotError('settings.write', `${file}: its folder is not there`, { cause });
  }
  return new BotError('settings.write', `${file} (${code})`, { cause });
}
