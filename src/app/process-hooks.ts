// What the operating system and Node tell the process, turned into what it means for the daemon.

import process from 'node:process';
import { StopAsked } from '../guard/stop-asked.ts';
import { isOurs } from './stray.ts';
import { hangUpOnce, isTerminalGone, onTerminalLost } from './terminal.ts';

export type ProcessEvents = {
  /** SIGTERM, SIGINT, SIGQUIT, or the terminal is gone: end in good order. */
  readonly onStop: (signal: string) => void;
  /** The same again, meant: end at once. */
  readonly onStopAgain: (signal: string) => void;
  /** SIGHUP while the terminal, if there was one, is there: read the configuration. */
  readonly onReload: () => void;
  /** An error that nobody caught: nothing of the program can be trusted any more. */
  readonly onCrash: (error: Error) => void;
  /** One in which the program has no part, as of a promise that a strategy leaves to itself. */
  readonly onStray: (error: unknown) => void;
};

/** Listens until the returned function is called. */
export function hookProcess(events: ProcessEvents, nowMs: () => number): () => void {
  const stop = stopHandler(events, nowMs);
  const onGone = hangUpOnce(() => stop('SIGHUP'));
  const hangUp = (): void => {
    if (isTerminalGone()) onGone();
    else events.onReload();
  };
  const uncaught = (how: 'rejected' | 'thrown') => (error: unknown) => {
    if (!isOurs(error, how)) events.onStray(error);
    else events.onCrash(error instanceof Error ? error : new Error(String(error)));
  };
  const listeners = [
    ['SIGTERM', stop],
    ['SIGINT', stop],
    ['SIGQUIT', stop],
    ['SIGHUP', hangUp],
    ['uncaughtException', uncaught('thrown')],
    ['unhandledRejection', uncaught('rejected')],
  ] as const;
  for (const [name, listener] of listeners) process.on(name, listener);
  const unhookTerminal = onTerminalLost(onGone);
  return () => {
    unhookTerminal();
    for (const [name, listener] of listeners) process.off(name, listener);
  };
}

function stopHandler(events: ProcessEvents, nowMs: () => number): (signal: string) => void {
  const stop = new StopAsked();
  return (signal) => {
    const which = stop.ask(nowMs());
    if (which === 'first') events.onStop(signal);
    if (which === 'second') events.onStopAgain(signal);
  };
}
