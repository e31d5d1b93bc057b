// What the breakers count, for the account and for each market.

import type { MarketId } from '../../domain/ids.ts';
import type { StoredRecent, StoredRefusal } from '../../domain/record.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { AxisSide } from '../../strategy/index.ts';
import { Cleared } from './cleared.ts';
import { RefusalCounts } from './refusal-counts.ts';
import { SlidingCount } from './window.ts';

type Fill = StoredRecent['fills'][number];

/** What happened in markets that this run has not met yet; as much as a ledger tells. */
export class Recent<Happened extends { readonly marketId: MarketId }> {
  readonly #byMarket = new Map<MarketId, Happened[]>();

  add(one: Happened): void {
    const known = this.#byMarket.get(one.marketId);
    if (known) known.push(one);
    else this.#byMarket.set(one.marketId, [one]);
  }

  /** Once: what follows is for the market itself to count. */
  take(marketId: MarketId): readonly Happened[] {
    const all = this.#byMarket.get(marketId) ?? [];
    this.#byMarket.delete(marketId);
    return all;
  }
}

/** What is counted for the whole account. */
export class BreakerCounts {
  readonly orders = new SlidingCount();
  readonly fills = new SlidingCount();
  readonly refusals = new RefusalCounts();
  readonly failures = new SlidingCount();
  /** When those settlements failed, oldest first. */
  failuresAtMs: readonly UnixMs[] = [];
  readonly cleared = new Cleared();
  /** Of previous runs. */
  readonly recentFills = new Recent<Fill>();
  readonly recentRefusals = new Recent<StoredRefusal>();
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
