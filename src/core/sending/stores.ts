// What has been sent and what may be.

import type { RequestId } from '../../domain/ids.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import type { QuotingStores } from '../quoting/stores.ts';
import type { WriteClass } from '../quoting/target.ts';
import type { Ahead } from './ahead-book.ts';
import type { WriteBudget } from './budget.ts';
import type { MarketState } from './market.ts';

export interface SendingStores extends QuotingStores<MarketState> {
  readonly budget: WriteBudget;
  /** Orders placed in this run, by what they were for. */
  readonly placed: Record<WriteClass | 'take', number>;
  /** What is armed to be placed. */
  readonly ahead: Ahead;
  /** Placed in this step: they have left when the next one begins. */
  leaving: readonly OwnOrder[];
  /** Cancels under way, by request. */
  readonly pendingCancels: Map<RequestId, readonly OwnOrder[]>;
  /** Cancels of a market or the account under way: what is placed beside one may be cancelled with it. */
  readonly bulkCancels: Set<RequestId>;
  /** When an order last asked whether its market trades again. */
  probedAtMs: number;
  /** Since when a write that is not full waits for answers to cancels. */
  roomPendingSinceMs: UnixMs | undefined;
}
