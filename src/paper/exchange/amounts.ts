// Amounts inside the exchange: shares as plain counts of micro-shares, money as exact decimals.
// Sums over many orders may pass the bound of one order, so counts here are numbers, not brands.

import { Decimal } from 'decimal.js';
import { assert } from '../../domain/assert.ts';
import type { TickGrid } from '../../domain/ticks.ts';

export const MICRO = 1_000_000;

/** USDC carries six decimals; finer parts exist inside the exchange only. */
const USDC_DECIMALS = 6;

/** Nothing; a decimal never changes, so that one is enough for all. */
export const NO_USDC = new Decimal(0);

/** What one share costs at a price of one tick. */
const TICK_COST = { 100: new Decimal('0.01'), 1000: new Decimal('0.001') } as const;
/** What one micro-share costs there; a product is made faster than a quotient. */
const MICRO_TICK_COST = { 100: new Decimal('1e-8'), 1000: new Decimal('1e-9') } as const;

/** What `quantityMicro` shares cost at a price of `priceTicks`, exactly. */
export function costOf(grid: TickGrid, priceTicks: number, quantityMicro: number): Decimal {
  const shares = quantityMicro / MICRO;
  // Whole shares, as most are: a small integer becomes a decimal without a text between.
  if (Number.isInteger(shares)) return TICK_COST[grid.ticksPerUnit].times(priceTicks * shares);
  const count = priceTicks * quantityMicro;
  const exact = Number.isSafeInteger(count) ? count : new Decimal(priceTicks).times(quantityMicro);
  return MICRO_TICK_COST[grid.ticksPerUnit].times(exact);
}

/** A part of what a trade costs, and r of `r p (1 - p)` a share on top. */
export type TakerFee = { readonly bps: number; readonly rate: number };

export const NO_FEE: TakerFee = Object.freeze({ bps: 0, rate: 0 });

/** A taker's fee at a price, as a part of what a trade costs there. */
export function feeBpsAt(grid: TickGrid, priceTicks: number, fee: TakerFee): Decimal.Value {
  const { bps, rate } = fee;
  if (rate === 0) return bps;
  const left = new Decimal(grid.ticksPerUnit - priceTicks).div(grid.ticksPerUnit);
  return left.times(rate).times(10_000).plus(bps);
}

/** The most micro-shares that `cash` pays for at a price plus a fee on top. */
export function affordableMicro(
  grid: TickGrid,
  priceTicks: number,
  budget: { readonly cash: Decimal; readonly feeBps: Decimal.Value },
): number {
  if (budget.cash.lte(0)) return 0;
  const part = new Decimal(budget.feeBps).div(10_000).plus(1);
  const unit = new Decimal(priceTicks).div(grid.ticksPerUnit).times(part);
  return budget.cash.div(unit).times(MICRO).floor().toNumber();
}

/** A taker's fee, rounded in the payer's favour so that a hold always covers its parts. */
export function feeOf(cost: Decimal, feeBps: Decimal.Value): Decimal {
  if (feeBps === 0) return NO_USDC;
  return cost.times(feeBps).div(10_000).toDecimalPlaces(USDC_DECIMALS, Decimal.ROUND_DOWN);
}

/** The sum of two amounts; most fees are nothing, and nothing need not be added. */
export function sumOf(amount: Decimal, added: Decimal): Decimal {
  return added.isZero() ? amount : amount.plus(added);
}

/** The decimal text of an amount of USDC, never more than is there. */
export function usdcText(amount: Decimal): string {
  return amount.toDecimalPlaces(USDC_DECIMALS, Decimal.ROUND_DOWN).toFixed();
}

const ONE_MICRO = new Decimal('1e-6');

/** Whole and fractional shares, exactly. */
export function sharesOf(countMicro: number): Decimal {
  const shares = countMicro / MICRO;
  return Number.isInteger(shares) ? new Decimal(shares) : ONE_MICRO.times(countMicro);
}

/** The exact decimal text of a share count. */
export function sharesText(countMicro: number): string {
  if (!Number.isSafeInteger(countMicro) || countMicro < 0) {
    return new Decimal(countMicro).div(MICRO).toFixed();
  }
  const partMicro = countMicro % MICRO;
  const whole = String((countMicro - partMicro) / MICRO);
  return partMicro === 0 ? whole : `${whole}.${withoutZeros(partMicro)}`;
}

/** The JSON number nearest to a share count. */
export function sharesJson(countMicro: number): number {
  // A quotient of exact numbers is the double nearest to the true one, as its text would be.
  return countMicro / MICRO;
}

/** The exact decimal text of a price, with the digits of its grid. */
export function priceText(grid: TickGrid, priceTicks: number): string {
  const digits = grid.ticksPerUnit === 100 ? 2 : 3;
  const isLegal = Number.isInteger(priceTicks) && priceTicks >= 0 && priceTicks < grid.ticksPerUnit;
  if (isLegal) return `0.${String(priceTicks).padStart(digits, '0')}`;
  return new Decimal(priceTicks).div(grid.ticksPerUnit).toFixed(digits);
}

/** The JSON number nearest to a price. */
export function priceJson(grid: TickGrid, priceTicks: number): number {
  return priceTicks / grid.ticksPerUnit;
}

/** A share count as it must be: a whole number of micro-shares that integers hold exactly. */
export function wholeMicro(count: number): number {
  assert(Number.isSafeInteger(count), 'a share count is a safe integer');
  return count;
}

/** Six digits of a part of a share, as many as are needed. */
function withoutZeros(partMicro: number): string {
  let digits = 6;
  let count = partMicro;
  for (; count % 10 === 0; count /= 10) digits -= 1;
  return String(count).padStart(digits, '0');
}
