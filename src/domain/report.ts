// What the core did and why: the one source of log lines, counters and the list of last events.

import type { ActionReport } from './action.ts';
import type { MarketId, OrderHash, TokenId } from './ids.ts';
import type { LiveState, OrderRemedy, OrderSignal, OrderState, Side } from './order.ts';
import type { ControlName, MarketStopKind, RiskAction } from './risk.ts';
import type { SetsState } from './sets.ts';
import type { BookReport } from './trust.ts';
import type { Phase } from './view.ts';

export type Severity = 'debug' | 'info' | 'warn' | 'error';

/** What was cancelled and confirmed gone, and what is somebody else's and was left alone. */
type Proof = {
  /** As answers of the venue count them; of a start also what it cancelled by name before all was there that it waits for. */
  readonly cancelled: number;
  readonly tookMs: number;
  readonly scope: 'account' | 'own';
  readonly leftAlone: number;
  /** What the venue refuses to cancel: it rests on, and a start quotes around it; a stop has none. */
  readonly refused: readonly OrderHash[];
  /** Matched in full and not settled: off the book, and back on it where a settlement fails. */
  readonly settling: number;
  /** Matched longer ago than settlements take, and nobody has said what came of it: by hash, some dozens. */
  readonly unsettled: readonly string[];
};

