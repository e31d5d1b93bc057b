// What is known of own orders, and of what else rests on the account.

import type { CancelBatches } from '../../domain/cancel-batches.ts';
import type { OrderHash } from '../../domain/ids.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { ListedMarket } from '../kernel/market.ts';
import type { KernelStores } from '../kernel/stores.ts';
import type { InFlightTracker } from './deadlines.ts';
import type { OrderLedger } from './ledger.ts';
import type { BatchOrderIds } from './order-id-cache.ts';
import type { IntentIds } from './own-order.ts';
import type { MayRest, PossibleCopies, Restored } from './restored.ts';
import type { Expiry, OrderCeiling } from './taught.ts';

export interface OrderStores<Market extends ListedMarket = ListedMarket>
  extends KernelStores<Market> {
  readonly ledger: OrderLedger;
  readonly intentIds: IntentIds;
  readonly inFlightTracker: InFlightTracker;
  readonly expiry: Expiry;
  /** How many open orders the venue has turned out to allow. */
  readonly ceiling: OrderCeiling;
  readonly batchOrderIds: BatchOrderIds;
  /** Placements that were rejected without a code. */
  readonly refusals: MayRest;
  /** Placements that may have been delivered twice. */
  readonly copies: PossibleCopies;
  /** Which orders make the venue refuse a batch of cancels. */
  readonly cancelBatches: CancelBatches;
  /** Orders of previous runs that wait for their market. */
  readonly restored: Restored;
  /** Somebody else's orders on markets that are not quoted here: by the last list, and the one before. */
  readonly externals: { readonly now: Set<OrderHash>; readonly before: ReadonlySet<OrderHash> };
  /** Hashes of the last list that nobody could name: when the first list that showed each was asked for. */
  readonly unnamed: ReadonlyMap<OrderHash, UnixMs>;
  /** When the newest list that was taken in had been asked for. */
  readonly listAskedAtMs: UnixMs;
}
