// What is known of own orders, and of what else rests on the account.

import type { CancelBatches } from '../../domain/cancel-batches.ts';
import type { MarketId, OrderHash } from '../../domain/ids.ts';
import type { UnixMs } from '../../domain/time.ts';
import { dropOldest, OPEN_ORDERS_OF_ACCOUNT_MAX } from '../kernel/bounds.ts';
import type { ListedMarket } from '../kernel/market.ts';
import type { KernelStores } from '../kernel/stores.ts';
import type { OrderCeiling } from './ceiling.ts';
import type { Expiry } from './expiry.ts';
import type { InFlightTracker } from './in-flight-tracker.ts';
import type { OrderLedger } from './ledger.ts';
import type { BatchOrderIds } from './order-id-cache.ts';
import type { IntentIds, OwnOrder } from './own-order.ts';
import type { Restored } from './restored.ts';

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

// Orders that may be on the book though no answer says so: items of batches that were rejected without a code, which is
// no proof, and second copies of placements that the network may have delivered twice. Until a list has had its say,
// they count in all limits as if they rested. @spec Errors, rule 2

/** No more of them can rest; the oldest go first. */
const ORDERS_MAX = OPEN_ORDERS_OF_ACCOUNT_MAX;

export class MayRest {
  readonly #orders = new Set<OwnOrder>();

  get count(): number {
    return this.#orders.size;
  }

  ofMarket(marketId: MarketId): readonly OwnOrder[] {
    if (this.#orders.size === 0) return [];
    return [...this.#orders].filter((order) => order.marketId === marketId);
  }

  add(order: OwnOrder): void {
    this.#orders.add(order);
    dropOldest(this.#orders, ORDERS_MAX);
  }

  /** Takes those of which this is true. */
  take(isOver: (order: OwnOrder) => boolean): readonly OwnOrder[] {
    const over = [...this.#orders].filter(isOver);
    for (const order of over) this.#orders.delete(order);
    return over;
  }
}

/** Second copies of placements that the network may have delivered twice. */
export class PossibleCopies extends MayRest {
  /** When one was last seen. */
  seenAtMs: UnixMs | undefined;
}
