// The text of a configuration file, of which no more is read than a configuration may have: a file that took its
// place by mistake, or a device, holds up nobody who trades.

import { closeSync, constants, openSync, readSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { YAML_LENGTH_MAX } from './yaml-document.ts';

/** A character has four bytes at the most, so that a text which was cut is too long in any case. */
const BYTES_MAX = 4 * (YAML_LENGTH_MAX + 1);

/** A pipe that nobody writes to, or a terminal, must not hold up whoever reads; Windows has no such word. */
export const AT_ONCE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const PAUSE_MS = 10;

/**
 * @param waitMs - For whoever writes the other end of a pipe.
 * @throws {Error} As `readFileSync` does, and with `EAGAIN` where nothing came by then.
 */
export function readBoundedFile(file: string, waitMs = 0): string {
  const handle = openSync(file, AT_ONCE);
  const untilMs = performance.now() + waitMs;
  try {
    // Mostly a small part of it is used: nothing of the rest is touched.
    const buffer = Buffer.allocUnsafe(BYTES_MAX);
    let length = 0;
    for (;;) {
      const read = readSoon(handle, buffer.subarray(length), untilMs);
      length += read;
      if (read === 0 || length === BYTES_MAX) return buffer.toString('utf8', 0, length);
    }
  } finally {
    closeSync(handle);
  }
}

/** The same where nobody may wait for a disk: on one that hangs it is never kept. */
export async function readBoundedFileBehind(file: string): Promise<string> {
  const handle = await open(file, AT_ONCE);
  try {
    const buffer = Buffer.allocUnsafe(BYTES_MAX);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, length);
      length += bytesRead;
      if (bytesRead === 0 || length === BYTES_MAX) return buffer.toString('utf8', 0, length);
    }
  } finally {
    await handle.close();
  }
}

function readSoon(handle: number, room: Buffer, untilMs: number): number {
  const nobody = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    try {
      return readSync(handle, room);
    } catch (error) {
      const isEmpty = error instanceof Error && Reflect.get(error, 'code') === 'EAGAIN';
      if (!isEmpty || performance.now() >= untilMs) throw error;
      Atomics.wait(nobody, 0, 0, PAUSE_MS);
    }
  }
}
