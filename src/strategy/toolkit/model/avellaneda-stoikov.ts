// Avellaneda and Stoikov: quotes of a risk-averse maker around a price that moves as Brownian motion,
// filled at rate A e^(-k distance) on each side.
// Source: Avellaneda, Stoikov, High-frequency trading in a limit order book, Quantitative Finance
// 8(3), 2008.

import { assertFinite, assertNotNegative, assertPositive } from '../numeric/domain.ts';

/** What any model of this family answers, in price. Nothing is rounded yet. */
export type ModelQuotes = {
  /** The price at which the maker is indifferent to one lot more or less. */
  readonly reservation: number;
  readonly bid: number;
  readonly ask: number;
};

export type AvellanedaStoikov = {
  readonly fairPrice: number;
  /** Signed, long YES positive; one lot is the size of one quote. */
  readonly inventoryLots: number;
  /** gamma, per USD of one lot; zero is a maker who does not mind risk. */
  readonly riskAversionPerUsd: number;
  /** sigma, absolute price per square root of the time unit of `timeLeftSec`. */
  readonly priceVolPerSqrtSec: number;
  /**
   * tau: how long inventory is held. It must not be the time to resolution: skew vanishes with it,
   * exactly when a binary contract becomes all or nothing. `varianceFraction` is the rule for that.
   */
  readonly timeLeftSec: number;
  /** k of the fill rate, per unit of price. */
  readonly fillDecayPerPrice: number;
};

/**
 * Finite horizon: `r = s - q gamma sigma^2 tau`, and bid and ask half of
 * `gamma sigma^2 tau + (2/gamma) ln(1 + gamma/k)` away from it. The width does not depend on the
 * inventory; as gamma falls to zero it tends to `2/k`.
 */
export function avellanedaStoikov(model: AvellanedaStoikov): ModelQuotes {
  const { fairPrice, inventoryLots, riskAversionPerUsd: gamma, fillDecayPerPrice } = model;
  const { priceVolPerSqrtSec, timeLeftSec } = model;
  assertFinite({ fairPrice, inventoryLots });
  assertNotNegative({ priceVolPerSqrtSec, timeLeftSec });
  const riskPrice = gamma * priceVolPerSqrtSec ** 2 * timeLeftSec;
  const reservation = fairPrice - inventoryLots * riskPrice;
  const half = riskPrice / 2 + riskAverseMargin(gamma, fillDecayPerPrice);
  return { reservation, bid: reservation - half, ask: reservation + half };
}

/**
 * `(1/gamma) ln(1 + gamma/k)`: the distance at which a further gain per fill is worth the fills it
 * costs; `1/k` for gamma zero.
 */
export function riskAverseMargin(riskAversionPerUsd: number, fillDecayPerPrice: number): number {
  assertNotNegative({ riskAversionPerUsd });
  assertPositive({ fillDecayPerPrice });
  const ratio = riskAversionPerUsd / fillDecayPerPrice;
  return ratio === 0 ? 1 / fillDecayPerPrice : Math.log1p(ratio) / riskAversionPerUsd;
}

export type EndlessAvellanedaStoikov = {
  readonly fairPrice: number;
  readonly inventoryLots: number;
  readonly riskAversionPerUsd: number;
  /** q_max: the largest position, in lots. */
  readonly inventoryLotsMax: number;
};

/** Prices of indifference; at the largest position the side that would exceed it has none. */
export type ReservationPrices = {
  readonly bid: number | undefined;
  readonly ask: number | undefined;
};

/**
 * Infinite horizon, with the discount `w = 1/2 gamma^2 sigma^2 (q_max+1)^2` of the paper: indifference
 * between `e^(-gamma q s)/(w - gamma^2 q^2 sigma^2/2)` before and after a trade of one lot. That is
 * `r_bid = s + (1/gamma) ln(1 - (1+2q) z)` and `r_ask = s - (1/gamma) ln(1 - (1-2q) z)` with
 * `z = gamma^2 sigma^2/(2w - gamma^2 q^2 sigma^2)`; with that discount sigma cancels, and
 * `z = 1/((q_max+1)^2 - q^2)`.
 *
 * The ask mirrors the bid; the one that is printed (`printedEndlessAsk`) does not.
 */
export function endlessAvellanedaStoikov(model: EndlessAvellanedaStoikov): ReservationPrices {
  const { fairPrice, inventoryLots: q, riskAversionPerUsd: gamma } = model;
  const z = lotShare(model);
  const distance = (step: number): number | undefined => {
    const left = 1 - (1 + step * 2 * q) * z;
    return left > 0 ? -Math.log(left) / gamma : undefined;
  };
  const [below, above] = [distance(1), distance(-1)];
  return {
    bid: below === undefined ? undefined : fairPrice - below,
    ask: above === undefined ? undefined : fairPrice + above,
  };
}

/**
 * The ask as printed, `s + (1/gamma) ln(1 + (1-2q) z)`: near the derived one for small `z`, but finite
 * where another lot short must not be sold at any price. For comparison only.
 */
export function printedEndlessAsk(model: EndlessAvellanedaStoikov): number {
  const { fairPrice, inventoryLots: q, riskAversionPerUsd } = model;
  return fairPrice + Math.log1p((1 - 2 * q) * lotShare(model)) / riskAversionPerUsd;
}

/** `z`: what one lot takes of the room under the bound. */
function lotShare(model: EndlessAvellanedaStoikov): number {
  const { fairPrice, inventoryLots: q, riskAversionPerUsd, inventoryLotsMax: most } = model;
  assertFinite({ fairPrice, inventoryLots: q });
  assertPositive({ riskAversionPerUsd });
  assertNotNegative({ roomInLots: most - Math.abs(q) });
  return 1 / ((most + 1) ** 2 - q ** 2);
}
