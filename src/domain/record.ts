// What must outlive the process: the records that the core asks to keep, and the run they tell of.
// A record states how something stands, so that writing it twice changes nothing.

import type { StoredAction } from './action.ts';
import type { IntentId, MarketId, OrderHash, TokenId } from './ids.ts';
import type { OrderState, Side } from './order.ts';
import type {
  StoredBaselines,
  StoredCleared,
  StoredLatch,
  StoredMarketStop,
  StoredPause,
} from './risk.ts';
import type { SetsOrder, SetsState } from './sets.ts';
import type { MicroShares } from './shares.ts';
import type { TickGrid, Ticks } from './ticks.ts';
import type { UnixMs } from './time.ts';

/** One own order, from the intent before it is sent to its end. */
export type StoredOrder = {
  readonly intentId: IntentId;
  readonly marketId: MarketId;
  readonly tokenId: TokenId;
  readonly leg: 'yes' | 'no';
  readonly side: Side;
  readonly price: Ticks;
  /** The grid that `price` counts on: a market may change its own. */
  readonly ticksPerUnit: TickGrid['ticksPerUnit'];
  readonly quantity: MicroShares;
  readonly sentAtMs: UnixMs;
  readonly isExternal: boolean;
  /** It was sent to take, and pays the fee of a taker; absent in what an older version kept. */
  readonly isTake?: boolean | undefined;
  readonly orderHash: OrderHash | undefined;
  readonly state: OrderState;
  readonly stateSinceMs: UnixMs;
  readonly executed: MicroShares;
  /** What had traded and was reversed, no part of `executed`: it tells later fills from earlier ones. */
  readonly failed?: MicroShares | undefined;
  readonly confirmedAtMs: UnixMs | undefined;
  /** Settings in force when it was decided on; `undefined` for an order that was never sent from here. */
  readonly settingsVersion: string | undefined;
  /** Its date, where it rests until one. */
  readonly expiresAtMs?: UnixMs | undefined;
  /** Why it was refused, where breakers count that. */
  readonly refusalCode?: string | undefined;
};

/** Shares of one own order that traded; the total after it tells it from every other fill. */
export type StoredFill = {
  readonly intentId: IntentId;
  readonly marketId: MarketId;
  readonly tokenId: TokenId;
  readonly side: Side;
  readonly price: Ticks;
  readonly ticksPerUnit: TickGrid['ticksPerUnit'];
  readonly quantity: MicroShares;
  readonly executedAfter: MicroShares;
  /** Nano-USDC, negative for a buy. */
  readonly cashNano: number;
  readonly atMs: UnixMs;
  /** Booked because the venue's amount says so: nobody reported it, and its price is an estimate. */
  readonly isInferred?: boolean | undefined;
  /** Of others, before its order when that came to rest, where it was seen; the ledger does not keep it. */
  readonly aheadMicro?: MicroShares | undefined;
};

export type StoredSettlement = {
  readonly tradeId: string;
  readonly tokenId: TokenId | undefined;
  readonly side: Side;
  readonly quantity: MicroShares;
  /** Nano-USDC, negative for a buy. */
  readonly cashNano: number;
  readonly atMs: UnixMs;
  /** No frame reported it: the history of trades listed it, some time after it had settled. */
  readonly isRecovered?: boolean | undefined;
};

/** Matched shares that wait for settlement. */
export type StoredPending = {
  /** The order that matched. */
  readonly intentId?: IntentId | undefined;
  readonly side: Side;
  /** At its price, without any fee. */
  readonly cashNano: number;
  /** r of the fee that it pays, of what was sent to take. */
  readonly takerFeeRate?: number | undefined;
  readonly quantity: MicroShares;
  readonly original: MicroShares;
  readonly atMs: UnixMs;
};

/**
 * Why shares are uncertain: an order ended and nobody reported how much it had traded (`order_end`, and
 * `previous_run` where it was sent before this run); a trade failed that may be of them (`trade_failed`), and
 * its order may rest and trade again (`order_restored`); a placement
 * gave its slot back and may still arrive (`may_arrive`); a fill has not settled in time (`unsettled`); the
 * venue shows another number (`balances_differ`).
 */
export type UncertainCause =
  | 'order_end'
  | 'previous_run'
  | 'trade_failed'
  | 'order_restored'
  | 'may_arrive'
  | 'unsettled'
  | 'balances_differ';

