// Cash that is spoken for and still in the account.

import { cashOf } from '../inventory/pending.ts';
import type { MarketState } from '../market.ts';
import type { World } from '../world.ts';

/** Cash of matched buys that has not left the account yet. */
export function pendingBuysNano(world: World, market: MarketState): number {
  let nano = 0;
  for (const leg of ['yes', 'no'] as const) {
    for (const fill of world.inventory.pendingFills(market.tokenOf(leg))) {
      if (fill.side === 'BUY') nano -= cashOf(fill, fill.quantity);
    }
  }
  return nano;
}
