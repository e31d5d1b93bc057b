// Orders that leave in front of their decision, as a ledger has to know them before they do.

import type { AheadOrder, FiredPlacement } from '../domain/arms.ts';
import type { VenueCommand } from '../domain/command.ts';
import type { LimitOrder } from '../domain/order.ts';
import type { LedgerRecord } from '../domain/record.ts';
import { NO_SHARES } from '../domain/shares.ts';
import type { UnixMs } from '../domain/time.ts';

/** The request, as a step of the core would have asked for it. */
export function placementOf({
  requestId,
  orders,
}: FiredPlacement): Extract<VenueCommand, { kind: 'placeOrders' }> {
  return { kind: 'placeOrders', requestId, orders: orders.map(limitOrderOf) };
}

/** Their intents, dated now: until when they may arrive is counted from that. */
export function intentsOf(
  { marketId, orders, settingsVersion }: FiredPlacement,
  nowMs: UnixMs,
): readonly LedgerRecord[] {
  return orders.map((order) => ({
    kind: 'order',
    order: {
      intentId: order.intentId,
      marketId,
      tokenId: order.tokenId,
      leg: order.leg,
      side: order.side,
      price: order.price,
      ticksPerUnit: order.ticksPerUnit,
      quantity: order.quantity,
      sentAtMs: nowMs,
      isExternal: false,
      isTake: false,
      orderHash: undefined,
      state: 'intended',
      stateSinceMs: nowMs,
      executed: NO_SHARES,
      failed: NO_SHARES,
      confirmedAtMs: undefined,
      settingsVersion,
      expiresAtMs: order.lifetime.timeInForce === 'GTD' ? order.lifetime.expiresAtMs : undefined,
      refusalCode: undefined,
    },
  }));
}

function limitOrderOf(order: AheadOrder): LimitOrder {
  const { intentId, tokenId, side, price, ticksPerUnit, quantity, lifetime } = order;
  return { intentId, tokenId, side, price, ticksPerUnit, quantity, lifetime };
}
