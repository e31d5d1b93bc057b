// One side of a token's book as far as the subscribed depth lets us know it.

import type { BookSide, Level } from '../../domain/message.ts';
import type { TickGrid } from '../../domain/ticks.ts';
import type { Ladder, SideIndex } from './ladder.ts';
import { Levels, NO_RANK, rankOf } from './levels.ts';

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
