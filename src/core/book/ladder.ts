// The levels of one book, dense: a price has at most 999 legal ticks, so a level is an array slot.
//
// Both sides lie in one slab, bids first, and what is kept of both stands in one small array, so that
// a change of either side runs through the same instructions. That change is `BookMirror.onDelta`;
// here is everything that does not happen thousands of times a second.

import type { TickGrid } from '../../domain/ticks.ts';

/** A side as a number: 0 for bids, 1 for asks. */
export type SideIndex = number;

export class Ladder {
  /** Ranks of one side, the unused rank 0 included. */
  readonly end: number;
  /** Micro-shares by rank: a bid at its rank, an ask at `end` plus its rank. */
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
    return this.sizes[(this.end & -side) + rank] ?? 0;
  }

  /** The next occupied rank below, or 0. */
  nextBelow(side: SideIndex, rank: number): number {
    const { sizes } = this;
    const start = this.end & -side;
    let slot = start + Math.min(rank, this.best(side) + 1) - 1;
    while (slot > start && sizes[slot] === 0) slot -= 1;
    return Math.max(0, slot - start);
  }

  /** Whether the level at the best rank is gone, so that it is the best no more. */
  isBestEmpty(side: SideIndex): boolean {
    return this.at(side, this.best(side)) === 0;
  }

  /** Makes the next occupied rank below the best one. */
  sink(side: SideIndex): void {
    const { sizes } = this;
    const start = this.end & -side;
    let slot = start + this.best(side);
    while (slot > start && sizes[slot] === 0) slot -= 1;
    this.kept[side] = slot - start;
  }

  /** Takes in a level of a baseline. @returns Whether the rank was free; if not, nothing changes. */
  add(side: SideIndex, rank: number, size: number): boolean {
    const slot = (this.end & -side) + rank;
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
    const start = end & -side;
    let rank = kept[side + 4] ?? 0;
    let excess = this.count(side) - levels;
    while (excess > 0 || (rank < end && sizes[start + rank] === 0)) {
      if (sizes[start + rank] !== 0) excess -= 1;
      sizes[start + rank] = 0;
      rank += 1;
    }
    kept[side + 2] = levels;
    kept[side + 4] = rank;
    return rank;
  }

  clear(side: SideIndex): void {
    const start = this.end & -side;
    this.sizes.fill(0, start, start + this.end);
    this.kept[side] = 0;
    this.kept[side + 2] = 0;
    this.kept[side + 4] = 1;
  }
}
