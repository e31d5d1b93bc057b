// What quoting came to, for people: exact decimal texts, as in the rest of the state that operators see.

/** Where the profit of a market or of all comes from: the parts add up to it. */
export type FigurePartsView = {
  /** Of earlier runs, at the first price of this one. */
  readonly beforeUsdc: string;
  readonly spreadUsdc: string;
  readonly to1sUsdc: string;
  readonly to10sUsdc: string;
  readonly to60sUsdc: string;
  readonly laterUsdc: string;
  readonly feesUsdc: string;
  /** Of own fills of which the book is not known, and of those that failed on the chain. */
  readonly unsplitUsdc: string;
  /** What is of no fill of this run: moves of positions of before, complete sets, corrections by balances. */
  readonly otherUsdc: string;
};

/** Fills of this run that made, by how many shares of others stood before their orders when they came to rest. */
export type QueueFillsView = {
  /** `none`, `up to 50`, …, `over 1000`, or `unknown`. */
  readonly ahead: string;
  readonly fills: number;
  readonly shares: string;
  /** Per share after 10 s; absent before that is known. */
  readonly markoutUsdc: string | undefined;
};

/**
 * What quoting came to, by the definitions of `src/backtest/README.md`. Profit goes on from the ledger of earlier
 * runs as `pnlUsdc` does; all else counts since this run began. What is not known is absent.
 */
export type FiguresView = {
  readonly pnlAtMiddleUsdc: string | undefined;
  readonly pnlAtFairUsdc: string | undefined;
  /** Known once the outcome is; in all of the markets whose outcome is known, where there are any. */
  readonly pnlAtSettlementUsdc: string | undefined;
  readonly parts: FigurePartsView | undefined;
  readonly makerShares: string | undefined;
  readonly takerShares: string | undefined;
  /** Of quotes that traded before they were seen to rest: they took on arrival, or made at once. */
  readonly unsureShares: string | undefined;
  readonly inventoryRmsShares: string | undefined;
  readonly inventoryMaxShares: string | undefined;
  readonly drawdownUsdc: string | undefined;
  /** Of both sides, 0 to 1. */
  readonly touchRatio: number | undefined;
  readonly uptimeRatio: number | undefined;
  readonly queue: readonly QueueFillsView[];
};