/** Shares that may have traded, between none and `quantity`; BUY raises the position, SELL lowers it. */
export type StoredUncertain = {
  readonly cause: UncertainCause;
  /** The order that may have traded them, or the bust that may be of them. */
  readonly intentId?: IntentId | undefined;
  readonly side: Side;
  readonly quantity: MicroShares;
  /** Cash in nano-USDC if all of it happened, negative for a buy. */
  readonly cashNano: number;
  readonly sinceMs: UnixMs;
  /** When its order was sent: nothing of it happened before. */
  readonly sentAtMs?: UnixMs | undefined;
  /** It was reported, and an adopted number took it back: the chain may be late with it. */
  readonly isOwed?: true | undefined;
};

/** The cash break that every exact read has shown since a moment, in nano-USDC. */
export type StoredSteady = { readonly nano: number; readonly sinceMs: UnixMs };

/** Shares of which one half is known: a settlement without its fill, or shares without their settlement. */
export type StoredEarly = {
  readonly side: Side;
  readonly quantity: MicroShares;
  /** Cash that they were counted with, in nano-USDC. */
  readonly cashNano: number;
  readonly atMs: UnixMs;
  /** Nobody knows at what price they traded. */
  readonly isGuess?: true | undefined;
};

/** A value that `confirmed` had, and until when. */
export type StoredPast = { readonly amount: MicroShares; readonly untilMs: UnixMs };

/** What is known of one token's shares. */
export type StoredToken = {
  readonly tokenId: TokenId;
  /** What balances last confirmed, plus own settlements since. */
  readonly confirmed: MicroShares;
  readonly pending: readonly StoredPending[];
  readonly uncertain: readonly StoredUncertain[];
  /** Settled, and no fill was reported that it can be of. */
  readonly unreported: readonly StoredEarly[];
  /** Confirmed by balances before the settlement was reported. */
  readonly shown: readonly StoredEarly[];
  /** What a lagging index may still show, oldest first. */
  readonly past?: readonly StoredPast[] | undefined;
  /** When the last own fill, settlement, bust or set happened. */
  readonly changedAtMs: UnixMs | undefined;
};

/** Cash and fills of one market and what they are measured against: its profit goes on from here. */
export type StoredFlows = {
  readonly marketId: MarketId;
  readonly cashNano: number;
  readonly fills: number;
  readonly start: { readonly yes: MicroShares; readonly no: MicroShares } | undefined;
  readonly startValueNano: number | undefined;
};

/** An automatic halt that only an operator lifts. */
export type StoredHalt = {
  readonly limit: string;
  readonly detail: string;
  readonly sinceMs: UnixMs;
};

/** A split, merge or redeem: what is under way, and the latest that ended. */
export type StoredSets = {
  readonly order: SetsOrder;
  readonly state: SetsState;
  readonly detail: string;
  readonly sentAtMs: UnixMs;
  /** Cash has moved by just what it costs or pays. */
  readonly isPaid?: boolean | undefined;
  /** The cash break when it was sent: what the set moves comes on top of it. */
  readonly breakNano?: number | undefined;
};

/** The slowest acceptance of a placement, and when it was seen. */
export type StoredSlowest = { readonly tookMs: number; readonly atMs: UnixMs };

/** By how much requests may be dated ahead of the venue's clock, and when that was seen. */
export type StoredAhead = { readonly aheadMs: number; readonly atMs: UnixMs };

/** The venue's clock minus ours, as it was measured: a run that finds another one began with another clock. */
export type StoredClock = { readonly offsetMs: number; readonly atMs: UnixMs };

/** Whether the venue keeps cash and shares of a match locked until it settles, as clean reads have shown. */
export type StoredLocks = { readonly keepsMatched: boolean };

/** A set of settings that came into force, whole, by the name that orders carry. */
export type StoredSettings = {
  readonly version: string;
  readonly appliedAtMs: UnixMs;
  readonly settings: object;
};

