// How the account's cash is shared between markets. Each market's part is brought up to date when
// the market is planned, so that a decision about one never walks over all of them.

import type { MarketId } from '../../domain/ids.ts';

type Bound = { readonly holdNano: number; readonly spentNano: number };

const NOTHING: Bound = Object.freeze({ holdNano: 0, spentNano: 0 });

export class CapitalBook {
  readonly #byMarket = new Map<MarketId, Bound>();
  #holdNano = 0;
  #spentNano = 0;
  #weights: { readonly key: string; readonly sum: number } | undefined;

  /** What live and unsettled buys of a market hold, and what it has paid; neither is negative. */
  set(marketId: MarketId, bound: Bound): void {
    const before = this.of(marketId);
    if (before.holdNano === bound.holdNano && before.spentNano === bound.spentNano) return;
    this.#holdNano += bound.holdNano - before.holdNano;
    this.#spentNano += bound.spentNano - before.spentNano;
    this.#byMarket.set(marketId, bound);
  }

  /** A market that left holds nothing; what it spent stays bound until it comes back. */
  drop(marketId: MarketId): void {
    const before = this.of(marketId);
    this.#holdNano -= before.holdNano;
    if (before.spentNano === 0) this.#byMarket.delete(marketId);
    else this.#byMarket.set(marketId, { holdNano: 0, spentNano: before.spentNano });
  }

  of(marketId: MarketId): Bound {
    return this.#byMarket.get(marketId) ?? NOTHING;
  }

  get holdNano(): number {
    return this.#holdNano;
  }

  /** Sum of all weights, kept for as long as the key is the same. */
  weightSum(key: string, sum: () => number): number {
    if (this.#weights?.key !== key) this.#weights = { key, sum: sum() };
    return this.#weights.sum;
  }

  /** Cash plus what all markets have bound of it: what there is to share out. */
  totalNano(cashNano: number): number {
    return cashNano + this.#spentNano;
  }
}
