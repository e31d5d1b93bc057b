// Markets that an operator has stopped, one by one. Each stands until an operator resumes that very market:
// no resume of the account, no restart and no control lifts it, and no other market knows of it.

import type { MarketId, RequestId } from '../../domain/ids.ts';
import type { StoredMarketStop } from '../../domain/risk.ts';
import type { UnixMs } from '../../domain/time.ts';

/** As many as anybody stops by hand; whoever stops more pauses the account. */
export const MARKET_STOPS_MAX = 1_000;

export type MarketStop = StoredMarketStop & {
  /** The request that cancels all of the market, until it is answered. */
  cancel: RequestId | undefined;
  /** A list that was asked for later counts: the market was stopped, and its cancel answered. */
  clearFromMs: UnixMs;
  /** Nothing of ours is left there, nor may still arrive. */
  isConfirmed: boolean;
};

export class MarketStops {
  readonly #stops = new Map<MarketId, MarketStop>();

  get size(): number {
    return this.#stops.size;
  }

  of(marketId: MarketId): MarketStop | undefined {
    return this.#stops.get(marketId);
  }

  all(): Iterable<MarketStop> {
    return this.#stops.values();
  }

  /** As a journal keeps them. */
  stored(): readonly StoredMarketStop[] {
    return [...this.#stops.values()].map(({ marketId, stop, by, sinceMs }) => ({
      ...{ marketId, stop, by, sinceMs },
    }));
  }

  set(stored: StoredMarketStop): MarketStop {
    const stop = { ...stored, cancel: undefined, clearFromMs: stored.sinceMs, isConfirmed: false };
    this.#stops.set(stored.marketId, stop);
    return stop;
  }

  lift(marketId: MarketId): void {
    this.#stops.delete(marketId);
  }
}
