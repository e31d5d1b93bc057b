// What is known of shares and cash.

import type { MarketId, TokenId } from '../../domain/ids.ts';
import type { MirroredMarket } from '../book/market.ts';
import type { BookStores } from '../book/stores.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import type { Cash } from './cash.ts';
import type { Positions } from './positions.ts';
import type { SetsBook } from './sets-book.ts';

export interface PositionStores<Market extends MirroredMarket = MirroredMarket>
  extends BookStores<Market> {
  readonly positions: Positions;
  readonly cash: Cash;
  /** Complete sets that are being split, merged or redeemed. */
  readonly sets: SetsBook;
  readonly touched: Touched;
}

// What changed since the journal was last told, so that each record is written once.

export class Touched {
  readonly orders = new Set<OwnOrder>();
  readonly tokens = new Set<TokenId>();
  readonly flows = new Set<MarketId>();
}
