// External prices of markets, as an edge read them: the newest of each, and for how long it counts.

import type { UnixMs } from '../../domain/time.ts';
import type { ExternalSource } from '../../strategy/index.ts';

export type ExternalPrice = {
  /** Probability of YES, strictly between 0 and 1. */
  readonly price: number;
  readonly logOddsVar: number | undefined;
  /** When its source stated it, or when the edge read it. */
  readonly atMs: UnixMs;
};

type Fault = { readonly detail: string; readonly isWithdrawn: boolean };

/** Keeps the newest statement of one market's price, and what is wrong with its source. */
export class ExternalFeed {
  #latest: ExternalPrice | undefined;
  #fault: Fault | undefined;

  /** Out of order or impossible statements are not taken. @returns `same` when it was known already. */
  take(statement: ExternalPrice): 'taken' | 'same' | 'refused' {
    const isPossible = statement.price > 0 && statement.price < 1;
    const { logOddsVar } = statement;
    const isCertain = logOddsVar !== undefined && !(logOddsVar > 0 && Number.isFinite(logOddsVar));
    if (!isPossible || isCertain) return 'refused';
    const latest = this.#latest;
    if (latest !== undefined && statement.atMs < latest.atMs) return 'refused';
    const isSame = latest !== undefined && isEqual(latest, statement) && this.#fault === undefined;
    this.#latest = statement;
    this.#fault = undefined;
    return isSame ? 'same' : 'taken';
  }

  /** @returns Whether this is new. */
  fail(fault: Fault): boolean {
    const isSame =
      this.#fault?.detail === fault.detail && this.#fault.isWithdrawn === fault.isWithdrawn;
    this.#fault = fault;
    // Another source may speak next, whose last word is older than that of the one before.
    if (fault.isWithdrawn) this.#latest = undefined;
    return !isSame;
  }

  /** The price while it is fresh enough; an outage is an absence, never the last value for ever. */
  at(nowMs: UnixMs, ageMsMax: number): ExternalPrice | undefined {
    if (this.#latest === undefined || nowMs - this.#latest.atMs > ageMsMax) return undefined;
    return this.#latest;
  }

  /** `undefined` while nobody ever reported a price. */
  sourceAt(nowMs: UnixMs): ExternalSource | undefined {
    if (this.#latest === undefined && this.#fault === undefined) return undefined;
    return {
      ageMs: this.#latest === undefined ? undefined : Math.max(0, nowMs - this.#latest.atMs),
      fault: this.#fault?.detail,
    };
  }
}

function isEqual(one: ExternalPrice, other: ExternalPrice): boolean {
  return (
    one.price === other.price && one.atMs === other.atMs && one.logOddsVar === other.logOddsVar
  );
}
