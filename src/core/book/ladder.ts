// The levels of one book, dense: a price has at most 999 legal ticks, so a level is an array slot.
//
// Both sides lie in one slab, rank by rank, so that what is near the middle of a book is near in memory
// too, and what is kept of both stands in one small array: a change of either side runs through the
// same instructions. That change is `BookMirror.onDelta`;
// here is everything that does not happen thousands of times a second.

import { assert } from '../../domain/assert.ts';
import type { BookSide, Level } from '../../domain/message.ts';
import { slotTicks, type TickGrid, type Ticks } from '../../domain/ticks.ts';

/** A side as a number: 0 for bids, 1 for asks. */
export type SideIndex = number;

export class Ladder {
  /** Ranks of one side, the unused rank 0 included. */
  readonly end: number;
  /** Micro-shares: a bid at twice its rank, an ask one further. */
  readonly sizes: Float64Array;
  /**
   * Two figures in a row each, of the bids and of the asks: at 0 the highest occupied rank or 0, at 2
   * the number of levels, at 4 the lowest rank that is known.
   */
  readonly kept = new Int32Array(6);

  constructor(grid: TickGrid) {
    this.end = grid.ticksPerUnit;
    this.sizes = new Float64Array(2 * this.end);
    this.clear(0);
    this.clear(1);
  }

  /** In ticks; 0 when nothing rests there. */
  get bestBid(): number {
    return this.kept[0] ?? 0;
  }

  /** In ticks; 0 when nothing rests there. */
  get bestAsk(): number {
    const rank = this.kept[1];
    return rank ? this.end - rank : 0;
  }

  /** Both sides have a best and they meet: in ranks, where their sum is `end` or more. */
  get isCrossed(): boolean {
    return this.best(0) + this.best(1) >= this.end;
  }

  /** Highest occupied rank, or 0. */
  best(side: SideIndex): number {
    return this.kept[side] ?? 0;
  }

  /** Occupied ranks. */
  count(side: SideIndex): number {
    return this.kept[side + 2] ?? 0;
  }

  at(side: SideIndex, rank: number): number {
    return this.sizes[2 * rank + side] ?? 0;
  }

  /** Whether the level at the best rank is gone, so that it is the best no more. */
  isBestEmpty(side: SideIndex): boolean {
    return this.at(side, this.best(side)) === 0;
  }

  /** The rank of the level at a place, counted from the best one; there are as many. */
  rankAt(side: SideIndex, place: number): number {
    let rank = this.best(side);
    for (let left = place - 1; left > 0; rank -= 1) if (this.at(side, rank - 1) !== 0) left -= 1;
    return rank;
  }

  /** Makes the next occupied rank below the best one. */
  sink(side: SideIndex): void {
    const { sizes } = this;
    let at = this.best(side);
    while (at > 0 && sizes[2 * at + side] === 0) at -= 1;
    this.kept[side] = at;
  }

  /** Takes in a level of a baseline. @returns Whether the rank was free; if not, nothing changes. */
  add(side: SideIndex, rank: number, size: number): boolean {
    const slot = 2 * rank + side;
    if (this.sizes[slot] !== 0) return false;
    if (size === 0) return true;
    this.sizes[slot] = size;
    this.kept[side + 2] = this.count(side) + 1;
    this.kept[side] = Math.max(this.best(side), rank);
    return true;
  }

  /**
   * Forgets the worst levels beyond so many, and what lies beyond them is unknown from now on.
   * @returns The worst rank that is left.
   */
  cut(side: SideIndex, levels: number): number {
    const { end, kept, sizes } = this;
    let rank = kept[side + 4] ?? 0;
    let excess = this.count(side) - levels;
    while (rank < end && (excess > 0 || sizes[2 * rank + side] === 0)) {
      if (sizes[2 * rank + side] !== 0) excess -= 1;
      sizes[2 * rank + side] = 0;
      rank += 1;
    }
    kept[side + 2] = levels;
    kept[side + 4] = rank;
    return rank;
  }

  clear(side: SideIndex): void {
    for (let slot = side; slot < this.sizes.length; slot += 2) this.sizes[slot] = 0;
    this.kept[side] = 0;
    this.kept[side + 2] = 0;
    this.kept[side + 4] = 1;
  }
}

// Ranks, the slots of a dense book, and one side of a book as others read it.
//
// A bid at tick t has rank t, an ask has rank N − t (N ticks make one dollar), so on both sides a
// higher rank is nearer to the middle and one piece of code serves both. A rank is also the
// complement's view: an ask of NO has the rank of the YES bid that it amounts to.

/** No level; every legal rank is at least 1. */
export const NO_RANK = 0;

/** @throws {AssertionError} when the price belongs to a finer grid: it has no slot here. */
export function rankOf(grid: TickGrid, side: BookSide, price: Ticks): number {
  assert(price < grid.ticksPerUnit, 'a price is on the grid of its book');
  return side === 'bid' ? price : grid.ticksPerUnit - price;
}

