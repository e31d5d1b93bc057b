// The same book kept in four ways. Each run loads the start, applies all changes and reads both best
// prices after every one; the sum of what it read confirms that all four keep the same book. Every
// loop is written out on its own: a shared one would measure the cost of sharing it.

import { BookMirror } from '../../src/core/book/mirror.ts';
import type { BookSide } from '../../src/domain/message.ts';
import type { TickGrid } from '../../src/domain/ticks.ts';
import { unixMs } from '../../src/domain/time.ts';
import type { Change } from './workload.ts';

export type Contender = { readonly name: string; run(changes: readonly Change[]): number };

export function contenders(grid: TickGrid, start: readonly Change[]): readonly Contender[] {
  return [mirror(grid, start), bareArrays(grid, start), sortedArrays(start), maps(start)];
}

/** Ours, with everything it watches: range, depth, clock, crossing, counters. */
function mirror(grid: TickGrid, start: readonly Change[]): Contender {
  const book = new BookMirror(grid, 1_000);
  const of = (side: BookSide) => start.filter((one) => one.side === side);
  const snapshot = { bids: of('bid'), asks: of('ask'), venueTs: unixMs(0) };
  return {
    name: 'mirror',
    run(changes) {
      book.onSnapshot(snapshot, unixMs(0));
      let sum = 0;
      for (const change of changes) {
        book.onDelta(change, change.venueTs);
        sum += (book.best('bid') ?? 0) + (book.best('ask') ?? 0);
      }
      return sum;
    },
  };
}

/** The floor: two dense arrays, two kept bests, a walk when a best empties, and nothing else. */
function bareArrays(grid: TickGrid, start: readonly Change[]): Contender {
  const end = grid.ticksPerUnit;
  const bids = new Float64Array(end);
  const asks = new Float64Array(end);
  return {
    name: 'bare dense arrays',
    run(changes) {
      bids.fill(0);
      asks.fill(0);
      for (const { side, price, size } of start) (side === 'bid' ? bids : asks)[price] = size;
      let bid = end - 1;
      while (bid > 0 && bids[bid] === 0) bid -= 1;
      let ask = 1;
      while (ask < end && asks[ask] === 0) ask += 1;
      let sum = 0;
      for (const { side, price, size } of changes) {
        if (side === 'bid') {
          bids[price] = size;
          if (size > 0 && price > bid) bid = price;
          else if (price === bid) while (bid > 0 && bids[bid] === 0) bid -= 1;
        } else {
          asks[price] = size;
          if (size > 0 && price < ask) ask = price;
          else if (price === ask) while (ask < end && asks[ask] === 0) ask += 1;
        }
        sum += bid + (ask < end ? ask : 0);
      }
      return sum;
    },
  };
}

/** Levels from the best outwards in an array, found by bisection, inserted and removed by splice. */
function sortedArrays(start: readonly Change[]): Contender {
  type Entry = { readonly key: number; readonly price: number; size: number };
  const bids: Entry[] = [];
  const asks: Entry[] = [];
  const set = ({ side, price, size }: Change) => {
    const levels = side === 'bid' ? bids : asks;
    const key = side === 'bid' ? -price : price;
    let low = 0;
    let high = levels.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((levels[middle]?.key ?? 0) < key) low = middle + 1;
      else high = middle;
    }
    const here = levels[low];
    if (here?.key !== key) {
      if (size > 0) levels.splice(low, 0, { key, price, size });
    } else if (size > 0) here.size = size;
    else levels.splice(low, 1);
  };
  return {
    name: 'sorted arrays',
    run(changes) {
      bids.length = 0;
      asks.length = 0;
      for (const change of start) set(change);
      let sum = 0;
      for (const change of changes) {
        set(change);
        sum += (bids[0]?.price ?? 0) + (asks[0]?.price ?? 0);
      }
      return sum;
    },
  };
}

/** Sizes by price in a `Map`, the best kept and searched among all keys when it empties. */
function maps(start: readonly Change[]): Contender {
  const bids = new Map<number, number>();
  const asks = new Map<number, number>();
  let bid = 0;
  let ask = Number.POSITIVE_INFINITY;
  const set = ({ side, price, size }: Change) => {
    const levels = side === 'bid' ? bids : asks;
    if (size > 0) levels.set(price, size);
    else levels.delete(price);
    if (side === 'bid') {
      if (size > 0 && price > bid) bid = price;
      else if (size === 0 && price === bid) bid = Math.max(0, ...bids.keys());
    } else if (size > 0 && price < ask) ask = price;
    else if (size === 0 && price === ask) ask = Math.min(Number.POSITIVE_INFINITY, ...asks.keys());
  };
  return {
    name: 'maps',
    run(changes) {
      bids.clear();
      asks.clear();
      bid = 0;
      ask = Number.POSITIVE_INFINITY;
      for (const change of start) set(change);
      let sum = 0;
      for (const change of changes) {
        set(change);
        sum += bid + (ask === Number.POSITIVE_INFINITY ? 0 : ask);
      }
      return sum;
    },
  };
}
