// Hashes of orders that were known here, ended or not: what the venue says of one of them is about that
// order, however late, and never about another one like it.

import type { OrderHash } from '../../domain/ids.ts';
import { clampShares, type MicroShares, NO_SHARES } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import { dropOldest, OPEN_ORDERS_OF_ACCOUNT_MAX } from '../kernel/bounds.ts';
import type { OwnOrder } from './own-order.ts';

/** Own hashes remembered: more than may be live, and those of the last hour of a busy account. */
const OWN_HASHES_MAX = 30_000;
/** Hashes of others that ended: twice what an account may have open. */
const EXTERNAL_HASHES_MAX = 2 * OPEN_ORDERS_OF_ACCOUNT_MAX;
/** Twice what may be open; what is forgotten here stays known as ours, and is cancelled where it is listed. */
const NAMED_MAX = 2 * OPEN_ORDERS_OF_ACCOUNT_MAX;

type Known = {
  /** What had traded of it, as far as anybody told when it was forgotten or later. */
  readonly traded: MicroShares;
  /** When it ended; of those that a previous run knew nobody reported. */
  readonly endedAtMs: UnixMs | undefined;
};

const NOTHING_TOLD: Known = { traded: NO_SHARES, endedAtMs: undefined };

class OrderIdCache {
  readonly #known = new Map<OrderHash, Known>();
  readonly #max: number;

  /** @param max - Hashes remembered. */
  constructor(max: number) {
    this.#max = max;
  }

  has(orderHash: OrderHash): boolean {
    return this.#known.has(orderHash);
  }

  get(orderHash: OrderHash): Known {
    return this.#known.get(orderHash) ?? NOTHING_TOLD;
  }

  add(orderHash: OrderHash): void {
    if (this.#known.has(orderHash)) return;
    this.#known.set(orderHash, NOTHING_TOLD);
    dropOldest(this.#known, this.#max);
  }

  /** More is known of one that is remembered. */
  learn(orderHash: OrderHash, known: Known): void {
    if (this.#known.has(orderHash)) this.#known.set(orderHash, known);
  }
}

/** Those of our own orders, and those of others that ended. */
export class HashMemory {
  readonly #own = new OrderIdCache(OWN_HASHES_MAX);
  readonly #externals = new OrderIdCache(EXTERNAL_HASHES_MAX);

  isOwn(orderHash: OrderHash): boolean {
    return this.#own.has(orderHash);
  }

  isOfOthers(orderHash: OrderHash): boolean {
    return this.#externals.has(orderHash);
  }

  addOwn(orderHash: OrderHash): void {
    this.#own.add(orderHash);
  }

  /** It ended, and nothing else remembers it from now on. */
  onForgotten(
    { isExternal, executed, failed, stateSinceMs }: OwnOrder,
    orderHash: OrderHash,
  ): void {
    if (isExternal) this.#externals.add(orderHash);
    const traded = clampShares(executed + failed);
    this.#with(orderHash).learn(orderHash, { traded, endedAtMs: stateSinceMs });
  }

  /** Whether it is said to have traded more than was known; the same once more is no news. */
  isNewlyTraded(orderHash: OrderHash, traded: MicroShares): boolean {
    const hashes = this.#with(orderHash);
    const known = hashes.get(orderHash);
    if (traded <= known.traded) return false;
    hashes.learn(orderHash, { ...known, traded });
    return true;
  }

  /** Whether it ended at a moment or later. */
  hasEndedSince(orderHash: OrderHash, atMs: UnixMs): boolean {
    const { endedAtMs } = this.#with(orderHash).get(orderHash);
    return endedAtMs !== undefined && endedAtMs >= atMs;
  }

  #with(orderHash: OrderHash): OrderIdCache {
    return this.#own.has(orderHash) ? this.#own : this.#externals;
  }
}

/** Hashes that the answer to some batch named, of orders that nobody could tell yet. */
export class BatchOrderIds {
  /** Until when the placement may arrive, by hash; the oldest go first. */
  readonly #untilMs = new Map<OrderHash, UnixMs>();

  has(orderHash: OrderHash): boolean {
    return this.#untilMs.has(orderHash);
  }

  hashes(): Iterable<OrderHash> {
    return this.#untilMs.keys();
  }

  add(orderHash: OrderHash, untilMs: UnixMs): void {
    this.#untilMs.set(orderHash, untilMs);
    dropOldest(this.#untilMs, NAMED_MAX);
  }

  /** @returns Whether it was one. */
  take(orderHash: OrderHash): boolean {
    return this.#untilMs.delete(orderHash);
  }

  /** A list that was asked for then has named all that rest. */
  onListed(askedAtMs: UnixMs): void {
    for (const [orderHash, untilMs] of this.#untilMs) {
      if (untilMs < askedAtMs) this.#untilMs.delete(orderHash);
    }
  }
}
