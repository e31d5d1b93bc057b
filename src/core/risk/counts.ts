// What the breakers count in this run, for the account and for each market. Whoever dies again and again is stopped by
// the watchdog, and what tripped stays tripped.

import type { AxisSide } from '../../strategy/index.ts';
import { RefusalCounts } from './refusal-counts.ts';
import { SlidingCount } from './window.ts';

/** What is counted for the whole account. */
export class BreakerCounts {
  readonly orders = new SlidingCount();
  readonly fills = new SlidingCount();
  readonly refusals = new RefusalCounts();
  readonly failures = new SlidingCount();
}

/** What is counted for one market. */
export class MarketCounts {
  readonly fills = new SlidingCount();
  readonly refusals = new RefusalCounts();
  readonly bySide: Readonly<Record<AxisSide, RefusalCounts>> = {
    bid: new RefusalCounts(),
    ask: new RefusalCounts(),
  };
}
