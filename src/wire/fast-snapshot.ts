// Reads an `orderbook.snapshot`, and a book over REST, in plain form straight from its bytes, as `fast-delta.ts` reads deltas: two
// hundred levels become two lists and nothing between. Whatever is not exactly that form is left to the full
// parser, so this reader never complains and never guesses.

import { type TokenId, tokenId } from '../domain/ids.ts';
import type { Level, VenueMessage } from '../domain/message.ts';
import { MICRO_PER_SHARE, MICRO_SHARES_MAX, microShares } from '../domain/shares.ts';
import { type TickGrid, ticksWithin } from '../domain/ticks.ts';
import { unixMs } from '../domain/time.ts';
import type { BookRead } from './books.ts';
import {
  bytesOf,
  doubleAt,
  fourDigits,
  isAt,
  isWholePart,
  lastOfFour,
  leadingDigits,
  SIZE_AT,
  SIZE_PART,
  ZERO_POINT,
} from './fast-form.ts';
import { FRAME_LENGTH_MAX, LEVELS_MAX } from './limits.ts';
import type { TokenLookup } from './tokens.ts';

export type BookSnapshot = Extract<VenueMessage, { kind: 'bookSnapshot' }>;

const HEAD = bytesOf('{"type":"orderbook.snapshot","marketId":"');
const BIDS = bytesOf('","levels":{"bids":[');
const ASKS = bytesOf('],"asks":[');
const TIME = bytesOf(']},"ts":');
const BODY = bytesOf('{"success":true,"data":{');
const BODY_TOKEN = bytesOf('"tokenId":"');
const BODY_TOKEN_END = bytesOf('",');
const BODY_BIDS = bytesOf('"bids":[');
const BODY_TIME = bytesOf('],"ts":');
const LIST_END = bytesOf(']');
const BODY_END = bytesOf('}}');
/** A level begins with this double, and one byte more. */
const LEVEL = '{"price":';
const LEVEL_FIRST = doubleAt(LEVEL, 0);
const PRICE_TEXT_AT = LEVEL.length;

const QUOTE = 0x22;
const COMMA = 0x2c;
const POINT = 0x2e;
const ZERO = 0x30;
const COLON = 0x3a;
const CLOSE_LIST = 0x5d;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Digits that a double still holds exactly. */
const NUMBER_DIGITS_MAX = 15;
/** The last instant of ECMAScript time; anything beyond is not a date. */
const UNIX_MS_MAX = 8.64e15;
const POWERS = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000] as const;
const SIZE_DECIMALS_MAX = POWERS.length - 1;
/** More counts of ticks than any grid has prices. */
const PRICES = 1_001;
/** Words of eight bytes are read from anywhere in a frame, so that some bytes follow its last. */
const WORD_BYTES = 16;
/** Plain ids of tokens are hashes in lower case. */
const PLAIN_TOKEN = /^0x[0-9a-f]{1,128}$/;
const TOKEN_LENGTH_MAX = 130;

/**
 * A reader for one stream of frames; it keeps its place in fields.
 * @spec Events › Order book channel (Public)
 */
export class FastSnapshotReader {
  readonly #tokens: TokenLookup;
  #bytes = Buffer.alloc(16_384);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;
  /** Digits of the number read last, as one integer, and how many of them stand behind the point. */
  #digits = 0;
  #decimals = 0;
  /** The side in which a price was seen last: one that is told twice is not ours to judge. */
  readonly #seenIn = new Uint32Array(PRICES);
  #side = 0;

  constructor(tokens: TokenLookup) {
    this.#tokens = tokens;
  }

  /** The snapshot in these bytes, or `undefined` where the full parser must look. */
  read(bytes: Uint8Array): BookSnapshot | undefined {
    const end = bytes.length;
    if (end > FRAME_LENGTH_MAX || bytes[0] !== OPEN || bytes[HEAD.length - 1] !== QUOTE) return;
    this.#take(bytes);
    return this.#is(HEAD) ? this.#snapshot(end) : undefined;
  }

  #take(bytes: Uint8Array): void {
    const end = bytes.length;
    if (end + WORD_BYTES > this.#bytes.length) this.#grow(end);
    this.#bytes.set(bytes);
    // What an earlier frame left behind must not continue this one.
    this.#bytes[end] = 0;
    this.#at = 0;
  }

