// Orders that may be on the book though no answer says so: items of batches that were rejected without a code, which is
// no proof, and second copies of placements that the network may have delivered twice. Until a list has had its say,
// they count in all limits as if they rested. @spec Errors, rule 2

import type { MarketId } from '../../domain/ids.ts';
import type { UnixMs } from '../../domain/time.ts';
import { OPEN_ORDERS_OF_ACCOUNT_MAX } from '../kernel/bounds.ts';
import type { OwnOrder } from './own-order.ts';

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
    if (this.#orders.size <= ORDERS_MAX) return;
    const oldest = this.#orders.values().next().value;
    if (oldest !== undefined) this.#orders.delete(oldest);
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
