// What a guard says while the program of its trader still loads. Node gives what nobody listens for to the first
// who does, but forgets it when the guard ends before: a trader would not know that it was to trade, and that
// there is something to look after. It loads nothing itself.

import process from 'node:process';

const early: unknown[] = [];
const keep = (message: unknown): void => void early.push(message);

/** From here on everything is kept, until somebody takes it: a guard says little that early. */
export function keepEarlyWords(): void {
  if (process.send !== undefined) process.on('message', keep);
}

/** What was said by now, once; from here on whoever takes it listens. */
export function takeEarlyWords(): readonly unknown[] {
  process.off('message', keep);
  return early.splice(0);
}
