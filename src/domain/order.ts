// An own order: what is asked for, what the venue reports, and the legal moves of its life.

import type { IntentId, MarketId, OrderHash, TokenId } from './ids.ts';
import type { MicroShares } from './shares.ts';
import type { Ticks } from './ticks.ts';
import type { UnixMs } from './time.ts';

export type Side = 'BUY' | 'SELL';

/** How long an order may rest; a GTD order cannot be made without its date. */
export type Lifetime =
  | { readonly timeInForce: 'GTC' | 'FOK' | 'FAK' }
  | { readonly timeInForce: 'GTD'; readonly expiresAtMs: UnixMs };

/** A limit order we decided to place. @spec Endpoints › Orders (all Auth) */
export type LimitOrder = {
  readonly intentId: IntentId;
  readonly tokenId: TokenId;
  readonly side: Side;
  readonly price: Ticks;
  readonly quantity: MicroShares;
  readonly lifetime: Lifetime;
};

/** @spec States and transitions › Order status values */
export type OrderStatus =
  | 'OPEN'
  | 'MATCHED'
  | 'PARTIALLY_FILLED'
  | 'FILLED'
  | 'CANCELLED'
  | 'EXPIRED';

/** An order as `GET /orders` and placements show it. */
export type OrderReport = {
  readonly orderHash: OrderHash;
  readonly tokenId: TokenId;
  readonly side: Side;
  readonly price: Ticks;
  readonly quantity: MicroShares;
  /** Shares that trade no more on the book: filled and awaiting settlement together. */
  readonly executed: MicroShares;
  readonly status: OrderStatus;
  readonly createdAtMs: UnixMs | undefined;
};

/** An `order.update` of the user channel. @spec Events › User channel (Auth) */
export type OrderUpdate = {
  readonly orderHash: OrderHash;
  readonly tokenId: TokenId;
  readonly marketId: MarketId | undefined;
  readonly side: Side;
  readonly price: Ticks;
  readonly status: OrderStatus;
  readonly filledQuantity: MicroShares;
  readonly remaining: MicroShares | undefined;
};

/** States of one own order, from our point of view. */
export type OrderState =
  | 'submitting'
  | 'uncertain'
  | 'open'
  | 'partiallyFilled'
  | 'cancelling'
  | 'cancelUnproven'
  | 'settling'
  | 'filled'
  | 'cancelled'
  | 'expired'
  | 'refused';

/** Why an order moves: answers, the user channel, or a verdict of reconciliation. */
export type OrderSignal =
  | 'ack'
  | 'refusal'
  | 'noAnswer'
  | 'open'
  | 'partial'
  | 'matched'
  | 'filled'
  | 'cancelled'
  | 'expired'
  | 'cancelSent'
  | 'cancelFailed'
  | 'provenAbsent';

export type OrderRow = Readonly<Partial<Record<OrderSignal, OrderState>>>;

/** What the venue may say of any order that reached it. */
const CLOSING = {
  matched: 'settling',
  filled: 'filled',
  cancelled: 'cancelled',
  expired: 'expired',
} as const satisfies OrderRow;

/**
 * Legal moves of one order; a pair that is not listed is an anomaly that starts a reconciliation.
 *
 * A user event may overtake the placement's own answer, so `submitting` accepts what `open` does
 * and a late `ack` or `open` leaves a more advanced state as it is. `provenAbsent` is a verdict of
 * reconciliation, never one list that an order was missing from.
 * @spec States and transitions › Order status values
 */
export const ORDER_MOVES: Readonly<Record<OrderState, OrderRow>> = {
  submitting: {
    ...CLOSING,
    ack: 'open',
    open: 'open',
    partial: 'partiallyFilled',
    refusal: 'refused',
    noAnswer: 'uncertain',
  },
  uncertain: { ...CLOSING, open: 'open', partial: 'partiallyFilled', provenAbsent: 'refused' },
  open: {
    ...CLOSING,
    ack: 'open',
    open: 'open',
    partial: 'partiallyFilled',
    cancelSent: 'cancelling',
    provenAbsent: 'cancelled',
  },
  partiallyFilled: {
    ...CLOSING,
    ack: 'partiallyFilled',
    open: 'partiallyFilled',
    partial: 'partiallyFilled',
    cancelSent: 'cancelling',
    provenAbsent: 'cancelled',
  },
  cancelling: {
    ...CLOSING,
    ack: 'cancelling',
    open: 'cancelling',
    partial: 'cancelling',
    cancelFailed: 'cancelUnproven',
    noAnswer: 'cancelUnproven',
    provenAbsent: 'cancelled',
  },
  cancelUnproven: {
    ...CLOSING,
    open: 'open',
    partial: 'partiallyFilled',
    cancelSent: 'cancelling',
    provenAbsent: 'cancelled',
  },
  settling: {
    ...CLOSING,
    ack: 'settling',
    open: 'settling',
    partial: 'settling',
    cancelFailed: 'settling',
    noAnswer: 'settling',
    provenAbsent: 'filled',
  },
  // Answers and user events come over different connections: what ended may be told of once more.
  filled: {
    ack: 'filled',
    open: 'filled',
    partial: 'filled',
    filled: 'filled',
    matched: 'filled',
    cancelFailed: 'filled',
    noAnswer: 'filled',
  },
  // A part that matched before the cancel still settles; its shares count, the order stays ended.
  cancelled: {
    ack: 'cancelled',
    partial: 'cancelled',
    matched: 'cancelled',
    filled: 'cancelled',
    cancelled: 'cancelled',
    expired: 'cancelled',
    cancelFailed: 'cancelled',
    noAnswer: 'cancelled',
  },
  expired: {
    ack: 'expired',
    partial: 'expired',
    matched: 'expired',
    filled: 'expired',
    expired: 'expired',
    cancelled: 'expired',
    cancelFailed: 'expired',
    noAnswer: 'expired',
  },
  refused: {},
};

/** The state after a signal, or `anomaly` for a pair that the table does not list. */
export function nextState(from: OrderState, signal: OrderSignal): OrderState | 'anomaly' {
  return ORDER_MOVES[from][signal] ?? 'anomaly';
}

/** No further shares can trade and nothing is left to cancel. */
export function isTerminal(state: OrderState): boolean {
  return state === 'filled' || state === 'cancelled' || state === 'expired' || state === 'refused';
}
