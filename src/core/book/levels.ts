// One side of one book, dense: a price has at most 999 legal ticks, so a level is an array slot.
//
// Slots are ranks. A bid at tick t has rank t, an ask has rank N − t (N ticks make one dollar), so
// on both sides a higher rank is nearer to the middle and one piece of code serves both. A rank is
// also the complement's view: an ask of NO has the rank of the YES bid that it amounts to.

import { assert } from '../../domain/assert.ts';
import type { BookSide } from '../../domain/message.ts';
import { type TickGrid, type Ticks, ticksWithin } from '../../domain/ticks.ts';

/** No level; every legal rank is at least 1. */
export const NO_RANK = 0;

/** @throws {AssertionError} when the price belongs to a finer grid: it has no slot here. */
export function rankOf(grid: TickGrid, side: BookSide, price: Ticks): number {
  assert(price < grid.ticksPerUnit, 'a price is on the grid of its book');
  return side === 'bid' ? price : grid.ticksPerUnit - price;
}

/** The price of a rank, `undefined` for `NO_RANK`. */
export function priceOf(grid: TickGrid, side: BookSide, rank: number): Ticks | undefined {
  if (rank === NO_RANK) return undefined;
  return ticksWithin(grid, side === 'bid' ? rank : grid.ticksPerUnit - rank);
}

/** Sizes by rank, with the best and the worst occupied rank kept. Updates allocate nothing. */
export class Levels {
  readonly #sizes: Float64Array;
  #best = NO_RANK;
  #worst = NO_RANK;
  #count = 0;

  constructor(grid: TickGrid) {
    this.#sizes = new Float64Array(grid.ticksPerUnit);
  }

  /** Highest occupied rank, or `NO_RANK`. */
  get best(): number {
    return this.#best;
  }

  /** Lowest occupied rank, or `NO_RANK`. */
  get worst(): number {
    return this.#worst;
  }

  get count(): number {
    return this.#count;
  }

  /** Micro-shares at a rank, zero where nothing rests. */
  at(rank: number): number {
    return this.#sizes[rank] ?? 0;
  }

  set(rank: number, size: number): void {
    const before = this.#sizes[rank] ?? 0;
    this.#sizes[rank] = size;
    if (before === 0 && size > 0) this.#onAppeared(rank);
    else if (before > 0 && size === 0) this.#onVanished(rank);
  }

  /** The next occupied rank below, or `NO_RANK`; the walk ends at the worst one. */
  nextBelow(rank: number): number {
    const floor = this.#worst;
    if (floor === NO_RANK) return NO_RANK;
    let at = rank > this.#best ? this.#best : rank - 1;
    while (at >= floor && this.#sizes[at] === 0) at -= 1;
    return at >= floor ? at : NO_RANK;
  }

  clear(): void {
    this.#sizes.fill(0);
    this.#best = NO_RANK;
    this.#worst = NO_RANK;
    this.#count = 0;
  }

  #onAppeared(rank: number): void {
    this.#count += 1;
    if (rank > this.#best) this.#best = rank;
    if (this.#worst === NO_RANK || rank < this.#worst) this.#worst = rank;
  }

  #onVanished(rank: number): void {
    this.#count -= 1;
    if (this.#count === 0) {
      this.#best = NO_RANK;
      this.#worst = NO_RANK;
    } else if (rank === this.#best) {
      this.#best = this.nextBelow(rank);
    } else if (rank === this.#worst) {
      this.#worst = this.#nextAbove(rank);
    }
  }

  /** Only called while a better level exists, so the walk ends. */
  #nextAbove(rank: number): number {
    let at = rank + 1;
    while (this.#sizes[at] === 0) at += 1;
    return at;
  }
}
