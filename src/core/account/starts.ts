// What a market begins with: fixed as soon as its tokens and the balances are known, and asked to be
// kept in that very step, so before any order of it leaves. A later life compares it with what the venue
// shows then: what came while nobody listened is not what that life begins with.

import type { MarketState } from '../market.ts';
import type { World } from '../world.ts';
import { doubtFound } from './doubts.ts';

const LEGS = ['yes', 'no'] as const;

/** Fixes what a market begins with, unless that is known already; nothing before balances are. */
export function fixStart(world: World, market: MarketState): void {
  const { inventory, touched } = world;
  if (!inventory.isBaselined || market.flows.start !== undefined) return;
  market.holdings(inventory);
  touched.flows.add(market.market.id);
  // Of nothing, too: no record of a token says as little as no record of its market.
  for (const leg of LEGS) touched.tokens.add(market.tokenOf(leg));
  doubtFound(world, market);
}

/**
 * An earlier life kept what its market began with, and a token only once it had changed, as older
 * versions did: then it held of it what it began with.
 */
export function restoreStart(world: World, market: MarketState): void {
  const start = world.restored.takeStart(market.market.id);
  if (start === undefined) return;
  for (const leg of LEGS) world.inventory.restoreUnchanged(market.tokenOf(leg), start[leg]);
}
