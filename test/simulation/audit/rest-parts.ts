// What the checks at rest look at.

import type { Engine } from '../../../src/core/engine.ts';
import type { MarketId } from '../../../src/domain/ids.ts';
import type { StoredOrder } from '../../../src/domain/record.ts';
import type { Account } from '../../../src/paper/exchange/account.ts';
import type { Exchange } from '../../../src/paper/exchange/exchange.ts';
import type { AxisBook, QuoteContext } from '../../../src/strategy/index.ts';
import type { OrderFacts } from './facts.ts';

export type Told = Pick<QuoteContext<unknown>, 'nowMs' | 'capital' | 'inventory'>;

export type RestParts = {
  readonly engine: Engine;
  readonly exchange: Exchange;
  readonly account: Account;
  readonly facts: OrderFacts;
  /** The daemon cancels, counts and shows its own orders only. */
  readonly isOwnScope: boolean;
  /** Processes with one memory; in the own scope nobody knows the orders of another one. */
  readonly era: number;
  /** Whether a chain action of a market is under way. */
  readonly isRecycling: (marketId: MarketId) => boolean;
  /** Whether anybody can know what every share cost. */
  readonly isProfitKnown: boolean;
  /** No frame was lost, doubled or late, and no process died. */
  readonly isHarmless: boolean;
  /** The book that the strategy of a market was last shown. */
  readonly bookOf: (marketId: string) => AxisBook | undefined;
  /** What the strategy of a market was last reported cash and shares that are free. */
  readonly reportedOf: (marketId: string) => Told | undefined;
  /** Orders that have not ended, as the disk has them. */
  readonly kept: readonly StoredOrder[];
};
