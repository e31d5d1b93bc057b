// Output that nobody waits for.
//
// Node writes to a terminal and to a file and waits until it has taken everything. A terminal that takes
// nothing, as after Ctrl-S or behind a connection that hangs, or a file on a disk that hangs, would stop the
// process in the middle of a word: a trader that draws its screen, and a guard that says whose death it has
// seen, before its first cancel.

import type { Writable } from 'node:stream';
import { FdLines } from '../telemetry/fd-lines.ts';

/** Told on the stream itself, with the lines that were given up since the start: some are new. */
export const DROPPED = 'dropped';

/** From here on what is not taken waits, and nobody waits for it; pipes are so already. */
export function unblock(stream: NodeJS.WriteStream & { readonly fd: number }): void {
  if (stream.isTTY) unblockTerminal(stream);
  else if (Reflect.get(stream, '_type') === 'fs') writeBehind(stream);
}

function unblockTerminal(stream: NodeJS.WriteStream): void {
  const handle: unknown = Reflect.get(stream, '_handle');
  if (typeof handle !== 'object' || handle === null) return;
  const setBlocking: unknown = Reflect.get(handle, 'setBlocking');
  if (typeof setBlocking === 'function') Reflect.apply(setBlocking, handle, [false]);
}

/** The stream stays the one that everybody has; what it is given is written beside the process. */
export function writeBehind(stream: Writable & { readonly fd: number }): void {
  const lines = new FdLines(stream.fd, (linesTotal) => stream.emit(DROPPED, linesTotal));
  const write = (text: Buffer, _encoding: string, done: () => void): void => {
    lines.write(text.toString());
    done();
  };
  Reflect.set(stream, '_write', write);
}
