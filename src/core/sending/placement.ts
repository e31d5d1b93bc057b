// What has passed every limit and may be sent.

import type { WriteClass } from '../quoting/target.ts';
import type { Approved } from '../risk/risk-pass.ts';
import type { MarketState } from './market.ts';

/** An order to send; `writeClass` says what for, and is absent of what is meant to take. */
export type Placement = {
  readonly approved: Approved<MarketState>;
  readonly writeClass?: WriteClass;
};
