// What the user channel reported hashes that nobody has claimed yet: of an order whose answer is in flight,
// or has none, or of somebody else's.

import type { OrderHash } from '../../domain/ids.ts';
import type { OrderUpdate } from '../../domain/order.ts';
import type { UnixMs } from '../../domain/time.ts';

/** Updates that overtook their placement's answer: at most as many as may be in flight. */
const HASHES_MAX = 1_000;
/** The last word and the first are what matters when somebody floods one order. */
const UPDATES_MAX = 20;

/** What was reported for a hash that nobody had claimed, and since when. */
export type EarlyUpdates = {
  readonly orderHash: OrderHash;
  readonly atMs: UnixMs;
  readonly updates: readonly OrderUpdate[];
};

export class EarlyReports {
  /** Oldest first. */
  readonly #heard = new Map<OrderHash, { readonly atMs: UnixMs; updates: OrderUpdate[] }>();

  keep(update: OrderUpdate, nowMs: UnixMs): void {
    const early = this.#heard.get(update.orderHash);
    if (early) {
      if (early.updates.length >= UPDATES_MAX) early.updates.splice(1, 1);
      early.updates.push(update);
      return;
    }
    this.#heard.set(update.orderHash, { atMs: nowMs, updates: [update] });
    if (this.#heard.size > HASHES_MAX) {
      const oldest = this.#heard.keys().next().value;
      if (oldest !== undefined) this.#heard.delete(oldest);
    }
  }

  /** Somebody claims a hash: what was reported for it, in order. */
  take(orderHash: OrderHash): readonly OrderUpdate[] {
    const early = this.#heard.get(orderHash);
    this.#heard.delete(orderHash);
    return early?.updates ?? [];
  }

  of(orderHash: OrderHash): EarlyUpdates | undefined {
    const early = this.#heard.get(orderHash);
    return early === undefined ? undefined : { orderHash, ...early };
  }

  /** Oldest first. */
  all(): readonly EarlyUpdates[] {
    return [...this.#heard].map(([orderHash, early]) => ({ orderHash, ...early }));
  }

  /** Forgets what nobody has claimed since a moment. */
  prune(sinceMs: number): void {
    for (const [hash, { atMs }] of this.#heard) {
      if (atMs > sinceMs) break;
      this.#heard.delete(hash);
    }
  }
}
