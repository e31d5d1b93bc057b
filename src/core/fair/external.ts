// External prices of markets, as an edge read them: the newest of each, and for how long it counts.

import type { UnixMs } from '../../domain/time.ts';

export type ExternalPrice = {
  /** Probability of YES, strictly between 0 and 1. */
  readonly price: number;
  readonly logOddsVar: number | undefined;
  /** When its source stated it, or when the edge read it. */
  readonly atMs: UnixMs;
};

/** Keeps the newest statement of one market's price. */
export class ExternalFeed {
  #latest: ExternalPrice | undefined;

  /** Out of order or impossible statements are not taken. @returns Whether it was taken. */
  take(statement: ExternalPrice): boolean {
    const isPossible = statement.price > 0 && statement.price < 1;
    const { logOddsVar } = statement;
    const isCertain = logOddsVar !== undefined && !(logOddsVar > 0 && Number.isFinite(logOddsVar));
    if (!isPossible || isCertain) return false;
    if (this.#latest !== undefined && statement.atMs < this.#latest.atMs) return false;
    this.#latest = statement;
    return true;
  }

  /** The price while it is fresh enough; an outage is an absence, never the last value for ever. */
  at(nowMs: UnixMs, ageMsMax: number): ExternalPrice | undefined {
    if (this.#latest === undefined || nowMs - this.#latest.atMs > ageMsMax) return undefined;
    return this.#latest;
  }
}
