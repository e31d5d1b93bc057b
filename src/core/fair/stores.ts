// What is known of prices; what is known of one market is with it (`insight.ts`).

import type { BookStores } from '../book/stores.ts';
import type { ExternalStores } from './external.ts';
import type { PricedMarket } from './insight.ts';

export interface FairStores<Market extends PricedMarket = PricedMarket>
  extends BookStores<Market>,
    ExternalStores<Market> {}
