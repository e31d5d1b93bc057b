// Whether a request is too old to leave. Between the decision for it and its first byte the process may have
// been stopped, swapped out or suspended: whoever waits for what was sent before counts on a bound, and the
// quote is of another time.

import type { AgeMs } from '../../domain/command.ts';
import type { CalledOff } from './exchange.ts';

export const NEVER_OLD: CalledOff = () => undefined;

/** What leaves: whether it still may, asked last of all, and how old it was then. */
export type Leaving = {
  readonly calledOff: CalledOff;
  /** `undefined` before it was asked, and where nobody says when it was decided on. */
  waitedMs(): number | undefined;
};

/** Notes the age at which something leaves that is never too old to. */
export function leavingAtAnyAge(ageMs: AgeMs | undefined): Leaving {
  return noted(ageMs, () => undefined);
}

function noted(ageMs: AgeMs | undefined, judge: (ms: number) => string | undefined): Leaving {
  let waitedMs: number | undefined;
  const calledOff = (): string | undefined => {
    if (ageMs === undefined) return undefined;
    waitedMs = ageMs();
    return judge(waitedMs);
  };
  return { calledOff, waitedMs: () => waitedMs };
}

export class AgeLimit {
  readonly #ageMsMax: number;

  constructor(ageMsMax: number) {
    this.#ageMsMax = ageMsMax;
  }

  /** Without an age nobody says when it was decided on: it is as young as its call. */
  of(ageMs: AgeMs | undefined): Leaving {
    return noted(ageMs, (ms) =>
      ms > this.#ageMsMax ? `decided on ${Math.round(ms)} ms ago` : undefined,
    );
  }
}
