import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MarketBook, type OutcomeSide, type TokenBook } from '../../../../src/core/book/axis.ts';
import { BookMirror } from '../../../../src/core/book/mirror.ts';
import { OwnSizes } from '../../../../src/core/book/own.ts';
import type { BookSide, Level } from '../../../../src/domain/message.ts';
import { MICRO_SHARES_MAX, microShares, shares } from '../../../../src/domain/shares.ts';
import type { Ticks } from '../../../../src/domain/ticks.ts';
import {
  anyLevels,
  anyPrice,
  anySide,
  at,
  CENTS,
  cents,
  level,
  MILLS,
  NaiveBook,
  NaiveSide,
  WHOLE,
} from './books.ts';

type Snapshot = { readonly bids: readonly Level[]; readonly asks: readonly Level[] };

const NOTHING: Snapshot = { bids: [], asks: [] };

function tokenBook(snapshot: Snapshot | undefined): TokenBook {
  const mirror = new BookMirror(CENTS, WHOLE);
  if (snapshot) mirror.onSnapshot({ ...snapshot, venueTs: at(0) }, at(0));
  return { mirror, own: new OwnSizes(CENTS) };
}

function market(yes: Snapshot | undefined, no: Snapshot | undefined): MarketBook {
  return new MarketBook(tokenBook(yes), tokenBook(no));
}

function walkBids(book: MarketBook): readonly (readonly [number, number])[] {
  const found: [number, number][] = [];
  for (let at = book.bestBid(); at !== undefined; at = book.nextBid(at)) {
    found.push([at, book.bidSizeAt(at)]);
  }
  return found;
}

function walkAsks(book: MarketBook): readonly (readonly [number, number])[] {
  const found: [number, number][] = [];
  for (let at = book.bestAsk(); at !== undefined; at = book.nextAsk(at)) {
    found.push([at, book.askSizeAt(at)]);
  }
  return found;
}

describe('both books of a market on the YES axis', () => {
  it('show NO asks as bids and NO bids as asks, at one minus their price', () => {
    const book = market(
      { bids: [level(40, 10)], asks: [level(60, 20)] },
      { bids: [level(45, 30)], asks: [level(57, 40)] },
    );
    expect(walkBids(book)).toEqual([
      [43, shares(40)],
      [40, shares(10)],
    ]);
    expect(walkAsks(book)).toEqual([
      [55, shares(30)],
      [60, shares(20)],
    ]);
  });

  it('add up where both show the same price', () => {
    const book = market({ bids: [level(40, 10)], asks: [] }, { bids: [], asks: [level(60, 5)] });
    expect(book.bidSizeAt(cents(40))).toBe(shares(15));
  });

  it('add up to no more than a quantity can state', () => {
    const most = { price: cents(40), size: microShares(MICRO_SHARES_MAX) };
    const mirrored = { price: cents(60), size: microShares(MICRO_SHARES_MAX) };
    const book = market({ bids: [most], asks: [] }, { bids: [], asks: [mirrored] });
    expect(book.bidSizeAt(cents(40))).toBe(MICRO_SHARES_MAX);
  });

  it.each(['yes', 'no'] as const)('show one book when only %s has a snapshot', (token) => {
    const yes = { bids: [level(40, 10)], asks: [level(60, 20)] };
    const no = { bids: [level(40, 20)], asks: [level(60, 10)] };
    const book = token === 'yes' ? market(yes, undefined) : market(undefined, no);
    expect(walkBids(book)).toEqual([[40, shares(10)]]);
    expect(walkAsks(book)).toEqual([[60, shares(20)]]);
  });

  it('show nothing when there is nothing', () => {
    const book = market(undefined, NOTHING);
    expect(book.bestBid()).toBeUndefined();
    expect(book.bestAsk()).toBeUndefined();
  });

  it('leave out levels that are ours alone', () => {
    const book = market(
      { bids: [level(42, 50), level(40, 10)], asks: [] },
      { bids: [level(45, 30)], asks: [] },
    );
    book.yes.own.addResting('bid', cents(42), shares(50));
    book.no.own.addResting('bid', cents(45), shares(10));
    expect(walkBids(book)).toEqual([[40, shares(10)]]);
    expect(walkAsks(book)).toEqual([[55, shares(20)]]);
  });

  it('agree with plain maps, whatever of it is ours', () => {
    const order = fc.record({
      token: fc.constantFrom<OutcomeSide>('yes', 'no'),
      side: anySide,
      price: anyPrice(CENTS),
      size: fc.integer({ min: 1, max: 60_000_000 }).map(microShares),
      isResting: fc.boolean(),
    });
    const snapshot = fc.record({ bids: anyLevels(CENTS), asks: anyLevels(CENTS) });
    fc.assert(
      fc.property(snapshot, snapshot, fc.array(order), (yes, no, orders) => {
        const book = market(yes, no);
        const naive = new NaiveAxis(yes, no);
        for (const { token, side, price, size, isResting } of orders) {
          const { own } = book[token];
          if (isResting) own.addResting(side, price, size);
          else own.addTransient(side, price, size);
          naive.addOwn({ token, side, price, size, isResting });
        }
        expect(walkBids(book)).toEqual(naive.levels('bid'));
        expect(walkAsks(book)).toEqual(naive.levels('ask'));
      }),
      { numRuns: 200 },
    );
  });

  it('mirror each other: the axis of NO is the axis of YES turned round', () => {
    const snapshot = fc.record({ bids: anyLevels(CENTS), asks: anyLevels(CENTS) });
    fc.assert(
      fc.property(snapshot, snapshot, (yes, no) => {
        const turned = walkAsks(market(no, yes)).map(([price, size]) => [100 - price, size]);
        expect(turned).toEqual(walkBids(market(yes, no)));
      }),
    );
  });

  it('are refused when they are on different grids', () => {
    const other = { mirror: new BookMirror(MILLS, WHOLE), own: new OwnSizes(CENTS) };
    expect(() => new MarketBook(tokenBook(NOTHING), other)).toThrow('share its tick grid');
  });
});

type OwnOrder = {
  readonly token: OutcomeSide;
  readonly side: BookSide;
  readonly price: Ticks;
  readonly size: number;
  readonly isResting: boolean;
};

/** The same rules by looking at everything, price by price. */
class NaiveAxis {
  readonly #books = { yes: new NaiveBook(), no: new NaiveBook() };
  readonly #orders: OwnOrder[] = [];

  constructor(yes: Snapshot, no: Snapshot) {
    this.#books.yes.load(yes);
    this.#books.no.load(no);
  }

  addOwn(order: OwnOrder): void {
    this.#orders.push(order);
  }

  levels(side: BookSide): readonly (readonly [number, number])[] {
    const other = side === 'bid' ? 'ask' : 'bid';
    const joined = new NaiveSide(side);
    for (let price = 1; price < 100; price += 1) {
      const sum = this.#others('yes', side, price) + this.#others('no', other, 100 - price);
      joined.set(price, Math.min(sum, MICRO_SHARES_MAX));
    }
    return joined.prices().map((price) => [price, joined.sizes.get(price) ?? 0] as const);
  }

  #others(token: OutcomeSide, side: BookSide, price: number): number {
    const here = this.#orders.filter(
      (one) => one.token === token && one.side === side && one.price === price,
    );
    const resting = here.filter((one) => one.isResting).reduce((sum, one) => sum + one.size, 0);
    const displayed = this.#books[token][side].sizes.get(price) ?? 0;
    const start = Math.max(0, displayed - resting);
    return here
      .filter((one) => !one.isResting)
      .reduce((left, one) => (left >= one.size ? left - one.size : left), start);
  }
}
