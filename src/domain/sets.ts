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

/** What an operator wishes; the same `id` twice is one wish. */
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
 * effect · `proven`: balances show it · `refused`: it did not happen · `absent`: balances show that
 * it did not happen.
 */
export type SetsState = 'sent' | 'accepted' | 'unknown' | 'proven' | 'refused' | 'absent';

export type SetsView = {
  readonly id: string;
  readonly action: SetsOrder['action'];
  readonly marketId: MarketId;
  readonly amount: string;
  readonly state: SetsState;
  readonly detail: string;
};
