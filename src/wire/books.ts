// Levels of public books, over REST and in frames. @spec Resources and their fields › Order book

import { z } from 'zod';
import { WireError } from '../domain/errors.ts';
import { clipped } from '../domain/excerpt.ts';
import type { TokenId } from '../domain/ids.ts';
import type { Level } from '../domain/message.ts';
import {
  MICRO_PER_SHARE,
  MICRO_SHARES_MAX,
  type MicroShares,
  microShares,
  NO_SHARES,
} from '../domain/shares.ts';
import { isDecimalText, type TickGrid, type Ticks, ticksWithin } from '../domain/ticks.ts';
import type { UnixMs } from '../domain/time.ts';
import type { Usdc } from '../domain/usdc.ts';
import { LEVELS_MAX, SHARES_MAX } from './limits.ts';
import { anything, decimal, list, parseWith, readTs, token, unitPrice, within } from './parse.ts';

export type Levels = { readonly bids: readonly Level[]; readonly asks: readonly Level[] };
export type BookRead = Levels & { readonly venueTs: UnixMs | undefined };

/**
 * A venue that adds sizes or prices as doubles sends 10.000000000000002 for 10. Noise up to this
 * share of a tick is taken off; anything more is a price off the grid.
 */
const TICK_NOISE_MAX = 1e-6;

const level = z.object({ price: decimal, size: decimal });
const side = list(level, LEVELS_MAX);
const levels = z.object({ bids: side, asks: side });
const named = z.object({ tokenId: anything, ts: anything });
const mid = z.object({ mid: unitPrice });

/**
 * Reads `GET /orderbook/:tokenId`, with or without `tokenId` and `ts`.
 * @param asked - The token that was asked for: the book of another one is no answer.
 * @throws {WireError} `wire.field`
 * @spec Endpoints › Order book (all Public)
 */
export function parseBook(data: unknown, grid: TickGrid, asked?: TokenId): BookRead {
  const said = named.safeParse(data).data;
  const shown = token.safeParse(said?.tokenId).data ?? asked;
  if (asked !== undefined && shown !== asked)
    throw new WireError('wire.field', `book.tokenId: ${asked} expected, and not ${shown}`);
  return { ...parseLevels(data, grid, 'book'), venueTs: readTs(said?.ts) };
}

/** Reads both sides of a book. @throws {WireError} `wire.field` */
export function parseLevels(data: unknown, grid: TickGrid, root: string): Levels {
  const plain = plainLevels(data, grid);
  if (plain !== undefined) return plain;
  // Something is wrong with it, and the schema says what and where.
  const shape = parseWith(levels, data, root);
  return {
    bids: readSide(shape.bids, grid, `${root}.bids`),
    asks: readSide(shape.asks, grid, `${root}.asks`),
  };
}

/** Reads `GET /midpoint/:tokenId`; a middle may lie between two ticks. @throws {WireError} */
export function parseMidpoint(data: unknown): Usdc {
  return parseWith(mid, data, 'midpoint').mid;
}

/**
 * Reads a price of a public book: exact, but for the noise of a venue's own arithmetic.
 * @throws {WireError} `wire.off_tick`
 */
export function readLevelPrice(wire: string | number, grid: TickGrid): Ticks {
  const price = levelPriceOn(grid, wire);
  if (price !== undefined) return price;
  throw new WireError('wire.off_tick', `${clipped(String(wire), 40)} on ${grid.tickSize}`);
}

/**
 * Reads a size of a public book, to the nearest micro-share: it is others' sum, made by any
 * arithmetic. Something never becomes nothing, since a size of zero removes a level. More than can be counted, as
 * ten million shares at a tenth of a cent, is the most that can: how many more of others rest there changes nothing.
 * @throws {WireError} `wire.quantity` when negative, or more than anybody could pay for.
 */
export function readLevelSize(wire: string | number): MicroShares {
  const size = levelSizeOf(wire);
  if (size === undefined) throw new WireError('wire.quantity', clipped(String(wire), 40));
  return size;
}

function levelPriceOn(grid: TickGrid, wire: string | number): Ticks | undefined {
  const count = numberOf(wire) * grid.ticksPerUnit;
  const nearest = Math.round(count);
  const isNear = Math.abs(count - nearest) <= TICK_NOISE_MAX;
  return isNear ? ticksWithin(grid, nearest) : undefined;
}

function levelSizeOf(wire: string | number): MicroShares | undefined {
  const size = numberOf(wire);
  if (!(size >= 0 && size <= SHARES_MAX)) return undefined;
  const count = Math.min(Math.round(size * MICRO_PER_SHARE), MICRO_SHARES_MAX);
  return size === 0 ? NO_SHARES : microShares(Math.max(count, 1));
}

/** Both sides, if nothing at all is wrong with them: without a schema, which takes most of the time. */
function plainLevels(data: unknown, grid: TickGrid): Levels | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const bids = 'bids' in data ? plainSide(data.bids, grid) : undefined;
  const asks = bids !== undefined && 'asks' in data ? plainSide(data.asks, grid) : undefined;
  return bids === undefined || asks === undefined ? undefined : { bids, asks };
}

function plainSide(items: unknown, grid: TickGrid): readonly Level[] | undefined {
  if (!Array.isArray(items) || items.length > LEVELS_MAX) return undefined;
  const side: readonly unknown[] = items;
  const seen = new Uint8Array(grid.ticksPerUnit);
  const read: Level[] = [];
  for (const item of side) {
    const found = plainLevel(item, grid);
    if (found === undefined || seen[found.price] === 1) return undefined;
    seen[found.price] = 1;
    if (found.size > 0) read.push(found);
  }
  return read;
}

function plainLevel(item: unknown, grid: TickGrid): Level | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  if (!('price' in item) || !('size' in item)) return undefined;
  const price = isDecimal(item.price) ? levelPriceOn(grid, item.price) : undefined;
  const size = isDecimal(item.size) ? levelSizeOf(item.size) : undefined;
  return price === undefined || size === undefined ? undefined : { price, size };
}

function isDecimal(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

function readSide(
  side: readonly z.output<typeof level>[],
  grid: TickGrid,
  path: string,
): readonly Level[] {
  const seen = new Set<Ticks>();
  const read: Level[] = [];
  for (const [index, { price, size }] of side.entries()) {
    const found = readLevel({ price, size }, grid, `${path}[${index}]`);
    if (seen.has(found.price)) throw new WireError('wire.field', `${path}[${index}]: price twice`);
    seen.add(found.price);
    if (found.size > 0) read.push(found);
  }
  return read;
}

function readLevel(wire: z.output<typeof level>, grid: TickGrid, path: string): Level {
  return within(path, () => ({
    price: readLevelPrice(wire.price, grid),
    size: readLevelSize(wire.size),
  }));
}

/** Not a number for a text that is none. */
function numberOf(wire: string | number): number {
  return typeof wire === 'number' || isDecimalText(wire) ? Number(wire) : Number.NaN;
}
