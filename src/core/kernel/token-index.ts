// What is known of each token: found by its id, and at once by the number that the reader of a frame gives it.

import type { TokenId } from '../../domain/ids.ts';

/** More than a reader counts to; a larger number is not remembered. */
const NUMBERS_MAX = 65_536;

/**
 * A map by token id that remembers where numbers led. A number only says where to look first: whoever
 * stands there must have the very id that is asked for. So one that means another token by now, or means
 * two, costs a look into the map and leads nobody to the book of another.
 */
export class TokenIndex<Value> {
  readonly #byId = new Map<TokenId, Value>();
  /** By number: the id as it was asked for, and what was found. */
  #ids: (TokenId | undefined)[] = [];
  #values: (Value | undefined)[] = [];

  get(tokenId: TokenId): Value | undefined {
    return this.#byId.get(tokenId);
  }

  /** The same as `get`, sooner where the number meant this token before. */
  find(tokenId: TokenId, number: number | undefined): Value | undefined {
    if (number === undefined) return this.#byId.get(tokenId);
    if (this.#ids[number] === tokenId) return this.#values[number];
    return this.#remember(tokenId, number);
  }

  keys(): IterableIterator<TokenId> {
    return this.#byId.keys();
  }

  set(tokenId: TokenId, value: Value): void {
    this.#byId.set(tokenId, value);
    this.#forgetNumbers();
  }

  delete(tokenId: TokenId): void {
    this.#byId.delete(tokenId);
    this.#forgetNumbers();
  }

  #remember(tokenId: TokenId, number: number): Value | undefined {
    const value = this.#byId.get(tokenId);
    const isPlace = Number.isInteger(number) && number >= 0 && number < NUMBERS_MAX;
    if (value === undefined || !isPlace) return value;
    // Without holes, so that a look into them stays a look into an array.
    while (this.#ids.length <= number) {
      this.#ids.push(undefined);
      this.#values.push(undefined);
    }
    this.#ids[number] = tokenId;
    this.#values[number] = value;
    return value;
  }

  /** Tokens come and go seldom, and are found anew by their next frames. */
  #forgetNumbers(): void {
    if (this.#ids.length === 0) return;
    this.#ids = [];
    this.#values = [];
  }
}
