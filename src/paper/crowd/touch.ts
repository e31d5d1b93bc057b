// The best prices a trader of the crowd sees.

import type { TokenId } from '../../domain/ids.ts';
import type { TickGrid } from '../../domain/ticks.ts';
import type { Desk } from '../exchange/desk.ts';

/** Price ticks between which a bid or an ask of one token would not trade at once. */
export type Room = { readonly bidMax: number; readonly askMin: number };

/**
 * Where a token's quotes may rest without trading: below its own asks and below the price at which
 * a bid for the other outcome would complete a set, and likewise above.
 */
export function roomFor(desk: Desk, grid: TickGrid, tokenId: TokenId, siblingId: TokenId): Room {
  const ask = desk.best(tokenId, 'ask') ?? grid.ticksPerUnit;
  const bid = desk.best(tokenId, 'bid') ?? 0;
  const siblingAsk = desk.best(siblingId, 'ask') ?? grid.ticksPerUnit;
  const siblingBid = desk.best(siblingId, 'bid') ?? 0;
  return {
    bidMax: Math.min(ask, grid.ticksPerUnit - siblingBid) - 1,
    askMin: Math.max(bid, grid.ticksPerUnit - siblingAsk) + 1,
  };
}
