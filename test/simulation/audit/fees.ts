// Fees that the venue charged the account, by its own ledger: those of what the daemon sent to take, which it
// knows to pay, and those of whatever else met somebody as it arrived, of which nobody is told.

import type { TickGrid } from '../../../src/domain/ticks.ts';
import { costOf, feeBpsAt, feeOf } from '../../../src/paper/exchange/amounts.ts';
import type { ExchangeOrder } from '../../../src/paper/exchange/exchange-order.ts';
import type { TradeLeg } from '../../../src/paper/exchange/trade.ts';

export type FeeSums = {
  /** Of takes, in nano-USDC: what settled by the venue's ledger, and what waits for that at its own price. */
  takesNano: number;
  /** Of all else, once it has settled. */
  othersNano: number;
  /**
   * `p (1 - p)` a share of all that was matched to take, at its own price until it has settled, and then at that
   * of the trade, as the daemon reckons; never given back.
   */
  takenNano: number;
  /** Takes that have settled, each with a fee that is rounded. */
  takes: number;
};

export class Fees {
  readonly #isOwn: (orderHash: string) => boolean;
  readonly #sums = new Map<string, FeeSums>();

  /** @param isOwn - Whether an order is one that the daemon decided on, and not what the network made of it. */
  constructor(isOwn: (orderHash: string) => boolean) {
    this.#isOwn = isOwn;
  }

  of(marketId: string): FeeSums {
    const known = this.#sums.get(marketId);
    if (known) return known;
    const fresh = { takesNano: 0, othersNano: 0, takenNano: 0, takes: 0 };
    this.#sums.set(marketId, fresh);
    return fresh;
  }

  /** Of what nobody is told, in whatever market, in nano-USDC. */
  untoldNano(): number {
    let sum = 0;
    for (const { othersNano } of this.#sums.values()) sum += othersNano;
    return sum;
  }

  /** Shares of an order matched, or a match of it failed. */
  onMatched(order: ExchangeOrder, changeMicro: number): void {
    if (!this.#isTake(order)) return;
    const { market, price, grid } = order.terms;
    const sums = this.of(market.market.id);
    sums.takesNano += ownFeeNano(order, changeMicro);
    if (changeMicro > 0) sums.takenNano += takenAt(grid, price, changeMicro);
  }

  onSettled({ order, market, fee, priceTicks, quantityMicro }: TradeLeg): void {
    const sums = this.of(market.market.id);
    const paidNano = fee.times(1e9).toNumber();
    if (order === undefined || !this.#isTake(order)) {
      sums.othersNano += paidNano;
      return;
    }
    const { grid, price } = order.terms;
    sums.takes += 1;
    sums.takesNano += paidNano - ownFeeNano(order, quantityMicro);
    sums.takenNano +=
      takenAt(grid, priceTicks, quantityMicro) - takenAt(grid, price, quantityMicro);
  }

  #isTake({ terms }: ExchangeOrder): boolean {
    return terms.timeInForce === 'FAK' && this.#isOwn(terms.orderHash);
  }
}

/** `p (1 - p)` of so many shares, in nano-USDC: a fee at a rate of one. */
function takenAt({ ticksPerUnit }: TickGrid, priceTicks: number, quantityMicro: number): number {
  const price = priceTicks / ticksPerUnit;
  return 1_000 * quantityMicro * price * (1 - price);
}

/** What a part of an order pays where it trades at its own price. */
function ownFeeNano({ terms }: ExchangeOrder, quantityMicro: number): number {
  const { grid, price, fee } = terms;
  const cost = costOf(grid, price, Math.abs(quantityMicro));
  const nano = feeOf(cost, feeBpsAt(grid, price, fee))
    .times(1e9)
    .toNumber();
  return Math.sign(quantityMicro) * nano;
}
