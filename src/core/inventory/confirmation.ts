// What a position read over REST says of one token.

import type { MicroShares } from '../../domain/shares.ts';

export type Confirmation =
  | { readonly kind: 'agrees' }
  | { readonly kind: 'waits' }
  /** No lag explains it: only a quiet token can be put right. */
  | { readonly kind: 'differs' }
  /** The venue's number was adopted after the lag had passed. */
  | {
      readonly kind: 'adopted';
      readonly ours: MicroShares;
      readonly venues: MicroShares;
      /** By how much our whole position changed, matched shares included. */
      readonly change: MicroShares;
      /** Nano-USDC that matches were counted with which are not there, where the change is just these. */
      readonly unmatchedNano: number | undefined;
    };
