// Token ids found by the bytes in which a frame names them, without making a string of them and eight
// bytes at a time, as doubles: those of letters are equal where their bytes are. All ids lie in one slab, so
// that a look-up touches little memory; the place of an id in it is the number of its token.

import type { TokenId } from '../domain/ids.ts';

/**
 * More than a venue of this kind lists at once. Tokens come and go for as long as we run, so a full
 * table begins anew, and those that are still reported for are learnt again.
 */
const TOKENS_MAX = 32_768;
/** Shorter ids than one double are left to the full parser; real ones are hashes. */
const LENGTH_MIN = 8;
/** The longest id has 130 bytes; its last double may overlap the one before. */
const DOUBLES_MAX = 17;

/** In place of the number of a token that is not in the table; numbers of others begin at zero. */
export const UNKNOWN = -1;

export class TokenTable {
  /** One more than the number of a token, 0 for a free slot; twice as many as tokens, or more. */
  #slots = new Int32Array(64);
  #doubles = new Float64Array(32 * DOUBLES_MAX);
  #lengths = new Uint8Array(32);
  readonly #ids: TokenId[] = [];

  add(tokenId: TokenId): void {
    const view = viewOf(tokenId);
    const length = view.byteLength;
    if (length < LENGTH_MIN || this.find(view, 0, length) !== UNKNOWN) return;
    if (this.#ids.length >= TOKENS_MAX) this.#clear();
    if ((this.#ids.length + 1) * 2 > this.#slots.length) this.#grow();
    const number = this.#ids.length;
    this.#ids.push(tokenId);
    this.#lengths[number] = length;
    const last = lastOf(length);
    for (let index = 0; index < last; index += 1) {
      this.#doubles[number * DOUBLES_MAX + index] = view.getFloat64(index * 8, true);
    }
    this.#doubles[number * DOUBLES_MAX + last] = view.getFloat64(length - 8, true);
    this.#put(number, hashOf(view, length));
  }

  /** The id of a number; none for a number that no token has. */
  idOf(number: number): TokenId | undefined {
    return this.#ids[number];
  }

  /** The number of the token whose id stands from `start` to before `end`, in lower case. */
  find(view: DataView, start: number, end: number): number {
    if (end - start < LENGTH_MIN) return UNKNOWN;
    const mask = this.#slots.length - 1;
    let slot = hashOf(view, end) & mask;
    while (true) {
      const number = (this.#slots[slot] ?? 0) - 1;
      if (number < 0) return UNKNOWN;
      if (this.#isAt(number, view, start, end)) return number;
      slot = (slot + 1) & mask;
    }
  }

  /** The same for an id that begins with a whole double; both views show the same bytes. */
  findAligned(doubles: Float64Array, view: DataView, start: number, end: number): number {
    if (end - start < LENGTH_MIN) return UNKNOWN;
    const mask = this.#slots.length - 1;
    let slot = hashOf(view, end) & mask;
    while (true) {
      const number = (this.#slots[slot] ?? 0) - 1;
      if (number < 0) return UNKNOWN;
      if (this.#lengths[number] === end - start && this.#isAligned(number, doubles, start, end)) {
        const last = number * DOUBLES_MAX + lastOf(end - start);
        if (this.#doubles[last] === view.getFloat64(end - 8, true)) return number;
      }
      slot = (slot + 1) & mask;
    }
  }

  /** Compares all doubles but the last, which may stand across two. */
  #isAligned(number: number, doubles: Float64Array, start: number, end: number): boolean {
    const kept = this.#doubles;
    const first = start >> 3;
    const last = first + lastOf(end - start);
    let at = number * DOUBLES_MAX;
    for (let index = first; index < last; index += 1) {
      if (doubles[index] !== kept[at]) return false;
      at += 1;
    }
    return true;
  }

  #isAt(number: number, view: DataView, start: number, end: number): boolean {
    if (this.#lengths[number] !== end - start) return false;
    const kept = this.#doubles;
    const first = number * DOUBLES_MAX;
    const last = lastOf(end - start);
    if (kept[first + last] !== view.getFloat64(end - 8, true)) return false;
    for (let index = 0; index < last; index += 1) {
      if (kept[first + index] !== view.getFloat64(start + index * 8, true)) return false;
    }
    return true;
  }

  #clear(): void {
    this.#ids.length = 0;
    this.#slots.fill(0);
  }

  #grow(): void {
    const count = this.#slots.length;
    this.#slots = new Int32Array(count * 2);
    const doubles = new Float64Array(count * DOUBLES_MAX);
    doubles.set(this.#doubles);
    this.#doubles = doubles;
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

/** Whole doubles come first, then one for what is left, which ends where the id does. */
function lastOf(length: number): number {
  return (length - 1) >> 3;
}

/** Ids are hashes themselves, so their last eight bytes tell enough. */
function hashOf(view: DataView, end: number): number {
  const mixed = Math.imul(view.getInt32(end - 4, true), 0x9e3779b1) ^ view.getInt32(end - 8, true);
  const hash = Math.imul(mixed, 0x85ebca6b);
  return hash ^ (hash >>> 15);
}

function viewOf(tokenId: TokenId): DataView {
  const bytes = Uint8Array.from(tokenId, (letter) => letter.charCodeAt(0));
  return new DataView(bytes.buffer);
}
