// An own order: what is asked for, what the venue reports, and the legal moves of its run.

import type { IntentId, MarketId, OrderHash, TokenId } from './ids.ts';
import type { MicroShares } from './shares.ts';
import type { TickGrid, Ticks } from './ticks.ts';
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
  /**
   * What `price` counts on: whoever sends it may have reported for another tick size since, on which the same
   * number is another price. Absent, it is the tick size of whoever sends it.
   */
  readonly ticksPerUnit?: TickGrid['ticksPerUnit'] | undefined;
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
  /** What `price` counts on: the finest grid before the catalogue tells of the token. */
  readonly ticksPerUnit?: TickGrid['ticksPerUnit'] | undefined;
  /**
   * No tick of its market is its price, as that of a market order may be, or of one from before the tick
   * size changed: it is near to it, and the order is none like those that are sent now.
   */
  readonly isOffGrid?: true | undefined;
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
  /** What `price` counts on: the grid of its market, where absent. */
  readonly ticksPerUnit?: TickGrid['ticksPerUnit'] | undefined;
  readonly isOffGrid?: true | undefined;
  readonly status: OrderStatus;
  readonly filledQuantity: MicroShares;
  readonly remaining: MicroShares | undefined;
};

/** States in which an order may still trade, settle or turn up. */
export const LIVE_STATES = [
  'intended',
  'sending',
  'unknown',
  'resting',
  'partiallyFilled',
  'cancelling',
  'cancelUnresolved',
  'matched',
  'settling',
] as const;

/** How an order ended. `absent`: it is confirmed not to be there, and nobody reported what became of it. */
export const ORDER_ENDS = ['filled', 'cancelled', 'expired', 'refused', 'absent'] as const;

/** Every state of one own order, from our point of view; it is in exactly one. */
export const ORDER_STATES = [...LIVE_STATES, ...ORDER_ENDS] as const;
/** How many there are of each before the first order. */
export const NO_ORDERS: Readonly<Record<OrderState, number>> = {
  intended: 0,
  sending: 0,
  unknown: 0,
  resting: 0,
  partiallyFilled: 0,
  cancelling: 0,
  cancelUnresolved: 0,
  matched: 0,
  settling: 0,
  filled: 0,
  cancelled: 0,
  expired: 0,
  refused: 0,
  absent: 0,
};

export type LiveState = (typeof LIVE_STATES)[number];
export type OrderEnd = (typeof ORDER_ENDS)[number];
export type OrderState = LiveState | OrderEnd;

/** Why an order moves: our own acts, answers, the user channel, a verdict, or a deadline. */
export const ORDER_SIGNALS = [
  /** It was handed to the venue's door, after its intent was durable. */
  'sent',
  'ack',
  'refusal',
  /** Nobody can tell whether the request took effect: also what a missed deadline says. */
  'noAnswer',
  'open',
  'partial',
  /** All of it matched. */
  'matched',
  /** Some of what matched settled on-chain; when all of it has, it is filled. */
  'settled',
  /** What had matched did not settle, and is reversed: it may rest again. */
  'failed',
  /** The venue shows it on the book again after a settlement failed. */
  'orderRestored',
  'filled',
  'cancelled',
  'expired',
  'cancelSent',
  'cancelFailed',
  /** A verdict of reconciliation, never one list that an order was missing from. */
  'confirmedAbsent',
  /** The same verdict about an order whose date had passed. */
  'confirmedExpired',
] as const;

export type OrderSignal = (typeof ORDER_SIGNALS)[number];

export type OrderMoves = Readonly<Partial<Record<OrderSignal, OrderState>>>;

/**
 * How long a state may last. `answer`: a request is answered or given up by then · `arrival`: a
 * placement that was never answered can arrive until then · `sight`: the venue has to show the order
 * again · `settlement`: the chain has to say what became of a match.
 */
export type OrderPatience = 'answer' | 'arrival' | 'sight' | 'settlement';

