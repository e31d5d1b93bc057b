// What a share that ends at 0 or 1 is worth to a maker of constant absolute risk aversion. In closed
// form, and the same as a logarithmic scoring rule with liquidity b = 1/gamma. Derived here.

import { assert } from '../../../domain/assert.ts';
import { logit, sigmoid } from '../log-odds.ts';
import { assertFinite, assertPositive, assertProbability } from '../numeric/domain.ts';
import { logSumExp } from '../numeric/special.ts';

export type RiskyHolding = {
  readonly probability: number;
  /** b = 1/gamma, in shares. */
  readonly riskScaleShares: number;
  /** Net shares of YES; NO held counts negative. */
  readonly inventoryShares: number;
};

/** `b = L/ln n`: the risk scale whose worst loss over `n` outcomes is the budget `L` in USD. */
export function riskScaleShares(lossBudgetUsd: number, outcomes = 2): number {
  assertPositive({ lossBudgetUsd });
  assert(Number.isSafeInteger(outcomes) && outcomes >= 2, 'a market has two outcomes or more');
  return lossBudgetUsd / Math.log(outcomes);
}

/** Sure USD worth as much as the holding: `CE(q) = -b ln(1 - p + p e^(-q/b))`. */
export function certaintyEquivalentUsd(holding: RiskyHolding): number {
  const { probability: p, riskScaleShares: b, inventoryShares: q } = holding;
  assertProbability({ probability: p });
  assertPositive({ riskScaleShares: b });
  assertFinite({ inventoryShares: q });
  return -b * logSumExp([Math.log1p(-p), Math.log(p) - q / b]);
}

/** The price of the next infinitesimal share: `S(x - q/b)`. */
export function caraMarginalPrice(holding: RiskyHolding): number {
  return sigmoid(skewedLogit(logit(holding.probability), { ...holding, varianceFraction: 1 }));
}

/** The highest average price at which buying `shares` does no harm: `(CE(q+n) - CE(q))/n`. */
export function caraBid(holding: RiskyHolding, shares: number): number {
  return averagePrice(holding, shares);
}

/** The lowest average price at which selling `shares` does no harm: `(CE(q) - CE(q-n))/n`. */
export function caraAsk(holding: RiskyHolding, shares: number): number {
  return averagePrice(holding, -shares);
}

function averagePrice(holding: RiskyHolding, change: number): number {
  assertPositive({ shares: Math.abs(change) });
  const after = { ...holding, inventoryShares: holding.inventoryShares + change };
  return (certaintyEquivalentUsd(after) - certaintyEquivalentUsd(holding)) / change;
}

/**
 * `x_r = x - (q/b) rho`: inventory skew, linear in log-odds, by the share `rho` of the remaining
 * variance that is at stake before the position can be unwound (`varianceFraction`).
 */
export function skewedLogit(
  logOdds: number,
  by: {
    readonly inventoryShares: number;
    readonly riskScaleShares: number;
    readonly varianceFraction: number;
  },
): number {
  assertFinite({ logOdds, inventoryShares: by.inventoryShares });
  assertPositive({ riskScaleShares: by.riskScaleShares });
  return logOdds - (by.inventoryShares / by.riskScaleShares) * by.varianceFraction;
}

/** Whole shares that may be held long and short when each may lose `lossBudgetUsd` at worst. */
export function worstCaseCaps(
  lossBudgetUsd: number,
  at: { readonly bid: number; readonly ask: number },
): { readonly longShares: number; readonly shortShares: number } {
  assertPositive({ lossBudgetUsd });
  assertProbability(at);
  return {
    longShares: Math.floor(lossBudgetUsd / at.bid),
    shortShares: Math.floor(lossBudgetUsd / (1 - at.ask)),
  };
}
