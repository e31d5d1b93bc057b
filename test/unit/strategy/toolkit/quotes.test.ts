import { describe, expect, it } from 'vitest';
import { shares } from '../../../../src/domain/shares.ts';
import { type Ticks, tickGrid, ticks } from '../../../../src/domain/ticks.ts';
import {
  joined,
  type Middle,
  middleOf,
  noQuotes,
  sideQuotes,
} from '../../../../src/strategy/index.ts';
import { contextOf, NO_PRICES, pricesOf, USUAL } from '../../strategies/contexts.ts';

const GRID = tickGrid('0.01');
const CONTEXT = contextOf(USUAL, {});
const PLAN = { levels: 2, spacingTicks: 3, quantity: shares(10) };

function middle(): Middle {
  const found = middleOf(CONTEXT.book);
  if (found.kind === 'absent') throw new Error('the usual book has a middle');
  return found;
}

describe('the middle of a book', () => {
  it('is stated doubled, with both touches', () => {
    expect(middleOf(CONTEXT.book)).toEqual({ kind: 'found', bid: 48, ask: 52, twiceTicks: 100 });
  });

  it('is not moved by dust at the touch, beside which nothing is quoted either', () => {
    const { book } = CONTEXT;
    const dusty = {
      bestBid: () => book.bestBid(),
      bidSizeAt: (price: Ticks) => book.bidSizeAt(price),
      nextBid: (price: Ticks) => book.nextBid(price),
      bestAsk: () => ticks(GRID, 49),
      askSizeAt: (price: Ticks) => (price === 49 ? shares(1) : book.askSizeAt(price)),
      nextAsk: (price: Ticks) => (price < 52 ? book.bestAsk() : book.nextAsk(price)),
    };
    expect(middleOf(dusty)).toEqual({ kind: 'found', bid: 48, ask: 49, twiceTicks: 100 });
  });

  it('is absent with a reason and never a default price', () => {
    const empty = contextOf({ ...USUAL, yes: NO_PRICES }, {});
    expect(middleOf(empty.book)).toMatchObject({ kind: 'absent', reason: { code: 'book_empty' } });
  });
});

describe('levels of one side', () => {
  it('go outwards from the best', () => {
    const bids = sideQuotes(CONTEXT, middle(), { ...PLAN, side: 'bid', bestTicks: 47 });
    expect(pricesOf(bids, 'bid')).toEqual([47, 44]);
    const asks = sideQuotes(CONTEXT, middle(), { ...PLAN, side: 'ask', bestTicks: 53 });
    expect(pricesOf(asks, 'ask')).toEqual([53, 56]);
  });

  it('start beside the opposite touch when the wanted best lies at or beyond it', () => {
    const bids = sideQuotes(CONTEXT, middle(), { ...PLAN, side: 'bid', bestTicks: 52 });
    expect(pricesOf(bids, 'bid')).toEqual([51, 48]);
    const asks = sideQuotes(CONTEXT, middle(), { ...PLAN, side: 'ask', bestTicks: 40 });
    expect(pricesOf(asks, 'ask')).toEqual([49, 52]);
  });

  it('are none, with the reason, when all of them lie outside the price range', () => {
    const targetQuotes = sideQuotes(CONTEXT, middle(), { ...PLAN, side: 'bid', bestTicks: -5 });
    expect(targetQuotes.quotes).toEqual([]);
    expect(targetQuotes.reasons[0]?.detail).toBe('2 of 2 levels lie outside 0.01 to 0.99');
  });

  it('of both sides join into one target quote', () => {
    const bids = sideQuotes(CONTEXT, middle(), { ...PLAN, side: 'bid', bestTicks: 47 });
    const reason = {
      side: 'ask',
      code: 'resting',
      detail: 'by choice',
      clears: 'a choice',
    } as const;
    expect(joined(bids, noQuotes(reason))).toEqual({ quotes: bids.quotes, reasons: [reason] });
  });
});
