// Reads the one frame that makes nearly all of the traffic, straight from its bytes and without a tree
// of objects: an `orderbook.delta` in plain form. Whatever is not exactly that is left to the full
// parser, so this reader never complains and never guesses.

import type { TokenId } from '../domain/ids.ts';
import type { BookSide, VenueMessage } from '../domain/message.ts';
import { MICRO_SHARES_MAX, microShares } from '../domain/shares.ts';
import { ticksWithin } from '../domain/ticks.ts';
import { unixMs } from '../domain/time.ts';
import {
  ASK_FIRST,
  ASK_WORD,
  BID_FIRST,
  BID_WORD,
  CLOSE_AT,
  FRACTION_AT,
  fourDigits,
  HEAD_FIRST,
  HEAD_FOURTH,
  HEAD_SECOND,
  HEAD_START,
  HEAD_THIRD,
  isAt,
  isTimePart,
  isWholePart,
  lastOfFour,
  leadingDigits,
  PRICE_AT,
  PRICE_KEY,
  PRICE_LAST,
  PRICE_LAST_AT,
  SIDE_FIRST,
  SIDE_KEY,
  SIDE_LAST,
  SIDE_LAST_AT,
  SIZE_AT,
  SIZE_KEY,
  SIZE_PART,
  START,
  TIME_AT,
  TIME_KEY,
  TIME_LENGTH,
  TOKEN_KEY,
  TOKEN_START,
  TYPE_KEY,
  TYPE_WORD,
  thirteenDigits,
  WORD_AT,
  ZERO_POINT,
} from './fast-form.ts';
import { TokenTable, UNKNOWN } from './fast-tokens.ts';
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
  #tokenNumber = UNKNOWN;
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

  /**
   * The form that `JSON.stringify` gives to the fields in the order of the interface. It is read by two
   * long functions with places in locals, because nearly every frame comes by here: in small ones, which
   * the compiler does not all take in, it takes a third longer.
   */
  #isUsual(): boolean {
    const end = this.#usualToken();
    return end > 0 && this.#usualChange(end);
  }

  /** @returns The end of the token, or 0 where the frame does not begin as usual or the token is unknown. */
  #usualToken(): number {
    const doubles = this.#doubles;
    const view = this.#view;
    if (view.getFloat64(START, true) !== HEAD_START || doubles[1] !== HEAD_FIRST) return 0;
    if (doubles[2] !== HEAD_SECOND || doubles[3] !== HEAD_THIRD) return 0;
    // Ids of one venue are alike in length, so the end of this one is where that of the last was.
    const end = TOKEN_START + this.#tokenLength;
    if (doubles[4] !== HEAD_FOURTH || view.getFloat64(end, true) !== SIDE_FIRST) return 0;
    this.#tokenNumber = this.#table.findAligned(doubles, view, TOKEN_START, end);
    return this.#tokenNumber === UNKNOWN ? 0 : end;
  }

  /** What stands behind a token whose end is `start`. */
  #usualChange(start: number): boolean {
    const view = this.#view;
    // Which side it is cannot be foreseen, so it is computed and not decided.
    const word = view.getFloat64(start + WORD_AT, true);
    const isAsk = Number(word === ASK_FIRST);
    const isSide = isAsk + Number(word === BID_FIRST) === 1;
    if (!isSide || view.getFloat64(start + SIDE_LAST_AT, true) !== SIDE_LAST) return false;
    if (view.getFloat64(start + PRICE_LAST_AT, true) !== PRICE_LAST) return false;
    // A zero, a point and up to four digits, all of them at once.
    const fraction = view.getInt32(start + FRACTION_AT, true);
    const decimals = leadingDigits(fraction);
    if (decimals === 0 || view.getInt16(start + PRICE_AT, true) !== ZERO_POINT) return false;
    const sizeKey = start + FRACTION_AT + decimals;
    this.#at = sizeKey + SIZE_AT;
    if (view.getFloat64(sizeKey, true) !== SIZE_PART || !this.#readSize()) return false;
    // The time is found from the end of the frame, so that it need not wait for the size.
    const timeKey = this.#end - TIME_LENGTH;
    const time = thirteenDigits(view, timeKey + TIME_AT);
    if (time < 0 || this.#at !== timeKey || !isTimePart(view, timeKey)) return false;
    this.#time = time;
    this.#side = SIDES[isAsk] ?? 'ask';
    this.#priceDigits = fourDigits(lastOfFour(fraction, decimals));
    this.#priceDecimals = decimals;
    return this.#bytes[timeKey + CLOSE_AT] === CLOSE;
  }

  /** The same fields in any order, with spaces between them. */
  #isPlain(): boolean {
    this.#at = START + 1;
    this.#seen = 0;
    return this.#members() && this.#seen === ALL;
  }

  #message(): BookDelta | undefined {
    const tokenNumber = this.#tokenNumber;
    const tokenId = this.#table.idOf(tokenNumber);
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
      tokenNumber,
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
    if (!isAt(this.#bytes, this.#at, word)) return false;
    this.#at += word.length;
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
    this.#tokenNumber = this.#table.find(this.#view, start, end);
    this.#at = end + 1;
    if (this.#tokenNumber === UNKNOWN) return false;
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
    const isQuoted = this.#bytes[this.#at] === QUOTE;
    if (isQuoted || !this.#number() || this.#decimals > 0) return false;
    this.#time = this.#digits;
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
