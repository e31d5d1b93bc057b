// The machine's own time, for a venue that is given none.

import { type Clock, type Timers, unixMs } from '../domain/time.ts';

export const HOST_CLOCK: Clock = { nowMs: () => unixMs(Date.now()) };

/** Timers do not keep the process alive: the server that needs them does. */
export const HOST_TIMERS: Timers = {
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
