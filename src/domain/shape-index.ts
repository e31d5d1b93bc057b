// Finds any of many texts in one pass over another: where none can begin, most bytes are never looked at (Wu and
// Manber). What a search costs hardly grows with the number of texts that are looked for.

import type { Shape } from './secret-shapes.ts';

/** From `from` on, up to before `to`. */
export type Range = { readonly from: number; readonly to: number };

/** Bytes, the first so many of which are meant. */
export type Bytes = { readonly at: Uint8Array; readonly length: number };

type Sought = { readonly whole: Uint8Array; readonly headLength: number };

/** Bytes that say together how far the next shape is at least. */
const BLOCK = 4;
const TABLE_BITS = 16;
/** Spreads blocks over the table: the golden ratio of 32 bits. */
const SPREAD = 0x9e3779b1;
/** More could be skipped at a time than a byte says. */
const WINDOW_MAX = 64;

export class ShapeIndex {
  /** As many of the first bytes as the shortest head has. */
  readonly #window: number;
  readonly #skips = new Uint8Array(2 ** TABLE_BITS);
  /** By a number made of the window, which others may share. */
  readonly #byWindow = new Map<number, Sought[]>();

  constructor(shapes: readonly Shape[]) {
    const all = shapes.map(soughtOf);
    this.#window = Math.min(WINDOW_MAX, ...all.map(({ headLength }) => headLength));
    this.#skips.fill(this.#window - BLOCK + 1);
    for (const each of all) this.#add(each);
  }

  /** Adds to `found` where a shape stands, as far as it goes on like it. */
  find({ at, length }: Bytes, found: Range[]): void {
    const skips = this.#skips;
    let end = this.#window - 1;
    while (end < length) {
      const skip = skips[slotAt(at, end)] ?? 0;
      if (skip > 0) {
        end += skip;
        continue;
      }
      this.#match(at.subarray(end - this.#window + 1, length), end - this.#window + 1, found);
      end += 1;
    }
  }

  #add(sought: Sought): void {
    const key = this.#keyOf(sought.whole);
    const others = this.#byWindow.get(key);
    if (others === undefined) this.#byWindow.set(key, [sought]);
    else others.push(sought);
    for (let end = BLOCK - 1; end < this.#window; end += 1) {
      const slot = slotAt(sought.whole, end);
      this.#skips[slot] = Math.min(this.#skips[slot] ?? 0, this.#window - 1 - end);
    }
  }

  #match(rest: Uint8Array, from: number, found: Range[]): void {
    for (const { whole, headLength } of this.#byWindow.get(this.#keyOf(rest)) ?? []) {
      let length = 0;
      while (length < whole.length && rest[length] === whole[length]) length += 1;
      if (length >= headLength) found.push({ from, to: from + length });
    }
  }

  #keyOf(bytes: Uint8Array): number {
    let key = 0;
    for (let index = 0; index < this.#window; index += 1) {
      key = (Math.imul(key, 31) + (bytes[index] ?? 0)) | 0;
    }
    return key;
  }
}

function soughtOf({ whole, headLength }: Shape): Sought {
  return {
    whole: new TextEncoder().encode(whole),
    headLength: new TextEncoder().encode(whole.slice(0, headLength)).length,
  };
}

/** Of the block that ends there. */
function slotAt(bytes: Uint8Array, end: number): number {
  const first = ((bytes[end - 3] ?? 0) << 8) | (bytes[end - 2] ?? 0);
  const last = ((bytes[end - 1] ?? 0) << 8) | (bytes[end] ?? 0);
  return Math.imul((first << 16) | last, SPREAD) >>> (32 - TABLE_BITS);
}
