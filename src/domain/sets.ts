// Complete sets: one share of every outcome, made from and turned into one USDC.

import type { EventId, MarketId } from './ids.ts';
import type { MicroShares } from './shares.ts';

/** @spec Endpoints › Conditional tokens (all Auth) */
export type SetsChange =
  | {
      readonly kind: 'split' | 'merge';
      readonly eventId: EventId;
      readonly marketId: MarketId;
      /** Sets; each costs or pays one USDC. */
      readonly amount: MicroShares;
    }
  /** Winning shares pay 1.00 each, after resolution. */
  | { readonly kind: 'redeem'; readonly marketId: MarketId };

/** What an operator wants; the same `id` twice is one request. */
export type SetsOrder = {
  readonly id: string;
  readonly by: string;
  readonly action: 'split' | 'merge' | 'redeem';
  readonly marketId: MarketId;
  /** Sets to split or merge; nothing for a redeem. */
  readonly amount: MicroShares | undefined;
};

/**
 * `sent`: no answer yet · `accepted`: the venue named a transaction · `unknown`: it may have taken
 * effect · `confirmed`: balances show it · `refused`: it did not happen · `absent`: balances show that
 * it did not happen.
 */
export type SetsState = 'sent' | 'accepted' | 'unknown' | 'confirmed' | 'refused' | 'absent';

export type SetsView = {
  readonly id: string;
  readonly by: string;
  readonly action: SetsOrder['action'];
  readonly marketId: MarketId;
  readonly amount: string;
  readonly state: SetsState;
  readonly detail: string;
};

/** Who asks for chain actions when nobody else does. */
export const RECYCLER = 'recycler';

/** How the complete sets of one market are kept at a working size, counted in sets. */
export type RecyclerSettings = {
  /** `dry-run` only says what it would do. */
  readonly mode: RecyclerMode;
  /** With fewer sets than this some are split from cash, to rest as sells; 0 splits none. */
  readonly workingMin: number;
  /** Free sets beyond this are merged into cash. */
  readonly workingMax: number;
  /** Least sets of one split or merge. */
  readonly changeMin: number;
  /** Least time between two chain actions of the market; failures double it. */
  readonly pauseMs: number;
  /** Redeem what is held once the market is resolved. */
  readonly redeems: boolean;
};

export type RecyclerMode = 'off' | 'dry-run' | 'on';

/** In force where the configuration says nothing. */
export const RECYCLER_DEFAULTS: RecyclerSettings = {
  mode: 'off',
  workingMin: 0,
  workingMax: 100,
  changeMin: 20,
  pauseMs: 300_000,
  redeems: true,
};
