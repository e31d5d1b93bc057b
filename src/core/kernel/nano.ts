// Exact sums of money inside the core, as whole nano-USDC: a price in thousandths times a quantity
// in micro-shares is a whole number on both tick grids, so limits are compared without rounding and
// without allocating. At the doors of the room money is `Usdc`.

import { Decimal } from 'decimal.js';
import type { SettledTrade } from '../../domain/message.ts';
import type { Side } from '../../domain/order.ts';
import type { MicroShares } from '../../domain/shares.ts';
import type { TickGrid, Ticks } from '../../domain/ticks.ts';
import type { Usdc } from '../../domain/usdc.ts';

export const NANO_PER_USDC = 1_000_000_000;

export function costNano(grid: TickGrid, price: Ticks | number, quantity: MicroShares): number {
  return price * (1_000 / grid.ticksPerUnit) * quantity;
}

/** Cash of shares of an order at its price, negative for a buy. */
export function flowNano(
  grid: TickGrid,
  { side, price }: { readonly side: Side; readonly price: Ticks },
  quantity: MicroShares,
): number {
  const cost = costNano(grid, price, quantity);
  return side === 'BUY' ? -cost : cost;
}

/** What a taker pays on top by `r p (1 - p)` a share: what the operator states, since the venue says no amount. */
export function takerFeeNano(
  rate: number,
  of: { readonly grid: TickGrid; readonly price: Ticks; readonly quantity: MicroShares },
): number {
  const { grid, price, quantity } = of;
  return Math.round(rate * (1 - price / grid.ticksPerUnit) * costNano(grid, price, quantity));
}

/** The same of what traded at a cost, which says its price. */
export function takerFeeOfNano(rate: number, tradedNano: number, quantity: MicroShares): number {
  if (quantity === 0) return 0;
  return Math.round(rate * tradedNano * (1 - tradedNano / payoutNano(quantity)));
}

/** What the shares pay when their outcome wins: 1.00 each. */
export function payoutNano(quantity: MicroShares): number {
  return quantity * 1_000;
}

export function nanoOf(amount: Usdc): number {
  return amount.times(NANO_PER_USDC).round().toNumber();
}

/** What a trade cost or brought, negative for a buy. */
export function tradeNano({
  side,
  price,
  quantity,
}: Pick<SettledTrade, 'side' | 'price' | 'quantity'>): number {
  const nano = nanoOf(price.times(quantity).div(1_000_000));
  return side === 'BUY' ? -nano : nano;
}

export function usdcOf(nano: number): Usdc {
  return new Decimal(nano).div(NANO_PER_USDC);
}
