// What a scene chooses of the double, and the switches that it may turn while it runs.

import type { Grid } from './terms.ts';

export type DoubleOptions = {
  readonly grid: Grid;
  readonly markets: number;
  readonly startingCashUsdc: number;
  /** Settled shares of YES and of NO that the account has of every market at the start. */
  readonly openingShares: { readonly yes: number; readonly no: number };
  /** From a match to its settlement, and from there until balances show the shares. */
  readonly settleMs: readonly [number, number];
  readonly indexLagMs: readonly [number, number];
};

export const DOUBLE_DEFAULTS: DoubleOptions = {
  grid: { tickSize: '0.01', ticksPerUnit: 100 },
  markets: 2,
  startingCashUsdc: 100_000,
  openingShares: { yes: 0, no: 0 },
  // A tenth of what the interface states, so that a short scene sees whole runs of fills.
  settleMs: [1_500, 2_000],
  indexLagMs: [3_000, 12_000],
};

/** Faults and readings of the interface; a scene turns them at any time. */
export type Switches = {
  /** Cancelling rule 1 read literally when false: only `OPEN` orders can be cancelled. */
  partialsCancellable: boolean;
  /** Every request is answered `service_unavailable`; one placement in four takes effect all the same. */
  isUnavailable: boolean;
  /** Frames of the user channel are swallowed. */
  losesUserFrames: boolean;
  /** So many of the next matches of the account fail at their settlement. */
  failNextTrades: number;
  /** What becomes of the order of a failed trade: its shares rest again, or it ends. */
  failedTrade: 'restore' | 'cancel';
  openOrdersMax: number;
  /** What each book shows: the orders of its own token, or those of both, a bid for YES as an ask of NO too. */
  books: 'separate' | 'unified';
  /** Orders are rejected with `market_paused`. Its beginning is told, its end is not. */
  isPaused: boolean;
  /** Buys are rejected with it, whatever they are for. */
  restriction: 'account_restricted' | 'geo_restricted' | undefined;
  /** `POST /orders/batch-cancel` is answered with an error of the server; `DELETE /orders` works. */
  failsBatchCancels: boolean;
  /** Orders with more decimals are rejected with `invalid_quantity`. */
  quantityDecimalsMax: number;
  /** The catalogue says `enableOrderBook: false` of every market, and orders are rejected with `market_closed`. */
  hasNoBook: boolean;
  /** The venue's clock minus ours: in `GET /time`, in stamps, and in what it takes for a fresh signature. */
  clockOffsetMs: number;
  /** Every request is answered with it. */
  refusesAll: 'rate_limited' | 'maintenance' | undefined;
};

export function usualSwitches(): Switches {
  return {
    partialsCancellable: true,
    isUnavailable: false,
    losesUserFrames: false,
    failNextTrades: 0,
    failedTrade: 'restore',
    openOrdersMax: 2_000,
    books: 'separate',
    isPaused: false,
    restriction: undefined,
    failsBatchCancels: false,
    quantityDecimalsMax: 6,
    hasNoBook: false,
    clockOffsetMs: 0,
    refusesAll: undefined,
  };
}
