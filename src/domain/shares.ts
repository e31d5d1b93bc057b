// Quantities as whole micro-shares (USDC and outcome tokens have six decimals).

import { assert } from './assert.ts';
import type { Brand } from './brand.ts';
import { WireError } from './errors.ts';
import { decimalOf, plainCount } from './ticks.ts';

/** A count of micro-shares; negative only where a signed inventory is meant. */
export type MicroShares = Brand<number, 'MicroShares'>;

export const MICRO_PER_SHARE = 1_000_000;
export const NO_SHARES = 0 as MicroShares;

/** Largest quantity that any price still multiplies exactly: 999 ticks stay a safe integer. */
export const MICRO_SHARES_MAX = 9_000_000_000_000;

/** @throws {AssertionError} when the count is not an integer in range. */
export function microShares(count: number): MicroShares {
  assert(Number.isSafeInteger(count), 'a micro-share count is an integer');
  assert(Math.abs(count) <= MICRO_SHARES_MAX, 'a quantity is within the exact range');
  return count as MicroShares;
}

/** The nearest count in range, for sums of what others report: a venue may report anything. */
export function clampShares(count: number): MicroShares {
  return microShares(Math.max(-MICRO_SHARES_MAX, Math.min(count, MICRO_SHARES_MAX)));
}

/** Decimals of a micro-share: nothing is finer. */
export const SHARE_DECIMALS_MAX = 6;

/** So much of a quantity as has no more decimals than these. */
export function withDecimals(quantity: MicroShares, decimals: number): MicroShares {
  const lot = 10 ** (SHARE_DECIMALS_MAX - decimals);
  return microShares(quantity - (quantity % lot));
}

/** How many decimals a quantity has, 2 for 12.25 shares. */
export function decimalsOf(quantity: MicroShares): number {
  let decimals = SHARE_DECIMALS_MAX;
  while (decimals > 0 && withDecimals(quantity, decimals - 1) === quantity) decimals -= 1;
  return decimals;
}

/** Whole or fractional shares to micro-shares, rounded towards zero. */
export function shares(count: number): MicroShares {
  const micro = count * MICRO_PER_SHARE;
  // What is whole needs no text to be rounded by; the sum makes a plain zero of minus zero.
  if (Number.isSafeInteger(micro)) return microShares(micro + 0);
  return microShares(Math.trunc(Number(micro.toFixed(3))));
}

/**
 * Reads a quantity of the wire, zero included.
 * @throws {WireError} `wire.quantity` when negative, finer than a micro-share or too large.
 */
export function parseShares(wire: string | number): MicroShares {
  const plain = plainCount(wire, MICRO_PER_SHARE);
  if (plain !== undefined && plain <= MICRO_SHARES_MAX) return microShares(plain);
  const count = decimalOf(wire)?.times(MICRO_PER_SHARE);
  if (!count?.isInteger() || count.isNegative() || count.gt(MICRO_SHARES_MAX)) {
    // Minus zero is a venue's rounding of nothing, not a negative quantity.
    if (count?.isZero()) return NO_SHARES;
    throw new WireError('wire.quantity', String(wire));
  }
  return microShares(count.toNumber());
}

/** The exact decimal text of a quantity without trailing zeros, `12.5` for 12,500,000. */
export function formatShares(quantity: MicroShares): string {
  const sign = quantity < 0 ? '-' : '';
  const count = Math.abs(quantity);
  const whole = Math.floor(count / MICRO_PER_SHARE);
  const part = count % MICRO_PER_SHARE;
  if (part === 0) return `${sign}${whole}`;
  return `${sign}${whole}.${withoutZeros(String(part).padStart(6, '0'))}`;
}

function withoutZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

/** The JSON number of a quantity: the double nearest to its decimal text. */
export function sharesNumber(quantity: MicroShares): number {
  // A quotient of whole numbers is rounded once, to the double that the text would be read as.
  return quantity / MICRO_PER_SHARE;
}

export function addShares(a: MicroShares, b: MicroShares): MicroShares {
  return microShares(a + b);
}

export function subtractShares(a: MicroShares, b: MicroShares): MicroShares {
  return microShares(a - b);
}

export function minShares(a: MicroShares, b: MicroShares): MicroShares {
  return a < b ? a : b;
}

export function maxShares(a: MicroShares, b: MicroShares): MicroShares {
  return a > b ? a : b;
}
