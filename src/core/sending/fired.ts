// A cancel that was armed has left by itself: from here on it is a cancel as any other.

import type { FiredCancel } from '../../domain/arms.ts';
import { isCancellable } from '../orders/own-order.ts';
import { onFiredArm } from '../quoting/arms.ts';
import type { SendingStores } from './stores.ts';
import { awaitCancel } from './writer.ts';

/** Told before the frame that set it off, so that the decision on that frame knows of it. */
export function onFired(
  stores: SendingStores,
  { marketId, requestId, orderHashes }: Pick<FiredCancel, 'marketId' | 'requestId' | 'orderHashes'>,
): void {
  const orders = orderHashes.flatMap((orderHash) => {
    const order = stores.ledger.byHash(orderHash);
    // It is being cancelled, or over: the request changes nothing about it.
    return order !== undefined && isCancellable(order) && order.state !== 'cancelling'
      ? [order]
      : [];
  });
  const market = stores.markets.get(marketId);
  onFiredArm(stores, market, { marketId, requestId, orders });
  awaitCancel(stores, orders, requestId);
  if (market !== undefined) market.isDirty = true;
}
