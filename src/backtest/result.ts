// What a backtest found. Money is in USDC, shares in shares, times in milliseconds of the recording.

import type { MarketId, TokenId } from '../domain/ids.ts';
import type { Parts } from './fills.ts';

/** What shares are worth at the end. */
export type Mark =
  /** The outcome is known: 1 or 0. */
  | 'settlement'
  /** A synthetic world knows what its crowd only guesses. */
  | 'belief'
  /** The middle of everybody else's book: the outcome is not known. */
  | 'middle';

export type Figures = {
  /** At the best mark there is; `mark` says which. */
  readonly pnlUsdc: number;
  readonly mark: Mark | 'mixed';
  /** At the middle of everybody else's book. */
  readonly pnlAtMiddleUsdc: number;
  /** At what the core itself took YES to be worth; absent where it had no opinion. */
  readonly pnlAtFairUsdc: number | undefined;
  /** They add up to `pnlUsdc`. */
  readonly parts: Parts;
  readonly fills: number;
  readonly failedFills: number;
  readonly makerShares: number;
  readonly takerShares: number;
  /** Root of the mean square of net shares over time. */
  readonly inventoryRmsShares: number;
  readonly inventoryMaxShares: number;
  /** Net shares at the end. */
  readonly netShares: number;
  /** The furthest that profit at the middle fell below what it had been. */
  readonly drawdownUsdc: number;
  /** Share of time at or inside the best price of everybody else, 0 to 1, mean of both sides. */
  readonly touchRatio: number;
  /** Quoting uptime by side as the core counts it, mean of all sides; absent while none counts. */
  readonly uptimeRatio: number | undefined;
};

/** How the market moved after fills, per share and in the maker's favour, in USDC. */
export type Markouts = {
  readonly sec: number;
  readonly bid: number | undefined;
  readonly ask: number | undefined;
};

/** The same as one line: at the fill, and after each of the seconds that figures name. */
export type MarkoutCurve = {
  /** A side, or how many shares stood ahead. */
  readonly name: string;
  readonly usdc: readonly (number | undefined)[];
};

/** Fills by how many shares stood ahead when their order came to rest. */
export type QueueRow = {
  readonly ahead: string;
  readonly fills: number;
  readonly shares: number;
  /** Per share after 10 s. */
  readonly markoutUsdc: number | undefined;
};

export type Point = {
  readonly atMs: number;
  /** Prices are probabilities of YES. */
  readonly middle: number | undefined;
  readonly bid: number | undefined;
  readonly ask: number | undefined;
  readonly netShares: number;
  readonly pnlUsdc: number;
};

export type ShownFill = {
  readonly atMs: number;
  /** Of YES: a BUY of NO at 0.4 is a SELL at 0.6. */
  readonly side: 'BUY' | 'SELL';
  readonly price: number;
  readonly shares: number;
  readonly isTaker: boolean;
};

export type MarketResult = Figures & {
  readonly marketId: MarketId;
  readonly title: string;
  readonly strategy: string;
  readonly markouts: readonly Markouts[];
  readonly queue: readonly QueueRow[];
  readonly curves: readonly MarkoutCurve[];
  readonly points: readonly Point[];
  readonly shownFills: readonly ShownFill[];
};

export type RunResult = {
  readonly world: string;
  readonly conditions: string;
  readonly strategies: readonly string[];
  /** Each with the parameters in force, for people: `auto: size=50 levels=3`. */
  readonly parameters: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
  readonly total: Figures;
  readonly markets: readonly MarketResult[];
  /** Order writes, each batch as one. */
  readonly writes: number;
  /** What the account has after everything settled; shares by token, each in all. */
  readonly account: {
    readonly cashUsdc: string;
    readonly shares: Readonly<Record<TokenId, number>>;
  };
  readonly frames: number;
  readonly badLines: number;
  readonly badLineExamples: readonly string[];
  /** Inputs that the core was told. */
  readonly inputs: number;
  readonly tookMs: number;
  /** Equal runs have equal ones. */
  readonly digest: string;
  /** The recording could not be read to its end, or the core stopped itself: why. */
  readonly failure: string | undefined;
  /** Why nothing was quoted, in the core's own words; absent where something was. */
  readonly idle: string | undefined;
  /** Why the core halted, in its own words; absent while it did not. */
  readonly halted: string | undefined;
};
