// What a venue says, live or simulated: the answers to our commands and everything it streams.

import type { IntentId, MarketId, OrderHash, OutcomeId, RequestId, TokenId } from './ids.ts';
import type { Event, TradingStatus } from './market.ts';
import type { OrderReport, OrderUpdate, Side } from './order.ts';
import type { MicroShares } from './shares.ts';
import type { Ticks } from './ticks.ts';
import type { UnixMs } from './time.ts';
import type { Usdc } from './usdc.ts';

/** Bids rise towards the middle from below, asks from above. */
export type BookSide = 'bid' | 'ask';

export type Level = { readonly price: Ticks; readonly size: MicroShares };

/**
 * A stated refusal. `code` is the venue's, `undefined` where it sends prose only; a client
 * branches on the code and never on the text. @spec Errors
 */
export type Refusal = {
  readonly code: string | undefined;
  readonly message: string;
  readonly httpStatus: number | undefined;
  /** From `Retry-After`, when the venue names one. */
  readonly retryAfterMs: number | undefined;
};

/** Why the outcome of a request is not known: nobody can tell whether it took effect. */
export type UnknownCause = 'timeout' | 'connection' | 'serverError' | 'unreadable' | 'missing';

/**
 * A failed request. `refused`: the venue said no, so nothing happened. `unknown`: it may have
 * happened. `notSent`: it never left this process, so it certainly did not.
 */
export type Failure =
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'unknown'; readonly cause: UnknownCause; readonly detail: string }
  | { readonly kind: 'notSent'; readonly detail: string };

/**
 * What became of one placement. Where it is unknown the answer may have named an order: of the same token
 * and side, and of another quantity or price than was sent. Or the answer to its batch named orders and not
 * which of them is whose: one may be this.
 */
export type PlaceOutcome =
  | { readonly kind: 'accepted'; readonly orderHash: OrderHash }
  | Exclude<Failure, { readonly kind: 'unknown' }>
  | (Extract<Failure, { readonly kind: 'unknown' }> & {
      readonly namedHash?: OrderHash;
      readonly batchOrderIds?: readonly OrderHash[];
    });

/** What became of a cancel request; the counts are the venue's. @spec Cancelling */
export type CancelOutcome =
  | { readonly kind: 'accepted'; readonly cancelled: number; readonly failed: number }
  | Failure;

/** A read that worked, or why it did not: a failed read is never an empty answer. */
export type ReadOutcome<Value> = { readonly kind: 'ok'; readonly value: Value } | Failure;

/** What became of a split, merge or redeem; balances confirm it, whatever was answered. */
export type SetsOutcome = { readonly kind: 'accepted'; readonly txHash: string } | Failure;

export type Position = {
  readonly tokenId: TokenId;
  readonly marketId: MarketId | undefined;
  readonly shareAmount: MicroShares;
  readonly onHoldShareAmount: MicroShares;
};

/** @spec Resources and their fields › Balances */
export type Balances = {
  readonly cashBalance: Usdc;
  readonly availableBalance: Usdc;
  readonly usdcOnHold: Usdc;
  readonly positions: readonly Position[];
};

/** A trade of ours that settled on the chain, as the user channel or the history tells of it. */
export type SettledTrade = {
  readonly tradeId: string;
  readonly side: Side;
  /** Absent in the older generation of the frame. */
  readonly tokenId: TokenId | undefined;
  readonly marketId: MarketId | undefined;
  /** Per share; a settlement may average off the tick grid. */
  readonly price: Usdc;
  readonly quantity: MicroShares;
};

/** What the venue says of a market that is over; whatever it does not say in words of ours is `undefined`. */
export type Resolution = {
  readonly winner: TokenId | undefined;
  /** Whether the account has winnings in it that are not redeemed. */
  readonly isClaimable: boolean | undefined;
};

