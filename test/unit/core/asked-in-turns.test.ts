// Strategies that take long are asked a few at a time: each in its turn, and nothing is placed by what one wanted of a
// book that has moved since.

import { describe, expect, it } from 'vitest';
import type { MarketId } from '../../../src/domain/ids.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { defineStrategy, type Quote, type Strategy } from '../../../src/strategy/index.ts';
import { level } from '../../support/engine-driver.ts';
import { ManyBooks, TICK_MS } from '../../support/many-books.ts';
import { ask, bid } from '../../support/wanted.ts';

const MARKETS = 12;

function quoting(wanted: () => readonly Quote[], { markets = MARKETS, gatherMs = 0 } = {}) {
  const asked: MarketId[] = [];
  const strategy = defineStrategy<object>({
    name: 'slow',
    summary: 'Takes long.',
    params: {},
    quote: ({ marketId }) => {
      asked.push(marketId);
      return { quotes: wanted(), reasons: [] };
    },
  });
  const books = new ManyBooks(markets, strategy as Strategy, {}, {}, gatherMs);
  books.start();
  for (const token of books.tokens) books.snapshot(token);
  return { books, asked };
}

/** Every book moves. */
function move(books: ManyBooks, turn: number): void {
  for (const tokenId of books.tokens) {
    const sides = { bids: [level(40, 100 + turn)], asks: [level(60, 100)] };
    books.tell({ kind: 'bookSnapshot', tokenId, ...sides, venueTs: unixMs(books.nowMs) });
  }
}

describe('strategies that take long', () => {
  it('are asked so many in a turn, each of them in as many turns as that takes', () => {
    const { books, asked } = quoting(() => [bid(45, 50), ask(55, 50)]);
    books.asksMax = 5;
    books.run(1_000);
    const turns: number[] = [];
    const lastTurn = new Map<MarketId, number>();
    for (let turn = 0; turn < 40; turn += 1) {
      move(books, turn);
      asked.length = 0;
      books.run(TICK_MS);
      turns.push(asked.length);
      for (const market of asked) {
        expect(turn - (lastTurn.get(market) ?? turn)).toBeLessThanOrEqual(3);
        lastTurn.set(market, turn);
      }
    }
    expect(new Set(turns)).toEqual(new Set([5]));
    expect(lastTurn.size).toBe(MARKETS);
  });

  it('are waited for by no market that may not be quoted', () => {
    const { books, asked } = quoting(() => [bid(45, 50), ask(55, 50)]);
    books.run(1_000);
    books.asksMax = 1;
    move(books, 1);
    for (const tokenId of books.tokens.slice(4)) {
      books.tell({ kind: 'bookUnreadable', tokenId, detail: 'cut short' });
    }
    asked.length = 0;
    books.run(TICK_MS);
    expect(asked).toHaveLength(1);
    const codes = books.view().markets.map(({ bidReason }) => bidReason?.code);
    expect(codes.filter((code) => code === 'suspect_book' || code === 'no_book')).toHaveLength(10);
  });

  it('place nothing by what they wanted before their book moved', () => {
    let levels = 1;
    const wanted = () =>
      Array.from({ length: levels }, (_, at) => [bid(45 - at, 50), ask(55 + at, 50)]).flat();
    const { books, asked } = quoting(wanted, { markets: 6, gatherMs: 200 });
    books.run(1_000);
    // What more they want waits for company, and by then each of their books has moved.
    levels = 2;
    move(books, 1);
    books.run(TICK_MS);
    books.asksMax = 1;
    const before = books.placed.length;
    for (let turn = 2; turn < 12; turn += 1) {
      const placed = books.placed.length;
      asked.length = 0;
      move(books, turn);
      books.run(TICK_MS);
      const tokens = books.placed.slice(placed).map(({ tokenId }) => books.tokens.indexOf(tokenId));
      for (const token of tokens) expect(asked).toContain(books.markets[token >> 1]);
    }
    expect(books.placed.length).toBeGreaterThan(before);
  });
});
