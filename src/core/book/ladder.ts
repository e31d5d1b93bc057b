// The levels of one book, dense: a price has at most 999 legal ticks, so a level is an array slot.
//
// Both sides lie in one slab, rank by rank, so that what is near the middle of a book is near in memory
// too, and what is kept of both stands in one small array: a change of either side runs through the
// same instructions. That change is `BookMirror.onDelta`;
// here is everything that does not happen thousands of times a second.

import type { TickGrid } from '../../domain/ticks.ts';

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
