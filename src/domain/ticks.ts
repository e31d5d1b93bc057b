// Prices as whole ticks on the grid of an event. Wire text becomes ticks once, exactly.

import { Decimal } from 'decimal.js';
import { assert } from './assert.ts';
import type { Brand } from './brand.ts';
import { WireError } from './errors.ts';

export type Ticks = Brand<number, 'Ticks'>;
export type TickSize = '0.01' | '0.001';
export type TickGrid = { readonly tickSize: TickSize; readonly ticksPerUnit: 100 | 1000 };

const CENT_GRID: TickGrid = Object.freeze({ tickSize: '0.01', ticksPerUnit: 100 });
const MILLI_GRID: TickGrid = Object.freeze({ tickSize: '0.001', ticksPerUnit: 1000 });

export function tickGrid(tickSize: TickSize): TickGrid {
  return tickSize === '0.01' ? CENT_GRID : MILLI_GRID;
}

/** @throws {WireError} `wire.tick_size` @spec Resources and their fields › Event */
export function parseTickSize(wire: string | number): TickGrid {
  const size = decimalOf(wire);
  if (size?.eq('0.01')) return CENT_GRID;
  if (size?.eq('0.001')) return MILLI_GRID;
  throw new WireError('wire.tick_size', String(wire));
}

/** The caller knows that `count` is a legal price. @throws {AssertionError} */
export function ticks(grid: TickGrid, count: number): Ticks {
  assert(Number.isSafeInteger(count), 'a tick count is an integer');
  assert(count >= 1 && count < grid.ticksPerUnit, 'a tick count is inside the price range');
  return count as Ticks;
}

/** The price `count` ticks above zero, or `undefined` outside the legal range. */
export function ticksWithin(grid: TickGrid, count: number): Ticks | undefined {
  return Number.isSafeInteger(count) && count >= 1 && count < grid.ticksPerUnit
    ? (count as Ticks)
    : undefined;
}

/** A count that a dense book of the grid holds: its slots are the legal prices and no others. */
export function slotTicks(count: number): Ticks {
  return count as Ticks;
}

/** @throws {WireError} `wire.off_tick` when the price is off the grid or out of range. */
export function parsePrice(grid: TickGrid, wire: string | number): Ticks {
  const price = priceOn(grid, wire);
  if (price === undefined) throw new WireError('wire.off_tick', `${wire} on ${grid.tickSize}`);
  return price;
}

/** The tick that a price of the wire is, `undefined` where it is off the grid or out of range. */
export function priceOn(grid: TickGrid, wire: string | number): Ticks | undefined {
  const plain = plainCount(wire, grid.ticksPerUnit);
  if (plain !== undefined && plain >= 1 && plain < grid.ticksPerUnit) return ticks(grid, plain);
  const count = decimalOf(wire)?.times(grid.ticksPerUnit);
  return count?.isInteger() ? ticksWithin(grid, count.toNumber()) : undefined;
}

/** The NO price that mirrors a YES price of the same market. */
export function complement(grid: TickGrid, price: Ticks): Ticks {
  return ticks(grid, grid.ticksPerUnit - price);
}

/** The exact decimal text of a price, `0.29` for 29 ticks of 0.01. */
export function formatPrice(grid: TickGrid, price: Ticks): string {
  const digits = grid.ticksPerUnit === 100 ? 2 : 3;
  return `0.${String(price).padStart(digits, '0')}`;
}

/** The JSON number of a price: the double nearest to its decimal text. */
export function priceNumber(grid: TickGrid, price: Ticks): number {
  // A quotient of whole numbers is rounded once, to the double that the text would be read as.
  return price / grid.ticksPerUnit;
}

/** Digits that a double and its text tell apart without fail, one for one. */
const PLAIN_COUNT_MAX = 1e15;
const PLAIN_TEXT = /^\d{1,9}(\.\d{1,6})?$/;
const PLAIN_LENGTH_MAX = 16;

function isPlainText(text: string): boolean {
  return text.length <= PLAIN_LENGTH_MAX && PLAIN_TEXT.test(text);
}

/**
 * How many parts a plain number from zero on is, exactly, in a fraction of the time a decimal takes:
 * texts of at most 15 digits and doubles stand for each other, so an equal quotient is an equal text.
 * @returns `undefined` where only a decimal can tell.
 */
export function plainCount(wire: string | number, partsPerUnit: number): number | undefined {
  if (typeof wire === 'string' && !isPlainText(wire)) return undefined;
  const value = Number(wire);
  // The sum makes a plain zero of minus zero.
  const count = Math.round(value * partsPerUnit) + 0;
  const isExact = count >= 0 && count < PLAIN_COUNT_MAX && count / partsPerUnit === value;
  return isExact ? count : undefined;
}

/** More than any amount, price or size needs; a longer text is no number of anybody. */
const DECIMAL_LENGTH_MAX = 60;
/** Each character can be read in one way only, so that the time for a text grows with its length alone. */
const DECIMAL_TEXT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i;

/** Whether a text is a decimal, with or without an exponent; a long one is none. */
export function isDecimalText(text: string): boolean {
  return text.length <= DECIMAL_LENGTH_MAX && DECIMAL_TEXT.test(text);
}

/** A finite decimal from wire text or a number, or `undefined` for anything else. */
export function decimalOf(wire: string | number): Decimal | undefined {
  if (typeof wire === 'string' && !isDecimalText(wire)) return undefined;
  const value = new Decimal(wire);
  return value.isFinite() ? value : undefined;
}
