// Orders that were ended by an answer, which does not say how much had traded before. The user channel
// does, on venues that tell of ends; where it does not in time, cash and holds have to.

import type { Balances } from '../domain/message.ts';
import type { UnixMs } from '../domain/time.ts';
import { unproven } from './doubts.ts';
import { EPSILON_NANO, heldCash, heldShares, shownHeld } from './hold-proof.ts';
import type { MarketState } from './market.ts';
import type { OwnOrder } from './orders/own-order.ts';
import type { World } from './world.ts';

/** The user channel tells of a cancel within moments; after this long its frame is lost. */
const END_SEEN_BY_MS = 10_000;

/**
 * Doubts the markets of ends of which nobody has told in time.
 * @returns Whether there are any, so that balances must be read.
 */
export function doubtUnseenEnds(world: World): boolean {
  let isDoubtful = false;
  for (const order of world.ledger.unseenEnds()) {
    if (world.nowMs - order.stateSinceMs < END_SEEN_BY_MS) continue;
    world.ledger.forgetUnseenEnd(order);
    unproven(world, world.markets.get(order.marketId));
    isDoubtful = true;
  }
  return isDoubtful;
}

/**
 * Cash moved by nothing but what was told, and nothing is held beyond what rests and what matched: what
 * ended before that was asked for had traded no more than is known. An amount that something under way
 * may explain as well answers for nothing, since that would hide as much of a match.
 */
export function answerUnseenEnds(world: World, { positions }: Balances, askedAtMs: UnixMs): void {
  const ended = endedBefore(world, askedAtMs);
  if (ended.length === 0) return;
  const restNano =
    world.account.onHoldNano - world.holds.elsewhereNano - heldCash(world, askedAtMs).sure;
  for (const order of ended) {
    const { tokenId, side } = order;
    if (world.inventory.isUnexplained(tokenId)) continue;
    const isAnswered =
      side === 'BUY'
        ? Math.abs(restNano) <= EPSILON_NANO
        : shownHeld(positions, tokenId) === heldShares(world, tokenId, askedAtMs).sure;
    if (isAnswered) world.ledger.forgetUnseenEnd(order);
  }
}

/**
 * A market was proven by what was asked for then: that holds for its ends before it, too. Where a doubt
 * followed from each, the orders that it took from the book would be the next ones of which nobody tells.
 */
export function forgetProvenEnds(world: World, market: MarketState, askedAtMs: UnixMs): void {
  for (const order of world.ledger.unseenEndsOf(market.market.id)) {
    if (order.stateSinceMs < askedAtMs) world.ledger.forgetUnseenEnd(order);
  }
}

/** Whether orders of a market were still being cancelled then: their ends are part of what is to be proven. */
export function hasEndsUnderWay(world: World, market: MarketState, askedAtMs: UnixMs): boolean {
  const { id } = market.market;
  for (const { state } of world.ledger.ofMarket(id)) if (state === 'cancelling') return true;
  return world.ledger.unseenEndsOf(id).some(({ stateSinceMs }) => stateSinceMs >= askedAtMs);
}

function endedBefore(world: World, askedAtMs: UnixMs): readonly OwnOrder[] {
  return [...world.ledger.unseenEnds()].filter(({ stateSinceMs }) => stateSinceMs < askedAtMs);
}
