// Orders that were ended by an answer, which does not say how much had traded before. The user channel
// does, on venues that tell of ends; where it does not in time, cash and holds have to.

import type { Balances } from '../../domain/message.ts';
import type { UnixMs } from '../../domain/time.ts';
import { doubt, unproven } from '../account/doubts.ts';
import { EPSILON_NANO, heldCash, heldShares, mayProve, shownHeld } from '../account/hold-proof.ts';
import type { MarketState } from '../market.ts';
import { costNano } from '../risk/nano.ts';
import type { World } from '../world.ts';
import { isExposed, type OwnOrder, remaining } from './own-order.ts';

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
    takeSettled(world, order);
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
    if (!isAnswered) continue;
    takeSettled(world, order);
    world.ledger.forgetUnseenEnd(order);
  }
}

/**
 * What balances show as settled, and no match has been told of, may be what it had traded. An order like it
 * that had left by then may have traded it as well: then only the number after quiet tells.
 */
function takeSettled(world: World, order: OwnOrder): void {
  const market = world.markets.get(order.marketId);
  if (market === undefined) return;
  const { tokenId, intentId, side, price, isOrphan, sentAtMs } = order;
  const quantity = remaining(order);
  const nano = costNano(market.grid, price, quantity);
  const isFound = world.inventory.onEndedUnheard({
    tokenId,
    intentId,
    side,
    cashNano: side === 'BUY' ? -nano : nano,
    quantity,
    original: quantity,
    atMs: world.nowMs,
    sentAtMs: isOrphan ? undefined : sentAtMs,
  });
  if (!isFound) return;
  for (const other of world.ledger.ofMarket(order.marketId)) {
    const isAlike = other.tokenId === tokenId && other.side === side && other.price === price;
    if (isAlike && isExposed(other)) doubt(world, tokenId);
  }
}

/**
 * A market was proven by what was asked for then: that holds for its ends before it, too. Where a doubt
 * followed from each, the orders that it took from the book would be the next ones of which nobody tells.
 */
export function forgetProvenEnds(world: World, market: MarketState, askedAtMs: UnixMs): void {
  for (const order of world.ledger.unseenEndsOf(market.market.id)) {
    if (order.stateSinceMs >= askedAtMs) continue;
    takeSettled(world, order);
    world.ledger.forgetUnseenEnd(order);
  }
}

/** Whether orders of a market were still being cancelled then: their ends are part of what is to be proven. */
export function hasEndsUnderWay(world: World, market: MarketState, askedAtMs: UnixMs): boolean {
  const { id } = market.market;
  for (const { state } of world.ledger.ofMarket(id)) if (state === 'cancelling') return true;
  return world.ledger.unseenEndsOf(id).some(({ stateSinceMs }) => stateSinceMs >= askedAtMs);
}

function endedBefore(world: World, askedAtMs: UnixMs): readonly OwnOrder[] {
  return [...world.ledger.unseenEnds()].filter(({ stateSinceMs }) =>
    mayProve(world, stateSinceMs, askedAtMs),
  );
}
