// What the daemon believes to hold is what it holds, or it does not quote: by its own records, and by
// what matched on the venue.

import { signed } from '../../../src/core/inventory/pending.ts';
import type { MarketId, TokenId } from '../../../src/domain/ids.ts';
import type { LedgerRecord, StoredSets } from '../../../src/domain/record.ts';
import type { PlaceCommand } from '../world/network.ts';
import { LEARNT_MS } from './excuses.ts';
import type { OrderFacts } from './facts.ts';

/** A lost frame of a fill shows in the next list but one, and stops the market then. */
const WRONG_MS = 60_000;
/** Beliefs are held against the truth this often. */
const LOOK_MS = 1_000;

/** What somebody else traded settles, shows in positions, and then no lag explains it any more. */
const FOREIGN_MS = 300_000;
/** A failed settlement of which nobody told shows when no lag explains the positions any more. */
const FAILED_MS = 300_000;
/** What was adopted just now is written a moment later. */
const WRITTEN_MS = 5_000;

/** What happened so short a time before a death may be on no disk. */
const COMMIT_MS = 1_000;

const UNDER_WAY: ReadonlySet<StoredSets['state']> = new Set(['sent', 'accepted', 'unknown']);

type Foreign = { readonly micro: number; readonly sinceMs: number };
type Failures = { readonly unheard: number; readonly atMs: number };

export class Holdings {
  readonly #believed = new Map<TokenId, number>();
  readonly #wrongSince = new Map<TokenId, number>();
  /** Tokens that were quoted all the same, and since when. */
  readonly #quotedSince = new Map<TokenId, number>();
  readonly #foreign = new Map<TokenId, Foreign>();
  readonly #failures = new Map<MarketId, Failures>();
  /** Failures that the life at hand took back, and which its disk may not have. */
  #reversed: { readonly marketId: MarketId; readonly atMs: number }[] = [];
  #isUnwritable = false;
  /** Markets with a chain action that is not proven yet. */
  readonly #recycling = new Set<MarketId>();
  #lookedAtMs = 0;
  #countsFromMs = 0;

  onRecord(record: LedgerRecord): void {
    if (record.kind === 'sets') this.#onSets(record.wishes);
    if (record.kind !== 'token') return;
    const { tokenId, settled, pending } = record.token;
    const matched = pending.reduce((sum, { side, quantity }) => sum + signed(side, quantity), 0);
    this.#believed.set(tokenId, settled + matched);
  }

  /** Millionths of a share, what matched included; absent where nothing was ever kept. */
  believed(tokenId: TokenId): number | undefined {
    return this.#believed.get(tokenId);
  }

  /** Balances had the last word on a token, and nothing of it waits any more; its record follows. */
  onAdopted(tokenId: TokenId, shares: string): void {
    this.#believed.set(tokenId, Math.round(Number(shares) * 1e6));
  }

