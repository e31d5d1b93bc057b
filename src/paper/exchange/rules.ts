// How the exchange plays: the answers to what the interface leaves open, and its pace.

import type { TakerFee } from './amounts.ts';

/** What happens when an order would trade with another of the same account. */
export type SelfTradeRule = 'cancelResting' | 'cancelIncoming' | 'allow';

/**
 * Where cancels of recorded size come from, since no recording says it. `conservative`: never from ahead of a
 * real order, only trades bring it forward · `displayed`: from behind as long as that is enough ·
 * `optimistic`: from ahead first.
 */
export type QueueModel = 'conservative' | 'displayed' | 'optimistic';

/**
 * Where an account's order stands at its price among orders of the synthetic crowd. `arrival`: as it came ·
 * `last`: behind all of them, those that come later as well · `first`: before all of them.
 */
export type AccountPlace = 'arrival' | 'last' | 'first';

export type ExchangeRules = {
  /** A BUY of YES may meet a BUY of NO (mints a set), a SELL a SELL (merges one). */
  readonly complementMatching: boolean;
  /**
   * What the public book of a token shows: its own orders, or those of both tokens, an order to buy YES at p as an
   * ask of NO at 1 - p too. Where they are one, both tokens' orders meet, whatever `complementMatching` says.
   */
  readonly books: 'separate' | 'unified';
  readonly selfTrade: SelfTradeRule;
  /** Whether the resting rest of a partially filled order can be cancelled. */
  readonly partiallyFilledCancellable: boolean;
  /**
   * A batch cancel that names an order which cannot be cancelled: counted under `failed`, or refused as a
   * whole, and nothing in it is cancelled.
   */
  readonly batchCancel: 'count' | 'refuse';
  /** What a failed settlement does to its orders: they end, or their shares rest again. */
  readonly failedTrade: 'cancelOrder' | 'reinstate';
  /** A market SELL whose average price is off the tick grid of a coarse market. */
  readonly offTickMarketSell: 'refuse' | 'allow';
  /** Decimal places of a limit order's quantity. */
  readonly quantityDecimalsMax: number;
  /** Largest order; keeps every sum over an account's orders exact. */
  readonly orderSharesMax: number;
  readonly openOrdersMax: number;
  /** Orders that one trader of the crowd may have; a bound of ours, not of the interface. */
  readonly deskOpenOrdersMax: number;
  readonly gtdAheadMsMin: number;
  readonly takerFeeBps: number;
  /** Fees of single categories, in place of `takerFeeBps`. */
  readonly takerFeeBpsByCategory: Readonly<Record<string, number>>;
  /** r of a fee of `r p (1 - p)` a share, on top of these. */
  readonly takerFeeRate: number;
  /** Whether cash is held for the fee of what rests, which pays none unless it is taken off and sent again. */
  readonly restingFeeHold: 'held' | 'free';
  /** Share of settlements that fail on-chain, 0 to 1. */
  readonly settlementFailureRate: number;
  readonly recordedQueue: QueueModel;
  readonly accountPlace: AccountPlace;
};

/** Delays of the exchange in milliseconds, already scaled. */
export type ExchangeTiming = {
  /** From an acknowledgement to the matching engine; keeps the order of arrival. */
  readonly matchDelayMs: number;
  readonly settleMsMin: number;
  readonly settleMsMax: number;
  /** From settlement until `GET /portfolio/*` shows the shares. */
  readonly indexLagMsMin: number;
  readonly indexLagMsMax: number;
};

/** A taker's fee in a category of events. @spec What the service does */
export function takerFeeOf(rules: ExchangeRules, category: string): TakerFee {
  const bps = rules.takerFeeBpsByCategory[category] ?? rules.takerFeeBps;
  return { bps, rate: rules.takerFeeRate };
}
