// Matches that should have settled long ago: they did, or they failed, and nobody has told which.

import { clampShares, type MicroShares } from '../domain/shares.ts';
import { SETTLED_BY_MS } from './inventory/lag.ts';
import { signed } from './inventory/pending.ts';
import type { MarketState } from './market.ts';
import type { Leg } from './orders/own-order.ts';
import type { World } from './world.ts';

/** The least and the most that a net position may be, YES shares less NO shares. */
export type NetRange = { readonly least: MicroShares; readonly most: MicroShares };

const SIGN_OF: Readonly<Record<Leg, 1 | -1>> = { yes: 1, no: -1 };

/** The net position of a market, whatever became of matches that are late. @spec Settlement outcome */
export function netRange(world: World, market: MarketState): NetRange {
  const { yes, no } = market.holdingsShares(world.inventory);
  let least = yes - no;
  let most = least;
  for (const leg of ['yes', 'no'] as const) {
    for (const { atMs, side, quantity } of world.inventory.pendingFills(market.tokenOf(leg))) {
      if (world.nowMs - atMs < SETTLED_BY_MS) continue;
      const change = SIGN_OF[leg] * signed(side, quantity);
      least -= Math.max(0, change);
      most -= Math.min(0, change);
    }
  }
  return { least: clampShares(least), most: clampShares(most) };
}
