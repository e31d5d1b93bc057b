// What the breakers count, for the account and for each market.

import type { MarketId } from '../../domain/ids.ts';
import type { StoredRecent } from '../../domain/record.ts';
import type { AxisSide } from '../../strategy/index.ts';
import { RefusalCounts } from './refusal-counts.ts';
import { SlidingCount } from './window.ts';

type Fill = StoredRecent['fills'][number];

/** Fills of markets that this life has not met yet; as many as a ledger tells. */
export class RecentFills {
  readonly #byMarket = new Map<MarketId, Fill[]>();

  add(fill: Fill): void {
    const known = this.#byMarket.get(fill.marketId);
    if (known) known.push(fill);
    else this.#byMarket.set(fill.marketId, [fill]);
  }

  /** Once: what follows is for the market itself to count. */
  take(marketId: MarketId): readonly Fill[] {
    const fills = this.#byMarket.get(marketId) ?? [];
    this.#byMarket.delete(marketId);
    return fills;
  }
}

/** What is counted for the whole account. */
export class BreakerCounts {
  readonly orders = new SlidingCount();
  readonly fills = new SlidingCount();
  readonly refusals = new RefusalCounts();
  readonly failures = new SlidingCount();
  /** Of earlier lives. */
  readonly recentFills = new RecentFills();
}

/** What is counted for one market. */
export class MarketCounts {
  readonly fills = new SlidingCount();
  readonly refusals = new RefusalCounts();
  readonly bySide: Readonly<Record<AxisSide, RefusalCounts>> = {
    bid: new RefusalCounts(),
    ask: new RefusalCounts(),
  };
}
