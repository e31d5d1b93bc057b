// Which orders are ours, for those who cancel without the core.

import { describe, expect, it } from 'vitest';
import { intentId, marketId, orderHash, tokenId } from '../../../src/domain/ids.ts';
import type { OrderReport } from '../../../src/domain/order.ts';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { OwnBook, type OwnOrderWord } from '../../../src/guard/own-book.ts';
import { readFromTrader } from '../../../src/guard/protocol.ts';

const SENT_MS = 10_000_000;

function word(name: number, over: Partial<OwnOrderWord> = {}): OwnOrderWord {
  return {
    intentId: intentId(`1-${name}`),
    orderHash: orderHash(`0x0${name}`),
    marketId: marketId('m1'),
    tokenId: tokenId('0xaa'),
    side: 'BUY',
    priceMilli: 400,
    quantity: shares(10),
    sentAtMs: unixMs(SENT_MS),
    ...over,
  };
}

function listed(hash: string, over: Partial<OrderReport> = {}): OrderReport {
  return {
    orderHash: orderHash(hash),
    tokenId: tokenId('0xaa'),
    side: 'BUY',
    price: ticks(tickGrid('0.001'), 400),
    quantity: shares(10),
    executed: shares(0),
    status: 'OPEN',
    createdAtMs: undefined,
    ...over,
  };
}

const ACCOUNT = { kind: 'account' } as const;

function bookOf(...live: readonly OwnOrderWord[]): OwnBook {
  const book = new OwnBook();
  book.apply({ isWhole: true, live, ended: [] });
  return book;
}

describe('an order on a list', () => {
  it('is ours by its hash, ended or not, and an external order`s without one', () => {
    const book = bookOf(word(1), word(2));
    book.apply({ isWhole: false, live: [], ended: [{ intentId: intentId('1-2') }] });
    const other = { side: 'SELL' } as const;
    const list = ['0x01', '0x02', '0x03'].map((hash) => listed(hash, other));
    expect(book.among(list).map((each) => each.orderHash)).toEqual(['0x01', '0x02']);
    expect(book.live(ACCOUNT)).toEqual(['0x01']);
  });

  it('is an external order`s where it is priced between ticks, however near to an unanswered placement', () => {
    const book = bookOf(word(1, { orderHash: undefined }));
    expect(book.among([listed('0x09')])).toHaveLength(1);
    expect(book.among([listed('0x09', { isOffGrid: true })])).toEqual([]);
  });

  it('is ours when it is what an unanswered placement asked for', () => {
    const book = bookOf(word(1, { orderHash: undefined }));
    expect(book.among([listed('0x09')])).toHaveLength(1);
    const others = [
      listed('0x09', { price: ticks(tickGrid('0.001'), 401) }),
      listed('0x09', { side: 'SELL' }),
      listed('0x09', { quantity: shares(11) }),
      listed('0x09', { tokenId: tokenId('0xbb') }),
      listed('0x09', { createdAtMs: unixMs(SENT_MS - 130_000) }),
    ];
    expect(book.among(others)).toEqual([]);
  });

  it('is ours though the venue dates it minutes earlier, where our clock is so far ahead', () => {
    const book = bookOf(word(1, { orderHash: undefined }));
    const dated = [listed('0x09', { createdAtMs: unixMs(SENT_MS - 300_000) })];
    expect(book.among(dated)).toEqual([]);
    book.apply({ isWhole: false, live: [], ended: [], aheadMs: 300_000 });
    expect(book.among(dated)).toHaveLength(1);
    const earlier = [listed('0x09', { createdAtMs: unixMs(SENT_MS - 430_000) })];
    expect(book.among(earlier)).toEqual([]);
  });

  it('is ours, and so is every other one like it, while nobody says which of them the placement is', () => {
    const book = bookOf(word(1, { orderHash: undefined }));
    expect(book.among([listed('0x09'), listed('0x0a')])).toHaveLength(2);
    // Taken for one of them by a trader, which goes on looking for the other.
    const duplicate = word(1, { intentId: intentId('1-1-duplicate'), orderHash: undefined });
    book.apply({
      isWhole: false,
      live: [word(1, { orderHash: orderHash('0x09') }), duplicate],
      ended: [],
    });
    expect(book.among([listed('0x09'), listed('0x0a')])).toHaveLength(2);
    book.apply({ isWhole: false, live: [], ended: [{ intentId: intentId('1-1-duplicate') }] });
    expect(book.among([listed('0x09'), listed('0x0a')])).toHaveLength(1);
  });

  it('is an external order`s once the placement like it has got its own hash', () => {
    const book = bookOf(word(1, { orderHash: undefined }));
    book.apply({ isWhole: false, live: [word(1)], ended: [] });
    expect(book.among([listed('0x09')])).toEqual([]);
    expect(book.unansweredSinceMs).toBeUndefined();
  });

  it('stays ours when a later trader tells all that it knows, and does not know it', () => {
    const book = bookOf(word(1));
    book.apply({ isWhole: true, live: [word(2)], ended: [] });
    expect(book.among([listed('0x01'), listed('0x02')])).toHaveLength(2);
    expect(book.live(ACCOUNT)).toEqual(['0x02']);
  });
});