export type VenueMessage =
  // Connection
  | { readonly kind: 'socketOpened' }
  | { readonly kind: 'socketLost'; readonly reason: string }
  | { readonly kind: 'authenticated' }
  | { readonly kind: 'authRefused'; readonly detail: string }
  // Catalogue: the whole of it, or a failure; never a part.
  | { readonly kind: 'catalogue'; readonly outcome: ReadOutcome<readonly Event[]> }
  // Books and trades; `venueTs` is the frame's own `ts`.
  | {
      readonly kind: 'bookSnapshot';
      readonly tokenId: TokenId;
      readonly bids: readonly Level[];
      readonly asks: readonly Level[];
      readonly venueTs: UnixMs | undefined;
    }
  | {
      readonly kind: 'bookDelta';
      readonly tokenId: TokenId;
      /**
       * A small number by which the reader of the frame knows the token just now: where to look first,
       * and never whose book it is. It may mean another token later.
       */
      readonly tokenNumber?: number;
      readonly side: BookSide;
      readonly price: Ticks;
      readonly size: MicroShares;
      readonly venueTs: UnixMs | undefined;
    }
  /** A book frame that could not be read: what it would have changed is unknown. */
  | { readonly kind: 'bookUnreadable'; readonly tokenId: TokenId; readonly detail: string }
  | {
      readonly kind: 'trade';
      readonly tokenId: TokenId;
      readonly price: Ticks;
      readonly size: MicroShares;
      /** The taker's side; `undefined` on `last_trade_price`. */
      readonly takerSide: Side | undefined;
      readonly venueTs: UnixMs | undefined;
    }
  | {
      readonly kind: 'marketStatus';
      readonly tokenId: TokenId;
      readonly status: TradingStatus;
      /** The venue's own word, for logs. */
      readonly word: string;
    }
  // User channel
  | { readonly kind: 'orderUpdate'; readonly update: OrderUpdate }
  | ({ readonly kind: 'tradeSettled' } & SettledTrade)
  | {
      readonly kind: 'tradeFailed';
      readonly reason: string;
      readonly marketId: MarketId | undefined;
      readonly side: Side;
      readonly quantity: MicroShares;
    }
  | {
      readonly kind: 'positionUpdate';
      readonly marketId: MarketId;
      readonly outcomeId: OutcomeId;
      readonly sharesDelta: MicroShares;
    }
  | { readonly kind: 'summaryUpdate'; readonly availableBalance: Usdc | undefined }
  // Answers
  | {
      readonly kind: 'placed';
      readonly requestId: RequestId;
      /** One outcome for each order of the command, in its order. */
      readonly outcomes: readonly { readonly intentId: IntentId; readonly outcome: PlaceOutcome }[];
    }
  | {
      readonly kind: 'cancelled';
      readonly requestId: RequestId;
      readonly outcome: CancelOutcome;
    }
  | { readonly kind: 'setsChanged'; readonly requestId: RequestId; readonly outcome: SetsOutcome }
  | {
      readonly kind: 'openOrders';
      readonly requestId: RequestId;
      /** When the request left; orders placed later may be missing from the list. */
      readonly askedAtMs: UnixMs;
      readonly outcome: ReadOutcome<readonly OrderReport[]>;
    }
  | {
      readonly kind: 'balances';
      readonly requestId: RequestId;
      readonly askedAtMs: UnixMs;
      readonly outcome: ReadOutcome<Balances>;
    }
  | {
      /** The newest settled trades of the account, in the venue's order. */
      readonly kind: 'trades';
      readonly requestId: RequestId;
      readonly askedAtMs: UnixMs;
      readonly outcome: ReadOutcome<readonly SettledTrade[]>;
    }
  | {
      readonly kind: 'resolutionRead';
      readonly requestId: RequestId;
      readonly marketId: MarketId;
      readonly outcome: ReadOutcome<Resolution>;
    }
  | {
      readonly kind: 'bookRead';
      readonly requestId: RequestId;
      readonly tokenId: TokenId;
      readonly askedAtMs: UnixMs;
      readonly outcome: ReadOutcome<{
        readonly bids: readonly Level[];
        readonly asks: readonly Level[];
      }>;
    }
  /** Venue time minus ours, measured by `GET /time`. */
  | { readonly kind: 'clockOffset'; readonly offsetMs: number; readonly roundTripMs: number }
  /** A frame type or shape we do not know: tolerated and counted. */
  | { readonly kind: 'unrecognised'; readonly frameType: string; readonly detail: string };

/** Which orders a bulk cancel means. @spec Endpoints › Cancelling */
export type CancelScope =
  | { readonly kind: 'account' }
  | { readonly kind: 'token'; readonly tokenId: TokenId }
  | { readonly kind: 'market'; readonly marketId: MarketId };

/** What the chain says of matched shares. */
export type ChainMessage = Extract<VenueMessage, { kind: 'tradeSettled' | 'tradeFailed' }>;

/** The messages of these kinds. */
export type MessageOf<Kind extends VenueMessage['kind']> = Extract<VenueMessage, { kind: Kind }>;