export type LedgerRecord =
  | { readonly kind: 'settings'; readonly applied: StoredSettings }
  /** The intent when it is new, where it stands afterwards. */
  | { readonly kind: 'order'; readonly order: StoredOrder }
  | { readonly kind: 'fill'; readonly fill: StoredFill }
  | { readonly kind: 'settlement'; readonly settlement: StoredSettlement }
  | { readonly kind: 'token'; readonly token: StoredToken }
  | { readonly kind: 'flows'; readonly flows: StoredFlows }
  | { readonly kind: 'cash'; readonly cashNano: number; readonly atMs: UnixMs }
  /** Cash breaks that were booked as they were, without their signs, each time that one is. */
  | { readonly kind: 'cashAdopted'; readonly adoptedNano: number }
  | { readonly kind: 'cashSteady'; readonly steady: StoredSteady }
  /** `undefined`: an operator lifted it. */
  | { readonly kind: 'halt'; readonly halt: StoredHalt | undefined }
  /** All controls that are tripped, each time one of them moves. */
  | { readonly kind: 'latches'; readonly latches: readonly StoredLatch[] }
  /** When breakers began to count anew: all that still matter, each time one of them does. */
  | { readonly kind: 'cleared'; readonly cleared: readonly StoredCleared[] }
  /** When settlements failed that the breaker still counts, oldest first; each time that changes. */
  | { readonly kind: 'failures'; readonly failuresAtMs: readonly UnixMs[] }
  /** `undefined`: the operator resumed. */
  | { readonly kind: 'pause'; readonly pause: StoredPause | undefined }
  /** One more link of the operators' record. */
  | { readonly kind: 'action'; readonly action: StoredAction }
  /** All markets that an operator has stopped, each time that one is or is not any more. */
  | { readonly kind: 'marketStops'; readonly stops: readonly StoredMarketStop[] }
  /** What losses are measured from. */
  | { readonly kind: 'baselines'; readonly baselines: StoredBaselines }
  /** The venue accepted a placement later than any before, and so late that a proof has to wait for it. */
  | { readonly kind: 'slowest'; readonly slowest: StoredSlowest }
  /** For whoever waits and is not this run: what is dated ahead is taken for longer. */
  | { readonly kind: 'ahead'; readonly ahead: StoredAhead }
  /** Each time it is seconds from what was last said. */
  | { readonly kind: 'clock'; readonly clock: StoredClock }
  /** Each time that clean reads have shown it anew. */
  | { readonly kind: 'locks'; readonly locks: StoredLocks }
  /** All that are remembered, each time one of them moves. */
  | { readonly kind: 'sets'; readonly requests: readonly StoredSets[] }
  | { readonly kind: 'memory'; readonly key: string; readonly memory: unknown }
  /** A memory has made room for another one. */
  | { readonly kind: 'forgotten'; readonly key: string };

/** An order that the venue refused, for a reason that breakers count. */
export type StoredRefusal = {
  readonly marketId: MarketId;
  readonly code: string;
  readonly atMs: UnixMs;
};

/** What previous runs did lately: breakers count on from it. The latest of it, in no order. */
export type StoredRecent = {
  /** When own orders left. */
  readonly ordersAtMs: readonly UnixMs[];
  readonly fills: readonly Pick<StoredFill, 'marketId' | 'quantity' | 'atMs'>[];
  readonly refusals?: readonly StoredRefusal[] | undefined;
  readonly failuresAtMs?: readonly UnixMs[] | undefined;
  /** What happened until then has been counted, and tripped a breaker, or an operator has seen it. */
  readonly cleared?: readonly StoredCleared[] | undefined;
};

/** Everything that a previous run left behind and a new one goes on from. */
export type PersistedState = {
  /** Orders that had not ended. */
  readonly orders: readonly StoredOrder[];
  readonly tokens: readonly StoredToken[];
  readonly flows: readonly StoredFlows[];
  /** Settlements counted already, oldest first; the latest of them. */
  readonly tradeIds: readonly string[];
  /** The newest of them whole, oldest first. */
  readonly settlements?: readonly StoredSettlement[];
  /** The book of the account's cash, in nano-USDC. */
  readonly cashNano: number | undefined;
  /** Cash breaks that were booked as they were, without their signs: profit may be off by so much. */
  readonly adoptedNano?: number | undefined;
  readonly cashSteady?: StoredSteady | undefined;
  readonly halt: StoredHalt | undefined;
  readonly memories: Readonly<Record<string, unknown>>;
  readonly sets?: readonly StoredSets[];
  /** Of orders that had ended, as far as they are remembered. */
  readonly endedHashes?: readonly OrderHash[];
  readonly latches?: readonly StoredLatch[];
  readonly pause?: StoredPause | undefined;
  readonly marketStops?: readonly StoredMarketStop[] | undefined;
  readonly baselines?: StoredBaselines | undefined;
  readonly slowest?: StoredSlowest | undefined;
  readonly locks?: StoredLocks | undefined;
  readonly ahead?: StoredAhead | undefined;
  readonly clock?: StoredClock | undefined;
  readonly recent?: StoredRecent | undefined;
  /** Of the last write that had a pause, a halt or a latch in it; none where there was none. */
  readonly stopsNumber?: number | undefined;
};
