import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BookMirror, FLUSH_MS } from '../../../../src/core/book/mirror.ts';
import type { BookSide, Level } from '../../../../src/domain/message.ts';
import { microShares } from '../../../../src/domain/shares.ts';
import { ticks } from '../../../../src/domain/ticks.ts';
import { TRUST_DEFAULTS } from '../../../../src/domain/trust.ts';
import { anyChange, at, CENTS, type Change, cents, change, level, NaiveBook } from './books.ts';

const { partialUpdateMs: PARTIAL_MS } = TRUST_DEFAULTS;

const SIDES: readonly BookSide[] = ['bid', 'ask'];

/** What a venue may do with levels at the border of a subscriber's depth. */
type Baseline = { readonly sendsLeaving: boolean; readonly sendsEntering: boolean };

/** A venue that shows only the best `depth` levels and flushes net changes. */
class WindowedFeed {
  readonly book = new NaiveBook();
  readonly #depth: number;
  readonly #baseline: Baseline;
  #shown: Readonly<Record<BookSide, ReadonlyMap<number, number>>>;

  constructor(depth: number, baseline: Baseline, start: readonly Change[]) {
    this.#depth = depth;
    this.#baseline = baseline;
    for (const one of start) this.book[one.side].set(one.price, one.size);
    this.#shown = this.#windows();
  }

