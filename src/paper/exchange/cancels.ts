// Cancels, one or many. Only what still rests can be cancelled. @spec Endpoints › Cancelling

import type { OrderHash } from '../../domain/ids.ts';
import type { Account } from './account.ts';
import type { ExchangeContext } from './context.ts';
import type { TokenRef } from './events.ts';
import type { ExchangeOrder } from './exchange-order.ts';
import type { ListedMarket } from './listed-market.ts';
import type { OrderLifecycle } from './order-lifecycle.ts';
import { VenueRefusal } from './refusal.ts';

export type CancelCount = { readonly cancelled: number; readonly failed: number };

export type CancelScope = {
  readonly token: TokenRef | undefined;
  readonly market: ListedMarket | undefined;
};

export class Cancels {
  readonly #context: ExchangeContext;
  readonly #lifecycle: OrderLifecycle;

  constructor(context: ExchangeContext, lifecycle: OrderLifecycle) {
    this.#context = context;
    this.#lifecycle = lifecycle;
  }

  /** @throws {VenueRefusal} `order_not_found`, `order_not_cancellable` */
  one(account: Account, orderHash: OrderHash): ExchangeOrder {
    const order = this.#cancellable(account, orderHash);
    this.#lifecycle.end(order, 'cancelled');
    return order;
  }

  /**
   * As clients ask for it: where the rules say so one order that is not open speaks for all.
   * @throws {VenueRefusal} `order_not_found`, `order_not_cancellable`
   */
  batch(account: Account, orderHashes: readonly OrderHash[]): CancelCount {
    if (this.#context.rules.batchCancel === 'refuse') {
      for (const orderHash of orderHashes) this.#cancellable(account, orderHash);
    }
    return this.many(account, orderHashes);
  }

  /** Unknown hashes count as failed: they are not open either. */
  many(account: Account, orderHashes: readonly OrderHash[]): CancelCount {
    const orders = orderHashes.map((orderHash) => this.#context.open.find(account, orderHash));
    return this.#count(orders);
  }

  all(account: Account, scope: CancelScope): CancelCount {
    const orders = this.#context.open.of(account).filter((order) => isWithin(order, scope));
    return this.#count(orders);
  }

  #cancellable(account: Account, orderHash: OrderHash): ExchangeOrder {
    const order = this.#context.open.find(account, orderHash);
    if (!order && !account.wasClosed(orderHash)) {
      throw new VenueRefusal('order_not_found', 'no order of yours has this hash');
    }
    if (!order || !this.#mayCancel(order)) {
      throw new VenueRefusal('order_not_cancellable', 'filled, cancelled or locked in settlement');
    }
    return order;
  }

  #count(orders: readonly (ExchangeOrder | undefined)[]): CancelCount {
    let cancelled = 0;
    for (const order of orders) {
      if (!order || order.end !== undefined || !this.#mayCancel(order)) continue;
      this.#lifecycle.end(order, 'cancelled');
      cancelled += 1;
    }
    return { cancelled, failed: orders.length - cancelled };
  }

  #mayCancel(order: ExchangeOrder): boolean {
    if (order.restingMicro() === 0) return false;
    const isUntouched = order.restingMicro() === order.terms.quantityMicro;
    return isUntouched || this.#context.rules.partiallyFilledCancellable;
  }
}

function isWithin(order: ExchangeOrder, scope: CancelScope): boolean {
  const { market } = order.terms;
  if (scope.market && scope.market !== market) return false;
  const { token } = scope;
  return !token || (token.market === market && token.index === order.index);
}
