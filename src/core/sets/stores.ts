// What the recycler and redeeming remember.

import type { QuotedMarket } from '../quoting/market.ts';
import type { QuotingStores } from '../quoting/stores.ts';
import type { RecyclingTurn } from './recycling-turn.ts';
import type { ResolutionBook } from './resolution-book.ts';

export interface SetsStores<Market extends QuotedMarket = QuotedMarket>
  extends QuotingStores<Market> {
  readonly recycling: RecyclingTurn<Market>;
  readonly resolutions: ResolutionBook;
}
