// Whether the venue locks what has matched until it settles, or only what rests: the interface does not
// say, so clean reads teach it.
// @spec Resources and their fields › Balances

import { EPSILON_NANO } from '../positions/cash.ts';

export type Locked = {
  /** Cash that resting buys lock, those on markets that are not quoted among them. */
  readonly restingNano: number;
  /** Cash of matched buys that have not settled. */
  readonly matchedNano: number;
};

/** Reads in a row that must say the same before it is trusted: a match may settle while one is under way. */
const READS_MIN = 2;

export class Locks {
  /** Cash that orders on markets which are not quoted lock, by the last list. */
  elsewhereNano = 0;
  #kept = 0;
  #released = 0;

  /** `undefined` while nobody knows. */
  get keepsMatched(): boolean | undefined {
    if (this.#released >= READS_MIN) return false;
    return this.#kept >= READS_MIN ? true : undefined;
  }

  /** A previous run had learnt it from the same venue. */
  restore(keepsMatched: boolean): void {
    this.#kept = keepsMatched ? READS_MIN : 0;
    this.#released = keepsMatched ? 0 : READS_MIN;
  }

  get mayLearn(): boolean {
    return this.keepsMatched === undefined;
  }

  /** A read with nothing in flight and nothing uncertain, whose cash agrees. */
  onRead(beyondNano: number, { matchedNano }: Locked): void {
    if (matchedNano <= EPSILON_NANO) return;
    const isKept = isNear(beyondNano, matchedNano);
    const isReleased = isNear(beyondNano, 0);
    if (isKept || isReleased) {
      this.#kept = isKept ? this.#kept + 1 : 0;
      this.#released = isReleased ? this.#released + 1 : 0;
    }
  }

  /** Whether cash locked beyond what rests is just what matched buys lock. */
  explains(beyondNano: number, { matchedNano }: Locked): boolean {
    return this.#fits(beyondNano, matchedNano, EPSILON_NANO);
  }

  /** The same of shares. */
  isLocked(beyond: number, matched: number): boolean {
    return this.#fits(beyond, matched, 0);
  }

  #fits(beyond: number, matched: number, epsilon: number): boolean {
    const isKept = Math.abs(beyond - matched) <= epsilon;
    const isReleased = Math.abs(beyond) <= epsilon;
    if (this.keepsMatched === undefined) return isKept || isReleased;
    return this.keepsMatched ? isKept : isReleased;
  }
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) <= EPSILON_NANO;
}
