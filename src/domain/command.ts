// What the core asks for. It never waits: each answer comes back later as an input.

import type { MarketArms } from './arms.ts';
import type { EventId, MarketId, OrderHash, RequestId, TokenId } from './ids.ts';
import type { CancelScope, VenueMessage } from './message.ts';
import type { LimitOrder } from './order.ts';
import type { LedgerRecord } from './record.ts';
import type { Report } from './report.ts';
import type { SetsChange } from './sets.ts';

export type VenueCommand =
  /** The set of tokens whose books and trades we want; it replaces the set before it. */
  | { readonly kind: 'subscribe'; readonly tokenIds: readonly TokenId[]; readonly depth: number }
  /** Drops and renews the subscription of one token, for a fresh snapshot. */
  | { readonly kind: 'resubscribe'; readonly tokenId: TokenId }
  /** Replaces the socket's connection: nothing else made a book come right. */
  | { readonly kind: 'reconnect'; readonly reason: string }
  /** 1 to 15 orders; one alone goes to `POST /orders`, whose refusals carry a code. */
  | {
      readonly kind: 'placeOrders';
      readonly requestId: RequestId;
      readonly orders: readonly LimitOrder[];
    }
  /** 1 to 100 hashes by `POST /orders/batch-cancel`. */
  | {
      readonly kind: 'cancelOrders';
      readonly requestId: RequestId;
      readonly orderHashes: readonly OrderHash[];
    }
  /** `DELETE /orders`, the kill switch. */
  | { readonly kind: 'cancelAll'; readonly requestId: RequestId; readonly scope: CancelScope }
  /** Splits, merges or redeems complete sets; never sent twice for one target quote. */
  | { readonly kind: 'changeSets'; readonly requestId: RequestId; readonly change: SetsChange }
  | { readonly kind: 'readOpenOrders'; readonly requestId: RequestId }
  | { readonly kind: 'readBalances'; readonly requestId: RequestId }
  | { readonly kind: 'readTrades'; readonly requestId: RequestId }
  | { readonly kind: 'readBook'; readonly requestId: RequestId; readonly tokenId: TokenId }
  /** Who won a market that is over, and whether there is anything to claim of it. */
  | {
      readonly kind: 'readResolution';
      readonly requestId: RequestId;
      readonly eventId: EventId;
      readonly marketId: MarketId;
    }
  | { readonly kind: 'readCatalogue' };

/** A command to the venue, something to keep, a report of what the core did and why, or an armed cancel. */
export type Command =
  | { readonly kind: 'venue'; readonly command: VenueCommand }
  /** Must be durable before any placement of the same step leaves. */
  | { readonly kind: 'record'; readonly record: LedgerRecord }
  | { readonly kind: 'report'; readonly report: Report }
  /** Cancels that a frame of a book may set off before the core hears of it; see `app/armed.ts`. */
  | { readonly kind: 'arm'; readonly arms: MarketArms }
  /** Nothing of a market, or of any market, is armed from now on. */
  | { readonly kind: 'disarm'; readonly marketId: MarketId | undefined }
  /** No placement of any market is armed from now on: what they were admitted by has changed. */
  | { readonly kind: 'disarmPlacements' };

/** How long ago something was, now. */
export type AgeMs = () => number;

/** The one narrow door to any venue, live or simulated. */
export interface VenuePort {
  /** Connects and loads the catalogue; messages come in the order in which they happened. */
  start(sink: (message: VenueMessage) => void): void;
  /**
   * Never throws and never blocks; every command that expects an answer gets exactly one.
   *
   * @param ageMs - How long ago it was decided on, each time it is asked: what places, splits, merges or
   *   redeems is not sent when it is too old at the moment it would leave.
   */
  send(command: VenueCommand, ageMs?: AgeMs): void;
  /** Closes connections; requests still under way are answered as unknown first. */
  stop(): Promise<void>;
}
