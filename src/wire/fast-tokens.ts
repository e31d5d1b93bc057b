// Token ids found by the bytes in which a frame names them, without making a string of them.

import type { TokenId } from '../domain/ids.ts';

/** Slots of the table, a power of two; half of them may be taken. */
const SLOTS = 65_536;
/** Tokens beyond this are read by the full parser: more than a venue of this kind lists at once. */
const TOKENS_MAX = SLOTS / 2;

type Entry = { readonly bytes: Uint8Array; readonly tokenId: TokenId };

export class TokenTable {
  /** Grows with the tokens that are learnt, up to `SLOTS`. */
  #slots: (Entry | undefined)[] = new Array(64).fill(undefined);
  #count = 0;

  add(tokenId: TokenId): void {
    const bytes = Uint8Array.from(tokenId, (letter) => letter.charCodeAt(0));
    if (this.#count >= TOKENS_MAX || this.find(bytes, 0, bytes.length) !== undefined) return;
    if ((this.#count + 1) * 2 > this.#slots.length) this.#grow();
    this.#put({ bytes, tokenId });
    this.#count += 1;
  }

  /** The token whose id stands from `start` to before `end`, in lower case. */
  find(bytes: Uint8Array, start: number, end: number): TokenId | undefined {
    const mask = this.#slots.length - 1;
    let slot = hashOf(bytes, start, end) & mask;
    while (true) {
      const entry = this.#slots[slot];
      if (entry === undefined) return undefined;
      if (isSame(entry.bytes, bytes, start, end)) return entry.tokenId;
      slot = (slot + 1) & mask;
    }
  }

  #grow(): void {
    const entries = this.#slots;
    this.#slots = new Array(entries.length * 2).fill(undefined);
    for (const entry of entries) if (entry !== undefined) this.#put(entry);
  }

  #put(entry: Entry): void {
    const mask = this.#slots.length - 1;
    let slot = hashOf(entry.bytes, 0, entry.bytes.length) & mask;
    while (this.#slots[slot] !== undefined) slot = (slot + 1) & mask;
    this.#slots[slot] = entry;
  }
}

/** Bytes of an id that make its hash: ids are hashes themselves, so a few of them tell enough. */
const HASHED = 8;

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = end - start;
  for (let at = Math.max(start, end - HASHED); at < end; at += 1) {
    hash = (Math.imul(hash, 31) + (bytes[at] ?? 0)) | 0;
  }
  return hash ^ (hash >>> 15);
}

function isSame(id: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (id.length !== end - start) return false;
  for (let index = 0; index < id.length; index += 1) {
    if (id[index] !== bytes[start + index]) return false;
  }
  return true;
}
