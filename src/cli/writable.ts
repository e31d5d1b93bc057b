import { open } from 'node:fs/promises';
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

function notWritable(option: string, path: string, cause: unknown): BotError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const detail = `${option} ${path}: cannot be written (${why})`;
  return new BotError('settings.invalid', detail, { cause });
}
