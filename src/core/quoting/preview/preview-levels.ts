// Quotes of one side of a market, joined by price, best first.

import { clampShares, formatShares, type MicroShares } from '../../../domain/shares.ts';
import { formatPrice, type Ticks } from '../../../domain/ticks.ts';
import type { QuoteView } from '../../../domain/view.ts';
import type { AxisSide } from '../../../strategy/index.ts';
import { isQuoting, remaining } from '../../orders/own-order.ts';
import type { OrderStores } from '../../orders/stores.ts';
import type { QuotedMarket } from '../market.ts';

export type Level = {
  readonly side: AxisSide;
  readonly price: Ticks;
  readonly quantity: MicroShares;
};

/** What rests or is in flight. */
export function levelsNow(
  stores: OrderStores,
  market: QuotedMarket,
  side: AxisSide,
): readonly QuoteView[] {
  const orders = [...stores.ledger.ofMarket(market.market.id)].filter(isQuoting);
  const levels = orders.map((order) => ({
    side: order.axisSide,
    price: order.axisPrice,
    quantity: remaining(order),
  }));
  return joinedLevels(market, levels, side);
}

export function joinedLevels(
  { grid }: QuotedMarket,
  levels: readonly Level[],
  side: AxisSide,
): readonly QuoteView[] {
  const byPrice = new Map<Ticks, number>();
  for (const level of levels) {
    if (level.side !== side) continue;
    byPrice.set(level.price, (byPrice.get(level.price) ?? 0) + level.quantity);
  }
  const inwardFirst = side === 'bid' ? -1 : 1;
  return [...byPrice]
    .sort(([a], [b]) => inwardFirst * (a - b))
    .map(([price, quantity]) => ({
      price: formatPrice(grid, price),
      quantity: formatShares(clampShares(quantity)),
    }));
}
