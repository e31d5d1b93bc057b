// Orders of an earlier life: those that wait for their market, and those that nobody watched.

import type { MarketId } from '../domain/ids.ts';
import type { StoredOrder } from '../domain/record.ts';
import type { OwnOrder } from './orders/own-order.ts';

export class Restored {
  readonly #waiting = new Map<MarketId, StoredOrder[]>();
  /** Back in the ledger: what became of them while nobody listened is not known. */
  readonly #unwatched = new Set<OwnOrder>();

  wait(order: StoredOrder): void {
    const orders = this.#waiting.get(order.marketId);
    if (orders) orders.push(order);
    else this.#waiting.set(order.marketId, [order]);
  }

  /** Takes the orders of a market that is known now. */
  takeOf(marketId: MarketId): readonly StoredOrder[] {
    const orders = this.#waiting.get(marketId) ?? [];
    this.#waiting.delete(marketId);
    return orders;
  }

  /** Takes all that still wait. */
  takeAll(): readonly StoredOrder[] {
    const orders = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    return orders;
  }

  onBack(order: OwnOrder): void {
    this.#unwatched.add(order);
  }

  /** Whether an order may have traded while nobody listened; asked once, when it has ended. */
  wasUnwatched(order: OwnOrder): boolean {
    return this.#unwatched.delete(order);
  }
}
