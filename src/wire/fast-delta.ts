// Reads the one frame that makes nearly all of the traffic, straight from its bytes and without a tree
// of objects: an `orderbook.delta` in plain form. Whatever is not exactly that is left to the full
// parser, so this reader never complains and never guesses.

import type { TokenId } from '../domain/ids.ts';
import type { BookSide, VenueMessage } from '../domain/message.ts';
import { MICRO_SHARES_MAX, microShares } from '../domain/shares.ts';
import { ticksWithin } from '../domain/ticks.ts';
import { unixMs } from '../domain/time.ts';
import {
  ASK_PART,
  BID_PART,
  bytesOf,
  fourDigits,
  HEAD_DOUBLES,
  HEAD_START,
  isWholePart,
  type Part,
  SIDE_PART,
  SIZE_PART,
  START,
  TIME_FIRST,
  TIME_LAST,
  TIME_PART,
  TOKEN_START,
} from './fast-form.ts';
import { TokenTable } from './fast-tokens.ts';
import type { TokenLookup } from './tokens.ts';

export type BookDelta = Extract<VenueMessage, { kind: 'bookDelta' }>;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const POINT = 0x2e;
const ZERO = 0x30;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const SPACE = 0x20;
const B = 0x62;

const TYPE_WORD = bytesOf('orderbook.delta"');
const BID_WORD = bytesOf('bid"');
const ASK_WORD = bytesOf('ask"');

/** Shorter or longer than this is no delta of ours: the longest token id has 130 digits. */
const BYTES_MIN = 60;
const BYTES_MAX = 400;

/** Digits that a double still holds exactly. */
const NUMBER_DIGITS_MAX = 15;
const SIZE_DECIMALS_MAX = 6;

/** One bit for each key seen; all six and no other make a delta. */
const TYPE = 1;
const TOKEN = 2;
const SIDE = 4;
const PRICE = 8;
const SIZE = 16;
const TIME = 32;
const ALL = 63;

/** Digits of a number that an integer of 32 bits holds. */
const INTEGER_DIGITS = 9;
const SIDES: readonly BookSide[] = ['bid', 'ask'];
const POWERS = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000] as const;

/**
 * A reader for one stream of frames. It keeps its place in fields, so that reading allocates only the
 * message it answers with. Tokens are learnt from what the full parser read.
 * @spec Events › Order book channel (Public)
 */
export class FastDeltaReader {
  readonly #tokens: TokenLookup;
  readonly #table = new TokenTable();
  /** A copy of the frame at a fixed place, where eight bytes can be compared at once. */
  readonly #bytes = new Uint8Array(BYTES_MAX + 16);
  readonly #doubles = new Float64Array(this.#bytes.buffer);
  readonly #view = new DataView(this.#bytes.buffer);
  /** One beyond the last byte of the frame. */
  #end = 0;
  #at = 0;
  #seen = 0;
  #tokenId: TokenId | undefined;
  /** Of the token read or learnt last. */
  #tokenLength = 0;
  #side: BookSide = 'bid';
  /** Digits of the number read last, and how many of them stand behind the point. */
  #digits = 0;
  #decimals = 0;
  #priceDigits = 0;
  #priceDecimals = 0;
  #size = 0;
  #time = 0;

  constructor(tokens: TokenLookup) {
    this.#tokens = tokens;
  }

  /** The full parser read a delta of this token: its frames may be read fast from now on. */
  learn(tokenId: TokenId): void {
    this.#table.add(tokenId);
    this.#tokenLength = tokenId.length;
  }

  /** The delta in these bytes, or `undefined` where the full parser must look. */
  read(bytes: Uint8Array): BookDelta | undefined {
    if (bytes.length < BYTES_MIN || bytes.length > BYTES_MAX || bytes[0] !== OPEN) return undefined;
    this.#bytes.set(bytes, START);
    this.#end = START + bytes.length;
    // What an earlier frame left behind must not continue this one.
    this.#bytes[this.#end] = 0;
    return this.#isUsual() || this.#isPlain() ? this.#message() : undefined;
  }

