// The usual form of a delta, which is what `JSON.stringify` makes of the fields in the order of the
// interface, as numbers to compare with the bytes of a frame: eight at a time, as doubles.

/** Bytes of a word of plain letters. */
export function bytesOf(word: string): Uint8Array {
  return Uint8Array.from(word, (letter) => letter.charCodeAt(0));
}

const ZERO = 0x30;

/** Zero stands alone before the point: anything else is not a JSON number. */
export function isWholePart(first: number | undefined, digits: number): boolean {
  return digits === 1 || (digits > 1 && first !== ZERO);
}

/** The value of four bytes as digits, the first in the lowest byte; negative when one is no digit. */
export function fourDigits(word: number): number {
  const digits = (word - 0x30303030) | 0;
  if (((digits | (word + 0x46464646)) & 0x80808080) !== 0) return -1;
  const pairs = (Math.imul(digits, 10) + (digits >>> 8)) & 0x00ff00ff;
  return (pairs & 0xff) * 100 + (pairs >>> 16);
}

/**
 * A stretch of the usual form as two doubles, which together hold each of its bytes: letters never
 * make a double that is not equal to itself, so doubles are equal where bytes are.
 */
export type Part = { readonly first: number; readonly last: number; readonly length: number };

const HEAD = '{"type":"orderbook.delta","marketId":"';
/** The copy of a frame begins here, so that its token begins with a whole double. */
export const START = 2;
export const TOKEN_START = START + HEAD.length;
/** The head as one double, and as those that follow the first whole one of the copy. */
export const HEAD_START = doubleAt(HEAD, 0);
export const HEAD_DOUBLES = Float64Array.from({ length: 4 }, (_, at) => doubleAt(HEAD, 6 + at * 8));
export const SIDE_PART = partOf('","side":"');
export const BID_PART = partOf('bid","price":');
export const ASK_PART = partOf('ask","price":');
export const SIZE_PART = partOf(',"size":');

export const TIME_PART = bytesOf(',"ts":');
export const TIME_FIRST = new DataView(TIME_PART.buffer).getInt32(0, true);
export const TIME_LAST = new DataView(TIME_PART.buffer).getInt16(4, true);

function partOf(text: string): Part {
  const { length } = text;
  return { first: doubleAt(text, 0), last: doubleAt(text, length - 8), length };
}

function doubleAt(text: string, at: number): number {
  return new DataView(bytesOf(text).buffer).getFloat64(at, true);
}
