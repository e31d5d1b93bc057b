// What a life without a memory begins with, where somebody traded until just now and nobody tells what:
// balances may lack the last of it, until they have been quiet for as long as positions lag.

import type { TokenId } from '../domain/ids.ts';
import { unproven } from './positions.ts';
import type { World } from './world.ts';

/** An order that nobody here knows rests, or rested, on a token. */
export function doubtBaseline(world: World, tokenId: TokenId): void {
  const market = world.marketOf(tokenId);
  const tokenIds = market ? [market.tokenOf('yes'), market.tokenOf('no')] : [tokenId];
  for (const each of tokenIds) {
    const { inventory } = world;
    if (inventory.isRestored(each) || inventory.isUnexplained(each)) continue;
    inventory.doubt(each, world.nowMs);
    unproven(world, market);
  }
}

/** A start cancelled orders that no list ever showed: they may have been anywhere. */
export function doubtBaselines(world: World): void {
  for (const market of world.markets.values()) doubtBaseline(world, market.tokenOf('yes'));
}