  /**
   * The book in the body of an answer over REST, with `tokenId` and `ts` as older venues send them or without; or
   * `undefined` where the full parser must look, as at the book of another token than was asked for.
   * @spec Endpoints › Order book (all Public)
   */
  readBody(bytes: Uint8Array, grid: TickGrid, asked?: TokenId): BookRead | undefined {
    const end = bytes.length;
    if (end > FRAME_LENGTH_MAX || bytes[0] !== OPEN) return undefined;
    this.#take(bytes);
    if (!this.#is(BODY) || !this.#isOf(asked)) return undefined;
    const bids = this.#is(BODY_BIDS) ? this.#levels(grid) : undefined;
    const asks = bids !== undefined && this.#is(ASKS) ? this.#levels(grid) : undefined;
    if (bids === undefined || asks === undefined) return undefined;
    const stamp = this.#bodyTime();
    if (stamp === undefined || !this.#is(BODY_END) || this.#at !== end) return undefined;
    return { bids, asks, venueTs: stamp === 'none' ? undefined : unixMs(stamp) };
  }

  /** Whether the body names no token, or this one. */
  #isOf(asked: TokenId | undefined): boolean {
    if (!this.#is(BODY_TOKEN)) return true;
    const shown = this.#token();
    return shown !== undefined && shown === (asked ?? shown) && this.#is(BODY_TOKEN_END);
  }

  #bodyTime(): number | 'none' | undefined {
    if (!this.#is(BODY_TIME)) return this.#is(LIST_END) ? 'none' : undefined;
    const isWhole = this.#number() && this.#decimals === 0 && this.#digits <= UNIX_MS_MAX;
    return isWhole ? this.#digits : undefined;
  }

  #snapshot(end: number): BookSnapshot | undefined {
    const token = this.#token();
    const grid = token === undefined ? undefined : this.#tokens.gridOf(token);
    if (token === undefined || grid === undefined || !this.#is(BIDS)) return undefined;
    const bids = this.#levels(grid);
    if (bids === undefined || !this.#is(ASKS)) return undefined;
    const asks = this.#levels(grid);
    if (asks === undefined || !this.#is(TIME) || !this.#number() || this.#decimals > 0) return;
    const isWhole = this.#bytes[this.#at] === CLOSE && this.#at + 1 === end;
    if (!isWhole || this.#digits > UNIX_MS_MAX) return undefined;
    return { kind: 'bookSnapshot', tokenId: token, bids, asks, venueTs: unixMs(this.#digits) };
  }

  #grow(length: number): void {
    this.#bytes = Buffer.alloc(2 * (length + WORD_BYTES));
    this.#view = new DataView(this.#bytes.buffer);
  }

  #is(word: Uint8Array): boolean {
    if (!isAt(this.#bytes, this.#at, word)) return false;
    this.#at += word.length;
    return true;
  }

  #token(): TokenId | undefined {
    const start = this.#at;
    const end = this.#bytes.indexOf(QUOTE, start);
    if (end < 0 || end - start > TOKEN_LENGTH_MAX) return undefined;
    const text = this.#bytes.toString('latin1', start, end);
    this.#at = end;
    return PLAIN_TOKEN.test(text) ? tokenId(text) : undefined;
  }

  /** The levels of a side, up to the bracket behind them. */
  #levels(grid: TickGrid): readonly Level[] | undefined {
    const levels: Level[] = [];
    this.#side += 1;
    if (this.#bytes[this.#at] === CLOSE_LIST) return levels;
    for (let count = 0; count < LEVELS_MAX; count += 1) {
      const level = this.#level(grid);
      if (level === undefined) return undefined;
      // A size of zero is no level, in a snapshot as in a delta.
      if (level.size > 0) levels.push(level);
      if (this.#bytes[this.#at] !== COMMA) return levels;
      this.#at += 1;
    }
    return undefined;
  }

  #level(grid: TickGrid): Level | undefined {
    const view = this.#view;
    const at = this.#at;
    if (view.getFloat64(at, true) !== LEVEL_FIRST || this.#bytes[at + 8] !== COLON)
      return undefined;
    this.#at = at + PRICE_TEXT_AT;
    const count = this.#shortPrice(grid) ?? this.#longPrice(grid);
    const price = count === undefined ? undefined : ticksWithin(grid, count);
    if (price === undefined || this.#seenIn[price] === this.#side) return undefined;
    this.#seenIn[price] = this.#side;
    if (view.getFloat64(this.#at, true) !== SIZE_PART) return undefined;
    this.#at += SIZE_AT;
    const size = this.#shortSize() ?? this.#longSize();
    if (this.#bytes[this.#at] !== CLOSE) return undefined;
    this.#at += 1;
    return size <= MICRO_SHARES_MAX ? { price, size: microShares(size) } : undefined;
  }

  /** A zero, a point and up to four digits, all of them at once; a fifth is seen by who reads on. */
  #shortPrice(grid: TickGrid): number | undefined {
    const fraction = this.#view.getInt32(this.#at + 2, true);
    const decimals = leadingDigits(fraction);
    const scale = POWERS[decimals];
    const isShort = decimals > 0 && this.#view.getInt16(this.#at, true) === ZERO_POINT;
    if (!isShort || scale === undefined || this.#isDigit(this.#at + 6)) return undefined;
    this.#at += 2 + decimals;
    return (fourDigits(lastOfFour(fraction, decimals)) * grid.ticksPerUnit) / scale;
  }

  /** Up to four digits, and up to four behind a point, four at once; `undefined` where there is more than that. */
  #shortSize(): number | undefined {
    const view = this.#view;
    const start = this.#at;
    const word = view.getInt32(start, true);
    const digits = leadingDigits(word);
    if (!isWholePart(this.#bytes[start], digits)) return undefined;
    const whole = fourDigits(lastOfFour(word, digits)) * MICRO_PER_SHARE;
    const end = start + digits;
    if (this.#bytes[end] !== POINT) return this.#endsAt(end) ? whole : undefined;
    const fraction = view.getInt32(end + 1, true);
    const decimals = leadingDigits(fraction);
    const scale = decimals === 0 ? undefined : POWERS[SIZE_DECIMALS_MAX - decimals];
    if (scale === undefined || !this.#endsAt(end + 1 + decimals)) return undefined;
    return whole + fourDigits(lastOfFour(fraction, decimals)) * scale;
  }

  /** Whether a level ends here; goes there if so. */
  #endsAt(at: number): boolean {
    if (this.#bytes[at] !== CLOSE) return false;
    this.#at = at;
    return true;
  }

  #longSize(): number {
    const scale = this.#number() ? POWERS[SIZE_DECIMALS_MAX - this.#decimals] : undefined;
    return scale === undefined ? Number.NaN : this.#digits * scale;
  }

  #longPrice(grid: TickGrid): number | undefined {
    const scale = this.#number() ? POWERS[this.#decimals] : undefined;
    // A price off the grid is not a whole count, and the full parser says what is wrong with it.
    return scale === undefined ? undefined : (this.#digits * grid.ticksPerUnit) / scale;
  }

  #isDigit(at: number): boolean {
    const digit = (this.#bytes[at] ?? 0) - ZERO;
    return digit >= 0 && digit <= 9;
  }

  /** A plain JSON number, in quotes or not: digits and perhaps a point, no sign and no exponent. */
  #number(): boolean {
    const isQuoted = this.#bytes[this.#at] === QUOTE;
    if (isQuoted) this.#at += 1;
    if (!this.#digitsAndPoint()) return false;
    if (isQuoted && this.#bytes[this.#at] !== QUOTE) return false;
    if (isQuoted) this.#at += 1;
    return true;
  }

  #digitsAndPoint(): boolean {
    const bytes = this.#bytes;
    const start = this.#at;
    let at = start;
    let value = 0;
    let point = 0;
    while (true) {
      const digit = (bytes[at] ?? 0) - ZERO;
      if (digit >= 0 && digit <= 9) value = value * 10 + digit;
      else if (digit === POINT - ZERO && point === 0) point = at;
      else break;
      at += 1;
    }
    const whole = (point === 0 ? at : point) - start;
    const decimals = point === 0 ? 0 : at - point - 1;
    this.#digits = value;
    this.#decimals = decimals;
    this.#at = at;
    const isEnded = point === 0 || decimals > 0;
    return isEnded && whole + decimals <= NUMBER_DIGITS_MAX && isWholePart(bytes[start], whole);
  }
}
