// Mirror of one token's book from the venue's frames, and whether it can be trusted.
//
// The feed has no sequence numbers (Order book channel), so a lost frame shows only in its
// consequences. Whatever makes the mirror doubtful makes it `suspect`, and it stays so until the
// next snapshot: that the doubt seems to pass does not bring the lost frame back.

import { assert } from '../../domain/assert.ts';
import type { BookSide, Level } from '../../domain/message.ts';
import { type MicroShares, microShares } from '../../domain/shares.ts';
import { slotTicks, type TickGrid, type Ticks } from '../../domain/ticks.ts';
import { type UnixMs, unixMs } from '../../domain/time.ts';
import { TRUST_DEFAULTS, type TrustSettings, type TrustSignal } from '../../domain/trust.ts';
import {
  Ladder,
  type Levels,
  MirrorSide,
  NO_RANK,
  priceOf,
  rankOf,
  type SideIndex,
} from './ladder.ts';

/**
 * The mirror itself finds `crossed`, `unreadable`, `clock` and `depth` (all levels within the
 * subscribed depth are gone, what lies beyond is not known); the rest are verdicts from outside.
 */
export type SuspectCause = Exclude<TrustSignal, 'socket' | 'snapshot'>;

export type BookState =
  /** No snapshot since the subscription or the loss of the connection. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'live' }
  | {
      readonly kind: 'suspect';
      readonly cause: SuspectCause;
      readonly detail: string;
    };

export type SnapshotFrame = {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  readonly venueTs: UnixMs | undefined;
};

export type DeltaFrame = {
  readonly side: BookSide;
  readonly price: Ticks;
  readonly size: MicroShares;
  readonly venueTs: UnixMs | undefined;
};

/** The venue flushes net level changes this often. @spec Events › Order book channel (Public) */
export const FLUSH_MS = 150;

type MirrorLimits = Pick<TrustSettings, 'partialUpdateMs' | 'clockBackMs'>;

/** Ranks that moved while somebody watched, one byte each, by side. */
export type LevelMarks = { readonly bid: Uint8Array; readonly ask: Uint8Array };

const EMPTY: BookState = Object.freeze({ kind: 'empty' });
const LIVE: BookState = Object.freeze({ kind: 'live' });
/** No such time yet: NaN keeps the fields plain doubles, which are stored without allocating. */
const NEVER: UnixMs = unixMs(Number.NaN);

/**
 * One token's book. Applying a delta is O(1) but for short walks, and allocates nothing.
 * @spec Events › Order book channel (Public)
 */
export class BookMirror {
  // What an update looks at comes first, so that it lies together: among a thousand books it waits for
  // memory and for little else.
  readonly #kept: Int32Array;
  readonly #sizes: Float64Array;
  readonly #end: number;
  readonly #depth: number;
  #isPartial = false;
  /** Set while an audit compares: what moves meanwhile cannot be judged. */
  marks: LevelMarks | undefined;
  #state: BookState = EMPTY;
  #lastUpdateMs = NEVER;
  #lastVenueTs = NEVER;
  /** The latest `ts` of the connection before. */
  #heardVenueTs = NEVER;
  #partialSinceMs = NEVER;
  #partialVenueTs = NEVER;
  readonly grid: TickGrid;
  limits: MirrorLimits = TRUST_DEFAULTS;
  readonly #ladder: Ladder;
  readonly #bids: MirrorSide;
  readonly #asks: MirrorSide;
  #epoch = 0;

  /** @param depth - Levels a side that the subscription asked for. */
  constructor(grid: TickGrid, depth: number) {
    assert(Number.isSafeInteger(depth) && depth >= 1, 'a book depth is a positive integer');
    this.grid = grid;
    this.#ladder = new Ladder(grid);
    this.#kept = this.#ladder.kept;
    this.#sizes = this.#ladder.sizes;
    this.#end = this.#ladder.end;
    this.#depth = depth;
    this.#bids = new MirrorSide(this.#ladder, grid, { side: 'bid', depth });
    this.#asks = new MirrorSide(this.#ladder, grid, { side: 'ask', depth });
  }

  get state(): BookState {
    return this.#state;
  }

  /**
   * Live and, at this moment, whole: between the frames of one flush a book may look crossed, which
   * is no fault yet but nothing to price from either.
   */
  get isPriceable(): boolean {
    return this.#state.kind === 'live' && !this.#isPartial;
  }

