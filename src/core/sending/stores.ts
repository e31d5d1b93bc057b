// What has been sent and what may be.

import type { MarketId, RequestId } from '../../domain/ids.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import type { Target, WriteClass } from '../quoting/market.ts';
import type { QuotingStores } from '../quoting/stores.ts';
import type { WriteBudget } from './budget.ts';
import type { MarketState, Placement } from './market.ts';

export interface SendingStores extends QuotingStores<MarketState> {
  readonly budget: WriteBudget;
  /** Orders placed in this run, by what they were for. */
  readonly placed: Record<WriteClass | 'take', number>;
  /** What is armed to be placed. */
  readonly ahead: Ahead;
  /** Placed in this step: they have left when the next one begins. */
  leaving: readonly OwnOrder[];
  readonly pendingCancels: Map<RequestId, readonly OwnOrder[]>;
  /** Cancels of a market or the account under way: what is placed beside one may be cancelled with it. */
  readonly bulkCancels: Set<RequestId>;
  /** When an order last asked whether its market trades again. */
  probedAtMs: number;
  /** Since when a write that is not full waits for answers to cancels. */
  roomPendingSinceMs: UnixMs | undefined;
}

// What the core knows of placements that are armed: by market, until anything changes that they were admitted by.

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
