// How long a trader has said nothing, and for how much of that it could have: a machine that is crowded, a disk that
// does not answer or a hypervisor that takes the processor away makes a trader slow and not dead.

import type { Doing, Schedule } from './schedule.ts';

/** What it does in place of showing a sign; `silent` where the machine does not say. */
export type Silent = 'blocked' | 'asleep' | 'stopped' | 'silent';

/** A trader that beats as it should is not looked at: to read what the machine says takes half a millisecond. */
const UNLOOKED_MS = 100;

const WHY: Readonly<Record<Doing, Silent>> = {
  wants: 'blocked',
  sleeps: 'asleep',
  stopped: 'stopped',
};

export class Silence {
  #silentMs = 0;
  /** The part of it in which the trader could have run. */
  #givenMs = 0;
  #before: Schedule | undefined;
  #now: Schedule | undefined;

  get silentMs(): number {
    return this.#silentMs;
  }

  get givenMs(): number {
    return this.#givenMs;
  }

  get why(): Silent {
    return this.#now === undefined ? 'silent' : WHY[this.#now.doing];
  }

  /** It has shown a sign of activity. */
  onSign(): void {
    this.#silentMs = 0;
    this.#givenMs = 0;
    this.#before = undefined;
    this.#now = undefined;
  }

  /**
   * Time has passed without a sign: `durationMs` as whoever watches planned it, of which nothing is lost that is his own
   * lateness, and `elapsedMs` as it was.
   */
  onStep(durationMs: number, elapsedMs: number, look: () => Schedule | undefined): void {
    this.#silentMs += elapsedMs;
    if (this.#silentMs < UNLOOKED_MS) {
      this.#givenMs += durationMs;
      return;
    }
    this.#before = this.#now;
    this.#now = look();
    const { before, now } = { before: this.#before, now: this.#now };
    const isKnown = before !== undefined && now !== undefined;
    this.#givenMs += isKnown ? givenMs(before, now, durationMs) : durationMs;
  }
}

function givenMs(before: Schedule, now: Schedule, durationMs: number): number {
  const isSame = before.processor === now.processor;
  const stolenMs = isSame ? Math.max(0, now.stolenMs - before.stolenMs) : 0;
  switch (now.doing) {
    case 'stopped':
      return durationMs;
    case 'sleeps':
      return Math.max(0, durationMs - (now.waitedMs - before.waitedMs) - stolenMs);
    case 'wants':
      return Math.max(0, Math.min(durationMs, now.ranMs - before.ranMs - stolenMs));
  }
}