  /** The form that `JSON.stringify` gives to the fields in the order of the interface. */
  #isUsual(): boolean {
    if (!this.#isHead() || !this.#usualToken() || !this.#has(SIDE_PART)) return false;
    if (!this.#usualSide() || !this.#readPrice()) return false;
    if (!this.#has(SIZE_PART) || !this.#readSize() || !this.#isTimePart()) return false;
    return this.#readTime() && this.#bytes[this.#at] === CLOSE && this.#at === this.#end - 1;
  }

  #isHead(): boolean {
    const doubles = this.#doubles;
    if (this.#view.getFloat64(START, true) !== HEAD_START) return false;
    for (let index = 0; index < HEAD_DOUBLES.length; index += 1) {
      if (doubles[index + 1] !== HEAD_DOUBLES[index]) return false;
    }
    return true;
  }

  /** Ids of one venue are alike in length, so the end of this one is where that of the last was. */
  #usualToken(): boolean {
    const end = TOKEN_START + this.#tokenLength;
    if (this.#bytes[end] !== QUOTE) return false;
    this.#tokenId = this.#table.findAligned(this.#doubles, this.#view, TOKEN_START, end);
    this.#at = end;
    return this.#tokenId !== undefined;
  }

  /** Which side it is cannot be foreseen, so it is computed and not decided. */
  #usualSide(): boolean {
    const view = this.#view;
    const at = this.#at;
    const word = view.getFloat64(at, true);
    const isAsk = Number(word === ASK_PART.first);
    this.#side = SIDES[isAsk] ?? 'ask';
    this.#at = at + BID_PART.length;
    const isSide = isAsk + Number(word === BID_PART.first) === 1;
    return isSide && view.getFloat64(this.#at - 8, true) === BID_PART.last;
  }

  /** Goes past a part of the usual form if it stands here. */
  #has({ first, last, length }: Part): boolean {
    const view = this.#view;
    const at = this.#at;
    this.#at = at + length;
    return view.getFloat64(at, true) === first && view.getFloat64(at + length - 8, true) === last;
  }

  /** Goes past what stands before a time, which is shorter than a double. */
  #isTimePart(): boolean {
    const at = this.#at;
    this.#at = at + TIME_PART.length;
    const view = this.#view;
    return view.getInt32(at, true) === TIME_FIRST && view.getInt16(at + 4, true) === TIME_LAST;
  }