/** Stable event names; prices and quantities are exact decimal texts. */
export type Report =
  | {
      readonly event: 'phase.changed';
      readonly from: Phase;
      readonly to: Phase;
      readonly reason: string;
    }
  | {
      readonly event: 'settings.applied';
      readonly markets: number;
      /** Short name of the effective set, the same in the state that operators see. */
      readonly version: string;
    }
  | { readonly event: 'market.listed'; readonly market: string; readonly tokens: number }
  | { readonly event: 'market.unknown'; readonly choice: string }
  | {
      readonly event: 'market.status';
      readonly marketId: MarketId;
      readonly status: string;
      readonly word: string;
    }
  | { readonly event: 'market.tick_size'; readonly marketId: MarketId; readonly tickSize: string }
  | BookReport
  | {
      readonly event: 'order.moved';
      readonly orderHash: OrderHash | undefined;
      readonly tokenId: TokenId;
      readonly side: Side;
      readonly price: string;
      readonly quantity: string;
      readonly from: OrderState;
      readonly to: OrderState;
      readonly signal: OrderSignal;
    }
  | {
      readonly event: 'order.anomaly';
      readonly orderHash: OrderHash | undefined;
      readonly state: OrderState | 'unknownOrder';
      readonly signal: OrderSignal;
      readonly detail: string;
    }
  | {
      readonly event: 'order.refused';
      readonly tokenId: TokenId;
      readonly side: Side;
      readonly price: string;
      readonly quantity: string;
      readonly code: string;
      readonly detail: string;
    }
  /** A state lasted longer than it may: what was done about it. */
  | {
      readonly event: 'order.past_deadline';
      readonly orderHash: OrderHash | undefined;
      readonly tokenId: TokenId;
      readonly state: LiveState;
      readonly lastedMs: number;
      readonly remedy: OrderRemedy;
    }
  /** The venue takes no date that is so near: later ones are tried. */
  | { readonly event: 'order.date_refused'; readonly code: string; readonly aheadMs: number }
  /** The venue takes quantities with so many decimals at the most. */
  | {
      readonly event: 'market.quantity_decimals';
      readonly marketId: MarketId;
      readonly decimals: number;
    }
  | { readonly event: 'order.unknown'; readonly tokenId: TokenId; readonly cause: string }
  /** Nobody ever said what became of a placement, and somebody else's orders came just when it was sent. */
  | {
      readonly event: 'order.possibly_own';
      readonly tokenId: TokenId;
      readonly side: Side;
      /** As it was sent. */
      readonly price: string;
      readonly quantity: string;
      /** The first few of them. */
      readonly orderHashes: readonly OrderHash[];
      readonly count: number;
    }
  | { readonly event: 'order.external'; readonly orderHash: OrderHash; readonly tokenId: TokenId }
  /** The venue answers cancels of it with a refusal, and goes on listing it. */
  | {
      readonly event: 'order.uncancellable';
      readonly orderHash: OrderHash | undefined;
      readonly tokenId: TokenId;
      readonly side: Side;
      readonly price: string;
      readonly left: string;
      readonly attempts: number;
    }
  /** A settlement failed, and the order rests again; reported the failure, or seen in lists only. */
  | {
      readonly event: 'order.restored';
      readonly orderHash: OrderHash;
      readonly tokenId: TokenId;
      readonly isTold: boolean;
    }
  | {
      readonly event: 'order.filled';
      readonly marketId: MarketId;
      readonly tokenId: TokenId;
      readonly side: Side;
      readonly price: string;
      readonly quantity: string;
    }
  | {
      readonly event: 'trade.settled';
      readonly tokenId: TokenId | undefined;
      readonly side: Side;
      readonly quantity: string;
    }
  /** The history tells of a settlement whose frame did not come. */
  | {
      readonly event: 'trade.recovered';
      readonly tradeId: string;
      readonly tokenId: TokenId | undefined;
      readonly side: Side;
      readonly quantity: string;
      /** Where balances may have shown it already they have the last word on it, and its price is not known. */
      readonly isCounted: boolean;
    }
  /** Whether the history of settled trades is trusted: it is once it tells just what frames told. */
  | {
      readonly event: 'history.state';
      readonly state: 'counted' | 'disbelieved' | 'unreadable';
      readonly detail: string;
    }
  | {
      readonly event: 'trade.failed';
      readonly marketId: MarketId | undefined;
      readonly side: Side;
      readonly quantity: string;
      readonly reason: string;
      readonly reversed: boolean;
    }
  | {
      readonly event: 'sets.changed';
      readonly id: string;
      readonly by: string;
      readonly action: string;
      readonly marketId: MarketId;
      readonly amount: string;
      readonly state: SetsState;
      readonly detail: string;
    }
  /** What the recycler would do, told without doing it. */
  | {
      readonly event: 'sets.advised';
      readonly marketId: MarketId;
      readonly action: string;
      readonly amount: string;
      readonly detail: string;
    }
  /** At the end of a run: what could still be turned into cash, in shares. */
  | {
      readonly event: 'sets.left';
      readonly marketId: MarketId;
      readonly mergeable: string;
      readonly claimableYes: string;
      readonly claimableNo: string;
    }
  | {
      /** Balances show shares that no report explains: they are an uncertain item now. */
      readonly event: 'position.differs';
      readonly tokenId: TokenId;
      readonly venues: string;
      readonly low: string;
      readonly high: string;
    }
  | {
      /** After quiet the venue's number became ours; what differs is an inferred fill. */
      readonly event: 'position.adopted';
      readonly tokenId: TokenId;
      readonly ours: string;
      readonly venues: string;
    }
  | {
      /** Cash that nothing explained for minutes was booked as it is; negative where it was missing. */
      readonly event: 'cash.adopted';
      readonly amountUsdc: string;
    }
  | {
      readonly event: 'operator.order';
      readonly order: string;
      readonly by: string;
      readonly accepted: boolean;
    }
  /** The same of one market alone. */
  | {
      readonly event: 'operator.market_order';
      readonly order: MarketStopKind | 'resume';
      readonly marketId: MarketId;
      readonly by: string;
      readonly accepted: boolean;
    }
  | ActionReport
  /** A market that an operator killed has no order of ours left, nor one that may still arrive. */
  | {
      readonly event: 'market.kill_confirmed';
      readonly marketId: MarketId;
      readonly by: string;
      readonly tookMs: number;
    }
  | {
      readonly event: 'risk.refused';
      readonly marketId: MarketId;
      readonly limit: string;
      readonly detail: string;
    }
  /** Limits were lowered, or shares came by no own order: so many orders beyond one are cancelled. */
  | {
      readonly event: 'limit.cut';
      readonly marketId: MarketId;
      readonly limit: string;
      readonly orders: number;
    }
  | { readonly event: 'risk.halted'; readonly limit: string; readonly detail: string }
  /** An automatic control moved one market, or without one the account, up the ladder. */
  | {
      readonly event: 'control.tripped';
      readonly control: ControlName;
      readonly marketId: MarketId | undefined;
      readonly raisedTo: RiskAction;
      readonly detail: string;
      readonly clears: string;
    }
  | {
      readonly event: 'control.eased';
      readonly control: ControlName;
      readonly marketId: MarketId | undefined;
      /** `itself`, or the operator who resumed. */
      readonly by: string;
    }
  /** The account was swept clean of orders without a kill: own events could not be seen. */
  | { readonly event: 'account.swept'; readonly cancelled: number; readonly tookMs: number }
  /** Another trader uses the account: from here on only own orders are cancelled. */
  | {
      readonly event: 'account.conflict';
      readonly rule: 'yield' | 'own-scope' | 'halt';
      readonly detail: string;
    }
  /** Cancels failed again and again: they are asked for in broader words, or nothing is placed until they work. */
  | {
      readonly event: 'cancels.escalated';
      readonly to: 'market' | 'account' | 'halted';
      readonly failures: number;
    }
  | {
      readonly event: 'strategy.failed';
      readonly marketId: MarketId;
      readonly strategy: string;
      readonly detail: string;
    }
  /** Whether records can be kept; an empty fault says that they can again. */
  | { readonly event: 'ledger.state'; readonly fault: string }
  | { readonly event: 'fair.refused'; readonly target: string; readonly detail: string }
  | { readonly event: 'venue.read_failed'; readonly what: string; readonly detail: string }
  | { readonly event: 'venue.rate_limited'; readonly retryAfterMs: number }
  | { readonly event: 'venue.socket'; readonly state: string; readonly reason: string }
  | { readonly event: 'frame.unrecognised'; readonly frameType: string; readonly detail: string }
  | { readonly event: 'kill.progress'; readonly stillOpen: number; readonly detail: string }
  /** Before the first quote: nothing of a previous run is left on the venue. */
  | ({ readonly event: 'start.cleared' } & Proof)
  | ({ readonly event: 'kill.confirmed' } & Proof)
  | {
      readonly event: 'kill.unconfirmed';
      readonly stillOpen: number;
      readonly orderHashes: readonly OrderHash[];
      /** Placements without an answer, which have no hash: what they asked for, and how long they may arrive. */
      readonly inFlight: readonly string[];
      /** Matched in full and not settled; a stop that ends the process waits for them, too. */
      readonly settling: number;
      readonly unsettled: readonly string[];
      /** Nothing may arrive, and each order that is left has traded in part and is refused its cancel. */
      readonly isOnlyParts: boolean;
      readonly detail: string;
    };

