// Which orders each account has open: what `GET /orders` lists and cancels look through.

import type { OrderHash } from '../../domain/ids.ts';
import type { Account } from './account.ts';
import type { ExchangeOrder } from './exchange-order.ts';

export class OpenOrders {
  /** Bounded by the open-order ceiling of each account. */
  readonly #byAccount = new Map<Account, Map<OrderHash, ExchangeOrder>>();

  count(account: Account): number {
    return this.#byAccount.get(account)?.size ?? 0;
  }

  /** In the order of placement. */
  of(account: Account): readonly ExchangeOrder[] {
    return [...(this.#byAccount.get(account)?.values() ?? [])];
  }

  find(account: Account, orderHash: OrderHash): ExchangeOrder | undefined {
    return this.#byAccount.get(account)?.get(orderHash);
  }

  add(order: ExchangeOrder): void {
    const { account, orderHash } = order.terms;
    const known = this.#byAccount.get(account);
    if (known !== undefined) known.set(orderHash, order);
    else this.#byAccount.set(account, new Map([[orderHash, order]]));
  }

  remove(order: ExchangeOrder): void {
    this.#byAccount.get(order.terms.account)?.delete(order.terms.orderHash);
  }
}
