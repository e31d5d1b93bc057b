// What makes a position larger, by the venue's own ledger, and where that cannot be held against the daemon.

import type { MarketId } from '../../../src/domain/ids.ts';
import type { ListedMarket } from '../../../src/paper/exchange/listed-market.ts';
import type { AxisOrder } from './axis.ts';
import type { Room } from './room.ts';

/** Whether its fill makes the position larger, whichever of the last ones the daemon knows. */
export function adds({ nets }: Room, marketId: MarketId, side: AxisOrder['side'], nowMs: number) {
  const { least, most } = nets.range(marketId, nowMs);
  return side === 'bid' ? least >= 0 : most <= 0;
}

/**
 * Something has happened there that the daemon need not know of, or it is wrong of late: what adds is what
 * it believes, and a belief that is wrong is held by `position_wrong`.
 */
export function isUnsure(room: Room, market: ListedMarket['market']): boolean {
  const { excuses, facts, holdings, nowMs } = room;
  if (excuses.isUnsettled(market)) return true;
  const { yes, no } = market;
  return [yes, no].some(({ tokenId }) => holdings.differsOfLate(facts, tokenId, nowMs()));
}
