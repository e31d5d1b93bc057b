// Amounts inside the exchange: shares as plain counts of micro-shares, money as whole billionths of a USDC.
// Sums over many orders may pass the bound of one order, so counts here are numbers, not brands, and money,
// of which a crowd may have more than a number counts exactly, is a bigint.

import { Decimal } from 'decimal.js';
import { assert } from '../../domain/assert.ts';
import type { TickGrid } from '../../domain/ticks.ts';

export const MICRO = 1_000_000;

/** A billionth of a USDC is what a micro-share costs at a price of 0.001: each trade is a whole count of them. */
export type NanoUsdc = bigint;

export const NO_USDC: NanoUsdc = 0n;
/** USDC carries six decimals; finer parts exist inside the exchange only. */
const NANO_PER_MICRO = 1_000n;
const NANO_DECIMALS = 9;

/** What `quantityMicro` shares cost at a price of `priceTicks`, exactly. */
export function costOf(grid: TickGrid, priceTicks: number, quantityMicro: number): NanoUsdc {
  const unit = unitNano(grid, priceTicks);
  const count = unit * quantityMicro;
  return Number.isSafeInteger(count) ? BigInt(count) : BigInt(unit) * BigInt(quantityMicro);
}

/** What one micro-share costs at a price, which is the price in thousandths. */
function unitNano(grid: TickGrid, priceTicks: number): number {
  return priceTicks * (1_000 / grid.ticksPerUnit);
}

/** What so many whole micro-dollars are: a full set of one micro-share, or a part of a deposit. */
export function nanoOfMicro(countMicro: number): NanoUsdc {
  return BigInt(countMicro) * NANO_PER_MICRO;
}

/** An amount from outside, without what is finer than a billionth. */
export function nanoOf(amount: Decimal): NanoUsdc {
  return BigInt(amount.toDecimalPlaces(NANO_DECIMALS, Decimal.ROUND_DOWN).times(1e9).toFixed());
}

/** An amount as a decimal of USDC, for whoever divides it or shows it. */
export function usdcOf(amount: NanoUsdc): Decimal {
  return new Decimal(String(amount)).times('1e-9');
}

/** A part of what a trade costs, and r of `r p (1 - p)` a share on top. */
export type TakerFee = { readonly bps: number; readonly rate: number };

export const NO_FEE: TakerFee = Object.freeze({ bps: 0, rate: 0 });

/** A fee as a part of what a trade costs, in whole parts of a million million: 1 basis point is 10^8 of them. */
export type FeePart = bigint;

const WHOLE_PART = 1_000_000_000_000n;

/** A taker's fee at a price: exact for basis points of up to eight decimals and rates of up to nine. */
export function feePartAt(grid: TickGrid, priceTicks: number, { bps, rate }: TakerFee): FeePart {
  if (bps === 0 && rate === 0) return 0n;
  const leftThousandths = unitNano(grid, grid.ticksPerUnit - priceTicks);
  return BigInt(Math.round(bps * 1e8)) + BigInt(Math.round(rate * 1e9)) * BigInt(leftThousandths);
}

const MOST_MICRO = BigInt(Number.MAX_SAFE_INTEGER);

/** The most micro-shares that `cash` pays for at a price plus a fee on top. */
export function affordableMicro(
  grid: TickGrid,
  priceTicks: number,
  budget: { readonly cash: NanoUsdc; readonly feePart: FeePart },
): number {
  if (budget.cash <= 0n) return 0;
  const unit = BigInt(unitNano(grid, priceTicks));
  const count = (budget.cash * WHOLE_PART) / (unit * (WHOLE_PART + budget.feePart));
  // Beyond what a number counts exactly it might round to more than the cash pays for.
  return Number(count < MOST_MICRO ? count : MOST_MICRO);
}

/** A taker's fee, rounded in the payer's favour so that a hold always covers its parts. */
export function feeOf(cost: NanoUsdc, feePart: FeePart): NanoUsdc {
  if (feePart === 0n) return NO_USDC;
  return ((cost * feePart) / (WHOLE_PART * NANO_PER_MICRO)) * NANO_PER_MICRO;
}

/** The decimal text of an amount of USDC, never more than is there. */
export function usdcText(amount: NanoUsdc): string {
  const micro = amount / NANO_PER_MICRO;
  const [sign, count] = micro < 0n ? ['-', -micro] : ['', micro];
  const partMicro = Number(count % BigInt(MICRO));
  const whole = `${sign}${count / BigInt(MICRO)}`;
  return partMicro === 0 ? whole : `${whole}.${withoutZeros(partMicro)}`;
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
