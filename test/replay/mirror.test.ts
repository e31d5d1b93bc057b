import { describe, expect, it } from 'vitest';
import { BookMirror } from '../../src/core/book/mirror.ts';
import type { BookSide, Level } from '../../src/domain/message.ts';
import { parseShares, sharesNumber } from '../../src/domain/shares.ts';
import { parsePrice, priceNumber, tickGrid, ticks } from '../../src/domain/ticks.ts';
import { unixMs } from '../../src/domain/time.ts';
import { framesOf, isAbsent, type WireFrame, type WireLevel } from './frames.ts';
import { bestOf, Reconstruction, type Sides } from './reconstruction.ts';

const GRID = tickGrid('0.001');
/** No side of any recording has as many levels: nothing lies beyond the edge. */
const WHOLE_DEPTH = 1_000;
/** All levels of a book are compared once in so many of its frames, and at the end. */
const FULL_EVERY = 500;
const SIDES: readonly BookSide[] = ['bid', 'ask'];

type BookFrame = Extract<WireFrame, { readonly marketId: string }>;

/** Mirrors of a recording beside its reconstruction, and what of them differs. */
class Comparison {
  readonly mirrors = new Map<string, BookMirror>();
  readonly truth = new Reconstruction();
  readonly differences: string[] = [];
  compared = 0;
  priceable = 0;
  readonly #depth: number;

  constructor(depth: number) {
    this.#depth = depth;
  }

  apply(frame: BookFrame): BookMirror {
    this.truth.apply(frame);
    const mirror = this.#mirror(frame.marketId);
    const at = unixMs(frame.ts);
    if (frame.type === 'orderbook.snapshot') {
      mirror.onSnapshot({ ...snapshotOf(frame.levels), venueTs: at }, at);
    } else {
      const level = levelOf(frame);
      mirror.onDelta({ side: frame.side, ...level, venueTs: at }, at);
    }
    this.compared += 1;
    return mirror;
  }

  compareBest(frame: BookFrame, mirror: BookMirror): void {
    const sides = this.truth.book(frame.marketId);
    for (const side of SIDES) {
      const best = mirror.best(side);
      const ours = best === undefined ? undefined : priceNumber(GRID, best);
      this.#note(frame, `best ${side}`, ours, bestOf(sides, side));
    }
  }

  compareTouched(frame: BookFrame, mirror: BookMirror): void {
    if (frame.type !== 'orderbook.delta') return;
    const ours = sharesNumber(mirror.sizeAt(frame.side, parsePrice(GRID, frame.price)));
    this.#note(frame, `size at ${frame.price}`, ours, frame.size);
  }

  compareAll(marketId: string, mirror: BookMirror): void {
    const sides = this.truth.book(marketId);
    for (const side of SIDES) {
      const ours = [...walk(mirror, side)].join(' ');
      if (ours !== sorted(sides, side).join(' ')) this.differences.push(`${marketId} ${side} side`);
    }
  }

  #note(
    frame: BookFrame,
    what: string,
    ours: number | undefined,
    theirs: number | undefined,
  ): void {
    if (ours === theirs || this.differences.length >= 10) return;
    this.differences.push(
      `frame ${this.compared} ${frame.marketId} ${what}: ${ours}, not ${theirs}`,
    );
  }

  #mirror(marketId: string): BookMirror {
    const known = this.mirrors.get(marketId);
    if (known) return known;
    const fresh = new BookMirror(GRID, this.#depth);
    this.mirrors.set(marketId, fresh);
    return fresh;
  }
}

describe.each([
  { name: 'betfair-cricket-2022', framesMax: 40_000, books: 21_859, tokens: 2 },
  { name: 'betfair-greyhound-win-2022', framesMax: 10_000, books: 7_335, tokens: 6 },
  { name: 'loadtest-binance-2024', framesMax: 60_000, books: 50_000, tokens: 6 },
])('the recording $name', ({ name, framesMax, books, tokens }) => {
  const skip = isAbsent(name);

  it.skipIf(skip)('is mirrored exactly, frame by frame', { timeout: 60_000 }, async () => {
    const run = new Comparison(WHOLE_DEPTH);
    for await (const frame of framesOf(name, framesMax)) {
      if (!isBookFrame(frame)) continue;
      const mirror = run.apply(frame);
      run.compareBest(frame, mirror);
      run.compareTouched(frame, mirror);
      if (run.compared % FULL_EVERY === 0) run.compareAll(frame.marketId, mirror);
    }
    for (const [marketId, mirror] of run.mirrors) run.compareAll(marketId, mirror);
    expect(run.differences).toEqual([]);
    expect(run.compared).toBeGreaterThanOrEqual(books);
    expect(run.mirrors.size).toBe(tokens);
    for (const mirror of run.mirrors.values()) expect(mirror.state.kind).toBe('live');
  });

  it.skipIf(skip)(
    'shows a true best also at a depth of ten levels',
    { timeout: 60_000 },
    async () => {
      const run = new Comparison(10);
      for await (const frame of framesOf(name, framesMax)) {
        if (!isBookFrame(frame)) continue;
        const mirror = run.apply(frame);
        if (mirror.isPriceable) {
          run.priceable += 1;
          run.compareBest(frame, mirror);
        } else {
          renew(mirror, run.truth.book(frame.marketId), frame.ts);
        }
      }
      expect(run.differences).toEqual([]);
      expect(run.priceable).toBeGreaterThan(run.compared * 0.9);
    },
  );
});

/** What a new subscription to ten levels would bring. */
function renew(mirror: BookMirror, sides: Sides, ts: number): void {
  const best = (side: BookSide) =>
    sortedPrices(sides, side)
      .slice(0, 10)
      .map((price) => ({ price, size: sides[side].get(price) ?? 0 }));
  const snapshot = snapshotOf({ bids: best('bid'), asks: best('ask') });
  mirror.onSnapshot({ ...snapshot, venueTs: unixMs(ts) }, unixMs(ts));
}

function isBookFrame(frame: WireFrame): frame is BookFrame {
  return frame.type === 'orderbook.snapshot' || frame.type === 'orderbook.delta';
}

function snapshotOf(levels: {
  readonly bids: readonly WireLevel[];
  readonly asks: readonly WireLevel[];
}): { readonly bids: readonly Level[]; readonly asks: readonly Level[] } {
  return { bids: levels.bids.map(levelOf), asks: levels.asks.map(levelOf) };
}

function levelOf(wire: WireLevel): Level {
  return { price: parsePrice(GRID, wire.price), size: parseShares(wire.size) };
}

function* walk(mirror: BookMirror, side: BookSide): Generator<string> {
  const levels = mirror.levels(side);
  for (let rank = levels.best; rank !== 0; rank = levels.nextBelow(rank)) {
    const price = ticks(GRID, side === 'bid' ? rank : GRID.ticksPerUnit - rank);
    yield `${priceNumber(GRID, price)}:${sharesNumber(mirror.sizeAt(side, price))}`;
  }
}

function sorted(sides: Sides, side: BookSide): readonly string[] {
  return sortedPrices(sides, side).map((price) => `${price}:${sides[side].get(price)}`);
}

function sortedPrices(sides: Sides, side: BookSide): readonly number[] {
  return [...sides[side].keys()].sort((a, b) => (side === 'bid' ? b - a : a - b));
}
