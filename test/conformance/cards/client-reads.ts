// What the client reads of answers: every field as the value that is written out here, in both generations.

import { CardFailure, holds } from '../../../src/cli/doctor/card.ts';
import { orderHash, outcomeId } from '../../../src/domain/ids.ts';
import { failure, inTurn, json, ok } from '../../support/http-double.ts';
import { ofClient } from '../bench/bench.ts';
import { nowSec } from '../bench/raw-rest.ts';
import {
  answered,
  bid,
  FINE_YES,
  HASH,
  NO,
  OTHER_HASH,
  RAIN_ID,
  same,
  Written,
  YES,
} from '../bench/written.ts';

const CREATED = '2026-01-02T03:04:05.678Z';
const CREATED_MS = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const micro = (count: number) => Math.round(count * 1_000_000);

const order = (change: Readonly<Record<string, unknown>>) => ({
  ...{
    id: 'o-1',
    orderHash: HASH,
    tokenId: YES,
    side: 'BUY',
    price: '0.29',
    quantity: '12.345678',
  },
  ...{ filledQuantity: '0', holdQuantity: '0', status: 'OPEN', timeInForce: 'GTC' },
  ...{ expiredAt: null, createdAt: CREATED },
  ...change,
});

const report = (change: Readonly<Record<string, unknown>>) => ({
  ...{ orderHash: HASH, tokenId: YES, side: 'BUY', price: 29, ticksPerUnit: 100 },
  ...{ quantity: 12_345_678, executed: 0, status: 'OPEN', createdAtMs: CREATED_MS },
  ...change,
});

const EVENT = {
  ...{ id: 'e-9', slug: 'who-wins', title: 'Who wins?', category: 'sports', marketType: 'CTF' },
  ...{ status: 'open', tickSize: '0.001', expiryTime: '2027-05-06T07:08:09.000Z' },
};

const market = (change: Readonly<Record<string, unknown>>) => ({
  ...{ id: 'm-1', title: 'Ann', status: 'open', enableOrderBook: true, volume: '12.5' },
  outcomes: [outcome(1), outcome(0)],
  ...change,
});

const outcome = (index: number, prefix = 'm-1') => ({
  ...{ id: `${prefix}-o${index}`, name: index === 1 ? 'Ann wins' : 'Not Ann' },
  ...{
    tokenId: `0x${prefix === 'm-1' ? 'd' : 'e'}${index}`,
    outcomeIndex: index,
    lastPrice: '0.5',
  },
});

const readOutcome = (index: number, prefix = 'm-1') => ({
  ...{ id: `${prefix}-o${index}`, name: index === 1 ? 'Ann wins' : 'Not Ann' },
  ...{ tokenId: `0x${prefix === 'm-1' ? 'd' : 'e'}${index}`, outcomeIndex: index },
});

const ORDER_ROWS = [
  'orderHash',
  'tokenId',
  'side',
  'price',
  'quantity',
  'filledQuantity',
  'holdQuantity',
];

