// Fees that the venue charged the account, by its own ledger: those of orders that were sent to take, which the
// daemon knows that it pays, and those of whatever else met somebody as it arrived, which nobody reports.

import type { TradeLeg } from '../../../src/paper/exchange/trade.ts';

export type FeeSums = { takesNano: number; othersNano: number };

export class Fees {
  readonly #isOwn: (orderHash: string) => boolean;
  readonly #sums = new Map<string, FeeSums>();

  /** @param isOwn - Whether the daemon decided on an order: it may be a double that the network made. */
  constructor(isOwn: (orderHash: string) => boolean) {
    this.#isOwn = isOwn;
  }

  /** Of a market. */
  of(marketId: string): FeeSums {
    const known = this.#sums.get(marketId);
    if (known) return known;
    const fresh = { takesNano: 0, othersNano: 0 };
    this.#sums.set(marketId, fresh);
    return fresh;
  }

  onSettled({ order, market, feeNano }: TradeLeg): void {
    const sums = this.of(market.market.id);
    const terms = order?.terms;
    const isTake = terms?.timeInForce === 'FAK' && this.#isOwn(terms.orderHash);
    const nano = Number(feeNano);
    if (isTake) sums.takesNano += nano;
    else sums.othersNano += nano;
  }
}
