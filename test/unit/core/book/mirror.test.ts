import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BookMirror, FLUSH_MS } from '../../../../src/core/book/mirror.ts';
import type { BookSide, Level } from '../../../../src/domain/message.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { type TickGrid, ticks } from '../../../../src/domain/ticks.ts';
import { TRUST_DEFAULTS } from '../../../../src/domain/trust.ts';
import {
  anyChange,
  anyLevels,
  at,
  CENTS,
  type Change,
  cents,
  change,
  level,
  MILLS,
  NaiveBook,
  WHOLE,
} from './books.ts';

const { partialUpdateMs: PARTIAL_MS, clockBackMs: CLOCK_BACK_MS } = TRUST_DEFAULTS;

type Frame =
  | { readonly kind: 'snapshot'; readonly bids: readonly Level[]; readonly asks: readonly Level[] }
  | ({ readonly kind: 'delta' } & Change);

function anyFrames(grid: TickGrid): fc.Arbitrary<Frame[]> {
  const delta = anyChange(grid).map((one) => ({ kind: 'delta' as const, ...one }));
  const snapshot = fc.record({
    kind: fc.constant('snapshot' as const),
    bids: anyLevels(grid),
    asks: anyLevels(grid),
  });
  return fc.array(fc.oneof({ weight: 30, arbitrary: delta }, { weight: 1, arbitrary: snapshot }), {
    maxLength: 400,
    size: 'max',
  });
}

function expectSame(mirror: BookMirror, naive: NaiveBook, side: BookSide): void {
  const prices = naive[side].prices();
  expect(mirror.best(side)).toBe(prices[0]);
  expect(mirror.levels(side).count).toBe(prices.length);
  expect(walk(mirror, side)).toEqual(prices.map((price) => [price, naive[side].sizes.get(price)]));
}

function walk(mirror: BookMirror, side: BookSide): readonly (readonly [number, number])[] {
  const found: [number, number][] = [];
  const levels = mirror.levels(side);
  for (let rank = levels.best; rank !== 0; rank = levels.nextBelow(rank)) {
    const count = side === 'bid' ? rank : mirror.grid.ticksPerUnit - rank;
    found.push([count, mirror.sizeAt(side, ticks(mirror.grid, count))]);
  }
  return found;
}

function live(bids: readonly Level[], asks: readonly Level[], depth = WHOLE): BookMirror {
  const mirror = new BookMirror(CENTS, depth);
  mirror.onSnapshot({ bids, asks, venueTs: at(0) }, at(0));
  return mirror;
}

describe('the mirror of a book', () => {
  it.each([CENTS, MILLS])('agrees with a plain map after every frame, tick $tickSize', (grid) => {
    fc.assert(
      fc.property(anyFrames(grid), (frames) => {
        const mirror = new BookMirror(grid, WHOLE);
        const naive = new NaiveBook();
        mirror.onSnapshot({ bids: [], asks: [], venueTs: at(0) }, at(0));
        for (const frame of frames) {
          if (frame.kind === 'snapshot') {
            naive.load(frame);
            mirror.onSnapshot({ ...frame, venueTs: at(0) }, at(0));
          } else {
            naive[frame.side].set(frame.price, frame.size);
            mirror.onDelta({ ...frame, venueTs: at(0) }, at(0));
          }
          expect(mirror.best('bid')).toBe(naive.bid.prices()[0]);
          expect(mirror.best('ask')).toBe(naive.ask.prices()[0]);
        }
        expectSame(mirror, naive, 'bid');
        expectSame(mirror, naive, 'ask');
      }),
      { numRuns: 60 },
    );
  });

  it('keeps every level of both ends of the price range apart', () => {
    const mirror = live([level(1, 10)], [level(99, 20)]);
    expect(mirror.best('bid')).toBe(1);
    expect(mirror.best('ask')).toBe(99);
    expect(mirror.sizeAt('bid', cents(1))).toBe(shares(10));
    expect(mirror.sizeAt('ask', cents(1))).toBe(0);
  });

  it('takes the removal of a level that is not there as no change', () => {
    const mirror = live([level(40, 10)], []);
    mirror.onDelta({ ...change('bid', 41, 0), venueTs: at(1) }, at(1));
    mirror.onDelta({ ...change('ask', 41, 0), venueTs: at(1) }, at(1));
    expect(mirror.best('bid')).toBe(40);
    expect(mirror.best('ask')).toBeUndefined();
  });

  it('forgets every old level when a new snapshot comes', () => {
    const mirror = live([level(40, 10), level(30, 5)], [level(60, 1)]);
    mirror.onSnapshot({ bids: [level(35, 1)], asks: [], venueTs: at(1) }, at(1));
    expect(walk(mirror, 'bid')).toEqual([[35, shares(1)]]);
    expect(mirror.best('ask')).toBeUndefined();
  });

  it('tells when and of which venue time the last update was', () => {
    const mirror = live([level(40, 10)], []);
    mirror.onDelta({ ...change('bid', 41, 1), venueTs: at(70) }, at(100));
    expect(mirror.lastUpdateMs).toBe(at(100));
    expect(mirror.lastVenueTs).toBe(at(70));
  });

  it('refuses a price of a finer grid instead of losing it', () => {
    const others = { side: 'bid', price: ticks(MILLS, 500), size: shares(1) } as const;
    const mirror = live([], []);
    expect(() => mirror.onDelta({ ...others, venueTs: at(1) }, at(1))).toThrow('grid of its book');
  });
});

