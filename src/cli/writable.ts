import { open, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { BotError } from '../domain/errors.ts';

/**
 * Whether a file that an option names can be written: better known now than after hours of work.
 * @throws {BotError} `settings.invalid`
 */
export async function checkWritable(option: string, path: string): Promise<void> {
  try {
    const file = await open(path, 'a');
    await file.close();
  } catch (cause) {
    throw notWritable(option, path, cause);
  }
}

/**
 * No file is written over one that is read, or over another one that is written.
 * @throws {BotError} `settings.invalid`
 */
export async function checkApart(
  written: Readonly<Record<string, string | undefined>>,
  read: readonly string[],
): Promise<void> {
  const taken = new Set(await Promise.all(read.map(realPath)));
  for (const [option, path] of Object.entries(written)) {
    if (path === undefined) continue;
    const real = await realPath(path);
    if (taken.has(real)) {
      const detail = `${option} ${path}: is named for something else, too; name another file`;
      throw new BotError('settings.invalid', detail);
    }
    taken.add(real);
  }
}

async function realPath(path: string): Promise<string> {
  return await realpath(path).catch(() => resolve(path));
}

function notWritable(option: string, path: string, cause: unknown): BotError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const detail = `${option} ${path}: cannot be written (${why})`;
  return new BotError('settings.invalid', detail, { cause });
}
