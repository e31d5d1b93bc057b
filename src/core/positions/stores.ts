// What is known of shares and cash.

import type { MirroredMarket } from '../book/market.ts';
import type { BookStores } from '../book/stores.ts';
import type { Cash } from './cash.ts';
import type { Positions } from './positions.ts';
import type { SetsBook } from './sets-book.ts';
import type { Touched } from './touched.ts';

export interface PositionStores<Market extends MirroredMarket = MirroredMarket>
  extends BookStores<Market> {
  readonly positions: Positions;
  readonly cash: Cash;
  /** Complete sets that are being split, merged or redeemed. */
  readonly sets: SetsBook;
  readonly touched: Touched;
}
