// Whether a request is too old to leave. Between the decision for it and its first byte the process may have
// been stopped, swapped out or suspended: whoever waits for what was sent before counts on a bound, and the
// quote is of another time.

import type { AgeMs } from '../../domain/command.ts';
import type { CalledOff } from './exchange.ts';

export const NEVER_OLD: CalledOff = () => undefined;

export class AgeLimit {
  readonly #ageMsMax: number;

  constructor(ageMsMax: number) {
    this.#ageMsMax = ageMsMax;
  }

  /** Without an age nobody says when it was decided on: it is as young as its call. */
  of(ageMs: AgeMs | undefined): CalledOff {
    if (ageMs === undefined) return NEVER_OLD;
    return () => {
      const ms = ageMs();
      return ms > this.#ageMsMax ? `decided on ${Math.round(ms)} ms ago` : undefined;
    };
  }
}
