// Hashes of orders that were sent from here, ended or not, in this life or one before: what the venue
// says of one of them is about that order, however late, and never about another one like it.

import type { OrderHash } from '../../domain/ids.ts';
import { type MicroShares, NO_SHARES } from '../../domain/shares.ts';

/** Hashes remembered: more than may be live, and those of the last hour of a busy account. */
const OWN_HASHES_MAX = 30_000;

export class OwnHashes {
  /** What had traded of it, as far as anybody told when it was forgotten or later; the oldest go first. */
  readonly #traded = new Map<OrderHash, MicroShares>();

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
    if (this.#traded.size <= OWN_HASHES_MAX) return;
    const oldest = this.#traded.keys().next().value;
    if (oldest !== undefined) this.#traded.delete(oldest);
  }

  /** Somebody told of it: the same once more is no news. */
  onTraded(orderHash: OrderHash, traded: MicroShares): void {
    if (this.#traded.has(orderHash)) this.#traded.set(orderHash, traded);
  }
}
