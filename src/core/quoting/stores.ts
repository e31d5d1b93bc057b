// What was decided about quotes, and what may keep all of them away.

import type { UnixMs } from '../../domain/time.ts';
import type { Strategy } from '../../strategy/index.ts';
import type { RiskStores } from '../risk/stores.ts';
import type { Arms, QuotedMarket } from './market.ts';
import type { Memories } from './params.ts';

export interface QuotingStores<Market extends QuotedMarket = QuotedMarket>
  extends RiskStores<Market> {
  readonly strategies: ReadonlyMap<string, Strategy>;
  readonly memories: Memories;
  readonly arms: Arms<Market>;
  readonly gate: SendGate;
  /** Whether writes are plenty. */
  readonly budget: Writes;
}

/** How many order writes are used and allowed. */
export type Writes = { readonly perWindow: number; usedInWindow(nowMs: UnixMs): number };

// Whether any placement may leave, and what keeps all of them from it.

export class SendGate {
  /** Open only while the phase is `quoting`. */
  isOpen = false;
  /** Why nothing can be kept; while it stands nothing is placed. */
  ledgerFault: string | undefined;
  /** The account, or all order writes, rest until then. */
  backoff: { readonly untilMs: number; readonly code: string } | undefined;
}
