// What nobody has expected in the guard's own process. Orders may rest, and nobody else looks after them: it goes on,
// says so, and says it often enough to be heard and not so often that a disk fills.

import { inspect } from 'node:util';
import { clipped } from '../domain/excerpt.ts';
import { redacted } from '../domain/redact.ts';
import type { Clock } from '../domain/time.ts';
import type { GuardLog } from './held.ts';

const LENGTH_MAX = 2_000;
/** Between two lines; what comes meanwhile is counted in the next one. */
const TOLD_MS = 10_000;

export class Faults {
  readonly #log: GuardLog;
  readonly #clock: Clock;
  readonly #event: string;
  #total = 0;
  #toldAtMs = Number.NEGATIVE_INFINITY;

  constructor(log: GuardLog, clock: Clock, event = 'guard.fault') {
    this.#log = log;
    this.#clock = clock;
    this.#event = event;
  }

  /** Of no use where it throws itself: what it is called by is the last to hear. */
  onFault(error: unknown): void {
    this.#total += 1;
    const nowMs = this.#clock.nowMs();
    if (nowMs - this.#toldAtMs < TOLD_MS) return;
    this.#toldAtMs = nowMs;
    this.#log.error(this.#event, {
      detail: faultText(error),
      does: 'goes on',
      faultsTotal: this.#total,
    });
  }
}

/** An error with its causes and where it comes from, every secret in it masked. */
export function faultText(error: unknown): string {
  return clipped(redacted(inspect(error)), LENGTH_MAX);
}
