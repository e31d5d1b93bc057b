// Orders that the daemon counts as live, by its own records: what they may have traded since the last report is
// inside every exposure rule, and so it is inside the position that it admits.

import type { IntentId, TokenId } from '../../../src/domain/ids.ts';
import { isTerminal } from '../../../src/domain/order.ts';
import type { StoredOrder } from '../../../src/domain/record.ts';

export type MayTrade = { readonly buyingMicro: number; readonly sellingMicro: number };

type Working = Pick<StoredOrder, 'tokenId' | 'side' | 'quantity' | 'executed'>;

export class WorkingOrders {
  readonly #orders = new Map<IntentId, Working>();

  onRecord(order: StoredOrder): void {
    if (isTerminal(order.state)) this.#orders.delete(order.intentId);
    else this.#orders.set(order.intentId, order);
  }

  /** The journal is lost: the next process knows none of them. */
  forget(): void {
    this.#orders.clear();
  }

  of(wanted: TokenId): MayTrade {
    let [buyingMicro, sellingMicro] = [0, 0];
    for (const { tokenId, side, quantity, executed } of this.#orders.values()) {
      if (tokenId !== wanted) continue;
      const left = Math.max(0, quantity - executed);
      if (side === 'BUY') buyingMicro += left;
      else sellingMicro += left;
    }
    return { buyingMicro, sellingMicro };
  }
}
