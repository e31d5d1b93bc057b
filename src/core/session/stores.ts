// All that is known: the rooms below, and what a session adds.

import type { MarketId, OrderHash, TokenId } from '../../domain/ids.ts';
import type { CoreSettings } from '../../domain/input.ts';
import type { Event } from '../../domain/market.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { Reason } from '../../domain/view.ts';
import type { AccountStores } from '../account/stores.ts';
import type { LiveStatus } from '../book/live-status.ts';
import type { MarketState } from '../sending/market.ts';
import type { Vanished } from './vanished.ts';

export interface SessionStores extends AccountStores {
  settings: CoreSettings | undefined;
  settingsVersion: string;
  catalogue: readonly Event[] | undefined;
  readonly markets: Map<MarketId, MarketState>;
  marketsVersion: number;
  externals: { readonly now: Set<OrderHash>; readonly before: ReadonlySet<OrderHash> };
  unnamed: ReadonlyMap<OrderHash, UnixMs>;
  listAskedAtMs: UnixMs;
  readonly vanished: Vanished;
  /** What the socket last said of markets that come back on another grid, by their YES: it says so once. */
  readonly regridded: Map<TokenId, LiveStatus>;
  /** Choices that are no market we know, by their names. */
  readonly unlisted: Map<string, Reason>;
  /** When deadlines of orders were last looked at. */
  lookedAtMs: UnixMs;
  /** Cancels that failed in a row, since when, and how broadly the next one is to be. */
  readonly cancelFailures: CancelFailures;
}

export type CancelFailures = { count: number; sinceMs: UnixMs; step: number };