describe('a book without a baseline', () => {
  it('is empty, and a delta does not make a book of it', () => {
    const mirror = new BookMirror(CENTS, WHOLE);
    mirror.onDelta({ ...change('bid', 40, 1), venueTs: at(1) }, at(1));
    expect(mirror.state.kind).toBe('empty');
    expect(mirror.best('bid')).toBeUndefined();
  });

  it('is what a lost connection leaves behind', () => {
    const mirror = live([level(40, 10)], [level(60, 10)]);
    mirror.onDisconnect();
    expect(mirror.state.kind).toBe('empty');
    expect(mirror.isPriceable).toBe(false);
    expect(mirror.best('bid')).toBeUndefined();
    expect(mirror.best('ask')).toBeUndefined();
  });

  it('is not made suspect: there is nothing to trust yet', () => {
    const mirror = new BookMirror(CENTS, WHOLE);
    mirror.suspect('unreadable', 'levels: not an object');
    expect(mirror.state.kind).toBe('empty');
  });
});

describe('a suspect book', () => {
  it('keeps its first cause, goes on following the feed, and needs a snapshot to be live', () => {
    const mirror = live([level(40, 10)], [level(60, 10)]);
    mirror.suspect('unreadable', 'price: abc');
    mirror.suspect('audit', 'REST shows another book');
    mirror.onDelta({ ...change('bid', 41, 3), venueTs: at(7) }, at(7));
    expect(mirror.state).toEqual({
      kind: 'suspect',
      cause: 'unreadable',
      detail: 'price: abc',
    });
    expect(mirror.isPriceable).toBe(false);
    expect(mirror.best('bid')).toBe(41);
    mirror.onSnapshot({ bids: [level(41, 3)], asks: [level(60, 10)], venueTs: at(8) }, at(8));
    expect(mirror.isPriceable).toBe(true);
  });

  it('comes of a snapshot that states a price twice, with both sides taken over', () => {
    const mirror = live([level(40, 10), level(40, 11)], [level(60, 10)]);
    expect(mirror.state).toMatchObject({ kind: 'suspect', cause: 'unreadable' });
    expect(mirror.best('ask')).toBe(60);
  });

  it('comes of venue time that falls far back; a small step back is borne', () => {
    const mirror = live([level(40, 10)], [level(60, 10)]);
    mirror.onDelta({ ...change('bid', 41, 1), venueTs: at(5_000) }, at(5_000));
    mirror.onDelta({ ...change('bid', 41, 2), venueTs: at(5_000 - CLOCK_BACK_MS) }, at(5_001));
    expect(mirror.state.kind).toBe('live');
    expect(mirror.lastVenueTs).toBe(at(5_000));
    mirror.onDelta({ ...change('bid', 41, 3), venueTs: at(4_999 - CLOCK_BACK_MS) }, at(5_002));
    expect(mirror.state).toMatchObject({ kind: 'suspect', cause: 'clock' });
  });

  it('comes of a snapshot whose stamp lies far before the last frame, as of such a delta', () => {
    const mirror = live([level(40, 10)], [level(60, 10)]);
    mirror.onDelta({ ...change('bid', 41, 1), venueTs: at(60_000) }, at(60_000));
    const older = { bids: [level(40, 1)], asks: [] };
    const small = at(60_000 - CLOCK_BACK_MS);
    mirror.onSnapshot({ ...older, venueTs: small }, at(60_001));
    expect(mirror.state.kind).toBe('live');
    mirror.onSnapshot({ bids: [], asks: [], venueTs: at(0) }, at(60_002));
    expect(mirror.state).toMatchObject({ kind: 'suspect', cause: 'clock' });
  });

  it('comes of such a snapshot on a new connection, too', () => {
    const mirror = live([level(40, 10)], [level(60, 10)]);
    mirror.onDelta({ ...change('bid', 41, 1), venueTs: at(60_000) }, at(60_000));
    mirror.onDisconnect();
    mirror.onDisconnect();
    mirror.onSnapshot({ bids: [level(40, 10)], asks: [], venueTs: at(0) }, at(60_001));
    expect(mirror.state).toMatchObject({ kind: 'suspect', cause: 'clock' });
  });

  it('does not come of a snapshot that says what is known, however it is stamped', () => {
    const mirror = live([level(40, 10)], [level(60, 10)]);
    mirror.onDelta({ ...change('bid', 41, 1), venueTs: at(60_000) }, at(60_000));
    const same = { bids: [level(41, 1), level(40, 10)], asks: [level(60, 10)] };
    mirror.onSnapshot({ ...same, venueTs: at(0) }, at(60_001));
    expect(mirror.state.kind).toBe('live');
  });

  it('is live again with the next snapshot where the clock of the venue was set back', () => {
    const mirror = live([level(40, 10)], [level(60, 10)]);
    mirror.onDelta({ ...change('bid', 41, 1), venueTs: at(60_000) }, at(60_000));
    mirror.onSnapshot({ bids: [level(40, 10)], asks: [], venueTs: at(0) }, at(60_001));
    mirror.onSnapshot({ bids: [level(40, 10)], asks: [], venueTs: at(5) }, at(60_006));
    mirror.onDelta({ ...change('bid', 41, 1), venueTs: at(6) }, at(60_007));
    expect(mirror.state.kind).toBe('live');
  });
});