export function priceOf(grid: TickGrid, side: BookSide, rank: number): Ticks | undefined {
  if (rank === NO_RANK) return undefined;
  return slotTicks(side === 'bid' ? rank : grid.ticksPerUnit - rank);
}

/**
 * One side of a ladder by rank, to be read. It holds on to the ladder's arrays themselves: a walk over a
 * book among a thousand waits for each object that it goes by.
 */
export class Levels {
  readonly #kept: Int32Array;
  readonly #sizes: Float64Array;
  readonly #side: SideIndex;

  constructor({ kept, sizes }: Ladder, side: SideIndex) {
    this.#kept = kept;
    this.#sizes = sizes;
    this.#side = side;
  }

  /** Highest occupied rank, or `NO_RANK`. */
  get best(): number {
    return this.#kept[this.#side] ?? 0;
  }

  get count(): number {
    return this.#kept[this.#side + 2] ?? 0;
  }

  /** Micro-shares at a rank, zero where nothing rests. */
  at(rank: number): number {
    return this.#sizes[2 * rank + this.#side] ?? 0;
  }

  nextBelow(rank: number): number {
    const sizes = this.#sizes;
    const side = this.#side;
    let at = Math.min(rank, this.best + 1) - 1;
    while (at > 0 && sizes[2 * at + side] === 0) at -= 1;
    return Math.max(NO_RANK, at);
  }
}

// One side of a token's book as far as the subscribed depth lets us know it.

/** The part of a window that is left when a fuller one is due. */
const LOW_PART = 0.25;

/**
 * Levels at or better than the edge are known; beyond it they are unknown, not absent.
 *
 * A snapshot of `depth` levels shows a window, and the venue may follow the window or not: it may
 * send removals for levels that leave it, additions for levels that enter, or neither. What is
 * right in each case is to keep the best `depth` levels only, never to move the edge outwards
 * between snapshots, and to ignore deltas beyond it. A level we keep is then always one of the
 * venue's best `depth`, so its deltas must reach us and no phantom can surface later.
 */
export class MirrorSide {
  readonly levels: Levels;
  readonly #ladder: Ladder;
  readonly #index: SideIndex;
  readonly #grid: TickGrid;
  readonly #side: BookSide;
  readonly #depth: number;
  #edge = NO_RANK;

  constructor(ladder: Ladder, grid: TickGrid, of: { side: BookSide; depth: number }) {
    this.#ladder = ladder;
    this.#index = of.side === 'bid' ? 0 : 1;
    this.levels = new Levels(ladder, this.#index);
    this.#grid = grid;
    this.#side = of.side;
    this.#depth = of.depth;
  }

  /**
   * The worst known rank, `NO_RANK` when the whole side is known. A flush may have brought more levels than the
   * window has; what lies beyond is known no more, though it is forgotten only before the next flush.
   */
  get edge(): number {
    if (this.levels.count < this.#depth) return this.#edge;
    return this.#ladder.rankAt(this.#index, this.#depth);
  }

  /** Every known level is gone and unknown ones may exist: the best price is not known. */
  get isExhausted(): boolean {
    return this.#edge !== NO_RANK && this.levels.count === 0;
  }

  /** Unknown levels may exist, and most of those that were known are gone. */
  get isRunningLow(): boolean {
    return this.#edge !== NO_RANK && this.levels.count <= Math.floor(this.#depth * LOW_PART);
  }

  /** Replaces everything; `false` when a price stands there twice. */
  load(snapshot: readonly Level[]): boolean {
    this.clear();
    let isUnique = true;
    for (const { price, size } of snapshot) {
      const rank = rankOf(this.#grid, this.#side, price);
      if (!this.#ladder.add(this.#index, rank, size)) isUnique = false;
    }
    this.trim();
    return isUnique;
  }

  /** Whether a snapshot says the same of every level that both know. */
  isSameAs(snapshot: readonly Level[]): boolean {
    let shared = 0;
    for (const { price, size } of snapshot) {
      const rank = rankOf(this.#grid, this.#side, price);
      if (rank < this.#edge) continue;
      if (this.levels.at(rank) !== size) return false;
      shared += 1;
    }
    // A window that has lost levels knows fewer than the snapshot, and contradicts none of them.
    return shared === this.levels.count;
  }

  /**
   * Forgets levels beyond the subscribed depth, and no longer knows what lies beyond a full window.
   * Called between flushes: inside one, a level may be added before another is removed.
   */
  trim(): void {
    if (this.levels.count < this.#depth) return;
    this.#edge = this.#ladder.cut(this.#index, this.#depth);
  }

  clear(): void {
    this.#ladder.clear(this.#index);
    this.#edge = NO_RANK;
  }
}
