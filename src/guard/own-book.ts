// Which orders of an account were sent from here, as far as somebody has said so: those that have not
// ended, and the hashes of those that have. It is told by a ledger, or by a trader as it goes.

import type { IntentId, MarketId, OrderHash, TokenId } from '../domain/ids.ts';
import type { CancelScope } from '../domain/message.ts';
import type { OrderReport, Side } from '../domain/order.ts';
import type { MicroShares } from '../domain/shares.ts';
import type { UnixMs } from '../domain/time.ts';

/** Whose orders a kill means, where it does not mean every one of the account. */
export interface OwnOrders {
  /** Whether all that was ever sent from here is known: without it nothing is confirmed about external orders. */
  readonly isWhole: boolean;
  /** Known and not ended: they are cancelled before any list is read. */
  live(scope: CancelScope): readonly OrderHash[];
  /** Those of a list that are ours, or may be. */
  among(reports: readonly OrderReport[]): readonly OrderReport[];
  /** Before a list is read: looks again at where the knowledge comes from. Never rejects. */
  refresh?(): Promise<void>;
}

/** One order that has not ended. */
export type OwnOrderWord = {
  readonly intentId: IntentId;
  /** Absent while its placement has no answer: it is found by what it asks for. */
  readonly orderHash: OrderHash | undefined;
  readonly marketId: MarketId;
  readonly tokenId: TokenId;
  readonly side: Side;
  /** In thousandths: without a catalogue a list is read on the finest grid. */
  readonly priceMilli: number;
  readonly quantity: MicroShares;
  readonly sentAtMs: UnixMs;
};

/** What changed, or with `isWhole` all there is. */
export type OwnOrdersUpdate = {
  readonly isWhole: boolean;
  readonly live: readonly OwnOrderWord[];
  readonly ended: readonly OwnEnd[];
  /** By how much our clock is ahead of the venue's, which dates what it lists; absent where nobody knows. */
  readonly aheadMs?: number | undefined;
};

/** An order that can trade no more: by the intent, by its hash, or both. */
export type OwnEnd = {
  readonly intentId?: IntentId | undefined;
  readonly orderHash?: OrderHash | undefined;
};

/**
 * Orders that have not ended: 2,000 may rest, and with 30 writes of 15 in a second 34,000 may wait
 * for an answer within the longest time in which one arrives by default. The oldest go first, which
 * the venue takes no more.
 */
const LIVE_MAX = 50_000;
/** Hashes of ended orders, which may turn up again: those of the last hour of a busy account. */
const ENDED_MAX = 30_000;
/** What the venue dates so long before an intent is no answer to it, however the clocks go. */
const BEFORE_MS_MAX = 120_000;

export class OwnBook implements OwnOrders {
  readonly #live = new Map<IntentId, OwnOrderWord>();
  readonly #liveHashes = new Map<OrderHash, IntentId>();
  readonly #ended = new Set<OrderHash>();
  #isWhole = false;
  /** The most that was ever told: what was sent by such a clock may rest. */
  #aheadMs = 0;

  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Placements without an answer. */
  get unanswered(): readonly OwnOrderWord[] {
    return [...this.#live.values()].filter(({ orderHash }) => orderHash === undefined);
  }

  /** When the latest of them was sent. */
  get unansweredSinceMs(): UnixMs | undefined {
    const sentAtMs = this.unanswered.map((word) => word.sentAtMs);
    return sentAtMs.toSorted((one, other) => one - other).at(-1);
  }

  apply({ isWhole, live, ended, aheadMs = this.#aheadMs }: OwnOrdersUpdate): void {
    this.#aheadMs = Math.max(this.#aheadMs, aheadMs);
    if (isWhole) {
      for (const word of [...this.#live.values()]) this.#end(word);
      this.#isWhole = true;
    }
    for (const end of ended) this.#end(end);
    for (const word of live) this.#add(word);
  }

  /** All that is known, to be told to somebody who knows nothing. */
  whole(): OwnOrdersUpdate {
    const ended = [...this.#ended].map((orderHash) => ({ orderHash }));
    return { isWhole: true, live: [...this.#live.values()], ended, aheadMs: this.#aheadMs };
  }

  live(scope: CancelScope): readonly OrderHash[] {
    const within = [...this.#live.values()].filter((word) => isWithin(word, scope));
    return within.flatMap(({ orderHash }) => orderHash ?? []);
  }

  /**
   * By hash, or by what an unanswered placement asks for. An external order that is just like one is
   * taken for ours as long as ours may arrive: a kill that leaves one of ours would be worse.
   */
  among(reports: readonly OrderReport[]): readonly OrderReport[] {
    const inFlight = this.#inFlight();
    const beforeMs = BEFORE_MS_MAX + this.#aheadMs;
    const isOurs = (report: OrderReport) =>
      this.#isKnown(report) || isPending(inFlight, report, beforeMs);
    return reports.filter(isOurs);
  }

  #isKnown({ orderHash }: OrderReport): boolean {
    return this.#liveHashes.has(orderHash) || this.#ended.has(orderHash);
  }

  /** The earliest time of sending, by what is asked for. */
  #inFlight(): ReadonlyMap<string, UnixMs> {
    const inFlight = new Map<string, UnixMs>();
    for (const word of this.#live.values()) {
      if (word.orderHash !== undefined) continue;
      const key = keyOf(word, word.priceMilli);
      const known = inFlight.get(key);
      if (known === undefined || word.sentAtMs < known) inFlight.set(key, word.sentAtMs);
    }
    return inFlight;
  }

  #add(word: OwnOrderWord): void {
    const { intentId, orderHash } = word;
    this.#live.set(intentId, word);
    if (orderHash !== undefined) this.#liveHashes.set(orderHash, intentId);
    if (this.#live.size <= LIVE_MAX) return;
    const oldest = this.#live.values().next().value;
    if (oldest !== undefined) this.#end(oldest);
  }

  #end({ intentId, orderHash }: OwnEnd): void {
    const id = intentId ?? (orderHash && this.#liveHashes.get(orderHash));
    const hash = orderHash ?? (id && this.#live.get(id)?.orderHash);
    if (id !== undefined) this.#live.delete(id);
    if (hash === undefined) return;
    this.#liveHashes.delete(hash);
    this.#ended.add(hash);
    if (this.#ended.size <= ENDED_MAX) return;
    const oldest = this.#ended.values().next().value;
    if (oldest !== undefined) this.#ended.delete(oldest);
  }
}

function isWithin({ tokenId, marketId }: OwnOrderWord, scope: CancelScope): boolean {
  switch (scope.kind) {
    case 'account':
      return true;
    case 'token':
      return tokenId === scope.tokenId;
    case 'market':
      return marketId === scope.marketId;
  }
}

function isPending(
  inFlight: ReadonlyMap<string, UnixMs>,
  report: OrderReport,
  beforeMs: number,
): boolean {
  const sentAtMs = inFlight.get(keyOf(report, report.price));
  const { createdAtMs, isOffGrid = false } = report;
  // Nothing of ours is priced between ticks; such a price is told to the nearest.
  if (sentAtMs === undefined || isOffGrid) return false;
  return createdAtMs === undefined || createdAtMs >= sentAtMs - beforeMs;
}

function keyOf(
  order: Pick<OwnOrderWord, 'tokenId' | 'side' | 'quantity'>,
  priceMilli: number,
): string {
  return `${order.tokenId} ${order.side} ${priceMilli} ${order.quantity}`;
}
