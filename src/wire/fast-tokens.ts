// Token ids found by the bytes in which a frame names them, without making a string of them and four
// bytes at a time. All ids lie in one slab, so that a look-up touches little memory.

import type { TokenId } from '../domain/ids.ts';

/** Tokens beyond this are read by the full parser: more than a venue of this kind lists at once. */
const TOKENS_MAX = 32_768;
/** Shorter ids than two words are left to the full parser; real ones are hashes. */
const LENGTH_MIN = 8;
/** The longest id has 130 bytes; its last word may overlap the one before. */
const WORDS_MAX = 33;

export class TokenTable {
  /** One more than the number of a token, 0 for a free slot; twice as many as tokens, or more. */
  #slots = new Int32Array(64);
  #words = new Int32Array(32 * WORDS_MAX);
  #lengths = new Uint8Array(32);
  readonly #ids: TokenId[] = [];

  add(tokenId: TokenId): void {
    const view = viewOf(tokenId);
    const length = view.byteLength;
    if (length < LENGTH_MIN || this.#ids.length >= TOKENS_MAX) return;
    if (this.find(view, 0, length) !== undefined) return;
    if ((this.#ids.length + 1) * 2 > this.#slots.length) this.#grow();
    const number = this.#ids.length;
    this.#ids.push(tokenId);
    this.#lengths[number] = length;
    const last = lastWordOf(length);
    for (let word = 0; word < last; word += 1) {
      this.#words[number * WORDS_MAX + word] = view.getInt32(word * 4);
    }
    this.#words[number * WORDS_MAX + last] = view.getInt32(length - 4);
    this.#put(number, hashOf(view, length));
  }

  /** The token whose id stands from `start` to before `end`, in lower case. */
  find(view: DataView, start: number, end: number): TokenId | undefined {
    if (end - start < LENGTH_MIN) return undefined;
    const mask = this.#slots.length - 1;
    let slot = hashOf(view, end) & mask;
    while (true) {
      const number = (this.#slots[slot] ?? 0) - 1;
      if (number < 0) return undefined;
      if (this.#isAt(number, view, start, end)) return this.#ids[number];
      slot = (slot + 1) & mask;
    }
  }

  #isAt(number: number, view: DataView, start: number, end: number): boolean {
    if (this.#lengths[number] !== end - start) return false;
    const words = this.#words;
    const first = number * WORDS_MAX;
    const last = lastWordOf(end - start);
    if (words[first + last] !== view.getInt32(end - 4)) return false;
    for (let word = 0; word < last; word += 1) {
      if (words[first + word] !== view.getInt32(start + word * 4)) return false;
    }
    return true;
  }

  #grow(): void {
    const count = this.#slots.length;
    this.#slots = new Int32Array(count * 2);
    const words = new Int32Array(count * WORDS_MAX);
    words.set(this.#words);
    this.#words = words;
    const lengths = new Uint8Array(count);
    lengths.set(this.#lengths);
    this.#lengths = lengths;
    for (const [number, tokenId] of this.#ids.entries()) {
      this.#put(number, hashOf(viewOf(tokenId), tokenId.length));
    }
  }

  #put(number: number, hash: number): void {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = number + 1;
  }
}

/** Whole words, and one for what is left, which ends where the id does. */
function lastWordOf(length: number): number {
  return (length - 1) >> 2;
}

/** Ids are hashes themselves, so their last eight bytes tell enough. */
function hashOf(view: DataView, end: number): number {
  const mixed = Math.imul(view.getInt32(end - 4), 0x9e3779b1) ^ view.getInt32(end - 8);
  const hash = Math.imul(mixed, 0x85ebca6b);
  return hash ^ (hash >>> 15);
}

function viewOf(tokenId: TokenId): DataView {
  const bytes = Uint8Array.from(tokenId, (letter) => letter.charCodeAt(0));
  return new DataView(bytes.buffer);
}
