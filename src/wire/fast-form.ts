// The usual form of a delta, which is what `JSON.stringify` makes of the fields in the order of the
// interface, as numbers to compare with the bytes of a frame: eight at a time, as doubles. Letters never
// make a double that is not equal to itself, so doubles are equal where bytes are.

/** Bytes of a word of plain letters. */
export function bytesOf(word: string): Uint8Array {
  return Uint8Array.from(word, (letter) => letter.charCodeAt(0));
}

/** Whether a word stands at a place of these bytes. */
export function isAt(bytes: Uint8Array, at: number, word: Uint8Array): boolean {
  for (let index = 0; index < word.length; index += 1) {
    if (bytes[at + index] !== word[index]) return false;
  }
  return true;
}

const ZERO = 0x30;
const FOUR_ZEROS = 0x30303030;
const HIGH_BITS = 0x80808080;

/** Zero stands alone before the point: anything else is not a JSON number. */
export function isWholePart(first: number | undefined, digits: number): boolean {
  return digits === 1 || (digits > 1 && first !== ZERO);
}

/** The value of four bytes as digits, the first in the lowest byte; negative when one is no digit. */
export function fourDigits(word: number): number {
  const digits = (word - FOUR_ZEROS) | 0;
  if (((digits | (word + 0x46464646)) & HIGH_BITS) !== 0) return -1;
  const pairs = (Math.imul(digits, 10) + (digits >>> 8)) & 0x00ff00ff;
  return (pairs & 0xff) * 100 + (pairs >>> 16);
}

/** The value of thirteen bytes as digits of which the first is not zero, four at once; or a negative number. */
export function thirteenDigits(view: DataView, at: number): number {
  const one = fourDigits(view.getInt32(at, true));
  const two = fourDigits(view.getInt32(at + 4, true));
  const three = fourDigits(view.getInt32(at + 8, true));
  const last = view.getUint8(at + 12) - ZERO;
  if ((one | two | three) < 0 || last < 0 || last > 9 || one < 1_000) return -1;
  return (one * 10_000 + two) * 100_000 + three * 10 + last;
}

/** How many of four bytes are digits before the first that is none, the first in the lowest byte. */
export function leadingDigits(word: number): number {
  // Digits become 0 to 9, and whatever else sets the high bit of its byte. What a byte carries over
  // falsifies only those behind it.
  const values = word ^ FOUR_ZEROS;
  const others = (values | (values + 0x76767676)) & HIGH_BITS;
  if (others === 0) return 4;
  return (31 - Math.clz32(others & -others)) >> 3;
}

/** The first `count` of four bytes moved to the end, behind zeros in place of the others. */
export function lastOfFour(word: number, count: number): number {
  return ((word ^ FOUR_ZEROS) << (32 - 8 * count)) ^ FOUR_ZEROS;
}

const HEAD = '{"type":"orderbook.delta","marketId":"';
/** The copy of a frame begins here, so that its token begins with a whole double. */
export const START = 2;
export const TOKEN_START = START + HEAD.length;
/** The head as one double, and as those that follow the first whole one of the copy. */
export const HEAD_START = doubleAt(HEAD, 0);
export const HEAD_FIRST = doubleAt(HEAD, 6);
export const HEAD_SECOND = doubleAt(HEAD, 14);
export const HEAD_THIRD = doubleAt(HEAD, 22);
export const HEAD_FOURTH = doubleAt(HEAD, 30);

/** What follows, and where, from the end of the token; the last double of a part may overlap the first. */
const SIDE_PART = '","side":"';
export const SIDE_FIRST = doubleAt(SIDE_PART, 0);
export const SIDE_LAST_AT = SIDE_PART.length - 8;
export const SIDE_LAST = doubleAt(SIDE_PART, SIDE_LAST_AT);
export const WORD_AT = SIDE_PART.length;
const BID_PART = 'bid","price":';
export const BID_FIRST = doubleAt(BID_PART, 0);
export const ASK_FIRST = doubleAt('ask","price":', 0);
export const PRICE_AT = WORD_AT + BID_PART.length;
/** The same of both sides. */
export const PRICE_LAST_AT = PRICE_AT - 8;
export const PRICE_LAST = doubleAt(BID_PART, BID_PART.length - 8);
export const ZERO_POINT = wordAt('0.').getInt16(0, true);
export const FRACTION_AT = PRICE_AT + 2;
export const SIZE_PART = doubleAt(',"size":', 0);
/** From where a size begins with its key. */
export const SIZE_AT = 8;
const TIME_PART = ',"ts":';
/** From where a time begins with its key: its digits, the end of the frame, and all of it. */
export const TIME_AT = TIME_PART.length;
export const CLOSE_AT = TIME_AT + 13;
export const TIME_LENGTH = CLOSE_AT + 1;
const TIME_FIRST = wordAt(TIME_PART).getInt32(0, true);
const TIME_LAST = wordAt(TIME_PART).getInt16(4, true);

export const TYPE_WORD = bytesOf('orderbook.delta"');
export const BID_WORD = bytesOf('bid"');
export const ASK_WORD = bytesOf('ask"');
export const TYPE_KEY = bytesOf('"type"');
export const TOKEN_KEY = bytesOf('"marketId"');
export const SIDE_KEY = bytesOf('"side"');
export const PRICE_KEY = bytesOf('"price"');
export const SIZE_KEY = bytesOf('"size"');
export const TIME_KEY = bytesOf('"ts"');

/** Whether the key of a time stands here, which is shorter than a double. */
export function isTimePart(view: DataView, at: number): boolean {
  return view.getInt32(at, true) === TIME_FIRST && view.getInt16(at + 4, true) === TIME_LAST;
}

/** Eight bytes of a text of plain letters, as the double that a view reads there. */
export function doubleAt(text: string, at: number): number {
  return wordAt(text).getFloat64(at, true);
}

function wordAt(text: string): DataView {
  return new DataView(bytesOf(text).buffer);
}
