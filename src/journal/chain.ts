// Running checksums: of every line of a recording, and of the commands in it.

import { createHash } from 'node:crypto';

/** As many digits are shown and compared; nobody forges a recording of his own. */
const DIGITS = 16;

export class Chain {
  readonly #hash = createHash('sha256');

  add(text: string | Uint8Array): void {
    this.#hash.update(text);
  }

  /** Of everything so far. */
  digest(): string {
    return this.#hash.copy().digest('hex').slice(0, DIGITS);
  }
}
