// What a ledger tells of its orders.

import type { OrderSignal, OrderState } from '../../domain/order.ts';
import type { MicroShares } from '../../domain/shares.ts';
import type { OwnOrder } from './own-order.ts';

/** What the ledger tells its engine while it applies something. */
export interface LedgerListener {
  /** It is new, or anything that must be remembered of it has changed. */
  onChanged(order: OwnOrder): void;
  onMoved(order: OwnOrder, from: OrderState, signal: OrderSignal): void;
  onExecuted(order: OwnOrder, quantity: MicroShares): void;
  onAnomaly(order: OwnOrder | undefined, signal: OrderSignal, detail: string): void;
  /** It rests, and news shows another quantity of it than was sent. */
  onOtherQuantity?(order: OwnOrder, quantity: MicroShares): void;
  /** Nobody can tell how much of it has traded, after a failure or by contradicting words: balances have to. */
  onUnclear?(order: OwnOrder): void;
  /** Whether an order that ends now ends because of its date, whatever the venue calls it. */
  isEndOfDate?(order: OwnOrder): boolean;
}
