// Placements that nobody answered, for people who wait for a proof: they have no hash to be named by.

import { isOnItsWay } from '../domain/order.ts';
import { formatShares } from '../domain/shares.ts';
import { formatPrice } from '../domain/ticks.ts';
import type { OwnOrder } from './orders/own-order.ts';
import type { World } from './world.ts';

/** Placements named; a batch or two is what mostly is under way. */
const NAMED_MAX = 50;

/** What each asked for, and for how much longer it may arrive; those that come last are named first. */
export function awaitedTexts(world: World): readonly string[] {
  return [...world.ledger.exposed()]
    .filter(({ state }) => isOnItsWay(state) || state === 'unknown')
    .toSorted((a, b) => b.sentAtMs - a.sentAtMs)
    .slice(0, NAMED_MAX)
    .map((order) => text(world, order));
}

function text(world: World, order: OwnOrder): string {
  const { side, quantity, tokenId, price } = order;
  const grid = world.markets.get(order.marketId)?.grid;
  const at = grid === undefined ? '' : ` at ${formatPrice(grid, price)}`;
  const leftMs = Math.max(0, world.mayArriveUntilMs(order) - world.nowMs);
  const what = `${side} ${formatShares(quantity)} of ${tokenId}${at}`;
  return `${what}, for ${Math.ceil(leftMs / 1_000)} s more`;
}
