// From a quote on the YES axis to the orders that carry it.
// Policy: settled shares that are free are sold, since a real SELL serves market buyers too and
// frees capital; what they do not cover becomes a BUY of the complement. @spec Architecture decision 2

import type { Leg } from '../../domain/market.ts';
import type { Side } from '../../domain/order.ts';
import {
  type MicroShares,
  microShares,
  minShares,
  NO_SHARES,
  subtractShares,
  withDecimals,
} from '../../domain/shares.ts';
import { complement, type TickGrid, type Ticks } from '../../domain/ticks.ts';
import { meetsMinNotional } from '../../domain/usdc.ts';
import type { AxisSide } from '../../strategy/index.ts';

export type RoutedOrder = {
  readonly leg: Leg;
  readonly side: Side;
  readonly price: Ticks;
  readonly quantity: MicroShares;
};

/** Settled shares that no sell holds yet; routing takes from it. */
export type FreeShares = { yes: MicroShares; no: MicroShares };

export type RoutingPolicy = {
  readonly preferSell: boolean;
  /** Of a quantity that the venue takes. */
  readonly decimals: number;
};

/**
 * Routes one axis quote; an empty result means that no split of it meets the minimum notional.
 * @param free - Reduced by what the result sells.
 */
export function routeQuote(
  grid: TickGrid,
  quote: { readonly side: AxisSide; readonly price: Ticks; readonly quantity: MicroShares },
  free: FreeShares,
  policy: RoutingPolicy,
): readonly RoutedOrder[] {
  const sell = sellLeg(grid, quote);
  const buy = buyLeg(grid, quote);
  const covered = policy.preferSell ? minShares(free[sell.leg], quote.quantity) : NO_SHARES;
  const sellable = withDecimals(covered, policy.decimals);
  const rest = subtractShares(quote.quantity, sellable);
  const orders: RoutedOrder[] = [];
  if (sellable > 0 && meetsMinNotional(grid, sell.price, sellable)) {
    if (rest === 0 || meetsMinNotional(grid, buy.price, rest)) {
      free[sell.leg] = subtractShares(free[sell.leg], sellable);
      orders.push(routedOf(sell, sellable));
      if (rest > 0) orders.push(routedOf(buy, rest));
      return orders;
    }
  }
  if (meetsMinNotional(grid, buy.price, quote.quantity)) {
    orders.push(routedOf(buy, microShares(quote.quantity)));
  }
  return orders;
}

type LegPrice = { readonly leg: Leg; readonly side: Side; readonly price: Ticks };
type AxisPrice = { readonly side: AxisSide; readonly price: Ticks };

function routedOf({ leg, side, price }: LegPrice, quantity: MicroShares): RoutedOrder {
  return { leg, side, price, quantity };
}

function sellLeg(grid: TickGrid, quote: AxisPrice): LegPrice {
  return quote.side === 'ask'
    ? { leg: 'yes', side: 'SELL', price: quote.price }
    : { leg: 'no', side: 'SELL', price: complement(grid, quote.price) };
}

function buyLeg(grid: TickGrid, quote: AxisPrice): LegPrice {
  return quote.side === 'bid'
    ? { leg: 'yes', side: 'BUY', price: quote.price }
    : { leg: 'no', side: 'BUY', price: complement(grid, quote.price) };
}
