// An order of ours that an answer names by its hash, beside the placement that it came from.

import { type IntentId, intentId, type OrderHash } from '../../domain/ids.ts';
import type { MicroShares } from '../../domain/shares.ts';
import type { TickGrid, Ticks } from '../../domain/ticks.ts';
import type { KernelStores } from '../kernel/stores.ts';
import { type OwnOrder, orderOf } from '../orders/own-order.ts';

export type Named = {
  readonly intentId: IntentId;
  readonly orderHash: OrderHash;
  readonly price: Ticks;
  readonly quantity: MicroShares;
  /** `unknown` until it is said that it rests. */
  readonly state: 'resting' | 'unknown';
};

/** The intent of one that is there beside the order that its placement is known by. */
export function intentBeside({ intentId: sent }: OwnOrder, orderHash: OrderHash): IntentId {
  return intentId(`${sent}-${orderHash}`);
}

/** Nothing of what was reported for its placement under another hash is of it. */
export function namedOrder(
  { nowMs }: KernelStores,
  grid: TickGrid,
  sent: OwnOrder,
  named: Named,
): OwnOrder {
  return orderOf(grid, {
    intentId: named.intentId,
    marketId: sent.marketId,
    tokenId: sent.tokenId,
    leg: sent.leg,
    side: sent.side,
    price: named.price,
    quantity: named.quantity,
    sentAtMs: sent.sentAtMs,
    datedByMs: sent.datedByMs,
    expiresAtMs: sent.expiresAtMs,
    settingsVersion: sent.settingsVersion,
    isExternal: false,
    isTake: sent.isTake ?? false,
    orderHash: named.orderHash,
    state: named.state,
    stateSinceMs: nowMs,
    confirmedAtMs: nowMs,
    seenAtMs: nowMs,
  });
}
