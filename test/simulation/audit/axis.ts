// Orders on the YES axis of their market, in USDC per share.

import type { TokenId } from '../../../src/domain/ids.ts';
import type { LimitOrder } from '../../../src/domain/order.ts';
import type { Exchange } from '../../../src/paper/exchange/exchange.ts';
import type { ListedMarket } from '../../../src/paper/exchange/listed-market.ts';

export type AxisOrder = { readonly side: 'bid' | 'ask'; readonly price: number };

export type Found = { readonly market: ListedMarket; readonly isYes: boolean };

export function marketOf(exchange: Exchange, tokenId: TokenId): Found | undefined {
  const found = exchange.catalogue.findToken(tokenId);
  return found && { market: found.market, isYes: found.index === 1 };
}

export function axisOf({ market, isYes }: Found, order: LimitOrder): AxisOrder {
  // It was decided on by the tick size that the daemon knew.
  const price = order.price / (order.ticksPerUnit ?? market.grid.ticksPerUnit);
  const isBid = (order.side === 'BUY') === isYes;
  return { side: isBid ? 'bid' : 'ask', price: isYes ? price : 1 - price };
}
