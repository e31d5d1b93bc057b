// What an error means for the exit code, and what a person is notified of it.

import { EXIT, type ExitCode } from '../app/exit.ts';
import { PreflightError } from '../app/preflight.ts';
import { BotError, type BotErrorCode } from '../domain/errors.ts';

const CODES: Partial<Record<BotErrorCode, ExitCode>> = {
  'settings.invalid': EXIT.usage,
  'settings.credentials': EXIT.usage,
  'strategy.unknown': EXIT.usage,
  'strategy.params': EXIT.usage,
  'strategy.shape': EXIT.usage,
  'replay.file': EXIT.usage,
  'catalogue.unknown': EXIT.refused,
  'journal.busy': EXIT.refused,
  'journal.damaged': EXIT.refused,
  // A disk that is full or read-only is no crash: below a guard it is tried for as long as it takes.
  'journal.write': EXIT.refused,
  'journal.venue': EXIT.refused,
};

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof PreflightError) return EXIT.refused;
  if (error instanceof BotError) return CODES[error.code] ?? EXIT.failed;
  return EXIT.failed;
}

/** Errors that we foresaw are told in their own words; the others with where they came from. */
export function failureLines(error: unknown): readonly string[] {
  if (error instanceof BotError || error instanceof PreflightError) return [error.message];
  if (error instanceof Error) return [error.stack ?? error.message];
  return [String(error)];
}
