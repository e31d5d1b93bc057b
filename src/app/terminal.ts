// Whether the terminal that a process was started on is still there.

import process from 'node:process';
import { isatty } from 'node:tty';

const FDS = [0, 1, 2] as const;

/**
 * Remembers which streams are a terminal now; the returned function says later whether it is gone.
 * A closed window sends SIGHUP like somebody who wants the configuration read, and only this tells
 * the one from the other.
 */
export function watchTerminal(): () => boolean {
  const terminals = FDS.filter((fd) => isatty(fd));
  return () => terminals.some((fd) => !isatty(fd));
}

/** Tells when something is written to a terminal that is gone; returns how to stop listening. */
export function onTerminalLost(task: () => void): () => void {
  const streams = [process.stdout, process.stderr];
  const onError = (error: NodeJS.ErrnoException): void => {
    if (error.code === 'EIO') task();
  };
  for (const stream of streams) stream.on('error', onError);
  return () => {
    for (const stream of streams) stream.off('error', onError);
  };
}