  /** When a snapshot or delta last arrived, by our clock. */
  get lastUpdateMs(): UnixMs | undefined {
    return known(this.#lastUpdateMs);
  }

  /** The latest `ts` of any frame since the last snapshot. */
  get lastVenueTs(): UnixMs | undefined {
    return known(this.#lastVenueTs);
  }

  /** Grows with every baseline and every loss of one: what belongs to another epoch is void. */
  get epoch(): number {
    return this.#epoch;
  }

  best(side: BookSide): Ticks | undefined {
    const count = side === 'bid' ? this.#ladder.bestBid : this.#ladder.bestAsk;
    return count > 0 ? slotTicks(count) : undefined;
  }

  /** Displayed shares at a price, our own included. */
  sizeAt(side: BookSide, price: Ticks): MicroShares {
    return microShares(this.levels(side).at(rankOf(this.grid, side, price)));
  }

  /** The worst price up to which a side is known; `undefined` when all of it is. */
  edge(side: BookSide): Ticks | undefined {
    return priceOf(this.grid, side, this.#sideOf(side).edge);
  }

  /** Whether a side whose far levels are not known has lost most of the others. */
  get isRunningLow(): boolean {
    return this.#bids.isRunningLow || this.#asks.isRunningLow;
  }

  /** The dense levels of a side, by rank; read only outside this room. */
  levels(side: BookSide): Levels {
    return this.#sideOf(side).levels;
  }

  /** Whether a baseline says what this mirror says already, as far as both know it. */
  isSameAs(frame: SnapshotFrame): boolean {
    return this.#bids.isSameAs(frame.bids) && this.#asks.isSameAs(frame.asks);
  }

  /**
   * A full baseline: it replaces everything and ends any suspicion, unless it is stamped earlier than the frame
   * before. One that says what is known already is no news, however it is stamped.
   */
  onSnapshot(frame: SnapshotFrame, nowMs: UnixMs): void {
    const isNews = this.#state !== LIVE || !this.isSameAs(frame);
    this.#epoch += 1;
    const areBidsUnique = this.#bids.load(frame.bids);
    const areAsksUnique = this.#asks.load(frame.asks);
    const venueTs = frame.venueTs ?? NEVER;
    const heardTs = this.lastVenueTs ?? this.#heardVenueTs;
    this.#lastVenueTs = venueTs;
    this.#state = LIVE;
    this.#isPartial = false;
    this.#lastUpdateMs = nowMs;
    this.#watchPartial(venueTs, nowMs);
    if (!areBidsUnique || !areAsksUnique) {
      this.suspect('unreadable', 'a snapshot states a price twice');
    }
    if (isNews && venueTs < heardTs) this.#onBackwards(heardTs - venueTs);
  }

  /**
   * The new size of one level.
   *
   * A delta stamped earlier than the snapshot is applied all the same: sizes are absolute and the
   * connection keeps their order, so what arrives later is the later truth.
   */
  onDelta(frame: DeltaFrame, nowMs: UnixMs): void {
    const { venueTs, size } = frame;
    if (venueTs !== this.#lastVenueTs && !this.#onFlushEdge(venueTs, nowMs)) return;
    const end = this.#end;
    const kept = this.#kept;
    const sizes = this.#sizes;
    // Of which side a change is, and whether its level comes or goes, a processor cannot foresee, and
    // a wrong guess costs more than all the rest. So both are numbers that take part in sums.
    const side = Number(frame.side === 'ask');
    const mask = -side;
    // N − t for an ask: the complement of t plus N + 1.
    const rank = (frame.price ^ mask) + ((end + 1) & mask);
    this.#lastUpdateMs = nowMs;
    if (this.marks !== undefined) this.marks[frame.side][rank] = 1;
    if (rank < (kept[side + 4] ?? 0) || rank >= end) {
      assert(rank > NO_RANK && rank < end, 'a price is on the grid of its book');
      return;
    }
    const slot = 2 * rank + side;
    const hasSome = Number(size > 0);
    kept[side + 2] = (kept[side + 2] ?? 0) + hasSome - Number(sizes[slot] !== 0);
    sizes[slot] = size;
    const best = kept[side] ?? 0;
    // The higher of the best and this rank, which counts as 0 when nothing rests there now.
    const candidate = rank & -hasSome;
    const ahead = best - candidate;
    const next = best - (ahead & (ahead >> 31));
    kept[side] = next;
    const isBestGone = ((rank ^ best) | candidate) === 0;
    if (isBestGone || next + (kept[side ^ 1] ?? 0) >= end || this.#isPartial) {
      this.#onTouch(side, venueTs, nowMs);
    }
  }

  /** The connection is gone, or the subscription is being renewed: nothing is known any more. */
  onDisconnect(): void {
    this.#bids.clear();
    this.#asks.clear();
    this.#epoch += 1;
    this.#state = EMPTY;
    this.#isPartial = false;
    this.#heardVenueTs = this.lastVenueTs ?? this.#heardVenueTs;
    this.#lastVenueTs = NEVER;
  }

  /** Time passed: a book that still looks partially updated is now suspect. */
  onTick(nowMs: UnixMs): void {
    if (this.#isPartial && nowMs - this.#partialSinceMs >= this.limits.partialUpdateMs)
      this.#confirmPartial();
  }

  /** Withdraws trust until the next snapshot; the first cause is kept. */
  suspect(cause: SuspectCause, detail: string): void {
    if (this.#state.kind !== 'live') return;
    this.#state = { kind: 'suspect', cause, detail };
  }

  #sideOf(side: BookSide): MirrorSide {
    return side === 'bid' ? this.#bids : this.#asks;
  }

  /** A best is gone, the sides meet, or the book looks partially updated: nothing else can tear or mend it. */
  #onTouch(side: SideIndex, venueTs: UnixMs | undefined, nowMs: UnixMs): void {
    const ladder = this.#ladder;
    if (ladder.isBestEmpty(side)) {
      ladder.sink(side);
      // A side that moved away from the other met nothing, and it has a best still.
      if (ladder.best(side) !== NO_RANK && !this.#isPartial) return;
    }
    this.#watchPartial(venueTs, nowMs);
  }

  /**
   * Before a frame of another `ts`, or of none: what belongs between two flushes. A book without a
   * baseline has no `ts`, so each of its frames comes by here and need not be asked about elsewhere.
   * @returns Whether there is a baseline that the frame can change.
   */
  #onFlushEdge(stamp: UnixMs | undefined, nowMs: UnixMs): boolean {
    const venueTs = stamp ?? NEVER;
    if (this.#state === EMPTY) return false;
    // With a thousand books each object that need not be looked at is memory not waited for.
    const kept = this.#kept;
    if ((kept[2] ?? 0) >= this.#depth || (kept[3] ?? 0) >= this.#depth) {
      this.#bids.trim();
      this.#asks.trim();
    }
    if (this.#isPartial && this.#isLaterFlush(venueTs, nowMs)) this.#confirmPartial();
    if (venueTs < this.#lastVenueTs) this.#onBackwards(this.#lastVenueTs - venueTs);
    else if (!Number.isNaN(venueTs)) this.#lastVenueTs = venueTs;
    return true;
  }

  /** Whatever the next frame is stamped, it has not gone back. */
  forgetStamp(): void {
    this.#lastVenueTs = NEVER;
    this.#heardVenueTs = NEVER;
  }

  #onBackwards(backMs: number): void {
    if (backMs > this.limits.clockBackMs) this.suspect('clock', `ts went back ${backMs} ms`);
  }

  /** Remembers since when the book looks partially updated; `onFlushEdge` and `onTick` judge it. */
  #watchPartial(venueTs: UnixMs | undefined, nowMs: UnixMs): void {
    const wasPartial = this.#isPartial;
    this.#isPartial = this.#ladder.isCrossed || this.#bids.isExhausted || this.#asks.isExhausted;
    if (!this.#isPartial || wasPartial) return;
    this.#partialSinceMs = nowMs;
    this.#partialVenueTs = venueTs ?? NEVER;
  }

  /** A frame this much later than the tear, by either clock, is certainly of a later flush. */
  #isLaterFlush(venueTs: UnixMs, nowMs: UnixMs): boolean {
    return (
      nowMs - this.#partialSinceMs >= this.limits.partialUpdateMs ||
      venueTs - this.#partialVenueTs >= FLUSH_MS
    );
  }

  #confirmPartial(): void {
    if (this.#ladder.isCrossed) {
      const detail = `bid ${this.best('bid')} at or above ask ${this.best('ask')}, in ticks`;
      this.suspect('crossed', detail);
    } else {
      this.suspect('depth', 'every level within the subscribed depth is gone');
    }
  }
}

function known(at: UnixMs): UnixMs | undefined {
  return Number.isNaN(at) ? undefined : at;
}
