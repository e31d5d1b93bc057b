// A command that runs until somebody ends it.

import process from 'node:process';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Settles at the first signal; from then on a second one ends the process as usual. */
export function untilSignal(): { readonly told: Promise<void>; callOff(): void } {
  let resolve = (): void => undefined;
  const told = new Promise<void>((done) => {
    resolve = done;
  });
  const callOff = (): void => {
    for (const signal of SIGNALS) process.off(signal, end);
  };
  const end = (): void => {
    callOff();
    resolve();
  };
  for (const signal of SIGNALS) process.on(signal, end);
  return { told, callOff };
}
