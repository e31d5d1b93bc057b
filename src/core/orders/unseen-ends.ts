// Orders that were ended by an answer, which does not say how much had traded before. The user channel
// does, on venues that tell of ends; where it does not in time, cash and holds have to.

import type { Balances } from '../../domain/message.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';
import { doubt, unprovenEnd } from '../account/doubts.ts';
import { EPSILON_NANO, heldCash, heldShares, mayProve, shownHeld } from '../account/hold-proof.ts';
import type { PendingFill } from '../inventory/pending.ts';
import type { MarketState } from '../market.ts';
import { costNano } from '../risk/nano.ts';
import type { World } from '../world.ts';
import { ENDED_KEPT_MS } from './ledger.ts';
import { isExposed, type OwnOrder, remaining } from './own-order.ts';

/** The user channel tells of a cancel within moments; after this long its frame is lost. */
const END_SEEN_BY_MS = 10_000;

/**
 * Doubts the markets of ends of which nobody has told in time.
 * @returns Whether there are any, so that balances must be read.
 */
export function doubtUnseenEnds(world: World): boolean {
  let isDoubtful = false;
  for (const order of world.ledger.ends.unseen()) {
    if (world.nowMs - order.stateSinceMs < END_SEEN_BY_MS) continue;
    takeSettled(world, order);
    world.ledger.ends.forgetUnseen(order);
    unprovenEnd(world, order);
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
    world.ledger.ends.forgetUnseen(order);
  }
}

/**
 * What balances show as settled, and no match has been told of, may be what it had traded. An order like it
 * that had left by then may have traded it as well: then only the number after quiet tells.
 */
function takeSettled(world: World, order: OwnOrder): void {
  const most = mostTraded(world, order);
  if (most === undefined || !world.inventory.onEndedUnheard(most)) return;
  const { tokenId, side, price } = order;
  for (const other of world.ledger.ofMarket(order.marketId)) {
    const isAlike = other.tokenId === tokenId && other.side === side && other.price === price;
    if (isAlike && isExposed(other)) doubt(world, tokenId);
  }
}

/** All that an order can have traded beyond what is known, as one match. */
function mostTraded(world: World, order: OwnOrder): PendingFill | undefined {
  const market = world.markets.get(order.marketId);
  if (market === undefined) return undefined;
  const { tokenId, intentId, side, price, isOrphan, sentAtMs } = order;
  const quantity = remaining(order);
  const nano = costNano(market.grid, price, quantity);
  return {
    tokenId,
    intentId,
    side,
    cashNano: side === 'BUY' ? -nano : nano,
    quantity,
    original: quantity,
    atMs: world.nowMs,
    sentAtMs: isOrphan ? undefined : sentAtMs,
  };
}

/** What orders that ended lately may have traded, where neither their ends nor cash and holds have said it. */
export function unheardFills(world: World): readonly PendingFill[] {
  return world.ledger
    .endedSince(addMs(world.nowMs, -ENDED_KEPT_MS))
    .filter((order) => isUnheard(world, order))
    .flatMap((order) => mostTraded(world, order) ?? []);
}

function isUnheard({ ledger, markets }: World, order: OwnOrder): boolean {
  if (order.state === 'refused' || order.executed >= order.quantity) return false;
  const isUnproven = markets.get(order.marketId)?.unprovenSinceMs !== undefined;
  return ledger.ends.isUnseen(order) || (isUnproven && !ledger.ends.isTold(order));
}

/**
 * A market was proven by what was asked for then: that holds for its ends before it, too. Where a doubt
 * followed from each, the orders that it took from the book would be the next ones of which nobody tells.
 */
export function forgetProvenEnds(world: World, market: MarketState, askedAtMs: UnixMs): void {
  for (const order of world.ledger.ends.unseenOf(market.market.id)) {
    if (order.stateSinceMs >= askedAtMs) continue;
    takeSettled(world, order);
    world.ledger.ends.forgetUnseen(order);
  }
}

/** Whether orders of a market were still being cancelled then: their ends are part of what is to be proven. */
export function hasEndsUnderWay(world: World, market: MarketState, askedAtMs: UnixMs): boolean {
  const { id } = market.market;
  for (const { state } of world.ledger.ofMarket(id)) if (state === 'cancelling') return true;
  const unseen = [...world.ledger.ends.unseenOf(id)];
  return unseen.some(({ stateSinceMs }) => stateSinceMs >= askedAtMs);
}

function endedBefore(world: World, askedAtMs: UnixMs): readonly OwnOrder[] {
  return [...world.ledger.ends.unseen()].filter(({ stateSinceMs }) =>
    mayProve(world, stateSinceMs, askedAtMs),
  );
}
