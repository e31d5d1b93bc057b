// An order that is about to be sent, as the ledger first knows it.

import type { IntentId, MarketId, RequestId, TokenId } from '../../domain/ids.ts';
import type { TickGrid } from '../../domain/ticks.ts';
import type { UnixMs } from '../../domain/time.ts';
import { type OwnOrder, orderOf } from './own-order.ts';
import type { RoutedOrder } from './routing.ts';

export type Birth = {
  readonly grid: TickGrid;
  readonly routed: RoutedOrder;
  readonly intentId: IntentId;
  readonly requestId: RequestId;
  readonly marketId: MarketId;
  readonly tokenId: TokenId;
  readonly nowMs: UnixMs;
  readonly datedByMs: number | undefined;
  readonly expiresAtMs: UnixMs | undefined;
  readonly settingsVersion: string;
  /** It is meant to take and never rests. */
  readonly isTake: boolean;
};

export function newOrder(birth: Birth): OwnOrder {
  const { grid, routed, nowMs, isTake } = birth;
  return orderOf(grid, {
    leg: routed.leg,
    side: routed.side,
    price: routed.price,
    quantity: routed.quantity,
    intentId: birth.intentId,
    marketId: birth.marketId,
    tokenId: birth.tokenId,
    sentAtMs: nowMs,
    datedByMs: birth.datedByMs,
    expiresAtMs: birth.expiresAtMs,
    settingsVersion: birth.settingsVersion,
    isExternal: false,
    isTake,
    requestId: birth.requestId,
    state: 'intended',
    stateSinceMs: nowMs,
  });
}
