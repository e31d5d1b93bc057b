// What a strategy may see beside the books: fair value, flow, own fills, holdings, capital, life.
// Everything is plain data of one moment; nothing in here is a live object of the core.

import type { MicroShares } from '../domain/shares.ts';
import type { Ticks } from '../domain/ticks.ts';
import type { UnixMs } from '../domain/time.ts';

/** A live order of ours as the axis shows it, whichever leg carries it. */
export type OwnQuote = {
  readonly side: 'bid' | 'ask';
  readonly price: Ticks;
  /** Shares still resting. */
  readonly remaining: MicroShares;
  readonly restingSinceMs: UnixMs;
  /** `undefined` until the venue has shown the level with the order in it. */
  readonly queue: QueueEstimate | undefined;
};

/** An estimate from aggregated depth; the venue is assumed to fill a level first come, first served. */
export type QueueEstimate = {
  /** Shares of others that are filled before ours. */
  readonly ahead: MicroShares;
  /** Shares of others behind ours. */
  readonly behind: MicroShares;
};

/** A price with its uncertainty, in the log-odds of YES: x = ln(p/(1-p)). */
export type FairValue = {
  readonly logOdds: number;
  /** Variance of `logOdds`; it grows while nothing is observed. */
  readonly logOddsVar: number;
  /** The same as a probability, 0 to 1. */
  readonly price: number;
  /** Log-odds variance gathered per second, `undefined` until it has been measured. */
  readonly logOddsVarPerSec: number | undefined;
  /** Since the last observation that said anything; a quiet live book keeps observing. */
  readonly ageMs: number;
  /** What somebody outside the venue says, when a feed is configured and not out of date. */
  readonly external: ExternalFair | undefined;
  /** Log-odds by which the books went a taker's way in the ten seconds after; learnt here, 0 before, never negative. */
  readonly takerLead?: number;
};

export type ExternalFair = {
  /** Probability of YES, 0 to 1. */
  readonly price: number;
  /** Its own statement of uncertainty, log-odds variance. */
  readonly logOddsVar: number | undefined;
  readonly ageMs: number;
};

/** How the source of the external price is doing, also while it has no price that counts. */
export type ExternalSource = {
  /** Of the last price it stated, however old; `undefined` when it never stated one. */
  readonly ageMs: number | undefined;
  /** What is wrong with it, for people. */
  readonly fault: string | undefined;
};

/** One public trade on the YES axis: a BUY of NO is a sale of YES at the complement. */
export type PublicTrade = {
  readonly atMs: UnixMs;
  readonly price: Ticks;
  readonly size: MicroShares;
  /** What the taker did to YES; the venue's claim, not verified. */
  readonly taker: 'buys' | 'sells';
};

/** Trades of the last minute and ten, own ones included. @spec Events › Trades channel (Public) */
export type TradeDigest = {
  /** Newest last, at most `RECENT_TRADES_MAX`. */
  readonly recent: readonly PublicTrade[];
  readonly lastMinute: TradeFlow;
  readonly lastTenMinutes: TradeFlow;
};

export type TradeFlow = {
  readonly trades: number;
  readonly boughtShares: MicroShares;
  readonly soldShares: MicroShares;
};

/** Trades that a context shows one by one: enough to see a sweep, small enough to copy. */
export const RECENT_TRADES_MAX = 32;

/** How own fills fared: the fair value some time later against the price of the fill. */
export type Toxicity = {
  /** Own fills whose 60 s markout is known, over the whole run, discounted with age: half after half an hour. */
  readonly fills: number;
  /**
   * Gain per share after 10 s and 60 s in USDC, negative when takers knew better; drawn towards 0 as by 100 shares that
   * neither gained nor lost, and `undefined` until five fills are measured or when these are too long ago.
   */
  readonly markout10sUsdc: number | undefined;
  readonly markout60sUsdc: number | undefined;
  /**
   * mu of Glosten and Milgrom: the part of takers that seems informed, from the markouts; `undefined`
   * until enough fills have a markout.
   */
  readonly informedShare: number | undefined;
};

export type ByLeg = { readonly yes: MicroShares; readonly no: MicroShares };

/** Shares of YES that own orders have bought and sold in all; a BUY of NO sells YES. */
export type Filled = { readonly bought: MicroShares; readonly sold: MicroShares };

export type Inventory = {
  /** Shares of each token: settled plus matched and not yet settled. */
  readonly yes: MicroShares;
  readonly no: MicroShares;
  /** `yes - no`: what is left of the position when complete sets count as cash. */
  readonly net: MicroShares;
  /** What the chain has confirmed, and so may be sold. */
  readonly settled: ByLeg;
  /** Matched and not settled, negative where sold; it may still be reversed. */
  readonly matched: ByLeg;
  /** Settled shares that live sells hold. */
  readonly held: ByLeg;
  /** Since the start of the run. The position changes without it, too: the balances may show what others traded. */
  readonly filled: Filled;
  /** Complete sets of settled and free shares: each is worth 1.00 for certain. */
  readonly sets: MicroShares;
};

export type Capital = {
  /** Cash that no live order holds. */
  readonly freeUsdc: number;
  /** What this market may bind in all: holds of its buys, and cost of what it holds. */
  readonly allocatedUsdc: number;
  /** What it binds now. */
  readonly boundUsdc: number;
};

/** The operator's limits, for strategies that lean against them; the core enforces them anyway. */
export type Limits = {
  readonly maxPositionShares: number;
  readonly maxOrderNotionalUsdc: number;
  /** `undefined` where the value alone bounds an order. */
  readonly maxOrderShares?: number;
  readonly maxLossUsdc: number;
};

export type MarketLife = {
  /** `undefined` when the venue states none. */
  readonly expiryAtMs: UnixMs | undefined;
  /** Until the expiry, zero afterwards. */
  readonly leftMs: number | undefined;
  /** From listing to expiry, where the operator states it: the venue does not. */
  readonly durationMs: number | undefined;
};

/** Of a market whose end the venue does not state. */
export const WITHOUT_EXPIRY = {
  life: { expiryAtMs: undefined, leftMs: undefined, durationMs: undefined },
};

export type Fees = {
  /**
   * r of a taker fee of `r p (1-p)` USDC per share; `undefined` while it is not known, and then
   * nothing that depends on it may be done. Makers pay none. @spec What the service does
   */
  readonly takerRate: number | undefined;
};
