// Items of batches that were rejected without a code, which is no proof: one of them may rest all the same. Until
// a list that was asked for after the answer has had its say, they count in all limits as if they did.
// @spec Errors, rule 2

import type { MarketId } from '../../domain/ids.ts';
import type { UnixMs } from '../../domain/time.ts';
import { OPEN_ORDERS_OF_ACCOUNT_MAX } from '../kernel/bounds.ts';
import type { OwnOrder } from './own-order.ts';

/** No more of them can rest; the oldest go first. */
const REFUSED_MAX = OPEN_ORDERS_OF_ACCOUNT_MAX;

export class UnconfirmedRejections {
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
    if (this.#orders.size <= REFUSED_MAX) return;
    const oldest = this.#orders.values().next().value;
    if (oldest !== undefined) this.#orders.delete(oldest);
  }

  /** Takes those that were refused before a moment and of which this is true. */
  take(beforeMs: UnixMs, isOver: (order: OwnOrder) => boolean): readonly OwnOrder[] {
    const over = [...this.#orders].filter(
      (order) => order.stateSinceMs < beforeMs && isOver(order),
    );
    for (const order of over) this.#orders.delete(order);
    return over;
  }
}
