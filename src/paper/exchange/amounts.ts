// Amounts inside the exchange: shares as plain counts of micro-shares, money as exact decimals.
// Sums over many orders may pass the bound of one order, so counts here are numbers, not brands.

import { Decimal } from 'decimal.js';
import { assert } from '../../domain/assert.ts';
import type { TickGrid } from '../../domain/ticks.ts';

export const MICRO = 1_000_000;

/** USDC carries six decimals; finer parts exist inside the exchange only. */
const USDC_DECIMALS = 6;

/** What `quantityMicro` shares cost at a price of `priceTicks`, exactly. */
export function costOf(grid: TickGrid, priceTicks: number, quantityMicro: number): Decimal {
  return new Decimal(priceTicks).times(quantityMicro).div(grid.ticksPerUnit).div(MICRO);
}

/** The most micro-shares that `cash` pays for at a price plus a fee on top. */
export function affordableMicro(
  grid: TickGrid,
  priceTicks: number,
  budget: { readonly cash: Decimal; readonly feeBps: number },
): number {
  if (budget.cash.lte(0)) return 0;
  const unit = new Decimal(priceTicks).div(grid.ticksPerUnit).times(1 + budget.feeBps / 10_000);
  return budget.cash.div(unit).times(MICRO).floor().toNumber();
}

/** A taker's fee, rounded in the payer's favour so that a hold always covers its parts. */
export function feeOf(cost: Decimal, feeBps: number): Decimal {
  if (feeBps === 0) return new Decimal(0);
  return cost.times(feeBps).div(10_000).toDecimalPlaces(USDC_DECIMALS, Decimal.ROUND_DOWN);
}

/** The decimal text of an amount of USDC, never more than is there. */
export function usdcText(amount: Decimal): string {
  return amount.toDecimalPlaces(USDC_DECIMALS, Decimal.ROUND_DOWN).toFixed();
}

/** The exact decimal text of a share count. */
export function sharesText(countMicro: number): string {
  return new Decimal(countMicro).div(MICRO).toFixed();
}

/** The JSON number nearest to a share count. */
export function sharesJson(countMicro: number): number {
  return Number(sharesText(countMicro));
}

/** The exact decimal text of a price, with the digits of its grid. */
export function priceText(grid: TickGrid, priceTicks: number): string {
  return new Decimal(priceTicks).div(grid.ticksPerUnit).toFixed(grid.ticksPerUnit === 100 ? 2 : 3);
}

/** The JSON number nearest to a price. */
export function priceJson(grid: TickGrid, priceTicks: number): number {
  return Number(priceText(grid, priceTicks));
}

/** A share count as it must be: a whole number of micro-shares that integers hold exactly. */
export function wholeMicro(count: number): number {
  assert(Number.isSafeInteger(count), 'a share count is a safe integer');
  return count;
}
