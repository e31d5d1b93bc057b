// How the venue of a backtest plays: stated in the configuration, and printed with every result.

/** One-way delays in milliseconds. */
export type Delays = {
  /** From a change at the venue to the core. */
  readonly feedMs: number;
  /** From a decision to its effect at the venue. */
  readonly entryMs: number;
  /** From that effect to the answer. */
  readonly responseMs: number;
};

export type Latency =
  | ({ readonly kind: 'constant' } & Delays)
  /** Each delay is drawn from what was measured. */
  | { readonly kind: 'measured'; readonly from: string; readonly samples: readonly Delays[] };

export type Conditions = {
  readonly latency: Latency;
  /**
   * Whose cancels shrink a recorded level. Among synthetic traders: behind all of them at a price, before all of
   * them, or `real`, as the orders came.
   */
  readonly queue: 'conservative' | 'optimistic' | 'real';
  /** r of a taker fee of `r p (1 - p)` a share. */
  readonly takerFeeRate: number;
  readonly settleMsMin: number;
  readonly settleMsMax: number;
  readonly positionLagMsMin: number;
  readonly positionLagMsMax: number;
  /** Share of settlements that fail on the chain, 0 to 1. */
  readonly settlementFailureRate: number;
  /** What a cancel does to an order that has traded in part. */
  readonly partlyFilled: 'stays' | 'cancellable';
  readonly startingCashUsdc: number;
  readonly seed: number;
};

/** For people: one line that says what a result stands on. */
export function conditionsText(conditions: Conditions): string {
  const { latency, queue, takerFeeRate, settleMsMin, settleMsMax, partlyFilled, seed } = conditions;
  const failures = conditions.settlementFailureRate * 100;
  const delays =
    latency.kind === 'constant'
      ? `latency feed ${latency.feedMs} ms, entry ${latency.entryMs} ms, response ${latency.responseMs} ms`
      : `latency drawn from ${latency.samples.length} measurements in ${latency.from}`;
  return [
    delays,
    `queue ${queue}`,
    `taker fee rate ${takerFeeRate}`,
    `settlement ${settleMsMin} to ${settleMsMax} ms, ${failures} % fail`,
    `partly filled orders ${partlyFilled === 'stays' ? 'stay' : 'can be cancelled'}`,
    `seed ${seed}`,
  ].join(' · ');
}
