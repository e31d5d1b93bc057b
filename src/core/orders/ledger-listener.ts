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
  /** An order report has said all that it ever traded. */
  onReported(order: OwnOrder): void;
  /** It ended, and the report does not say how much of it had traded. */
  onEndUnreported(order: OwnOrder): void;
  onAnomaly(order: OwnOrder, signal: OrderSignal, detail: string): void;
  /** It rests, and news shows another quantity of it than was sent. */
  onOtherQuantity?(order: OwnOrder, quantity: MicroShares): void;
  /** Reports contradict each other on how much of it has traded. */
  onUnclear?(order: OwnOrder): void;
  /** Whether an order that ends now ends because of its date, whatever the venue calls it. */
  isEndOfDate?(order: OwnOrder): boolean;
}
