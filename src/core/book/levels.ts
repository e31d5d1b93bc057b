// Ranks, the slots of a dense book, and one side of a book as others read it.
//
// A bid at tick t has rank t, an ask has rank N − t (N ticks make one dollar), so on both sides a
// higher rank is nearer to the middle and one piece of code serves both. A rank is also the
// complement's view: an ask of NO has the rank of the YES bid that it amounts to.

import { assert } from '../../domain/assert.ts';
import type { BookSide } from '../../domain/message.ts';
import { slotTicks, type TickGrid, type Ticks } from '../../domain/ticks.ts';
import type { Ladder, SideIndex } from './ladder.ts';

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

  /** The next occupied rank below, or `NO_RANK`. */
  nextBelow(rank: number): number {
    const sizes = this.#sizes;
    const side = this.#side;
    let at = Math.min(rank, this.best + 1) - 1;
    while (at > 0 && sizes[2 * at + side] === 0) at -= 1;
    return Math.max(NO_RANK, at);
  }
}
