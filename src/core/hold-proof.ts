// What the venue holds back, against what our orders and unsettled matches explain of it: a hold beyond
// them is of a match that nobody told us of, and a smaller one of a match that has settled unheard.

import type { TokenId } from '../domain/ids.ts';
import type { Balances } from '../domain/message.ts';
import { isOnBook } from '../domain/order.ts';
import { NO_SHARES } from '../domain/shares.ts';
import type { UnixMs } from '../domain/time.ts';
import { cashOf, type PendingFill } from './inventory/pending.ts';
import type { MarketState } from './market.ts';
import { isExposed, type OwnOrder, remaining } from './orders/own-order.ts';
import { costNano } from './risk/nano.ts';
import type { World } from './world.ts';

/** Differences below a micro-dollar are rounding, not money. */
const EPSILON_NANO = 1_000;
/** Sums of orders under way that are tried, ten orders of different size: beyond it they explain nothing. */
const SUMS_MAX = 1_024;
const LEGS = ['yes', 'no'] as const;

/** What orders hold back: those that rest for sure, and those that may or may not have. */
type Held = { sure: number; readonly perhaps: number[] };

/** Just the cash is held that our live buys and unsettled matches explain: nothing unknown is matched. */
export function isHoldExplained(world: World, askedAtMs: UnixMs): boolean {
  const held: Held = { sure: 0, perhaps: [] };
  for (const order of world.ledger.exposed()) {
    const market = world.markets.get(order.marketId);
    if (market === undefined || order.side !== 'BUY' || !isExposed(order)) continue;
    count(held, order, costNano(market.grid, order.price, remaining(order)), askedAtMs);
  }
  for (const market of world.markets.values()) countBuys(held, world, market);
  return isExplained(world.account.onHoldNano, held, EPSILON_NANO);
}

/** The same for the shares of a market that its sells hold back. */
export function areSharesExplained(
  world: World,
  market: MarketState,
  { positions }: Balances,
  askedAtMs: UnixMs,
): boolean {
  return LEGS.every((leg) => {
    const tokenId = market.tokenOf(leg);
    const shown = positions.find((each) => each.tokenId === tokenId);
    const held = heldShares(world, market, tokenId, askedAtMs);
    return isExplained(shown?.onHoldShareAmount ?? NO_SHARES, held, 0);
  });
}

function heldShares(world: World, market: MarketState, tokenId: TokenId, askedAtMs: UnixMs): Held {
  const held: Held = { sure: 0, perhaps: [] };
  for (const order of world.ledger.ofMarket(market.market.id)) {
    const isOfToken = order.tokenId === tokenId && order.side === 'SELL';
    if (isOfToken) count(held, order, remaining(order), askedAtMs);
  }
  for (const fill of world.inventory.pendingFills(tokenId)) {
    if (fill.side === 'SELL') countFill(held, fill, fill.quantity);
  }
  return held;
}

/**
 * What was on the book before the balances were asked for holds all of its rest. What was on its way to
 * the book or off it does or does not. What nobody can tell of, by a lost answer, explains nothing: it
 * may never have arrived, and would hide as much of a match.
 */
function count(held: Held, order: OwnOrder, amount: number, askedAtMs: UnixMs): void {
  const { state, confirmedAtMs } = order;
  const wasThere = confirmedAtMs !== undefined && confirmedAtMs <= askedAtMs;
  if (isOnBook(state) && wasThere) held.sure += amount;
  else if (state !== 'unknown' && state !== 'cancelUnproven') held.perhaps.push(amount);
}

/**
 * Orders that hold back or do not leave no room between: whole ones explain the rest, or nothing does.
 * Less than what should be held explains no more than too much does: a match that we wait for is over
 * or was never there, or an order rests that we only believe in.
 */
function isExplained(hold: number, { sure, perhaps }: Held, epsilon: number): boolean {
  const rest = hold - sure;
  if (Math.abs(rest) <= epsilon) return true;
  if (rest < 0) return false;
  const sums = new Set([0]);
  for (const amount of perhaps) {
    for (const sum of [...sums]) {
      if (Math.abs(sum + amount - rest) <= epsilon) return true;
      if (sums.size < SUMS_MAX) sums.add(sum + amount);
    }
  }
  return false;
}

/**
 * Matched buys that may have failed unattributed hold nothing by now, and so explain nothing: counted,
 * they would hide as much of a match that nobody told us of.
 */
function countBuys(held: Held, world: World, market: MarketState): void {
  if (LEGS.some((leg) => world.inventory.isUnexplained(market.tokenOf(leg)))) return;
  for (const leg of LEGS) {
    for (const fill of world.inventory.pendingFills(market.tokenOf(leg))) {
      if (fill.side === 'BUY') countFill(held, fill, -cashOf(fill, fill.quantity));
    }
  }
}

/** What an earlier life left matched holds all of its amount, or has settled while nobody listened. */
function countFill(held: Held, fill: PendingFill, amount: number): void {
  if (fill.isRestored) held.perhaps.push(amount);
  else held.sure += amount;
}
