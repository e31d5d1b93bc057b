// Strategies that somebody dropped in and no compiler has seen: what they answer wrongly costs their
// market its quotes and is told, and never more than that.

import { describe, expect, it } from 'vitest';
import { shares } from '../../../src/domain/shares.ts';
import {
  type QuoteContext,
  REASON_CHARS_MAX,
  REASONS_MAX,
  type Strategy,
  type TargetQuotes,
} from '../../../src/strategy/index.ts';
import { EngineDriver } from '../../support/engine-driver.ts';
import { ManyBooks } from '../../support/many-books.ts';
import { ask, bid, controlled, placed, wishing } from '../../support/wanted.ts';

type Answer = (context: QuoteContext<unknown>) => unknown;

function running(answer: Answer, takes = false): EngineDriver {
  const strategy = { ...wishing(() => []), quote: answer, takes };
  const driver = new EngineDriver([strategy as unknown as Strategy]);
  const usual = controlled();
  const markets = usual.markets.map((choice) => ({ ...choice, takerFeeRate: 0.03 }));
  driver.start({ ...usual, markets });
  driver.healthyBook();
  driver.run(300);
  return driver;
}

const targetQuotes = (change: object): Answer => {
  return () => ({ quotes: [bid(48, 50), ask(52, 50)], reasons: [], ...change });
};
const take = { ...bid(40, 20), leg: 'yes', side: 'BUY' };
const unspeakable = {
  toString: () => {
    throw new Error('no text');
  },
};

describe('a strategy that answers', () => {
  it.each<[string, Answer]>([
    ['a side that is none', targetQuotes({ quotes: [{ ...bid(48, 50), side: 'BID' }] })],
    ['no side', targetQuotes({ quotes: [{ ...bid(48, 50), side: undefined }] })],
    ['a purpose that is none', targetQuotes({ quotes: [{ ...bid(48, 50), purpose: 'both' }] })],
    ['no quote', targetQuotes({ quotes: [null] })],
    ['quotes that are no list', targetQuotes({ quotes: new Set([bid(48, 50)]) })],
    ['a text for reasons', targetQuotes({ reasons: 'quiet' })],
    ['a reason without texts', targetQuotes({ reasons: [{ side: 'bid', code: 'quiet' }] })],
    ['no reasons', targetQuotes({ reasons: undefined })],
    ['takes that are no list', targetQuotes({ takes: {} })],
    ['a promise', () => Promise.resolve({ quotes: [], reasons: [] })],
    ['promises for quotes', targetQuotes({ quotes: [Promise.resolve(bid(48, 50))] })],
    ['nothing', () => undefined],
    [
      'a price that is no number',
      targetQuotes({ quotes: [{ ...bid(48, 50), price: Number.NaN }] }),
    ],
    [
      'an infinite size',
      targetQuotes({ quotes: [{ ...bid(48, 50), quantity: Number.POSITIVE_INFINITY }] }),
    ],
    [
      'a size that nothing can count',
      targetQuotes({ quotes: [{ ...bid(48, 50), quantity: 1e15 }] }),
    ],
    [
      'with something thrown that has no text',
      () => {
        throw unspeakable;
      },
    ],
  ])('%s quotes nothing, and it is told once', (_, answer) => {
    const driver = running(answer);
    expect(placed(driver)).toEqual([]);
    expect(driver.reported('strategy.failed')).toHaveLength(1);
    expect(driver.engine.view().markets[0]?.bidReason?.code).toBe('strategy_failed');
  });

  it.each<[string, Answer]>([
    ['its position', ({ inventory }) => Object.assign(inventory, { net: 0 })],
    ['what is settled', ({ inventory }) => Object.assign(inventory.settled, { yes: 1e12 })],
    ['what it has filled', ({ inventory }) => Object.assign(inventory.filled, { sold: 1e12 })],
    ['its limits', ({ limits }) => Object.assign(limits, { maxLossUsdc: 1e9 })],
    ['its capital', ({ capital }) => Object.assign(capital, { freeUsdc: 1e9 })],
    ['the time', (context) => Object.assign(context, { nowMs: 0 })],
    ['the end of the market', ({ life }) => Object.assign(life, { leftMs: undefined })],
    ['its own quotes', ({ ownQuotes }) => (ownQuotes as unknown[]).push(1)],
  ])('after writing to %s has failed, and guards see what is true', (_, change) => {
    const driver = running((context) => {
      change(context);
      return { quotes: [bid(48, 50)], reasons: [] } satisfies TargetQuotes;
    });
    expect(placed(driver)).toEqual([]);
    expect(driver.reported('strategy.failed')).toHaveLength(1);
  });
});

