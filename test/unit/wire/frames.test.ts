import { describe, expect, it } from 'vitest';
import type { VenueMessage } from '../../../src/domain/message.ts';
import { parseUsdc } from '../../../src/domain/usdc.ts';
import { FRAME_TYPES, type Frame, frameLabel, parseFrame } from '../../../src/wire/frames.ts';
import { readTradingStatus } from '../../../src/wire/frames-book.ts';
import { TOKENS } from '../../support/http-double-fixtures.ts';

function read(frame: unknown): readonly Frame[] {
  return parseFrame(JSON.stringify(frame), TOKENS);
}

function messages(frame: unknown): readonly VenueMessage[] {
  return read(frame).flatMap((each) => (each.kind === 'messages' ? each.messages : []));
}

const TS = 1_700_000_000_123;

describe('a book frame', () => {
  it('with a snapshot carries both sides in ticks and micro-shares', () => {
    const levels = {
      bids: [
        { price: 0.29, size: 100 },
        { price: 0.28, size: 0.5 },
      ],
      asks: [{ price: 0.57, size: 10 }],
    };
    expect(messages({ type: 'orderbook.snapshot', marketId: '0xA1', levels, ts: TS })).toEqual([
      {
        kind: 'bookSnapshot',
        tokenId: '0xa1',
        bids: [
          { price: 29, size: 100_000_000 },
          { price: 28, size: 500_000 },
        ],
        asks: [{ price: 57, size: 10_000_000 }],
        venueTs: TS,
      },
    ]);
  });

  it.each([
    ['bid', 0.29, 29],
    ['ask', 0.57, 57],
    ['BID', '0.07', 7],
  ])('with a delta of one %s level at %s is exact', (side, price, ticks) => {
    const frame = { type: 'orderbook.delta', marketId: '0xa1', side, price, size: 0, ts: TS };
    expect(messages(frame)).toEqual([
      {
        kind: 'bookDelta',
        tokenId: '0xa1',
        side: side.toLowerCase(),
        price: ticks,
        size: 0,
        venueTs: TS,
      },
    ]);
  });

  it.each([
    ['a price off the grid', { price: 0.295, size: 1, side: 'bid' }, 'orderbook.delta.price'],
    ['a price outside the range', { price: 1, size: 1, side: 'bid' }, 'orderbook.delta.price'],
    ['a negative size', { price: 0.3, size: -1, side: 'bid' }, 'orderbook.delta.size'],
    ['no size', { price: 0.3, side: 'bid' }, 'orderbook.delta.size'],
    ['another side', { price: 0.3, size: 1, side: 'BUY' }, 'orderbook.delta.side'],
  ])('with %s makes the book of that token unreadable, with the path', (_name, rest, path) => {
    expect(messages({ type: 'orderbook.delta', marketId: '0xa1', ...rest, ts: TS })).toEqual([
      { kind: 'bookUnreadable', tokenId: '0xa1', detail: expect.stringContaining(path) },
    ]);
  });

  it.each([
    ['no levels', undefined],
    ['one side', { bids: [] }],
    [
      'a price twice',
      {
        bids: [
          { price: 0.3, size: 1 },
          { price: 0.3, size: 2 },
        ],
        asks: [],
      },
    ],
    ['one unreadable level', { bids: [], asks: [{ price: 0.3, size: 'many' }] }],
  ])('with a snapshot of %s makes the book unreadable', (_name, levels) => {
    expect(messages({ type: 'orderbook.snapshot', marketId: '0xa1', levels })).toMatchObject([
      { kind: 'bookUnreadable', tokenId: '0xa1' },
    ]);
  });

  it.each([
    ['a token outside the catalogue', '0xff'],
    ['no token', undefined],
    ['a token id that is not hex', 'm1'],
  ])('of %s is unrecognised', (_name, marketId) => {
    const frame = { type: 'orderbook.delta', marketId, side: 'bid', price: 0.3, size: 1 };
    expect(messages(frame)).toMatchObject([{ kind: 'unrecognised', frameType: 'orderbook.delta' }]);
  });

  it.each([
    ['absent', undefined, undefined],
    ['text', '1700000000123', TS],
    ['a date', '2026-01-01', undefined],
    ['negative', -5, undefined],
  ])('is not lost for a time stamp that is %s', (_name, ts, venueTs) => {
    const frame = { type: 'orderbook.delta', marketId: '0xa1', side: 'bid', price: 0.3, size: 1 };
    expect(messages({ ...frame, ts })).toMatchObject([{ kind: 'bookDelta', venueTs }]);
  });
});

