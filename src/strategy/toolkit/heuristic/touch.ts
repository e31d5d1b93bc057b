// Rules of thumb around the touch.
// Source: warproxxx/poly-maker, its first and its second version.

import { assert } from '../../../domain/assert.ts';
import { type MicroShares, shares } from '../../../domain/shares.ts';
import type { Ticks } from '../../../domain/ticks.ts';
import type { AxisBook, AxisSide } from '../../contract.ts';
import type { Touch } from '../estimate/weighted-mid.ts';
import { assertFinite, assertNotNegative, assertPositive, clamped } from '../numeric/domain.ts';

/** Fewer shares than this at the touch are dust: what a partial fill has left, or the least that may be posted. */
const DUST = shares(5);

/**
 * The best price of a side at which no more than dust rests before it: two shares a tick before everybody else
 * are nobody's view. Where a whole side is dust, its best price.
 */
export function pricePastDust(book: AxisBook, side: AxisSide): Ticks | undefined {
  const best = side === 'bid' ? book.bestBid() : book.bestAsk();
  let seen = 0;
  for (let price = best; price !== undefined; ) {
    seen += side === 'bid' ? book.bidSizeAt(price) : book.askSizeAt(price);
    if (seen >= DUST) return price;
    price = side === 'bid' ? book.nextBid(price) : book.nextAsk(price);
  }
  return best;
}

/** The best level of a side that shows at least `sizeMin`: dust in front of it is passed over. */
export function bestLevelOf(
  book: AxisBook,
  side: AxisSide,
  sizeMin: MicroShares,
): Ticks | undefined {
  const isBid = side === 'bid';
  const sizeAt = (price: Ticks) => (isBid ? book.bidSizeAt(price) : book.askSizeAt(price));
  let price = isBid ? book.bestBid() : book.bestAsk();
  // A side has at most 999 levels, and each step goes to another one.
  while (price !== undefined && sizeAt(price) < sizeMin) {
    price = isBid ? book.nextBid(price) : book.nextAsk(price);
  }
  return price;
}

/**
 * One tick before the touch where it shows enough to hide behind, at it where it does not, and never
 * at or through the other side: where both would meet, both stay at the touch.
 *
 * @param sizeMin - Sizes from which a touch is improved on.
 */
export function improvedTouch(
  touch: Touch,
  sizeMin: { readonly bid: MicroShares; readonly ask: MicroShares },
): { readonly bid: number; readonly ask: number } {
  const bid = touch.bid + (touch.bidSize >= sizeMin.bid ? 1 : 0);
  const ask = touch.ask - (touch.askSize >= sizeMin.ask ? 1 : 0);
  return bid < ask ? { bid, ask } : { bid: touch.bid, ask: touch.ask };
}

export type SkewedTouch = {
  readonly fairPrice: number;
  readonly tickPrice: number;
  /** Recent volatility, absolute price. */
  readonly volatilityPrice: number;
  /** Mean loss of own fills, absolute price; see `meanMarkout`. */
  readonly toxicityPrice: number;
  readonly inventoryShares: number;
  /** The largest position in USD at the fair price. */
  readonly positionUsdMax: number;
  readonly riskFactor: number;
  /** The half spread never exceeds it; `undefined` for no bound. */
  readonly halfSpreadPriceMax: number | undefined;
};

/**
 * `delta = 2 ticks + 1.2 vol + 2 toxicity` around `r = fv - gamma vol u`, with `u` the inventory as a
 * fraction of the largest position: prices of a bid for YES and of a bid for NO.
 */
export function skewedTouch(model: SkewedTouch): {
  readonly reservation: number;
  readonly halfSpread: number;
  readonly bidYes: number;
  readonly bidNo: number;
} {
  const { fairPrice, tickPrice, volatilityPrice, toxicityPrice, halfSpreadPriceMax } = model;
  assertPositive({ fairPrice, tickPrice, positionUsdMax: model.positionUsdMax });
  assertNotNegative({ volatilityPrice, toxicityPrice });
  assertFinite({ inventoryShares: model.inventoryShares });
  const used = clamped((model.inventoryShares * fairPrice) / model.positionUsdMax, -1, 1);
  const reservation = fairPrice - model.riskFactor * volatilityPrice * used;
  const wanted = 2 * tickPrice + 1.2 * volatilityPrice + 2 * toxicityPrice;
  const halfSpread = Math.min(wanted, halfSpreadPriceMax ?? wanted);
  assert(halfSpread > 0, 'a half spread is positive');
  return {
    reservation,
    halfSpread,
    bidYes: reservation - halfSpread,
    bidNo: 1 - reservation - halfSpread,
  };
}
