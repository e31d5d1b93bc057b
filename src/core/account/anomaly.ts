// What an order does that its moves do not allow, or that nobody can explain yet: it is reported.

import type { OrderSignal } from '../../domain/order.ts';
import type { KernelStores } from '../kernel/stores.ts';
import type { OwnOrder } from '../orders/own-order.ts';

/** Reports it; the order stays what it is. */
export function reportAnomaly(
  stores: KernelStores,
  order: OwnOrder | undefined,
  signal: OrderSignal,
  detail: string,
): void {
  stores.outbox.report({
    event: 'order.anomaly',
    orderHash: order?.orderHash,
    state: order?.state ?? 'unknownOrder',
    signal,
    detail,
  });
}