  /** Sets that are split or merged are the daemon's own doing, and believed when positions show it. */
  #onSets(wishes: readonly StoredSets[]): void {
    this.#recycling.clear();
    for (const { order, state } of wishes) {
      if (UNDER_WAY.has(state)) this.#recycling.add(order.marketId);
    }
  }

  /** A settlement failed on the venue. */
  onFailed(marketId: MarketId, nowMs: number): void {
    const unheard = this.#unheard(marketId, nowMs);
    this.#failures.set(marketId, { unheard: unheard + 1, atMs: nowMs });
  }

  /** The daemon says that it took one back. */
  onReversed(marketId: MarketId, nowMs: number): void {
    const failures = this.#failures.get(marketId);
    if (failures === undefined) return;
    this.#failures.set(marketId, { ...failures, unheard: failures.unheard - 1 });
    this.#reversed = this.#notWritten(nowMs);
    this.#reversed.push({ marketId, atMs: nowMs });
  }

  /** Whether the disk takes what the daemon knows. */
  onLedger(isUnwritable: boolean): void {
    if (this.#isUnwritable && !isUnwritable) this.#reversed = [];
    this.#isUnwritable = isUnwritable;
  }

  /** What the disk did not take was told to a life that is over, and the next one has not heard of it. */
  #unhear(nowMs: number): void {
    for (const { marketId } of this.#notWritten(nowMs)) this.onFailed(marketId, nowMs);
    this.#reversed = [];
    this.#isUnwritable = false;
  }

  #notWritten(nowMs: number) {
    return this.#reversed.filter(({ atMs }) => this.#isUnwritable || nowMs - atMs <= COMMIT_MS);
  }

  /** Beliefs of a life whose memory was lost are nobody's, and the next one sees what lags. */
  forget(nowMs: number): void {
    this.#countsFromMs = nowMs + LEARNT_MS;
    this.#believed.clear();
    this.#wrongSince.clear();
    this.#quotedSince.clear();
  }

  /** A life that died wrote down no more of what it had learnt: the next one begins with what it left. */
  onLifeEnds(nowMs: number): void {
    this.#unhear(nowMs);
    this.#quotedSince.clear();
  }

  onPlacing({ orders }: PlaceCommand, nowMs: number): void {
    for (const { tokenId } of orders) {
      const wrongMs = nowMs - (this.#wrongSince.get(tokenId) ?? nowMs);
      if (nowMs < this.#countsFromMs || wrongMs <= WRONG_MS || this.#quotedSince.has(tokenId))
        continue;
      this.#quotedSince.set(tokenId, nowMs);
    }
  }

  /** @returns What is wrong about a token that is quoted. */
  look(
    facts: OrderFacts,
    marketOf: (tokenId: TokenId) => MarketId | undefined,
    nowMs: number,
  ): string | undefined {
    if (nowMs < this.#countsFromMs || nowMs - this.#lookedAtMs < LOOK_MS) return undefined;
    this.#lookedAtMs = nowMs;
    for (const [tokenId, believed] of this.#believed) {
      const truth = facts.totalMicro(tokenId);
      const isForeign = this.#isForeign(facts, tokenId, nowMs);
      const marketId = marketOf(tokenId);
      const isExcused = this.#unheard(marketId, nowMs) > 0 || this.isRecycling(marketId);
      this.#note(tokenId, believed === truth || isForeign || isExcused, nowMs);
      const quotedMs = nowMs - (this.#quotedSince.get(tokenId) ?? nowMs);
      if (quotedMs <= WRITTEN_MS) continue;
      return `${believed / 1e6} of ${tokenId} believed, ${truth / 1e6} there, and it is quoted`;
    }
    return undefined;
  }

  /** Whether the daemon's records say something else than the venue. */
  differs(facts: OrderFacts, tokenId: TokenId): boolean {
    return (this.#believed.get(tokenId) ?? 0) !== facts.totalMicro(tokenId);
  }

  /** Whether they have begun to, so little ago that it may be about to be put right. */
  differsOfLate(facts: OrderFacts, tokenId: TokenId, nowMs: number): boolean {
    const sinceMs = this.#wrongSince.get(tokenId) ?? nowMs;
    return this.differs(facts, tokenId) && nowMs - sinceMs <= WRONG_MS;
  }

  /** Whether somebody else traded a moment ago: it shows in positions only, and late. */
  #isForeign(facts: OrderFacts, tokenId: TokenId, nowMs: number): boolean {
    const micro = facts.positionMicro(tokenId, 'foreign');
    const known = this.#foreign.get(tokenId) ?? { micro: 0, sinceMs: Number.NEGATIVE_INFINITY };
    if (known.micro !== micro) this.#foreign.set(tokenId, { micro, sinceMs: nowMs });
    return known.micro !== micro || nowMs - known.sinceMs < FOREIGN_MS;
  }

  /** A chain action of the market is not proven yet. */
  isRecycling(marketId: MarketId | undefined): boolean {
    return marketId !== undefined && this.#recycling.has(marketId);
  }

  /** Failures that the daemon has not said to have taken back. */
  #unheard(marketId: MarketId | undefined, nowMs: number): number {
    const failures = marketId && this.#failures.get(marketId);
    return failures && nowMs - failures.atMs < FAILED_MS ? failures.unheard : 0;
  }

  #note(tokenId: TokenId, isRight: boolean, nowMs: number): void {
    if (!isRight) {
      if (!this.#wrongSince.has(tokenId)) this.#wrongSince.set(tokenId, nowMs);
      return;
    }
    this.#wrongSince.delete(tokenId);
    this.#quotedSince.delete(tokenId);
  }
}
