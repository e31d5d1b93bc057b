// The text of a configuration file, of which no more is read than a configuration may have: a file that took its
// place by mistake, or a device, holds up nobody who trades.

import { closeSync, openSync, readSync } from 'node:fs';
import { YAML_LENGTH_MAX } from './yaml-document.ts';

/** A character has four bytes at the most, so that a text which was cut is too long in any case. */
const BYTES_MAX = 4 * (YAML_LENGTH_MAX + 1);

/** @throws {Error} As `readFileSync` does. */
export function readBoundedFile(file: string): string {
  const handle = openSync(file, 'r');
  try {
    // Mostly a small part of it is used: nothing of the rest is touched.
    const buffer = Buffer.allocUnsafe(BYTES_MAX);
    let length = 0;
    for (;;) {
      const read = readSync(handle, buffer, length, BYTES_MAX - length, null);
      length += read;
      if (read === 0 || length === BYTES_MAX) return buffer.toString('utf8', 0, length);
    }
  } finally {
    closeSync(handle);
  }
}
