// A settlement failed, and no match that waits is so large: it is of one that another's settlement was
// taken for, of one that nobody has told of yet, or of somebody else's. Nothing can be taken back.

import type { TokenId } from '../../domain/ids.ts';
import type { VenueMessage } from '../../domain/message.ts';
import { isOf, isRest } from '../inventory/pending.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import type { World } from '../world.ts';
import { isNamed } from './attribution.ts';

type Failed = Extract<VenueMessage, { kind: 'tradeFailed' }>;

/** @returns Tokens of which a part may wait in vain, since the other part settled in another's name. */
export function noteUnfit(world: World, trade: Failed): readonly TokenId[] {
  const named = [...world.byToken.keys()].filter((tokenId) => isNamed(world, tokenId, trade));
  const { side, quantity, marketId } = trade;
  // What names no market may be of any: it says too little of each.
  if (marketId !== undefined) {
    for (const tokenId of named) {
      world.unfitFailures.add({ tokenId, side, atMs: world.nowMs }, quantity);
    }
  }
  return named.filter((tokenId) =>
    world.inventory
      .pendingFills(tokenId)
      .some((fill) => fill.side === side && isRest(fill) && fill.original >= quantity),
  );
}

/** Whether a match is told of now that may have failed before; an order that left later has not. */
export function mayHaveFailed(world: World, order: OwnOrder, quantity: number): boolean {
  const { tokenId, side, sentAtMs, isOrphan } = order;
  const sinceMs = isOrphan ? undefined : sentAtMs;
  return world.unfitFailures.takeWhole({ tokenId, side, sinceMs }, quantity, world.nowMs);
}

/**
 * Whether a failure that fitted no match is of an order that has nothing waiting: what it had traded was
 * there before we saw it, or settled in another's name.
 */
export function wasNeverCounted(world: World, order: OwnOrder, quantity: number): boolean {
  const { tokenId, intentId } = order;
  return (
    !world.inventory.pendingFills(tokenId).some(isOf(intentId)) &&
    mayHaveFailed(world, order, quantity)
  );
}