/**
 * What follows when it lasted longer. `noAnswer`: that signal, once · the others ask for evidence
 * again and again, since only evidence ends an order: `readOrders` for the list of open orders,
 * `cancelAgain` for another cancel and that list, `readBalances` for cash and positions.
 */
export type OrderRemedy = 'noAnswer' | 'readOrders' | 'cancelAgain' | 'readBalances';

export type OrderDeadline = { readonly within: OrderPatience; readonly remedy: OrderRemedy };

export type MoveRow<State extends OrderState> = {
  readonly moves: OrderMoves;
  readonly deadline: State extends LiveState ? OrderDeadline : undefined;
};

/** What the venue may say of any order that reached it. */
const TOLD = {
  matched: 'matched',
  filled: 'filled',
  cancelled: 'cancelled',
  expired: 'expired',
} as const satisfies OrderMoves;

/**
 * The lifecycle of one order: its legal moves with their causes, and how long each state may last. The
 * ledger moves orders by it, and the clock of the core keeps its deadlines; a pair that is not listed
 * is an anomaly, which is counted, changes nothing and starts a reconciliation.
 *
 * A user event may overtake the placement's own answer, so what is in flight accepts what a resting
 * order does, and a late `ack` or `open` leaves a more advanced state as it is. An answer that comes
 * after it was given up is still an answer.
 *
 * | State | Means | Lasts until | Then |
 * |---|---|---|---|
 * | intended | decided, and being made durable | an answer is due | unknown |
 * | sending | handed over, not answered | an answer is due | unknown |
 * | unknown | nobody can tell whether it arrived | it can arrive no more | read open orders |
 * | resting | on the book | it must show again | read open orders |
 * | partiallyFilled | on the book with what is left | it must show again | read open orders |
 * | cancelling | a cancel is not answered | an answer is due | cancelUnresolved |
 * | cancelUnresolved | a cancel failed or was not answered, or a settlement failed | it must show again | cancel again |
 * | matched | all of it matched, nothing settled | settlement is due | read balances |
 * | settling | all of it matched, a part settled | settlement is due | read balances |
 * | filled, cancelled, expired, refused, absent | ended | for ever, but for what did not settle | – |
 *
 * @spec States and transitions › Order status values
 */
