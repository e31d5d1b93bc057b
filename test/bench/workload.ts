// A seeded day at a book: a middle that wanders, changes that fall mostly near the touch.

import { FLUSH_MS } from '../../src/core/book/mirror.ts';
import type { BookSide } from '../../src/domain/message.ts';
import { type MicroShares, microShares } from '../../src/domain/shares.ts';
import { type TickGrid, type Ticks, ticks } from '../../src/domain/ticks.ts';
import { type UnixMs, unixMs } from '../../src/domain/time.ts';

/** One delta of the feed; those of one flush share their `venueTs`. */
export type Change = {
  readonly side: BookSide;
  readonly price: Ticks;
  readonly size: MicroShares;
  readonly venueTs: UnixMs;
};

/** Changes of one token in one flush: about the median of the busiest recording. */
const CHANGES_PER_FLUSH = 30;

export function startLevels(grid: TickGrid): readonly Change[] {
  const middle = Math.floor(grid.ticksPerUnit / 2);
  const levels: Change[] = [];
  for (let price = 1; price < grid.ticksPerUnit; price += 1) {
    if (price !== middle)
      levels.push(changeAt(grid, price < middle ? 'bid' : 'ask', price, 0, 100));
  }
  return levels;
}

export function changes(grid: TickGrid, count: number): readonly Change[] {
  const random = seeded(7);
  const found: Change[] = [];
  let middle = Math.floor(grid.ticksPerUnit / 2);
  while (found.length < count) {
    const flush = Math.floor(found.length / CHANGES_PER_FLUSH) + 1;
    const side = random() < 0.5 ? 'bid' : 'ask';
    // Nine in ten within a few ticks of the middle, the rest anywhere on the side.
    const room = side === 'bid' ? middle - 1 : grid.ticksPerUnit - 1 - middle;
    const away = 1 + Math.floor(random() < 0.9 ? random() * Math.min(6, room) : random() * room);
    const price = side === 'bid' ? middle - away : middle + away;
    const isRemoval = random() < 0.4;
    found.push(changeAt(grid, side, price, flush, isRemoval ? 0 : 1 + Math.floor(random() * 500)));
    if (random() < 0.01) middle = wandered(grid, middle, random() < 0.5 ? -1 : 1, found, flush);
  }
  return found;
}

/** Moves the middle one tick: what stands on the new middle goes, so that nothing crosses. */
function wandered(
  grid: TickGrid,
  middle: number,
  by: number,
  found: Change[],
  flush: number,
): number {
  const next = middle + by;
  if (next < 10 || next > grid.ticksPerUnit - 10) return middle;
  found.push(changeAt(grid, by < 0 ? 'bid' : 'ask', next, flush, 0));
  return next;
}

function changeAt(
  grid: TickGrid,
  side: BookSide,
  price: number,
  flush: number,
  shares: number,
): Change {
  const venueTs = unixMs(flush * FLUSH_MS);
  return { side, price: ticks(grid, price), size: microShares(shares * 1_000_000), venueTs };
}

/** A small linear congruential generator: the same workload on every machine. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
