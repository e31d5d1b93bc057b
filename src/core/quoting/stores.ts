// What was decided about quotes, and what may keep all of them away.

import type { Strategy } from '../../strategy/index.ts';
import type { RiskStores } from '../risk/stores.ts';
import type { Arms } from './aim.ts';
import type { Writes } from './drift.ts';
import type { QuotedMarket } from './market.ts';
import type { Memories } from './memories.ts';
import type { SendGate } from './send-gate.ts';

export interface QuotingStores<Market extends QuotedMarket = QuotedMarket>
  extends RiskStores<Market> {
  readonly strategies: ReadonlyMap<string, Strategy>;
  readonly memories: Memories;
  readonly arms: Arms<Market>;
  readonly gate: SendGate;
  /** Whether writes are plenty. */
  readonly budget: Writes;
}
