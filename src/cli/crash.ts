// The last words of a process that nobody has prepared for its error: Node would print it as it is, with what a
// venue or a library has put into it.

import { writeSync } from 'node:fs';
import process from 'node:process';
import { inspect } from 'node:util';
import { clipped } from '../domain/excerpt.ts';
import { redacted } from '../domain/redact.ts';

const STDERR = 2;
const LENGTH_MAX = 10_000;
/** As Node ends it. */
const FAILED = 1;

/** Whoever listens as well, as a daemon does, has better words and more to do. */
export function holdCrashes(): void {
  process.on('uncaughtException', (error: unknown) => {
    if (process.listenerCount('uncaughtException') > 1) return;
    try {
      writeSync(STDERR, `bookend: ${crashText(error)}\n`);
    } catch {
      // Nobody reads it.
    }
    process.exit(FAILED);
  });
}

/** An error with its causes and what they carry, every secret in it masked. */
export function crashText(error: unknown): string {
  return clipped(redacted(inspect(error)), LENGTH_MAX);
}
