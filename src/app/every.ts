// Something that is done again and again: a slow one is waited for, and no second is begun beside it.

import type { Timers } from '../domain/time.ts';

/** @returns What calls it off; one under way goes to its end. */
export function every(timers: Timers, periodMs: number, task: () => Promise<void>): () => void {
  let isStopped = false;
  let callOff = (): void => undefined;
  const again = (): void => {
    callOff = timers.after(periodMs, () => {
      void task().finally(() => {
        if (!isStopped) again();
      });
    });
  };
  again();
  return () => {
    isStopped = true;
    callOff();
  };
}