  snapshot(): { readonly bids: readonly Level[]; readonly asks: readonly Level[] } {
    this.#shown = this.#windows();
    return { bids: levelsOf(this.#shown.bid), asks: levelsOf(this.#shown.ask) };
  }

  flush(): readonly Change[] {
    const windows = this.#windows();
    const changes = SIDES.flatMap((side) => this.#changes(side, windows[side]));
    this.#shown = windows;
    return changes;
  }

  #windows(): Readonly<Record<BookSide, ReadonlyMap<number, number>>> {
    return { bid: this.#window('bid'), ask: this.#window('ask') };
  }

  #window(side: BookSide): ReadonlyMap<number, number> {
    const { sizes } = this.book[side];
    const prices = this.book[side].prices().slice(0, this.#depth);
    return new Map(prices.map((price) => [price, sizes.get(price) ?? 0]));
  }

  #changes(side: BookSide, window: ReadonlyMap<number, number>): readonly Change[] {
    const shown = this.#shown[side];
    const changes: Change[] = [];
    for (const [price, size] of window) {
      const before = shown.get(price);
      const isEntering = before === undefined && !this.#isNew(side, price);
      if (before !== size && (!isEntering || this.#baseline.sendsEntering)) {
        changes.push(changeOf(side, price, size));
      }
    }
    for (const price of shown.keys()) {
      if (window.has(price)) continue;
      const isGone = !this.book[side].sizes.has(price);
      if (isGone || this.#baseline.sendsLeaving) changes.push(changeOf(side, price, 0));
    }
    return changes;
  }

  /** A level better than the worst one shown cannot have been hidden: it is new. */
  #isNew(side: BookSide, price: number): boolean {
    const shown = [...this.#shown[side].keys()];
    if (shown.length < this.#depth) return true;
    const worst = shown[shown.length - 1] ?? price;
    return side === 'bid' ? price > worst : price < worst;
  }
}

function changeOf(side: BookSide, price: number, size: number): Change {
  return { side, price: ticks(CENTS, price), size: microShares(size) };
}

function levelsOf(window: ReadonlyMap<number, number>): readonly Level[] {
  return [...window].map(([price, size]) => ({ price: cents(price), size: microShares(size) }));
}

/** The best `depth` levels that the mirror shows are exactly the venue's best ones. */
function expectTrue(mirror: BookMirror, feed: WindowedFeed, side: BookSide, depth: number): void {
  const truth = feed.book[side];
  const edge = mirror.edge(side);
  const known = truth.prices().filter((price) => edge === undefined || isWithin(side, price, edge));
  const levels = mirror.levels(side);
  const shown: number[] = [];
  for (let rank = levels.best; rank !== 0; rank = levels.nextBelow(rank)) {
    shown.push(side === 'bid' ? rank : CENTS.ticksPerUnit - rank);
  }
  expect(shown.slice(0, depth)).toEqual(known.slice(0, depth));
  expect(mirror.best(side)).toBe(truth.prices()[0]);
  for (const price of shown.slice(0, depth)) {
    expect(mirror.sizeAt(side, cents(price))).toBe(truth.sizes.get(price));
  }
}

function isWithin(side: BookSide, price: number, edge: number): boolean {
  return side === 'bid' ? price >= edge : price <= edge;
}

const baselines: fc.Arbitrary<Baseline> = fc.record({
  sendsLeaving: fc.boolean(),
  sendsEntering: fc.boolean(),
});

describe('a book subscribed to a limited depth', () => {
  it('never shows a level that the venue does not have, whatever leaves or enters the window', () => {
    let priced = 0;
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }),
        baselines,
        fc.array(anyChange(CENTS), { minLength: 20, maxLength: 60, size: 'max' }),
        fc.array(fc.array(anyChange(CENTS), { maxLength: 12, size: 'max' }), {
          maxLength: 40,
          size: 'max',
        }),
        (depth, baseline, start, flushes) => {
          // Crossing is another test's matter: bids stay in the lower half, asks in the upper.
          const feed = new WindowedFeed(depth, baseline, start.map(apart));
          const mirror = new BookMirror(CENTS, depth);
          mirror.onSnapshot({ ...feed.snapshot(), venueTs: at(0) }, at(0));
          flushes.forEach((changes, index) => {
            const now = at((index + 1) * FLUSH_MS);
            for (const one of changes.map(apart)) feed.book[one.side].set(one.price, one.size);
            for (const one of feed.flush()) mirror.onDelta({ ...one, venueTs: now }, now);
            if (mirror.isPriceable) {
              priced += 1;
              for (const side of SIDES) expectTrue(mirror, feed, side, depth);
            } else {
              mirror.onSnapshot({ ...feed.snapshot(), venueTs: now }, now);
            }
          });
        },
      ),
      { numRuns: 200 },
    );
    expect(priced).toBeGreaterThan(1_000);
  });

  it('knows all of a side that has fewer levels than the depth', () => {
    const mirror = new BookMirror(CENTS, 3);
    mirror.onSnapshot({ bids: [level(40, 1), level(39, 1)], asks: [], venueTs: at(0) }, at(0));
    expect(mirror.edge('bid')).toBeUndefined();
    expect(mirror.edge('ask')).toBeUndefined();
  });

  it('remembers the worst level of a side that fills the depth, and ignores what lies beyond', () => {
    const mirror = new BookMirror(CENTS, 2);
    mirror.onSnapshot({ bids: [level(40, 1), level(38, 1)], asks: [], venueTs: at(0) }, at(0));
    expect(mirror.edge('bid')).toBe(38);
    mirror.onDelta({ ...change('bid', 37, 9), venueTs: at(150) }, at(150));
    expect(mirror.sizeAt('bid', cents(37))).toBe(0);
  });

  it('drops the worst level after a flush that brought more than the depth', () => {
    const mirror = new BookMirror(CENTS, 2);
    mirror.onSnapshot({ bids: [level(40, 1), level(38, 1)], asks: [], venueTs: at(0) }, at(0));
    mirror.onDelta({ ...change('bid', 41, 1), venueTs: at(150) }, at(150));
    expect(mirror.sizeAt('bid', cents(38))).toBeGreaterThan(0);
    mirror.onDelta({ ...change('bid', 41, 2), venueTs: at(300) }, at(300));
    expect(mirror.sizeAt('bid', cents(38))).toBe(0);
    expect(mirror.edge('bid')).toBe(40);
  });

  it('knows no more than the best of its depth even amid a flush that brings more', () => {
    const mirror = new BookMirror(CENTS, 2);
    const bids = [level(40, 1), level(39, 1), level(38, 1)];
    mirror.onSnapshot({ bids, asks: [level(60, 1)], venueTs: at(0) }, at(0));
    expect(mirror.edge('bid')).toBe(39);
    mirror.onDelta({ ...change('bid', 41, 2), venueTs: at(150) }, at(150));
    expect(mirror.edge('bid')).toBe(40);
    mirror.onDelta({ ...change('bid', 41, 0), venueTs: at(150) }, at(150));
    expect(mirror.edge('bid')).toBe(39);
  });

  it('is suspect, not one-sided, when every known level of a side is gone', () => {
    const mirror = new BookMirror(CENTS, 1);
    mirror.onSnapshot({ bids: [level(40, 1)], asks: [level(60, 1)], venueTs: at(0) }, at(0));
    mirror.onDelta({ ...change('bid', 40, 0), venueTs: at(150) }, at(150));
    expect(mirror.isPriceable).toBe(false);
    mirror.onTick(at(150 + PARTIAL_MS));
    expect(mirror.state).toMatchObject({ kind: 'suspect', cause: 'depth' });
  });

  it('takes a side that really is empty for empty', () => {
    const mirror = new BookMirror(CENTS, 5);
    mirror.onSnapshot({ bids: [level(40, 1)], asks: [level(60, 1)], venueTs: at(0) }, at(0));
    mirror.onDelta({ ...change('bid', 40, 0), venueTs: at(150) }, at(150));
    mirror.onTick(at(10_000));
    expect(mirror.isPriceable).toBe(true);
    expect(mirror.best('bid')).toBeUndefined();
  });
});

/** The same change in the half of the prices where its side runs. */
function apart(one: Change): Change {
  const half = 1 + (one.price % 49);
  return { ...one, price: cents(one.side === 'bid' ? half : half + 50) };
}
