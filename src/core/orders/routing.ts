// From a quote on the YES axis to the orders that carry it.
// Policy: settled shares that are free are sold, since a real SELL serves market buyers too and
// frees capital; what they do not cover becomes a BUY of the complement. @spec Architecture decision 2

import type { Leg } from '../../domain/market.ts';
import type { Side } from '../../domain/order.ts';
import {
  type MicroShares,
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
  // What an order lacks that has traded in part may be finer than anything that was wanted.
  const quantity = withDecimals(quote.quantity, policy.decimals);
  const covered = policy.preferSell ? minShares(free[sell.leg], quantity) : NO_SHARES;
  const own = withDecimals(covered, policy.decimals);
  const rest = subtractShares(quantity, own);
  const isSellable = own > 0 && meetsMinNotional(grid, sell.price, own);
  if (!isSellable || (rest > 0 && !meetsMinNotional(grid, buy.price, rest)))
    return meetsMinNotional(grid, buy.price, quantity) ? [routedOf(buy, quantity)] : [];
  free[sell.leg] = subtractShares(free[sell.leg], own);
  return rest > 0 ? [routedOf(sell, own), routedOf(buy, rest)] : [routedOf(sell, own)];
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
