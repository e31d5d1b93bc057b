// A text without all that people and programs put between numbers: `6B:33`, `0x6b, 0x33`, `[107,51]` and `\153\063`
// are `6b33`, `6b33`, `10751` and `153063`.

import type { Bytes, Range } from './shape-index.ts';

const NOTHING = 0;
/** Whatever is no ASCII parts numbers as a letter does. */
const OTHER = '~'.charCodeAt(0);
const [ZERO, X] = ['0'.charCodeAt(0), 'x'.charCodeAt(0)];

/** What each byte becomes: itself or its small letter, or nothing. */
const KEPT = new Uint8Array(256).fill(OTHER, 128);
for (const each of '0123456789abcdefghijklmnopqrstuvwxyz') {
  KEPT[each.charCodeAt(0)] = each.charCodeAt(0);
  KEPT[each.toUpperCase().charCodeAt(0)] = each.charCodeAt(0);
}

export class Squeezer {
  /** Used again and again, but for a text that is longer. */
  readonly #room: Uint8Array;

  constructor(room: number) {
    this.#room = new Uint8Array(room);
  }

  /** What is left of a text; the next call writes over it. */
  squeezed(bytes: Bytes): Bytes {
    const at = bytes.length <= this.#room.length ? this.#room : new Uint8Array(bytes.length);
    return { at, length: squeeze(bytes, at, undefined) };
  }
}

/** What was found in the squeezed text, as it stands in the text. */
export function unsqueezed(found: readonly Range[], bytes: Bytes): readonly Range[] {
  const places = new Uint32Array(bytes.length);
  squeeze(bytes, new Uint8Array(bytes.length), places);
  return found.map(({ from, to }) => ({
    from: places[from] ?? 0,
    to: (places[to - 1] ?? bytes.length) + 1,
  }));
}

/** Puts in `kept` what stays, and in `places` where it stood; answers how much it is. */
function squeeze(bytes: Bytes, kept: Uint8Array, places: Uint32Array | undefined): number {
  const { at, length } = bytes;
  let keptLength = 0;
  for (let index = 0; index < length; index += 1) {
    const as = KEPT[at[index] ?? 0] ?? 0;
    if (as === NOTHING) continue;
    // `0x` before a number says how it is to be read.
    if (as === X && at[index - 1] === ZERO && (KEPT[at[index - 2] ?? 0] ?? 0) === NOTHING) {
      keptLength -= 1;
      continue;
    }
    kept[keptLength] = as;
    if (places !== undefined) places[keptLength] = index;
    keptLength += 1;
  }
  return keptLength;
}
