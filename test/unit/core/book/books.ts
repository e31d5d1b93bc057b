// The plainest possible book, to be compared with the dense one, and values for its tests.

import fc from 'fast-check';
import type { BookSide, Level } from '../../../../src/domain/message.ts';
import { type MicroShares, microShares, shares } from '../../../../src/domain/shares.ts';
import { type TickGrid, type Ticks, tickGrid, ticks } from '../../../../src/domain/ticks.ts';
import { type UnixMs, unixMs } from '../../../../src/domain/time.ts';

export const CENTS = tickGrid('0.01');
export const MILLS = tickGrid('0.001');
/** Deeper than any book: nothing is ever beyond the edge. */
export const WHOLE = 1_000;

export const at = (ms: number): UnixMs => unixMs(1_700_000_000_000 + ms);
export const cents = (count: number): Ticks => ticks(CENTS, count);

export function level(price: number, size: number): Level {
  return { price: cents(price), size: shares(size) };
}

export type Change = { readonly side: BookSide; readonly price: Ticks; readonly size: MicroShares };

export function change(side: BookSide, price: number, size: number): Change {
  return { side, ...level(price, size) };
}

/** Sizes by price in a `Map`; every question is answered by looking at all of it. */
export class NaiveSide {
  readonly sizes = new Map<number, number>();
  readonly #side: BookSide;

  constructor(side: BookSide) {
    this.#side = side;
  }

  set(price: number, size: number): void {
    if (size === 0) this.sizes.delete(price);
    else this.sizes.set(price, size);
  }

  load(levels: readonly Level[]): void {
    this.sizes.clear();
    for (const { price, size } of levels) this.set(price, size);
  }

  /** Prices from the middle of the book outwards. */
  prices(): readonly number[] {
    const towards = this.#side === 'bid' ? -1 : 1;
    return [...this.sizes.keys()].sort((a, b) => towards * (a - b));
  }
}

export class NaiveBook {
  readonly bid = new NaiveSide('bid');
  readonly ask = new NaiveSide('ask');

  load(frame: { readonly bids: readonly Level[]; readonly asks: readonly Level[] }): void {
    this.bid.load(frame.bids);
    this.ask.load(frame.asks);
  }
}

export const anySide = fc.constantFrom<BookSide>('bid', 'ask');

export function anyPrice(grid: TickGrid): fc.Arbitrary<Ticks> {
  const whole = fc.integer({ min: 1, max: grid.ticksPerUnit - 1 });
  // A narrow band as well, so that levels are hit again, emptied and filled.
  const band = fc.integer({ min: 45, max: 55 });
  return fc.oneof(band, whole).map((count) => ticks(grid, count));
}

export const anySize: fc.Arbitrary<MicroShares> = fc
  .oneof(
    fc.constant(0),
    fc.integer({ min: 1, max: 5 }).map((count) => count * 10_000_000),
    fc.integer({ min: 1, max: 2_000_000_000 }),
    fc.constant(9_000_000_000_000),
  )
  .map(microShares);

export function anyChange(grid: TickGrid): fc.Arbitrary<Change> {
  return fc.record({ side: anySide, price: anyPrice(grid), size: anySize });
}

export function anyLevels(grid: TickGrid): fc.Arbitrary<Level[]> {
  return fc.uniqueArray(fc.record({ price: anyPrice(grid), size: anySize }), {
    maxLength: 30,
    selector: (one) => one.price,
  });
}
