// Where inside a turn a process dies: what it did before is done, what would come after is not.

/**
 * `kept`: before a commit · `committed`: after it, before the request · `sent`: after a request · `placed`: after one
 * that places orders.
 */
export type FuseAt = 'kept' | 'committed' | 'sent' | 'placed';

/** Where a process dies by itself. */
export const FUSE_PLACES: readonly FuseAt[] = ['kept', 'committed', 'sent'];

export class Fuse {
  readonly #at: FuseAt;
  readonly #onBlown: () => void;
  #left: number;

  constructor(at: FuseAt, count: number, onBlown: () => void) {
    this.#at = at;
    this.#left = count;
    this.#onBlown = onBlown;
  }

  burn(at: FuseAt): void {
    if (at !== this.#at) return;
    this.#left -= 1;
    if (this.#left === 0) this.#onBlown();
  }
}