export const ORDER_MOVES: { readonly [State in OrderState]: MoveRow<State> } = {
  intended: {
    moves: { sent: 'sending', refusal: 'refused', noAnswer: 'unknown' },
    deadline: { within: 'answer', remedy: 'noAnswer' },
  },
  sending: {
    moves: {
      ...TOLD,
      ack: 'resting',
      open: 'resting',
      partial: 'partiallyFilled',
      refusal: 'refused',
      noAnswer: 'unknown',
    },
    deadline: { within: 'answer', remedy: 'noAnswer' },
  },
  unknown: {
    moves: {
      ...TOLD,
      ack: 'resting',
      open: 'resting',
      partial: 'partiallyFilled',
      refusal: 'refused',
      noAnswer: 'unknown',
      confirmedAbsent: 'absent',
      confirmedExpired: 'absent',
    },
    deadline: { within: 'arrival', remedy: 'readOrders' },
  },
  resting: {
    moves: {
      ...TOLD,
      ack: 'resting',
      open: 'resting',
      partial: 'partiallyFilled',
      cancelSent: 'cancelling',
      confirmedAbsent: 'absent',
      confirmedExpired: 'expired',
    },
    deadline: { within: 'sight', remedy: 'readOrders' },
  },
  partiallyFilled: {
    moves: {
      ...TOLD,
      ack: 'partiallyFilled',
      open: 'partiallyFilled',
      partial: 'partiallyFilled',
      cancelSent: 'cancelling',
      confirmedAbsent: 'absent',
      confirmedExpired: 'expired',
    },
    deadline: { within: 'sight', remedy: 'readOrders' },
  },
  cancelling: {
    moves: {
      ...TOLD,
      ack: 'cancelling',
      open: 'cancelling',
      partial: 'cancelling',
      cancelFailed: 'cancelUnresolved',
      noAnswer: 'cancelUnresolved',
      confirmedAbsent: 'cancelled',
      confirmedExpired: 'expired',
    },
    deadline: { within: 'answer', remedy: 'noAnswer' },
  },
  cancelUnresolved: {
    moves: {
      ...TOLD,
      ack: 'cancelUnresolved',
      open: 'resting',
      partial: 'partiallyFilled',
      cancelSent: 'cancelling',
      confirmedAbsent: 'cancelled',
      confirmedExpired: 'expired',
    },
    deadline: { within: 'sight', remedy: 'cancelAgain' },
  },
  matched: {
    moves: {
      ...TOLD,
      settled: 'settling',
      // It ends or rests again, as the venue has it: a cancel and the list say which.
      failed: 'cancelUnresolved',
      orderRestored: 'resting',
      ack: 'matched',
      open: 'matched',
      partial: 'matched',
      cancelFailed: 'matched',
      noAnswer: 'matched',
    },
    deadline: { within: 'settlement', remedy: 'readBalances' },
  },
  settling: {
    moves: {
      ...TOLD,
      settled: 'settling',
      failed: 'cancelUnresolved',
      orderRestored: 'resting',
      matched: 'settling',
      ack: 'settling',
      open: 'settling',
      partial: 'settling',
      cancelFailed: 'settling',
      noAnswer: 'settling',
    },
    deadline: { within: 'settlement', remedy: 'readBalances' },
  },
  // Answers and user events come over different connections: an end may be reported once more.
  filled: {
    moves: {
      // Told before the chain had its say: as with what is matched, a cancel and the list say what it is now.
      failed: 'cancelUnresolved',
      orderRestored: 'resting',
      ack: 'filled',
      open: 'filled',
      partial: 'filled',
      matched: 'filled',
      filled: 'filled',
      cancelFailed: 'filled',
      noAnswer: 'filled',
    },
    deadline: undefined,
  },
  // A part that matched before the end still settles; its shares count, the order stays ended.
  cancelled: {
    moves: {
      ack: 'cancelled',
      partial: 'cancelled',
      matched: 'cancelled',
      filled: 'cancelled',
      cancelled: 'cancelled',
      expired: 'cancelled',
      cancelFailed: 'cancelled',
      noAnswer: 'cancelled',
    },
    deadline: undefined,
  },
  expired: {
    moves: {
      ack: 'expired',
      partial: 'expired',
      matched: 'expired',
      filled: 'expired',
      expired: 'expired',
      cancelled: 'expired',
      cancelFailed: 'expired',
      noAnswer: 'expired',
    },
    deadline: undefined,
  },
  refused: { moves: {}, deadline: undefined },
  // What ended it may be reported late; what traded is counted whatever the end is called.
  absent: {
    moves: {
      partial: 'absent',
      matched: 'absent',
      filled: 'absent',
      cancelled: 'absent',
      expired: 'absent',
      cancelFailed: 'absent',
      noAnswer: 'absent',
    },
    deadline: undefined,
  },
};

/** The state after a signal, or `anomaly` for a pair that the table does not list. */
export function nextState(from: OrderState, signal: OrderSignal): OrderState | 'anomaly' {
  return ORDER_MOVES[from].moves[signal] ?? 'anomaly';
}

/** No further shares can trade and nothing is left to cancel. */
export function isTerminal(state: OrderState): state is OrderEnd {
  return ORDER_MOVES[state].deadline === undefined;
}

/** In flight: the placement has not been answered, nor given up. */
export function isInFlight(state: OrderState): boolean {
  return state === 'intended' || state === 'sending';
}

/** On the book as far as anybody has said, and no cancel is under way. */
export function isOnBook(state: OrderState): boolean {
  return state === 'resting' || state === 'partiallyFilled';
}

/** All of it has matched: it waits for the chain and can be cancelled no more. */
export function isCommitted(state: OrderState): boolean {
  return state === 'matched' || state === 'settling';
}