describe('a text that is no JSON', () => {
  const delta = `{"type":"orderbook.delta","marketId":"0xA1","side":"bid","price":0.29`;

  it.each([
    ['cut short', delta],
    ['behind a byte order mark', `\uFEFF${delta},"size":5,"ts":${TS}}`],
    ['of several frames', `[${delta}},{"type":"orderbook.delta","marketId":"0xa1"`],
  ])('%s costs the book that it names its trust', (_name, text) => {
    const [frame, ...rest] = parseFrame(text, TOKENS);
    expect(rest).toEqual([]);
    expect(frame).toMatchObject({ messages: [{ kind: 'bookUnreadable', tokenId: '0xa1' }] });
  });

  it.each([
    ['about no book', '{"type":"trade.settled","marketId":"0xa1"'],
    ['about a token that is not listed', delta.replace('0xA1', '0xdead')],
    ['that names no token', '{"type":"orderbook.delta","mark'],
  ])('%s is unrecognised', (_name, text) => {
    const [frame] = parseFrame(text, TOKENS);
    expect(frame).toMatchObject({ messages: [{ kind: 'unrecognised', frameType: 'untyped' }] });
  });
});

describe('a trade frame', () => {
  it('tells the side of the taker', () => {
    const frame = { type: 'trade.executed', tokenId: '0xa1', price: 0.29, size: 3, side: 'SELL' };
    expect(messages({ ...frame, ts: TS })).toEqual([
      {
        kind: 'trade',
        tokenId: '0xa1',
        price: 29,
        size: 3_000_000,
        takerSide: 'SELL',
        venueTs: TS,
      },
    ]);
  });

  it('of the last price knows no taker', () => {
    const frame = { type: 'last_trade_price', marketId: '0xa1', price: 0.29, size: 3, ts: TS };
    expect(messages(frame)).toMatchObject([{ kind: 'trade', takerSide: undefined, price: 29 }]);
  });

  it('at an average off the grid is told as unrecognised, never rounded', () => {
    const frame = { type: 'last_trade_price', marketId: '0xa1', price: 0.2933, size: 3, ts: TS };
    expect(messages(frame)).toMatchObject([
      { kind: 'unrecognised', frameType: 'last_trade_price' },
    ]);
  });
});

describe('a status frame', () => {
  it.each([
    ['PAUSE', 'paused'],
    ['PAUSED', 'paused'],
    ['OPEN', 'open'],
    ['RESUME', 'open'],
    ['closed', 'closed'],
    ['RESOLVED', 'resolved'],
    ['HALTED', 'unknown'],
    ['', 'unknown'],
    ['toString', 'unknown'],
  ])('reads %s as %s', (word, status) => {
    expect(readTradingStatus(word)).toBe(status);
    expect(messages({ type: 'market.status_update', marketId: '0xa1', status: word })).toEqual([
      { kind: 'marketStatus', tokenId: '0xa1', status, word },
    ]);
  });

  it('that names a market means both of its tokens', () => {
    const frame = { type: 'market.status_update', marketId: 'm1', status: 'PAUSE' };
    expect(messages(frame)).toMatchObject([
      { tokenId: '0xa1', status: 'paused' },
      { tokenId: '0xa0', status: 'paused' },
    ]);
  });
});

