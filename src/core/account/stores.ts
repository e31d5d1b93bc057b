// What reports, lists and the journal have said that has no better place.

import type { MarketId, TokenId } from '../../domain/ids.ts';
import type { ChainMessage } from '../../domain/message.ts';
import type { StoredEarly } from '../../domain/record.ts';
import type { MicroShares } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { Connection } from '../kernel/connection.ts';
import type { MarketFlows } from '../risk/market.ts';
import type { WriteBudget } from '../sending/budget.ts';
import type { MarketState } from '../sending/market.ts';
import type { SendingStores } from '../sending/stores.ts';
import type { SetsStores } from '../sets/stores.ts';
import type { Bust } from './bust.ts';
import type { ExternalCancels } from './external-cancels.ts';
import type { History } from './history.ts';
import type { Locks } from './locks.ts';
import type { Reads } from './reads.ts';
import type { Written } from './written.ts';

export interface AccountStores extends SendingStores, SetsStores<MarketState> {
  readonly budget: WriteBudget;
  readonly connection: Connection;
  readonly history: History;
  readonly reads: Reads;
  readonly locks: Locks;
  readonly written: Written;
  /** One entry for each market quoted now, and each that was ever traded. */
  readonly flows: Map<MarketId, MarketFlows>;
  /** Tokens of markets that left and were traded: a late settlement is still theirs. */
  readonly leftTokens: Map<TokenId, MarketId>;
  /** Failed trades whose token or order is not known yet. */
  busts: Bust[];
  /** The failed settlement that was reported last: its frame has no name, so a second one is as likely. */
  lastFailed: { readonly what: string; readonly atMs: UnixMs } | undefined;
  /** Settlements already counted, oldest first. */
  readonly tradeIds: Set<string>;
  /** Settlements that named no token, oldest first: balances show whose shares they were. */
  readonly unnamedSettlements: StoredEarly[];
  /** What the chain said before the catalogue was known, oldest first. */
  readonly earlyChain: ChainMessage[];
  /** Shares that balances showed when they were last read. */
  balancesRead: BalancesRead | undefined;
  /** What is cancelled on markets that are not quoted. */
  readonly externalCancels: ExternalCancels;
}

export type BalancesRead = {
  readonly amounts: ReadonlyMap<TokenId, MicroShares>;
  readonly locked: ReadonlyMap<TokenId, MicroShares>;
  readonly askedAtMs: UnixMs;
};
