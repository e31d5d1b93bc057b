// "Why am I not quoting?" for each side of a market: the binding reason, and since when.
// @spec Architecture decision 12

import type { UnixMs } from '../../domain/time.ts';
import type { Reason } from '../../domain/view.ts';
import type { AxisSide } from '../../strategy/index.ts';

export type ReasonText = {
  readonly code: string;
  readonly detail: string;
  readonly clears: string;
};

/** Keeps the time at which a reason began for as long as its code stays the same. */
export class ReasonTimes {
  readonly #current: Record<AxisSide, Reason | undefined> = { bid: undefined, ask: undefined };

  set(side: AxisSide, reason: ReasonText | undefined, nowMs: UnixMs): void {
    const known = this.#current[side];
    if (reason === undefined) {
      this.#current[side] = undefined;
      return;
    }
    const { code, detail, clears } = reason;
    const sinceMs = known?.code === code ? known.sinceMs : nowMs;
    this.#current[side] = { code, detail, clears, sinceMs };
  }

  of(side: AxisSide): Reason | undefined {
    return this.#current[side];
  }
}
