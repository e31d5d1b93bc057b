// What the breakers count, for the account and for each market.

import { consequenceOf, isVenueCode } from '../../domain/codes.ts';
import type { MarketId } from '../../domain/ids.ts';
import type { StoredRecent, StoredRefusal } from '../../domain/record.ts';
import type { StoredCleared } from '../../domain/risk.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { AxisSide } from '../../strategy/index.ts';
import { dropOldest } from '../kernel/bounds.ts';

type Fill = StoredRecent['fills'][number];

/** What happened in markets that this run has not met yet; as much as a ledger tells. */
class Recent<Happened extends { readonly marketId: MarketId }> {
  readonly #byMarket = new Map<MarketId, Happened[]>();

  add(one: Happened): void {
    const known = this.#byMarket.get(one.marketId);
    if (known) known.push(one);
    else this.#byMarket.set(one.marketId, [one]);
  }

  /** Once: what follows is for the market itself to count. */
  take(marketId: MarketId): readonly Happened[] {
    const all = this.#byMarket.get(marketId) ?? [];
    this.#byMarket.delete(marketId);
    return all;
  }
}

/** What is counted for the whole account. */
export class BreakerCounts {
  readonly orders = new SlidingCount();
  readonly fills = new SlidingCount();
  readonly refusals = new RefusalCounts();
  readonly failures = new SlidingCount();
  /** When those settlements failed, oldest first. */
  failuresAtMs: readonly UnixMs[] = [];
  readonly cleared = new Cleared();
  /** Of previous runs. */
  readonly recentFills = new Recent<Fill>();
  readonly recentRefusals = new Recent<StoredRefusal>();
}

export class MarketCounts {
  readonly fills = new SlidingCount();
  readonly refusals = new RefusalCounts();
  readonly bySide: Readonly<Record<AxisSide, RefusalCounts>> = {
    bid: new RefusalCounts(),
    ask: new RefusalCounts(),
  };
}

// How often something happened within an interval, and how much of it: fixed memory and O(1) for an
// addition. The window slides in twentieths, and what it counts is up to that much older than stated: a
// limit holds for whatever interval of that length, and so for some a little longer.

const SLOTS = 20;
/** The one that is under way is no whole one. */
const KEPT = SLOTS + 1;

/** How long ago something may have happened that an interval still counts. */
export function countedForMs(intervalMs: number): number {
  return Math.ceil((intervalMs * KEPT) / SLOTS);
}

/** So many at once, and how much of it. */
type Counting = { readonly count: number; readonly amount: number };

const ONE: Counting = Object.freeze({ count: 1, amount: 0 });

export class SlidingCount {
  readonly #counts = new Float64Array(KEPT);
  readonly #amounts = new Float64Array(KEPT);
  #intervalMs = 0;
  #slot = Number.NEGATIVE_INFINITY;
  #count = 0;
  #amount = 0;

  /** Occurrences within the interval that ends with the last call, and up to a twentieth of it before. */
  get count(): number {
    return this.#count;
  }

  get amount(): number {
    return this.#amount;
  }

  add(nowMs: UnixMs, intervalMs: number, what: Counting = ONE): void {
    this.advance(nowMs, intervalMs);
    const place = this.#slot % KEPT;
    this.#counts[place] = (this.#counts[place] ?? 0) + what.count;
    this.#amounts[place] = (this.#amounts[place] ?? 0) + what.amount;
    this.#count += what.count;
    this.#amount += what.amount;
  }

  /** Forgets what has left the interval; another interval begins anew. */
  advance(nowMs: UnixMs, intervalMs: number): void {
    if (intervalMs !== this.#intervalMs) this.clear(intervalMs);
    const slot = Math.floor((nowMs * SLOTS) / intervalMs);
    if (slot <= this.#slot) return;
    const from = Math.max(this.#slot + 1, slot - SLOTS);
    for (let each = from; each <= slot; each += 1) this.#forget(each % KEPT);
    this.#slot = slot;
  }

  clear(intervalMs = this.#intervalMs): void {
    this.#counts.fill(0);
    this.#amounts.fill(0);
    this.#count = 0;
    this.#amount = 0;
    this.#intervalMs = intervalMs;
    this.#slot = Number.NEGATIVE_INFINITY;
  }

  #forget(place: number): void {
    this.#count -= this.#counts[place] ?? 0;
    this.#amount -= this.#amounts[place] ?? 0;
    this.#counts[place] = 0;
    this.#amounts[place] = 0;
  }
}

// Refusals by code within a sliding interval.

/** Codes counted apart at one place: the venue has 33, and what it invents must not fill memory. */
const CODES_MAX = 40;

/** The condition of one market, and what nobody has named, costs no other market a quote. */
export function isOfAccount(code: string): boolean {
  return isVenueCode(code) && consequenceOf(code) !== 'stopMarket';
}

class RefusalCounts {
  readonly #byCode = new Map<string, SlidingCount>();

  /** @returns How many of this code there were in the interval, this one included. */
  add(of: { readonly code: string; readonly nowMs: UnixMs; readonly intervalMs: number }): number {
    const window = this.#windowOf(of.code);
    window.add(of.nowMs, of.intervalMs);
    return window.count;
  }

  /** The most of any code. */
  most(nowMs: UnixMs, intervalMs: number): number {
    let most = 0;
    for (const window of this.#byCode.values()) {
      window.advance(nowMs, intervalMs);
      most = Math.max(most, window.count);
    }
    return most;
  }

  clear(code: string): void {
    this.#byCode.delete(code);
  }

  forget(): void {
    this.#byCode.clear();
  }

  #windowOf(code: string): SlidingCount {
    const known = this.#byCode.get(code);
    if (known) return known;
    const fresh = new SlidingCount();
    this.#byCode.set(code, fresh);
    dropOldest(this.#byCode, CODES_MAX);
    return fresh;
  }
}

// When breakers began to count anew, for the runs to come: their ledger tells what was sent, filled and
// refused, and not what of it has tripped a breaker already, or was seen by an operator.

/** What is forgotten is counted once more by a later run: that stops too early, and never too late. */
const CLEARED_MAX = 1_000;
/** No breaker counts for longer. */
const INTERVAL_MS_MAX = 86_400_000;

/** What counts for itself: a breaker, the market or the account that it counts, and a code of refusals. */
export type Counted = Omit<StoredCleared, 'atMs'>;

class Cleared {
  /** The latest of each. */
  readonly #byScope = new Map<string, StoredCleared>();

  /** A later one takes its place. */
  add(cleared: StoredCleared): void {
    const key = keyOf(cleared);
    this.#byScope.delete(key);
    this.#byScope.set(key, cleared);
    dropOldest(this.#byScope, CLEARED_MAX);
  }

  /** Until when what happened counts no more, `undefined` where everything does. */
  untilMs({ code, ...scope }: Counted): UnixMs | undefined {
    const ofAll = this.#byScope.get(keyOf(scope))?.atMs;
    const ofCode =
      code === undefined ? undefined : this.#byScope.get(keyOf({ ...scope, code }))?.atMs;
    if (ofAll === undefined || ofCode === undefined) return ofAll ?? ofCode;
    return ofAll > ofCode ? ofAll : ofCode;
  }

  /** All that may still matter to a run that begins now or later. */
  current(nowMs: UnixMs): readonly StoredCleared[] {
    for (const [key, { atMs }] of this.#byScope) {
      if (nowMs - atMs > INTERVAL_MS_MAX) this.#byScope.delete(key);
    }
    return [...this.#byScope.values()];
  }
}

function keyOf({ control, marketId, code }: Counted): string {
  return JSON.stringify([control, marketId, code]);
}
