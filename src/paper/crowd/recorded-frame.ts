// One line of a recording becomes one frame in domain values, or a reason why it cannot.

import { excerpt } from '../../domain/excerpt.ts';
import type { TokenId } from '../../domain/ids.ts';
import { readJson, shownJson } from '../../domain/json.ts';
import type { TradingStatus } from '../../domain/market.ts';
import type { BookSide, Level } from '../../domain/message.ts';
import type { Side } from '../../domain/order.ts';
import {
  MICRO_PER_SHARE,
  type MicroShares,
  microShares,
  parseShares,
} from '../../domain/shares.ts';
import { parsePrice, type TickGrid, type Ticks, ticksWithin } from '../../domain/ticks.ts';
import { type UnixMs, unixMs } from '../../domain/time.ts';
import { FRAME_LENGTH_MAX } from '../../wire/limits.ts';

export type RecordedFrame =
  | {
      readonly kind: 'snapshot';
      readonly atMs: UnixMs;
      readonly tokenId: TokenId;
      readonly bids: readonly Level[];
      readonly asks: readonly Level[];
    }
  | {
      readonly kind: 'delta';
      readonly atMs: UnixMs;
      readonly tokenId: TokenId;
      readonly side: BookSide;
      readonly price: Ticks;
      readonly size: MicroShares;
    }
  | {
      readonly kind: 'trade';
      readonly atMs: UnixMs;
      readonly tokenId: TokenId;
      readonly price: Ticks;
      readonly size: MicroShares;
      readonly takerSide: Side;
    }
  | {
      readonly kind: 'status';
      readonly atMs: UnixMs;
      readonly tokenId: TokenId;
      readonly status: TradingStatus;
    };

export type FrameBatch = {
  readonly frames: readonly RecordedFrame[];
  /** What is wrong with each unreadable line of the batch, with its number. */
  readonly badLines: readonly string[];
  /** How much of the recording has been read with this batch, 0 to 1, by its bytes. */
  readonly readPart: number;
};

/** With what says whether the file is something else. */
export type CountedBatch = FrameBatch & {
  readonly lines: number;
  /** Of these, lines that are no lines of a recording. */
  readonly garbled: number;
};

/** Tokens of a recording by the text of their id; `undefined` for one that is left out. */
export type RecordedTokens = ReadonlyMap<string, RecordedToken | undefined>;
export type RecordedToken = { readonly tokenId: TokenId; readonly grid: TickGrid };

/** What a market status of a recording means for trading; other words are unreadable. */
const STATUS_WORDS: Readonly<Record<string, TradingStatus>> = {
  PAUSE: 'paused',
  OPEN: 'open',
  CLOSED: 'closed',
  RESOLVED: 'resolved',
};

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads one line. `undefined` for a token that is left out on purpose.
 * @throws {Error} With what is wrong, for a line that is no frame of this recording.
 * @spec Events › Order book channel (Public), Trades channel (Public)
 */
export function parseFrame(line: string, tokens: RecordedTokens): RecordedFrame | undefined {
  const read = readJson(line, FRAME_LENGTH_MAX);
  if (!read.isRead) throw new Error(read.why);
  const json = read.value;
  if (!isObject(json)) throw new Error('is not an object');
  const named = json['type'] === 'trade.executed' ? json['tokenId'] : json['marketId'];
  if (typeof named !== 'string') throw new Error('names no token');
  if (!tokens.has(named)) throw new Error(`names the token ${excerpt(named, 80)} of no market`);
  const token = tokens.get(named);
  return token && readFrame(json, token);
}

function readFrame(json: Json, { tokenId, grid }: RecordedToken): RecordedFrame {
  const atMs = readTs(json['ts']);
  switch (json['type']) {
    case 'orderbook.delta':
      return {
        kind: 'delta',
        atMs,
        tokenId,
        side: readBookSide(json['side']),
        ...level(grid, json),
      };
    case 'orderbook.snapshot': {
      const levels = json['levels'];
      if (!isObject(levels)) throw new Error('has no levels');
      const bids = readLevels(grid, levels['bids']);
      return { kind: 'snapshot', atMs, tokenId, bids, asks: readLevels(grid, levels['asks']) };
    }
    case 'trade.executed':
      return {
        kind: 'trade',
        atMs,
        tokenId,
        ...level(grid, json),
        takerSide: readSide(json['side']),
      };
    case 'market.status_update':
      return { kind: 'status', atMs, tokenId, status: readStatus(json['status']) };
    default:
      throw new Error(`has the unknown type ${shownJson(json['type'], 80)}`);
  }
}

function level(grid: TickGrid, json: Json): Level {
  return { price: readPrice(grid, json['price']), size: readSize(json['size']) };
}

function readLevels(grid: TickGrid, value: unknown): readonly Level[] {
  if (!Array.isArray(value)) throw new Error('has a side that is no list');
  return value.map((each: unknown) => {
    if (!isObject(each)) throw new Error('has a level that is no object');
    return level(grid, each);
  });
}

function readTs(value: unknown): UnixMs {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
    throw new Error('has no ts in whole milliseconds');
  }
  return unixMs(value);
}

/**
 * A double that is the nearest to a price of the grid equals its tick count divided by the grid's
 * ticks, since both are rounded once from the same number; only the rest takes the decimal path.
 */
function readPrice(grid: TickGrid, value: unknown): Ticks {
  if (typeof value !== 'number') throw new Error('has a price that is no number');
  const count = Math.round(value * grid.ticksPerUnit);
  const isExact = count / grid.ticksPerUnit === value;
  return (isExact ? ticksWithin(grid, count) : undefined) ?? parsePrice(grid, value);
}

function readSize(value: unknown): MicroShares {
  if (typeof value !== 'number') throw new Error('has a size that is no number');
  const count = Math.round(value * MICRO_PER_SHARE);
  const isExact = count >= 0 && count <= EXACT_MAX && count / MICRO_PER_SHARE === value;
  return isExact ? microShares(count) : parseShares(value);
}

/** Sizes to a million shares take the short path. */
const EXACT_MAX = 1_000_000 * MICRO_PER_SHARE;

function readBookSide(value: unknown): BookSide {
  if (value === 'bid' || value === 'ask') return value;
  throw new Error('has a side that is neither bid nor ask');
}

function readSide(value: unknown): Side {
  if (value === 'BUY' || value === 'SELL') return value;
  throw new Error('has a side that is neither BUY nor SELL');
}

function readStatus(value: unknown): TradingStatus {
  const status = typeof value === 'string' ? STATUS_WORDS[value.toUpperCase()] : undefined;
  if (status === undefined) throw new Error(`has the unknown status ${shownJson(value, 80)}`);
  return status;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
