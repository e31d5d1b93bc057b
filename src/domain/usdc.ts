// Money as Decimal, in USDC.

import { Decimal } from 'decimal.js';
import { WireError } from './errors.ts';
import { MICRO_PER_SHARE, type MicroShares } from './shares.ts';
import { decimalOf, type TickGrid, type Ticks } from './ticks.ts';

export type Usdc = Decimal;

export const ZERO_USDC: Usdc = new Decimal(0);

export function usdc(amount: string | number): Usdc {
  return new Decimal(amount);
}

/** @throws {WireError} `wire.usdc` when the text is not a finite decimal. */
export function parseUsdc(wire: string | number): Usdc {
  const amount = decimalOf(wire);
  if (!amount) throw new WireError('wire.usdc', String(wire));
  return amount;
}

/** What `quantity` shares cost at `price`, exactly. */
export function notional(grid: TickGrid, price: Ticks, quantity: MicroShares): Usdc {
  return new Decimal(price * quantity).div(grid.ticksPerUnit).div(MICRO_PER_SHARE);
}

/** `price × quantity >= 1.00`, in integers. @spec Limits */
export function meetsMinNotional(grid: TickGrid, price: Ticks, quantity: MicroShares): boolean {
  return price * quantity >= MIN_NOTIONAL_USDC * grid.ticksPerUnit * MICRO_PER_SHARE;
}

/** The smallest order value. @spec What the service does */
export const MIN_NOTIONAL_USDC = 1;