describe('a strategy that says a lot', () => {
  const long = 'x'.repeat(100_000);

  it('quotes, and the first of its reasons are kept, as far as texts may go', () => {
    const reason = { side: 'ask', code: long, detail: long, clears: long };
    const reasons = Array.from({ length: 10_000 }, () => reason);
    const driver = running(targetQuotes({ quotes: [bid(48, 50)], reasons }));
    expect(placed(driver)).toHaveLength(1);
    const [market] = driver.engine.view().markets;
    for (const text of [market?.askReason?.code, market?.askReason?.detail]) {
      expect(text).toHaveLength(REASON_CHARS_MAX);
      expect(text?.endsWith('…')).toBe(true);
    }
  });

  it('has kept no reason beyond the first', () => {
    const reason = { side: 'bid', code: 'quiet', detail: 'quiet', clears: 'noise' };
    const reasons = [...new Array(REASONS_MAX).fill(reason), { ...reason, side: 'ask' }];
    const driver = running(targetQuotes({ quotes: [], reasons }));
    const [market] = driver.engine.view().markets;
    expect([market?.bidReason?.code, market?.askReason?.code]).toEqual(['quiet', 'no_target']);
  });

  it('in what it throws is told as far as texts may go', () => {
    const driver = running(() => {
      throw new Error(long);
    });
    const [told] = driver.reported('strategy.failed');
    expect(told?.detail).toHaveLength(REASON_CHARS_MAX);
  });
});

describe('a strategy that fills one list at each call', () => {
  it('has wanted of a market what it wanted when that was asked about', () => {
    const quotes = [bid(48, 50), ask(52, 50)];
    const driver = running(() => ({ quotes, reasons: [] }));
    quotes.splice(0, 2, bid(20, 400));
    const [market] = driver.engine.view().markets;
    expect(market?.targets?.bids).toEqual([{ price: '0.48', quantity: '50' }]);
    expect(market?.targets?.asks).toEqual([{ price: '0.52', quantity: '50' }]);
  });

  it('takes in each market what it wanted there, and not what it wants in the next one', () => {
    const takes: unknown[] = [];
    const taking = (context: QuoteContext<unknown>) => {
      const isFirst = context.marketId === books.markets[0];
      takes.splice(0, 1, { ...bid(isFirst ? 56 : 60, isFirst ? 2 : 20), leg: 'yes', side: 'BUY' });
      return { quotes: [], reasons: [], takes };
    };
    const strategy = { ...wishing(() => []), quote: taking, takes: true } as unknown as Strategy;
    const books = new ManyBooks(2, strategy, {}, { takerFeeRate: 0.01 });
    books.start();
    for (const token of books.tokens) books.snapshot(token);
    books.run(1_000);
    const wanted = books.placed.map(({ tokenId, price, quantity }) => [tokenId, price, quantity]);
    expect(wanted).toContainEqual([books.tokens[0], 56, shares(2)]);
    expect(wanted).toContainEqual([books.tokens[2], 60, shares(20)]);
    expect(wanted).toHaveLength(2);
  });
});

describe('a strategy that takes', () => {
  it.each<[string, object | null]>([
    ['a leg that is none', { leg: 'YES' }],
    ['no leg', { leg: undefined }],
    ['a side that is none', { side: 'buy' }],
    ['no side', { side: undefined }],
    ['more shares than anybody can count', { quantity: 1e13 }],
    ['nothing', null],
  ])('%s takes nothing, and it is told once', (_, change) => {
    const odd = change && { ...take, ...change };
    const driver = running(targetQuotes({ quotes: [], takes: [odd] }), true);
    expect(placed(driver)).toEqual([]);
    expect(driver.reported('strategy.failed')).toHaveLength(1);
  });

  it('what it may take is taken', () => {
    const driver = running(targetQuotes({ quotes: [], takes: [take] }), true);
    expect(placed(driver)).toEqual([['BUY YES', 40, 20]]);
  });
});
