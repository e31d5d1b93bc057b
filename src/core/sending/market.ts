// A market with what was learnt from the answers to its orders: the whole of what the core knows of it.

import type { RequestId } from '../../domain/ids.ts';
import type { Leg } from '../../domain/market.ts';
import type { Side } from '../../domain/order.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { AxisSide } from '../../strategy/index.ts';
import { QuotedMarket, type WriteClass } from '../quoting/market.ts';
import type { Approved } from '../risk/risk-pass.ts';

export class MarketState extends QuotedMarket {
  readonly refusedIn: Record<AxisSide, RequestId | undefined> = { bid: undefined, ask: undefined };
  /** When sells were last refused and nobody reported why, oldest first. */
  readonly unnamedSellsAtMs: Record<Leg, readonly UnixMs[]> = { yes: [], no: [] };
  /** Such an order was refused without a code: placements go alone until one like it has. */
  goesAlone: { readonly leg: Leg; readonly side: Side; readonly untilMs: number } | undefined =
    undefined;
}

// What has passed every limit and may be sent.

/** An order to send; `writeClass` says what for, and is absent of what is meant to take. */
export type Placement = {
  readonly approved: Approved<MarketState>;
  readonly writeClass?: WriteClass;
};