describe('what is reported orders', () => {
  it('names the placements without an answer, and when the latest of them left', () => {
    const unanswered = [
      word(1, { orderHash: undefined, sentAtMs: unixMs(SENT_MS + 5) }),
      word(2, { orderHash: undefined }),
    ];
    const book = bookOf(...unanswered, word(3, { sentAtMs: unixMs(SENT_MS + 9) }));
    expect(book.unanswered).toEqual(unanswered);
    expect(book.unansweredSinceMs).toBe(SENT_MS + 5);
    expect(bookOf(word(3)).unansweredSinceMs).toBeUndefined();
  });

  it('narrows to a market or a token', () => {
    const book = bookOf(word(1), word(2, { marketId: marketId('m2'), tokenId: tokenId('0xbb') }));
    expect(book.live({ kind: 'market', marketId: marketId('m2') })).toEqual(['0x02']);
    expect(book.live({ kind: 'token', tokenId: tokenId('0xaa') })).toEqual(['0x01']);
  });

  it('comes over the channel as it was', () => {
    const book = bookOf(word(1), word(2, { orderHash: undefined }));
    const message = { kind: 'orders', scope: 'own', update: book.whole() };
    expect(readFromTrader(JSON.parse(JSON.stringify(message)))).toEqual({
      ...message,
      update: { ...message.update, live: [word(1), word(2, { orderHash: undefined })] },
    });
  });

  it.each([
    { live: [{ ...word(1), side: 'buy' }] },
    { live: [{ ...word(1), orderHash: 'no hash' }] },
    { live: [{ ...word(1), quantity: 0.5 }] },
    { ended: [{ orderHash: 5 }] },
    { live: 'all' },
  ])('is refused whole where a part of it cannot be read: %j', (part) => {
    const update = { isWhole: true, live: [], ended: [], ...part };
    expect(readFromTrader({ kind: 'orders', scope: 'own', update })).toBeUndefined();
  });

  it('is bounded: of very many the oldest are ended and stay known', () => {
    const book = new OwnBook();
    const live = Array.from({ length: 50_001 }, (_, index) =>
      word(1, {
        intentId: intentId(`1-${index}`),
        orderHash: orderHash(`0x${(index + 1).toString(16)}`),
      }),
    );
    book.apply({ isWhole: true, live, ended: [] });
    expect(book.live(ACCOUNT)).toHaveLength(50_000);
    expect(book.among([listed('0x1', { side: 'SELL' })])).toHaveLength(1);
  });
});

describe('all that is known', () => {
  it('is told to somebody who knows nothing: what has not ended, what has, and the clock', () => {
    const book = bookOf(word(1), word(2, { orderHash: undefined }), word(3));
    book.apply({ isWhole: false, live: [], ended: [{ intentId: intentId('1-1') }], aheadMs: 7 });
    book.apply({ isWhole: false, live: [], ended: [{ orderHash: orderHash('0x03') }], aheadMs: 5 });
    book.apply({ isWhole: false, live: [], ended: [{ intentId: intentId('1-2') }] });
    expect(book.isWhole).toBe(true);
    expect(book.whole()).toEqual({
      ...{ isWhole: true, live: [], aheadMs: 7 },
      ended: [{ orderHash: '0x01' }, { orderHash: '0x03' }],
    });
    expect(new OwnBook().whole()).toMatchObject({ isWhole: true, live: [], ended: [] });
    expect(new OwnBook().isWhole).toBe(false);
  });

  it('is no whole where only a part was told', () => {
    const book = new OwnBook();
    book.apply({ isWhole: false, live: [word(1)], ended: [] });
    expect([book.isWhole, book.live(ACCOUNT)]).toEqual([false, ['0x01']]);
  });

  it('has thirty thousand orders that have ended at the most, of which the oldest goes first', () => {
    const book = new OwnBook();
    const ended = Array.from({ length: 30_000 }, (_, at) => ({
      orderHash: orderHash(`0x${(at + 1).toString(16)}`),
    }));
    const isKnown = (at: number) =>
      book.among([listed(`0x${at.toString(16)}`, { side: 'SELL' })]).length === 1;
    book.apply({ isWhole: true, live: [word(1, { orderHash: orderHash('0x1') })], ended: [] });
    book.apply({ isWhole: true, live: [], ended });
    expect([isKnown(1), isKnown(30_000)]).toEqual([true, true]);
    book.apply({ isWhole: false, live: [], ended: [{ orderHash: orderHash('0xfffff') }] });
    expect([isKnown(1), isKnown(2), isKnown(0xfffff)]).toEqual([false, true, true]);
  });

  it('has an order under one hash, by whichever name it ends', () => {
    const book = bookOf(word(1));
    book.apply({
      ...{ isWhole: false, live: [] },
      ended: [{ intentId: intentId('1-1'), orderHash: orderHash('0x0f') }],
    });
    expect(book.whole()).toMatchObject({ live: [], ended: [{ orderHash: '0x0f' }] });
    book.apply({ isWhole: false, live: [], ended: [{ intentId: intentId('9-9') }, {}] });
    expect(book.whole().ended).toHaveLength(1);
  });
});

describe('what a list dates', () => {
  it.each([
    [120_000, 1],
    [120_001, 0],
  ])('%d ms before it was sent is ours: %d', (beforeMs, expected) => {
    const book = bookOf(word(1, { orderHash: undefined }));
    const dated = listed('0x09', { createdAtMs: unixMs(SENT_MS - beforeMs) });
    expect(book.among([dated])).toHaveLength(expected);
  });

  it('is held against the earliest of those that are alike', () => {
    for (const order of [
      [0, 60_000],
      [60_000, 0],
    ]) {
      const words = order.map((more, at) =>
        word(at + 1, { orderHash: undefined, sentAtMs: unixMs(SENT_MS + more) }),
      );
      const dated = listed('0x09', { createdAtMs: unixMs(SENT_MS - 120_000) });
      expect(bookOf(...words).among([dated])).toHaveLength(1);
    }
  });
});
