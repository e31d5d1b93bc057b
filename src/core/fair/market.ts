// A market with what its trades and books say of its price.

import { MirroredMarket } from '../book/market.ts';
import type { ListedMarket, Listing } from '../kernel/market.ts';
import type { WorkQueue } from '../kernel/work-queue.ts';
import { MarketInsight } from './insight.ts';

export class PricedMarket extends MirroredMarket {
  readonly insight: MarketInsight;

  constructor(listing: Listing, workQueue: WorkQueue<ListedMarket>, depth: number) {
    super(listing, workQueue, depth);
    this.insight = new MarketInsight(this.grid, this.book);
  }
}
