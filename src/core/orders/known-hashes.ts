// Hashes of orders that were known here, ended or not: what the venue says of one of them is about that
// order, however late, and never about another one like it.

import type { OrderHash } from '../../domain/ids.ts';
import { type MicroShares, NO_SHARES } from '../../domain/shares.ts';

export class KnownHashes {
  /** What had traded of it, as far as anybody told when it was forgotten or later; the oldest go first. */
  readonly #traded = new Map<OrderHash, MicroShares>();
  readonly #max: number;

  /** @param max - Hashes remembered. */
  constructor(max: number) {
    this.#max = max;
  }

  has(orderHash: OrderHash): boolean {
    return this.#traded.has(orderHash);
  }

  /** What is known to have traded of an order that ended; of an earlier life's nobody told. */
  tradedOf(orderHash: OrderHash): MicroShares {
    return this.#traded.get(orderHash) ?? NO_SHARES;
  }

  add(orderHash: OrderHash): void {
    if (this.#traded.has(orderHash)) return;
    this.#traded.set(orderHash, NO_SHARES);
    if (this.#traded.size <= this.#max) return;
    const oldest = this.#traded.keys().next().value;
    if (oldest !== undefined) this.#traded.delete(oldest);
  }

  /** Somebody told of it: the same once more is no news. */
  onTraded(orderHash: OrderHash, traded: MicroShares): void {
    if (this.#traded.has(orderHash)) this.#traded.set(orderHash, traded);
  }
}
