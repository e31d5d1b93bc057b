// Whether the terminal that a process was started on is still there.

import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import process from 'node:process';
import { isatty } from 'node:tty';

/** Streams that are a terminal when the program starts. */
const TERMINALS = [0, 1, 2].filter((fd) => isatty(fd));

/**
 * Says whether the terminal is gone. A closed window sends SIGHUP like somebody who wants the
 * configuration read, and only this tells the one from the other.
 */
export function isTerminalGone(): boolean {
  return TERMINALS.some((fd) => !isatty(fd));
}

/**
 * Puts nothing in the place of a terminal that is gone. Node wants to give a terminal back as it found
 * it when the process ends, and aborts where it cannot.
 */
export function letGoOfTerminal(): void {
  for (const fd of TERMINALS) {
    try {
      closeSync(fd);
      // The lowest free number is the one that was just closed.
      openSync(devNull, 'r+');
    } catch {
      // Closed already.
    }
  }
}

/** Calls the task once for a terminal that is gone, and lets go of it. */
export function hangUpOnce(task: () => void): () => void {
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    letGoOfTerminal();
    task();
  };
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