export type ReportEvent = Report['event'];

/** How loudly each report is logged. */
export const REPORT_SEVERITY: Readonly<Record<ReportEvent, Severity>> = {
  'phase.changed': 'info',
  'settings.applied': 'info',
  'market.listed': 'info',
  'market.unknown': 'error',
  'market.status': 'warn',
  'market.tick_size': 'warn',
  'book.state': 'debug',
  'book.doubt': 'info',
  'book.resynced': 'info',
  'book.unified': 'warn',
  'order.moved': 'debug',
  'order.anomaly': 'warn',
  'order.refused': 'warn',
  'order.past_deadline': 'debug',
  'order.date_refused': 'warn',
  'market.quantity_decimals': 'warn',
  'order.unknown': 'warn',
  'order.possibly_own': 'warn',
  'order.external': 'warn',
  'order.uncancellable': 'error',
  'order.restored': 'warn',
  'order.filled': 'info',
  'trade.settled': 'info',
  'trade.recovered': 'info',
  'history.state': 'warn',
  'trade.failed': 'error',
  'sets.changed': 'info',
  'sets.advised': 'info',
  'sets.left': 'info',
  'position.differs': 'warn',
  'position.adopted': 'warn',
  'cash.adopted': 'warn',
  'operator.order': 'warn',
  'operator.market_order': 'warn',
  'operator.recorded': 'info',
  'operator.record_damaged': 'error',
  'market.kill_confirmed': 'warn',
  'risk.refused': 'debug',
  'limit.cut': 'warn',
  'risk.halted': 'error',
  'control.tripped': 'error',
  'control.eased': 'warn',
  'account.swept': 'warn',
  'account.conflict': 'error',
  'cancels.escalated': 'warn',
  'strategy.failed': 'error',
  'ledger.state': 'error',
  'fair.refused': 'warn',
  'venue.read_failed': 'warn',
  'venue.rate_limited': 'warn',
  'venue.socket': 'info',
  'frame.unrecognised': 'debug',
  'kill.progress': 'warn',
  'start.cleared': 'info',
  'kill.confirmed': 'warn',
  'kill.unconfirmed': 'error',
};