describe('a frame of the user channel', () => {
  const UPDATE = {
    id: 'db-1',
    orderHash: '0xAB',
    tokenId: '0xa1',
    status: 'PARTIALLY_FILLED',
    filledQuantity: '4',
    remaining: '6',
    price: '0.29',
    side: 'BUY',
    marketId: 'm1',
  };

  it.each(['OPEN', 'MATCHED', 'PARTIALLY_FILLED', 'FILLED', 'CANCELLED', 'EXPIRED'] as const)(
    'tells of an order that is %s, in either case',
    (status) => {
      for (const word of [status, status.toLowerCase()]) {
        expect(messages({ type: 'order.update', data: { ...UPDATE, status: word } })).toEqual([
          {
            kind: 'orderUpdate',
            update: {
              orderHash: '0xab',
              tokenId: '0xa1',
              marketId: 'm1',
              side: 'BUY',
              price: 29,
              ticksPerUnit: 100,
              status,
              filledQuantity: 4_000_000,
              remaining: 6_000_000,
            },
          },
        ]);
      }
    },
  );

  it.each([
    ['a status nobody published', { status: 'GONE' }, 'order.update.status'],
    ['a token outside the catalogue', { tokenId: '0xff' }, 'order.update.tokenId'],
    ['no price at all', { price: '1.5' }, 'not on the tick grid'],
  ])('with %s is told as unrecognised', (_name, over, detail) => {
    expect(messages({ type: 'order.update', data: { ...UPDATE, ...over } })).toEqual([
      {
        kind: 'unrecognised',
        frameType: 'order.update',
        detail: expect.stringContaining(detail),
      },
    ]);
  });

  it('tells of an order that is off the grid of its event', () => {
    // It may be ours from before the tick size changed: its hash says so, and what it trades counts.
    const [told] = messages({ type: 'order.update', data: { ...UPDATE, price: '0.295' } });
    expect(told).toMatchObject({ update: { price: 295, ticksPerUnit: 1_000 } });
  });

  it('tells of a settlement in both generations', () => {
    const older = { tradeId: 't1', side: 'SELL', price: '0.2933', quantity: '5', txHash: '0x9' };
    const newer = {
      ...older,
      outcomeName: 'Yes',
      tokenId: '0xA1',
      marketId: 'm1',
      marketTitle: null,
    };
    const settled = {
      kind: 'tradeSettled',
      tradeId: 't1',
      side: 'SELL',
      price: parseUsdc('0.2933'),
      quantity: 5_000_000,
    };
    expect(messages({ type: 'trade.settled', ...newer })).toEqual([
      { ...settled, tokenId: '0xa1', marketId: 'm1' },
    ]);
    expect(messages({ type: 'trade.settled', data: older })).toEqual([
      { ...settled, tokenId: undefined, marketId: undefined },
    ]);
  });

  it('tells of a settlement that failed', () => {
    const frame = { reason: 'reverted', marketId: 'm1', side: 'BUY', quantity: 5 };
    const failed = { ...frame, kind: 'tradeFailed', quantity: 5_000_000 };
    expect(messages({ type: 'trade.failed', ...frame })).toEqual([failed]);
    expect(messages({ type: 'trade.failed', data: frame })).toEqual([failed]);
    expect(messages({ type: 'trade.failed', side: 'BUY', quantity: '5' })).toEqual([
      { ...failed, reason: '', marketId: undefined },
    ]);
  });

  it.each([
    ['-3.5', -3_500_000],
    [3.5, 3_500_000],
    ['-0', 0],
    [-0.000001, -1],
  ])('tells of a position that changed by %s', (sharesDelta, expected) => {
    const data = { marketId: 'm1', outcomeId: 'o1', sharesDelta, averagePrice: '0.3' };
    expect(messages({ type: 'position.update', data })).toEqual([
      { kind: 'positionUpdate', marketId: 'm1', outcomeId: 'o1', sharesDelta: expected },
    ]);
  });

  it('tells of the totals in both shapes', () => {
    const newer = { totalValue: '5', availableBalance: '4.5', totalPnl: '-1', positionCount: 2 };
    const older = { cashBalance: '4', positionsValue: '1', totalBalance: '5' };
    expect(messages({ type: 'portfolio.summary_update', data: newer })).toEqual([
      { kind: 'summaryUpdate', availableBalance: parseUsdc('4.5') },
    ]);
    expect(messages({ type: 'portfolio.summary_update', data: older })).toEqual([
      { kind: 'summaryUpdate', availableBalance: undefined },
    ]);
  });
});

describe('a frame of the connection', () => {
  it.each(['connected', 'ping', 'pong', 'authenticated'] as const)('is known as %s', (type) => {
    expect(read({ type, anything: 'else' })).toEqual([{ kind: type }]);
  });

  it('with an error keeps its message, and a code where there is one', () => {
    expect(read({ type: 'error', message: 'no' })).toEqual([
      { kind: 'error', message: 'no', code: undefined },
    ]);
    expect(read({ type: 'error', code: 'INVALID_SIGNATURE' })).toEqual([
      { kind: 'error', message: '', code: 'invalid_signature' },
    ]);
  });
});

describe('an unknown frame', () => {
  it.each([
    ['{"type":"nova","x":1}', 'nova'],
    ['{"no":"type"}', 'untyped'],
    ['not json', 'untyped'],
    ['"text"', 'untyped'],
    ['null', 'untyped'],
  ])('is tolerated and counted: %s', (text, frameType) => {
    const [frame] = parseFrame(text, TOKENS);
    expect(frame).toMatchObject({ kind: 'messages', messages: [{ frameType }] });
    expect(frame && frameLabel(frame)).toBe('other');
  });

  it('has a label from a closed set, whatever it calls itself', () => {
    for (const type of FRAME_TYPES) {
      const [frame] = read({ type });
      expect(frame && frameLabel(frame)).toBe(type);
    }
  });
});

describe('several frames in one text', () => {
  it('are read one by one', () => {
    const delta = { type: 'orderbook.delta', marketId: '0xa1', side: 'bid', size: 1 };
    const list = [{ ...delta, price: 0.3 }, 7, { ...delta, price: 0.31 }];
    expect(messages(list).map(({ kind }) => kind)).toEqual([
      'bookDelta',
      'unrecognised',
      'bookDelta',
    ]);
  });

  it('more than one text may hold are not read, and cost each book that they name its trust', () => {
    const delta = { type: 'orderbook.delta', side: 'bid', price: 0.3, size: 1 };
    const list = Array.from({ length: 10_001 }, (_, count) => {
      return { ...delta, marketId: count % 2 === 0 ? '0xa1' : '0xdead' };
    });
    expect(messages(list)).toMatchObject([{ kind: 'bookUnreadable', tokenId: '0xa1' }]);
    expect(messages(list.map(() => ({ type: 'pong' })))).toMatchObject([
      { kind: 'unrecognised', frameType: 'list' },
    ]);
  });
});
