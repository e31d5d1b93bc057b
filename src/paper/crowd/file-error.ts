// What is wrong with a recording, with the place where it was found.

import { BotError } from '../../domain/errors.ts';

/** `where` names the file, and the line where one is known. */
export function fileError(where: string, cause: unknown): BotError {
  return new BotError('replay.file', `${where}: ${problemOf(cause)}`, { cause });
}

export function problemOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
