// One side of one book, dense: a price has at most 999 legal ticks, so a level is an array slot.
//
// Slots are ranks. A bid at tick t has rank t, an ask has rank N − t (N ticks make one dollar), so
// on both sides a higher rank is nearer to the middle and one piece of code serves both. A rank is
// also the complement's view: an ask of NO has the rank of the YES bid that it amounts to.

import { assert } from '../../domain/assert.ts';
import type { BookSide } from '../../domain/message.ts';
import { slotTicks, type TickGrid, type Ticks } from '../../domain/ticks.ts';

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
  return slotTicks(side === 'bid' ? rank : grid.ticksPerUnit - rank);
}

/** Sizes by rank, with the best and the worst occupied rank kept. Updates allocate nothing. */
export class Levels {
  readonly #sizes: Float64Array;
  readonly #end: number;
  #best = NO_RANK;
  /** One beyond every rank while nothing rests, so that comparing needs no special case. */
  #worst: number;
  #count = 0;

  constructor(grid: TickGrid) {
    this.#end = grid.ticksPerUnit;
    this.#sizes = new Float64Array(this.#end);
    this.#worst = this.#end;
  }

  /** Highest occupied rank, or `NO_RANK`. */
  get best(): number {
    return this.#best;
  }

  /** Lowest occupied rank, or `NO_RANK`. */
  get worst(): number {
    return this.#count === 0 ? NO_RANK : this.#worst;
  }

  get count(): number {
    return this.#count;
  }

  /** Micro-shares at a rank, zero where nothing rests. */
  at(rank: number): number {
    return this.#sizes[rank] ?? 0;
  }

  /** @returns Whether the best rank is another one now. */
  set(rank: number, size: number): boolean {
    const sizes = this.#sizes;
    // Whether levels come or go cannot be foreseen by a processor, so it is counted without a branch.
    const before = sizes[rank] === 0 ? 0 : 1;
    sizes[rank] = size;
    if (size > 0) {
      this.#count += 1 - before;
      if (rank < this.#worst) this.#worst = rank;
      if (rank <= this.#best) return false;
      this.#best = rank;
      return true;
    }
    this.#count -= before;
    if (rank === this.#worst) this.#worst = this.#nextAbove(rank);
    if (rank !== this.#best) return false;
    this.#best = this.nextBelow(rank);
    return true;
  }

  /** The next occupied rank below, or `NO_RANK`; the walk ends at the worst one. */
  nextBelow(rank: number): number {
    const floor = this.#worst;
    const sizes = this.#sizes;
    let at = rank > this.#best ? this.#best : rank - 1;
    while (at >= floor && sizes[at] === 0) at -= 1;
    return at >= floor ? at : NO_RANK;
  }

  clear(): void {
    this.#sizes.fill(0);
    this.#best = NO_RANK;
    this.#worst = this.#end;
    this.#count = 0;
  }

  /** The next occupied rank above, or one beyond every rank. */
  #nextAbove(rank: number): number {
    const sizes = this.#sizes;
    const best = this.#best;
    let at = rank + 1;
    while (at <= best && sizes[at] === 0) at += 1;
    return at <= best ? at : this.#end;
  }
}
