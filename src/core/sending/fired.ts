// A cancel that was armed has left by itself: from here on it is a cancel as any other.

import type { FiredCancel } from '../../domain/arms.ts';
import { isCancellable } from '../orders/own-order.ts';
import { onFiredArm } from '../quoting/arms.ts';
import type { World } from '../world.ts';
import { awaitCancel } from './writer.ts';

/** Told before the frame that set it off, so that the decision on that frame knows of it. */
export function onFired(
  world: World,
  { marketId, requestId, orderHashes }: Pick<FiredCancel, 'marketId' | 'requestId' | 'orderHashes'>,
): void {
  const orders = orderHashes.flatMap((orderHash) => {
    const order = world.ledger.byHash(orderHash);
    // It is being cancelled, or over: the request changes nothing about it.
    return order !== undefined && isCancellable(order) && order.state !== 'cancelling'
      ? [order]
      : [];
  });
  const market = world.markets.get(marketId);
  onFiredArm(world, market, { marketId, requestId, orders });
  awaitCancel(world, orders, requestId);
  if (market !== undefined) market.isDirty = true;
}
