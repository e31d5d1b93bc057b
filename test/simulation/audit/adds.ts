// What makes a position larger, by the venue's own ledger, and where that cannot be held against the daemon.

import type { MarketId } from '../../../src/domain/ids.ts';
import type { ListedMarket } from '../../../src/paper/exchange/listed-market.ts';
import type { AxisOrder } from './axis.ts';
import type { Room } from './room.ts';

/**
 * Whether its fill makes the position larger, whichever of the last ones the daemon knows: on the same side,
 * or on the other side of zero.
 * @param micro - How many shares it may trade; the first ones alone where it is not told.
 */
export function adds(
  { nets, nowMs }: Pick<Room, 'nets' | 'nowMs'>,
  marketId: MarketId,
  side: AxisOrder['side'],
  micro = 0,
): boolean {
  const { least, most } = nets.range(marketId, nowMs());
  const room = Math.max(0, side === 'bid' ? -least : most);
  return room === 0 || micro > 2 * room;
}

/**
 * Something happened there that may not be reported yet, or the daemon expects another position: what adds is what
 * it expects, and that it expects the right thing is held by the rules of positions.
 */
export function isUnsure(room: Room, market: ListedMarket['market']): boolean {
  const { unreported, facts, seen } = room;
  if (unreported.isUnsettled(market)) return true;
  const { yes, no } = market;
  return [yes, no].some(({ tokenId }) => seen.differs(facts, tokenId));
}