export const CLIENT_READ_CARDS = ofClient(
  {
    id: 'C-320',
    title: 'an open order is read whole: what rests is its quantity less filled less held',
    spec: 'Order',
    covers: [
      ...[...ORDER_ROWS, 'status', 'createdAt'].map((name) => `field Order.${name}`),
      ...['text Order 1', 'bullet Versioning 3', 'endpoint GET /orders', 'text GET /orders 1'],
      ...['rule Order status values 2', 'rule POST /orders/market 2'],
    ],
    run: async (lab) => {
      const written = await Written.start(lab);
      const partly = { filledQuantity: '2.5', holdQuantity: '1.25', status: 'PARTIALLY_FILLED' };
      written.answers('GET', '/orders', [
        order({}),
        order({ orderHash: OTHER_HASH, ...partly, side: 'SELL', tokenId: NO, price: '0.71' }),
        order({ orderHash: '0xc3', holdQuantity: '12.345678' }),
        order({ orderHash: '0xc4', tokenId: FINE_YES, price: '0.007' }),
        order({ orderHash: '0xc5', price: '0.405' }),
      ]);
      const orders = answered(await written.client().readOpenOrders(), 'GET /orders');
      const partRead = { executed: 3_750_000, status: 'PARTIALLY_FILLED' };
      same(
        orders,
        [
          report({}),
          report({ orderHash: OTHER_HASH, ...partRead, side: 'SELL', tokenId: NO, price: 71 }),
          report({ orderHash: '0xc3', executed: 12_345_678 }),
          report({ orderHash: '0xc4', tokenId: FINE_YES, price: 7, ticksPerUnit: 1_000 }),
          report({ orderHash: '0xc5', price: 405, ticksPerUnit: 1_000 }),
        ],
        'the orders',
      );
      const ofNo = await written.client().readOpenOrders({ kind: 'token', tokenId: NO });
      same(
        answered(ofNo, 'of a token').map((each) => each.orderHash),
        [OTHER_HASH],
        'of NO',
      );
      return undefined;
    },
  },
  {
    id: 'C-321',
    title: 'balances are read to the millionth, each position by its token',
    spec: 'Balances',
    covers: [
      ...['cashBalance', 'availableBalance', 'usdcOnHold', 'positions'].map(
        (name) => `field Balances.${name}`,
      ),
      ...['text Balances 1', 'endpoint GET /portfolio/balances', 'fact Collateral'],
    ],
    run: async (lab) => {
      const written = await Written.start(lab);
      const position = (tokenId: string, shareAmount: string, onHoldShareAmount: string) => ({
        ...{ tokenId, marketId: RAIN_ID, outcomeId: 'o', shareAmount, onHoldShareAmount },
      });
      written.answers('GET', '/portfolio/balances', {
        ...{ cashBalance: '1234.567891', availableBalance: '1000.000001', usdcOnHold: '234.56789' },
        positions: [position(YES, '17.25', '2.5'), position(NO, '0.000001', '0')],
      });
      const read = answered(await written.client().readBalances(), 'balances');
      same(
        read,
        {
          ...{
            cashBalance: '1234.567891',
            availableBalance: '1000.000001',
            usdcOnHold: '234.56789',
          },
          positions: [
            {
              tokenId: YES,
              marketId: RAIN_ID,
              shareAmount: 17_250_000,
              onHoldShareAmount: 2_500_000,
            },
            { tokenId: NO, marketId: RAIN_ID, shareAmount: 1, onHoldShareAmount: 0 },
          ],
        },
        'the balances',
      );
      return undefined;
    },
  },
  {
    id: 'C-322',
    title:
      'an event is read with its markets and outcomes, Yes by outcomeIndex 1, in both generations',
    spec: 'Event',
    covers: [
      ...['id', 'slug', 'title', 'category', 'status', 'tickSize', 'expiryTime', 'markets'].map(
        (name) => `field Event.${name}`,
      ),
      ...['id', 'title', 'status', 'enableOrderBook', 'outcomes'].map(
        (name) => `field Market.${name}`,
      ),
      ...['id', 'name', 'tokenId', 'outcomeIndex'].map((name) => `field Outcome.${name}`),
      ...['endpoint GET /events/:idOrSlug', 'text What the service does 2'],
    ],
    run: async (lab) => {
      const written = await Written.start(lab);
      const second = { id: 'm-2', title: null, status: 'resolved', enableOrderBook: false };
      const outcomes = [outcome(0, 'm-2'), outcome(1, 'm-2')];
      const markets = [market({}), market({ ...second, outcomes })];
      written.answers('GET', '/events/now', { ...EVENT, markets });
      const older = market({ ...second, status: 'RESOLVED', outcomes });
      written.answers('GET', '/events/then', {
        ...{ ...EVENT, status: 'OPEN', tickSize: 0.001 },
        markets: [market({ status: 'OPEN' }), older],
      });
      const read = {
        ...{ id: 'e-9', slug: 'who-wins', title: 'Who wins?', category: 'sports', status: 'open' },
        ...{
          grid: { tickSize: '0.001', ticksPerUnit: 1_000 },
          expiryAtMs: Date.UTC(2027, 4, 6, 7, 8, 9),
        },
        markets: [
          {
            ...{ id: 'm-1', title: 'Ann', status: 'open', enableOrderBook: true },
            ...{ yes: readOutcome(1), no: readOutcome(0) },
          },
          {
            ...{ id: 'm-2', title: 'Who wins?', status: 'resolved', enableOrderBook: false },
            ...{ yes: readOutcome(1, 'm-2'), no: readOutcome(0, 'm-2') },
          },
        ],
      };
      for (const slug of ['now', 'then']) {
        const { event, skipped } = answered(await written.client().readEvent(slug), slug);
        same(event, read, `the event of ${slug}`);
        same(skipped, [], 'and nothing is left out');
      }
      return undefined;
    },
  },
  {
    id: 'C-323',
    title: 'a listing is read to its total, whatever a page holds, and as a bare array too',
    spec: 'Event',
    covers: ['text Event 1', 'param Markets.offset', 'endpoint GET /events'],
    run: async (lab) => {
      const written = await Written.start(lab);
      const all = Array.from({ length: 70 }, (_, at) => ({ ...EVENT, id: `e-${at}`, markets: [] }));
      written.double.on('GET', '/events', (request, response) => {
        const offset = Number(new URL(request.url, 'http://x').searchParams.get('offset'));
        const page = { items: all.slice(offset, offset + 30), total: 70, limit: 30, offset };
        ok(page)(request, response);
      });
      const paged = answered(await written.client().readAllEvents(), 'pages').events;
      same(
        paged.map(({ id }) => id),
        all.map(({ id }) => id),
        'all of them',
      );
      written.answers('GET', '/events', all);
      const bare = answered(await written.client().readAllEvents(), 'a bare array').events;
      holds(bare.length === 70, `70 of a bare array, seen ${bare.length}`);
      return undefined;
    },
  },
  {
    id: 'C-324',
    title:
      'a book is read level by level in both generations, and the middle, candles and time as told',
    spec: 'Order book',
    covers: [
      ...[
        'text Order book 1',
        'endpoint GET /orderbook/:tokenId',
        'endpoint GET /midpoint/:tokenId',
      ],
      ...['rule Errors 1', 'text Candle 1', 'endpoint GET /kline', 'endpoint GET /time'],
      'text Price history and feeds 1',
    ],
    run: async (lab) => {
      const written = await Written.start(lab);
      const client = written.client();
      const book = {
        bids: [
          { price: 0.29, size: 10.5 },
          { price: 0.28, size: 3 },
          { price: 0.01, size: 0.000001 },
        ],
        asks: [
          { price: 0.3, size: 7.25 },
          { price: 0.99, size: 1_000_000 },
        ],
      };
      const levels = {
        bids: [
          { price: 29, size: 10_500_000 },
          { price: 28, size: 3_000_000 },
          { price: 1, size: 1 },
        ],
        asks: [
          { price: 30, size: 7_250_000 },
          { price: 99, size: micro(1_000_000) },
        ],
      };
      const path = `/orderbook/${YES}`;
      written.double.on(
        'GET',
        path,
        inTurn(
          ok(book),
          ok({ tokenId: YES, ...book, ts: CREATED_MS }),
          // The reader of plain bytes leaves this one to the reader of any JSON.
          ok({ depth: 50, ...book }),
        ),
      );
      same(answered(await client.readBook(YES), 'a book'), levels, 'a book');
      same(
        answered(await client.readBook(YES), 'older'),
        { ...levels, venueTs: CREATED_MS },
        'older',
      );
      same(answered(await client.readBook(YES), 'with another field'), levels, 'another field');
      const empty = failure(404, 'no_liquidity');
      const unknown = failure(404, 'token_not_found');
      written.double.on('GET', `/midpoint/${YES}`, inTurn(ok({ mid: '0.295' }), empty, unknown));
      same(
        answered(await client.readMidpoint(YES), 'a middle'),
        { kind: 'mid', mid: '0.295' },
        'a middle',
      );
      same(
        answered(await client.readMidpoint(YES), 'no middle'),
        { kind: 'noMidpoint' },
        'a side is empty',
      );
      same((await client.readMidpoint(YES)).kind, 'refused', 'no such token');
      const prices = { open: '0.4', high: '0.52', low: '0.31', close: '0.5', volume: '123.456' };
      written.answers('GET', '/kline', [{ timestamp: CREATED, ...prices }]);
      const candles = answered(
        await client.readCandles({ outcomeId: outcomeId('o-1') }),
        'candles',
      );
      same(candles, [{ atMs: CREATED_MS, ...prices }], 'a candle');
      written.answers('GET', '/time', { serverTime: nowSec() + 500 });
      const { offsetMs } = answered(await client.measureClock(), 'the time');
      // The answer's fraction of a second and the way of the request are all that is not known.
      holds(Math.abs(offsetMs - 500_000) < 2_500, `500 s ahead, seen ${offsetMs} ms`);
      return undefined;
    },
  },
  {
    id: 'C-325',
    title:
      'a failure goes by its code and never by its message, and a 429 waits for Retry-After seconds',
    spec: 'Errors',
    covers: [
      ...[
        'text Errors 1',
        'text Resources and their fields 1',
        'text Endpoints 1',
        'rule Limits 2',
      ],
      ...['code rate_limited', 'bullet Versioning 2'],
    ],
    run: async (lab) => {
      const written = await Written.start(lab);
      const misleading = { success: false, code: 'market_paused', message: 'insufficient_balance' };
      written.double.on(
        'POST',
        '/orders',
        inTurn(
          json(422, misleading),
          json(400, { success: false, message: 'market_closed' }),
          failure(429, 'rate_limited', { 'retry-after': '7' }),
        ),
      );
      const refusal = async (client = written.client()) => {
        const [outcome] = await client.placeOrders([bid()]);
        if (outcome?.kind !== 'refused') throw new CardFailure(`a refusal, seen ${outcome?.kind}`);
        return outcome.refusal;
      };
      const coded = await refusal();
      same(
        [coded.code, coded.message],
        ['market_paused', 'insufficient_balance'],
        'code and message',
      );
      const older = await refusal();
      same(older.code ?? 'none', 'none', 'a message is no code');
      same(older.message, 'market_closed', 'and is shown');
      const client = written.client();
      const limited = await refusal(client);
      same([limited.code, limited.retryAfterMs], ['rate_limited', 7_000], 'seven seconds');
      same((await client.placeOrders([bid()]))[0]?.kind, 'notSent', 'nothing leaves meanwhile');
      return undefined;
    },
  },
  {
    id: 'C-326',
    title:
      'a placement is accepted by the hash of its acknowledgement, and a cancel that failed is counted',
    spec: 'POST /orders',
    covers: [
      ...['text POST /orders 1', 'rule Order status values 1', 'code order_not_cancellable'],
      'state Order status values: (none) by POST /orders or POST /orders/market',
    ],
    run: async (lab) => {
      const written = await Written.start(lab);
      const client = written.client();
      written.answers('POST', '/orders', order({}));
      same(await client.placeOrders([bid()]), [{ kind: 'accepted', orderHash: HASH }], 'its hash');
      written.answers('POST', '/orders', order({ tokenId: NO }));
      same(
        (await client.placeOrders([bid()]))[0]?.kind,
        'unknown',
        'another order is none of ours',
      );
      written.double.on('DELETE', `/orders/${HASH}`, failure(409, 'order_not_cancellable'));
      const cancel = await client.cancelOrder(orderHash(HASH));
      same(
        cancel.kind === 'refused' ? cancel.refusal.code : cancel.kind,
        'order_not_cancellable',
        'its code',
      );
      written.answers('POST', '/orders/batch-cancel', { cancelled: 0, failed: 1 });
      const counted = { kind: 'accepted', cancelled: 0, failed: 1 };
      same(await client.cancelOrders([orderHash(HASH)]), counted, 'counted as failed');
      return undefined;
    },
  },
  {
    id: 'C-327',
    title: 'the settled trades are read with the fields of their frame',
    spec: 'Portfolio',
    covers: ['endpoint GET /portfolio/trades', 'text Portfolio 1'],
    run: async (lab) => {
      const written = await Written.start(lab);
      const trade = {
        tradeId: 't-1',
        side: 'SELL',
        tokenId: YES,
        marketId: RAIN_ID,
        price: '0.285',
      };
      written.answers('GET', '/portfolio/trades', [
        { ...trade, quantity: '2.5', extra: 'ignored' },
      ]);
      const read = answered(await written.client().readTrades(), 'trades');
      same(read, [{ ...trade, quantity: 2_500_000 }], 'a trade');
      return undefined;
    },
  },
);
