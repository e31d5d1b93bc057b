// What losses are measured from stays where it is: over restarts too, until an operator has seen the loss
// or a day is over.

import type { StoredBaselines } from '../../../src/domain/risk.ts';

export class BaselineWatch {
  #known: StoredBaselines | undefined;

  /** @param kept - Those on the disk. */
  onLifeStarts(kept: StoredBaselines | undefined): void {
    this.#known = kept;
  }

  /** An operator has seen it: what comes next is measured anew. */
  onResumed(): void {
    this.#known = undefined;
  }

  /** @returns What moved that may not. */
  onRecord(now: StoredBaselines): string | undefined {
    const before = this.#known;
    this.#known = now;
    if (before === undefined) return undefined;
    if (now.sessionNano !== before.sessionNano)
      return moved('session', before.sessionNano, now.sessionNano);
    if (now.day === before.day && now.dayNano !== before.dayNano)
      return moved('day', before.dayNano, now.dayNano);
    return now.peakNano < before.peakNano
      ? moved('peak', before.peakNano, now.peakNano)
      : undefined;
  }
}

function moved(what: string, from: number, to: number): string {
  return `the ${what} is measured from ${(to / 1e9).toFixed(2)} USDC, and was from ${(from / 1e9).toFixed(2)}`;
}
