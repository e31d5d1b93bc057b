// News of an order that do not fit its state: told, so that somebody looks.

import type { OrderSignal } from '../../domain/order.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import type { World } from '../world.ts';

export function reportAnomaly(
  world: Pick<World, 'outbox'>,
  order: OwnOrder | undefined,
  signal: OrderSignal,
  detail: string,
): void {
  world.outbox.report({
    event: 'order.anomaly',
    orderHash: order?.orderHash,
    state: order?.state ?? 'unknownOrder',
    signal,
    detail,
  });
}