describe('a crossed book', () => {
  it('inside one flush is not priced, and is live again when the flush is whole', () => {
    const mirror = live([level(40, 10)], [level(42, 10)]);
    mirror.onDelta({ ...change('bid', 43, 5), venueTs: at(150) }, at(160));
    expect(mirror.state.kind).toBe('live');
    expect(mirror.isPriceable).toBe(false);
    mirror.onDelta({ ...change('ask', 42, 0), venueTs: at(150) }, at(160));
    expect(mirror.isPriceable).toBe(true);
    mirror.onDelta({ ...change('ask', 44, 5), venueTs: at(300) }, at(310));
    expect(mirror.isPriceable).toBe(true);
  });

  it.each([
    { ask: 42, bid: 42, what: 'locked' },
    { ask: 42, bid: 43, what: 'crossed' },
  ])('that is $what when a later flush begins is suspect', ({ ask, bid }) => {
    const mirror = live([level(40, 10)], [level(ask, 10)]);
    mirror.onDelta({ ...change('bid', bid, 5), venueTs: at(150) }, at(160));
    mirror.onDelta({ ...change('bid', 30, 5), venueTs: at(150 + FLUSH_MS) }, at(161));
    expect(mirror.state).toMatchObject({ kind: 'suspect', cause: 'crossed' });
  });

  it('is suspect after the grace by our own clock when nothing follows', () => {
    const mirror = live([level(40, 10)], [level(42, 10)]);
    mirror.onDelta({ ...change('bid', 43, 5), venueTs: at(150) }, at(160));
    mirror.onTick(at(160 + PARTIAL_MS - 1));
    expect(mirror.state.kind).toBe('live');
    mirror.onTick(at(160 + PARTIAL_MS));
    expect(mirror.state).toMatchObject({ kind: 'suspect', cause: 'crossed' });
  });

  it('is suspect after the grace also on a feed that states no venue time', () => {
    const mirror = live([level(40, 10)], [level(42, 10)]);
    mirror.onDelta({ ...change('bid', 43, 5), venueTs: undefined }, at(160));
    mirror.onDelta({ ...change('bid', 30, 5), venueTs: undefined }, at(200));
    expect(mirror.state.kind).toBe('live');
    mirror.onDelta({ ...change('bid', 31, 5), venueTs: undefined }, at(160 + PARTIAL_MS));
    expect(mirror.state).toMatchObject({ kind: 'suspect', cause: 'crossed' });
  });

  it('stays suspect when later deltas uncross it: the lost frame is still lost', () => {
    const mirror = live([level(40, 10)], [level(42, 10)]);
    mirror.onDelta({ ...change('bid', 43, 5), venueTs: at(150) }, at(160));
    mirror.onTick(at(160 + PARTIAL_MS));
    mirror.onDelta({ ...change('bid', 43, 0), venueTs: at(600) }, at(600));
    mirror.onTick(at(10_000));
    expect(mirror.state).toMatchObject({ kind: 'suspect', cause: 'crossed' });
    expect(mirror.isPriceable).toBe(false);
  });

  it('straight from a snapshot is never priced', () => {
    const mirror = live([level(50, 10)], [level(45, 10)]);
    expect(mirror.isPriceable).toBe(false);
    mirror.onTick(at(PARTIAL_MS));
    expect(mirror.state).toMatchObject({ kind: 'suspect', cause: 'crossed' });
  });
});
