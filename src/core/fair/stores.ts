// What is known of prices from outside the venue; what is known of one market is with it (`market.ts`).

import type { BookStores } from '../book/stores.ts';
import type { PricedMarket } from './market.ts';

export interface FairStores<Market extends PricedMarket = PricedMarket> extends BookStores<Market> {
  /** Targets of external prices that fit no market, so that each is told once. */
  readonly unknownFairs: Set<string>;
}
