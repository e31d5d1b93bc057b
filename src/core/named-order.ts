// An order of ours that an answer names by its hash, beside the placement that it came from.

import { intentId, type OrderHash } from '../domain/ids.ts';
import type { MicroShares } from '../domain/shares.ts';
import type { Ticks } from '../domain/ticks.ts';
import { type OwnOrder, orderOf } from './orders/own-order.ts';
import type { World } from './world.ts';

export type Named = {
  readonly orderHash: OrderHash;
  readonly price: Ticks;
  readonly quantity: MicroShares;
};

/** The intent under which it is kept: that of its placement is of what was sent. */
export function namedIntent({ intentId: sent }: Pick<OwnOrder, 'intentId'>, orderHash: OrderHash) {
  return intentId(`${sent}-${orderHash}`);
}

/**
 * It rests, with nothing of what was heard of its placement under another hash.
 * @returns None where its market is gone: a list that shows it has it cancelled as one of ours that had ended.
 */
export function addNamed(world: World, sent: OwnOrder, named: Named): OwnOrder | undefined {
  const grid = world.markets.get(sent.marketId)?.grid;
  if (grid === undefined) {
    world.ledger.rememberHash(named.orderHash);
    return undefined;
  }
  const { nowMs } = world;
  const order = orderOf(grid, {
    intentId: namedIntent(sent, named.orderHash),
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
    isOrphan: false,
    isTake: sent.isTake ?? false,
    orderHash: named.orderHash,
    state: 'resting',
    stateSinceMs: nowMs,
    confirmedAtMs: nowMs,
    seenAtMs: nowMs,
  });
  world.ledger.add(order);
  world.ledger.applyEarly(order, nowMs);
  return order;
}
