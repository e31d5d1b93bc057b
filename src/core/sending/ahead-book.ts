// What the core knows of placements that are armed: by market, until anything changes that they were admitted by.

import type { MarketId, RequestId } from '../../domain/ids.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { Target } from '../quoting/target.ts';
import type { Placement } from './placement.ts';

/** Batches of one market by their requests, and the target quotes that they are for. */
export type MarketAhead = {
  readonly targets: readonly Target[];
  readonly batches: Map<RequestId, readonly Placement[]>;
  readonly sinceMs: UnixMs;
};

export class Ahead {
  readonly byMarket = new Map<MarketId, MarketAhead>();
  /** Markets that may still be decided on ahead in this turn: with thousands of them it would take all of the time. */
  left = 0;
  #changes = 0;

  /** @param changes - A count of what was kept and told so far; another one voids what was admitted before. */
  isVoid(changes: number): boolean {
    const isOther = changes !== this.#changes;
    this.#changes = changes;
    return isOther;
  }
}
