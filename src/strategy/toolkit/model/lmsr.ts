// Market scoring rules: a logarithmic one (LMSR), and one whose liquidity grows with trade (LS-LMSR).
// Sources: Hanson, Combinatorial information market design, 2003; Othman, Pennock, Reeves, Sandholm,
// A practical liquidity-sensitive automated market maker, 2013.

import { assert } from '../../../domain/assert.ts';
import { assertFinite, assertPositive, sum } from '../numeric/domain.ts';
import { logSumExp, softmax } from '../numeric/special.ts';

/** Shares of each outcome that the rule has sold. */
export type SoldShares = readonly number[];

/** `C(q) = b ln sum e^(q_i/b)`, in USD; what a trade costs is the difference of two. */
export function lmsrCostUsd(sold: SoldShares, riskScaleShares: number): number {
  assertPositive({ riskScaleShares });
  return riskScaleShares * logSumExp(sold.map((q) => q / riskScaleShares));
}

/** Prices `softmax(q/b)`: they add up to one. */
export function lmsrPrices(sold: SoldShares, riskScaleShares: number): readonly number[] {
  assertPositive({ riskScaleShares });
  return softmax(sold.map((q) => q / riskScaleShares));
}

/** What a buyer pays for `shares` of one outcome; negative shares are a sale and a payment. */
export function lmsrTradeCostUsd(
  sold: SoldShares,
  trade: { readonly outcome: number; readonly shares: number },
  riskScaleShares: number,
): number {
  assert(trade.outcome in sold, 'the outcome is one of those sold');
  assertFinite({ shares: trade.shares });
  const after = sold.map((q, index) => (index === trade.outcome ? q + trade.shares : q));
  return lmsrCostUsd(after, riskScaleShares) - lmsrCostUsd(sold, riskScaleShares);
}

/** The most that the rule can lose, `b ln n`, when it starts from equal prices. */
export function lmsrLossMaxUsd(riskScaleShares: number, outcomes: number): number {
  return riskScaleShares * Math.log(outcomes);
}

/** `a = vig/(n ln n)`: the growth of liquidity that keeps the sum of prices within `1 + vig`. */
export function lsLmsrGrowth(vig: number, outcomes: number): number {
  assertPositive({ vig });
  assert(Number.isSafeInteger(outcomes) && outcomes >= 2, 'a market has two outcomes or more');
  return vig / (outcomes * Math.log(outcomes));
}

/** `C(q) = b(q) ln sum e^(q_i/b(q))` with `b(q) = a sum q_j`, in USD. */
export function lsLmsrCostUsd(sold: SoldShares, growth: number): number {
  return lmsrCostUsd(sold, liquidity(sold, growth));
}

/**
 * Prices of the liquidity-sensitive rule, the slopes of its cost:
 * `a ln(sum e^(q_j/b)) + s_i - (sum_j q_j s_j)/(sum q_j)` with `s = softmax(q/b)`. Their sum lies in
 * `[1, 1 + a n ln n]`: the excess pays for the liquidity.
 */
export function lsLmsrPrices(sold: SoldShares, growth: number): readonly number[] {
  const b = liquidity(sold, growth);
  const scaled = sold.map((q) => q / b);
  const shares = softmax(scaled);
  const weighted = sum(sold.map((q, index) => q * (shares[index] ?? 0))) / sum(sold);
  const common = growth * logSumExp(scaled) - weighted;
  return shares.map((share) => common + share);
}

function liquidity(sold: SoldShares, growth: number): number {
  assertPositive({ growth, soldShares: sum(sold) });
  assert(
    sold.every((q) => q >= 0),
    'a liquidity-sensitive rule has sold no negative shares',
  );
  return growth * sum(sold);
}