  /** The same fields in any order, with spaces between them. */
  #isPlain(): boolean {
    this.#at = START + 1;
    this.#seen = 0;
    return this.#members() && this.#seen === ALL;
  }

  #message(): BookDelta | undefined {
    const tokenId = this.#tokenId;
    if (tokenId === undefined) return undefined;
    const grid = this.#tokens.gridOf(tokenId);
    if (grid === undefined) return undefined;
    const scale = POWERS[this.#priceDecimals];
    if (scale === undefined) return undefined;
    // A price off the grid is not a whole count, and the full parser says what is wrong with it.
    const price = ticksWithin(grid, (this.#priceDigits * grid.ticksPerUnit) / scale);
    if (price === undefined) return undefined;
    return {
      kind: 'bookDelta',
      tokenId,
      side: this.#side,
      price,
      size: microShares(this.#size),
      venueTs: unixMs(this.#time),
    };
  }

  #members(): boolean {
    const bytes = this.#bytes;
    while (true) {
      this.#blanks();
      if (!this.#member()) return false;
      this.#blanks();
      const next = bytes[this.#at];
      this.#at += 1;
      if (next === COMMA) continue;
      return next === CLOSE && this.#at === this.#end;
    }
  }

  #blanks(): void {
    while (this.#bytes[this.#at] === SPACE) this.#at += 1;
  }

  /** One key and its value. Keys are told apart by their first letter and their length. */
  #member(): boolean {
    const bytes = this.#bytes;
    const at = this.#at;
    if (bytes[at] !== QUOTE) return false;
    // A letter that stands for one of six words; the word itself is compared below.
    switch (bytes[at + 1]) {
      case 0x74:
        if (bytes[at + 2] === 0x79) return this.#key(TYPE_KEY, TYPE) && this.#type();
        return this.#key(TIME_KEY, TIME) && this.#readTime();
      case 0x6d:
        return this.#key(TOKEN_KEY, TOKEN) && this.#token();
      case 0x73:
        if (bytes[at + 3] === 0x64) return this.#key(SIDE_KEY, SIDE) && this.#readSide();
        return this.#key(SIZE_KEY, SIZE) && this.#readSize();
      case 0x70:
        return this.#key(PRICE_KEY, PRICE) && this.#readPrice();
      default:
        return false;
    }
  }

  /** The key with its quotes and the colon behind it; a key told twice is not ours to judge. */
  #key(word: Uint8Array, bit: number): boolean {
    if ((this.#seen & bit) !== 0 || !this.#is(word)) return false;
    this.#seen |= bit;
    this.#blanks();
    if (this.#bytes[this.#at] !== COLON) return false;
    this.#at += 1;
    this.#blanks();
    return true;
  }

  #is(word: Uint8Array): boolean {
    const bytes = this.#bytes;
    const at = this.#at;
    for (let index = 0; index < word.length; index += 1) {
      if (bytes[at + index] !== word[index]) return false;
    }
    this.#at = at + word.length;
    return true;
  }

  #quote(): boolean {
    if (this.#bytes[this.#at] !== QUOTE) return false;
    this.#at += 1;
    return true;
  }

  #type(): boolean {
    return this.#quote() && this.#is(TYPE_WORD);
  }

  #readSide(): boolean {
    if (!this.#quote()) return false;
    this.#side = this.#bytes[this.#at] === B ? 'bid' : 'ask';
    return this.#is(this.#side === 'bid' ? BID_WORD : ASK_WORD);
  }

  #token(): boolean {
    if (!this.#quote()) return false;
    const bytes = this.#bytes;
    const start = this.#at;
    let end = start;
    while (end < this.#end && bytes[end] !== QUOTE) end += 1;
    this.#tokenId = this.#table.find(this.#view, start, end);
    this.#at = end + 1;
    if (this.#tokenId === undefined) return false;
    this.#tokenLength = end - start;
    return true;
  }

  #readPrice(): boolean {
    if (!this.#number()) return false;
    this.#priceDigits = this.#digits;
    this.#priceDecimals = this.#decimals;
    return this.#decimals <= SIZE_DECIMALS_MAX;
  }

  #readSize(): boolean {
    if (!this.#number()) return false;
    const scale = POWERS[SIZE_DECIMALS_MAX - this.#decimals];
    if (scale === undefined) return false;
    this.#size = this.#digits * scale;
    return this.#size <= MICRO_SHARES_MAX;
  }

  #readTime(): boolean {
    if (this.#usualTime()) return true;
    const isQuoted = this.#bytes[this.#at] === QUOTE;
    if (isQuoted || !this.#number() || this.#decimals > 0) return false;
    this.#time = this.#digits;
    return true;
  }

  /** Thirteen digits, as all times of our days have, four at once. */
  #usualTime(): boolean {
    const view = this.#view;
    const at = this.#at;
    const one = fourDigits(view.getInt32(at, true));
    const two = fourDigits(view.getInt32(at + 4, true));
    const three = fourDigits(view.getInt32(at + 8, true));
    const last = (this.#bytes[at + 12] ?? 0) - ZERO;
    if ((one | two | three) < 0 || last < 0 || last > 9 || one < 1_000) return false;
    if (this.#bytes[at + 13] !== CLOSE) return false;
    this.#time = (one * 10_000 + two) * 100_000 + three * 10 + last;
    this.#at = at + 13;
    return true;
  }

  /** A plain JSON number, in quotes or not: digits and perhaps a point, no sign and no exponent. */
  #number(): boolean {
    return this.#shortNumber() || this.#longNumber();
  }

  /** Up to nine digits without quotes, as nearly all are: an integer holds them. */
  #shortNumber(): boolean {
    const bytes = this.#bytes;
    const start = this.#at;
    // Ten digits or a point too many end the loop, and are not ours.
    const limit = start + INTEGER_DIGITS + 1;
    let at = start;
    let value = 0;
    let point = 0;
    while (at < limit) {
      const digit = (bytes[at] ?? 0) - ZERO;
      if (digit >= 0 && digit <= 9) value = value * 10 + digit;
      else if (digit === POINT - ZERO && point === 0) point = at;
      else break;
      at += 1;
    }
    const whole = (point === 0 ? at : point) - start;
    this.#decimals = point === 0 ? 0 : at - point - 1;
    this.#digits = value;
    this.#at = at;
    const isEnded = at < limit && (point === 0 || this.#decimals > 0);
    if (isEnded && isWholePart(bytes[start], whole)) return true;
    this.#at = start;
    return false;
  }

  #longNumber(): boolean {
    const bytes = this.#bytes;
    const isQuoted = bytes[this.#at] === QUOTE;
    if (isQuoted) this.#at += 1;
    const start = this.#at;
    this.#digits = 0;
    this.#decimals = 0;
    const whole = this.#digitRun();
    if (!isWholePart(bytes[start], whole)) return false;
    if (bytes[this.#at] === POINT) {
      this.#at += 1;
      this.#decimals = this.#digitRun();
      if (this.#decimals === 0) return false;
    }
    if (whole + this.#decimals > NUMBER_DIGITS_MAX) return false;
    return isQuoted ? this.#quote() : true;
  }

  /** Takes digits in as long as there are any; how many there were. */
  #digitRun(): number {
    const bytes = this.#bytes;
    const start = this.#at;
    let at = start;
    let value = this.#digits;
    let digit = (bytes[at] ?? 0) - ZERO;
    while (digit >= 0 && digit <= 9) {
      value = value * 10 + digit;
      at += 1;
      digit = (bytes[at] ?? 0) - ZERO;
    }
    this.#digits = value;
    this.#at = at;
    return at - start;
  }
}

const TYPE_KEY = bytesOf('"type"');
const TOKEN_KEY = bytesOf('"marketId"');
const SIDE_KEY = bytesOf('"side"');
const PRICE_KEY = bytesOf('"price"');
const SIZE_KEY = bytesOf('"size"');
const TIME_KEY = bytesOf('"ts"');
