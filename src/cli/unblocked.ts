// Output that nobody waits for.
//
// Node writes to a terminal and waits until it has taken everything. One that takes nothing, as after
// Ctrl-S or behind a connection that hangs, would stop the process in the middle of a word: a trader that
// draws its screen, and a guard that says whose death it has seen, before its first cancel.

import { fstatSync } from 'node:fs';
import { Writable } from 'node:stream';
import { FdLines } from '../telemetry/fd-lines.ts';
import type { Output } from './io.ts';

/**
 * The same output, and nobody waits for the disk where it is a file: Node writes to one in line, and on a
 * disk that hangs a guard would stand still before its first cancel, and a kill before its last.
 */
export function besideDisk(stream: NodeJS.WriteStream & { readonly fd: number }): Output {
  const { fd } = stream;
  return isFile(fd) ? linesTo(fd) : stream;
}

export function linesTo(fd: number): Writable {
  const lines = new FdLines(fd);
  return new Writable({
    write: (text, _encoding, done) => {
      lines.write(String(text));
      done();
    },
  });
}

function isFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile();
  } catch {
    return false;
  }
}

/** From here on what a terminal does not take waits, and nobody waits for it; pipes are so already. */
export function unblock(stream: NodeJS.WriteStream): void {
  if (!stream.isTTY) return;
  const handle: unknown = Reflect.get(stream, '_handle');
  if (typeof handle !== 'object' || handle === null) return;
  const setBlocking: unknown = Reflect.get(handle, 'setBlocking');
  if (typeof setBlocking === 'function') Reflect.apply(setBlocking, handle, [false]);
}
