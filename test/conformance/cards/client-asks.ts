// What the client asks, as bytes: addresses, headers, signatures, bodies. The venue is written out, and the
// signatures are computed here.

import { holds } from '../../../src/cli/doctor/card.ts';
import { intentId, orderHash, outcomeId } from '../../../src/domain/ids.ts';
import { Secret } from '../../../src/domain/secret.ts';
import type { MicroShares } from '../../../src/domain/shares.ts';
import type { Ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import { failure, inTurn, ok, type SeenRequest } from '../../support/http-double.ts';
import {
  credentialsOf,
  REAL_TIME,
  rotatingCredentials,
} from '../../support/http-double-fixtures.ts';
import { ofClient } from '../bench/bench.ts';
import { hmac, nowSec } from '../bench/raw-rest.ts';
import {
  answered,
  bid,
  bodyOf,
  EVENT_ID,
  FINE_YES,
  HASH,
  KEYS,
  NO,
  OTHER_HASH,
  pathOf,
  RAIN_ID,
  same,
  Written,
  YES,
} from '../bench/written.ts';

const MINUTE_MS = 60_000;
const BALANCES = { cashBalance: '1', availableBalance: '1', usdcOnHold: '0', positions: [] };
const micro = (count: number) => count as MicroShares;

/** The four headers over exactly what was sent. */
function isSigned(request: SeenRequest, aheadSec = 0): void {
  const { headers, method, body } = request;
  const header = (name: string) => String(headers[name.toLowerCase()]);
  same(header('SERVICE-API-KEY'), KEYS.apiKey, 'SERVICE-API-KEY');
  same(header('SERVICE-PASSPHRASE'), KEYS.apiPassphrase, 'SERVICE-PASSPHRASE');
  const timestamp = header('SERVICE-TIMESTAMP');
  holds(/^\d{10}$/.test(timestamp), `SERVICE-TIMESTAMP in seconds, seen ${timestamp}`);
  const offSec = Math.abs(Number(timestamp) - nowSec() - aheadSec);
  holds(offSec < 30, `SERVICE-TIMESTAMP of now, seen ${offSec} s off`);
  const wanted = hmac(KEYS.apiSecret, `${timestamp}${method}${pathOf(request)}${body}`);
  same(header('SERVICE-SIGNATURE'), wanted, `SERVICE-SIGNATURE of ${method} ${pathOf(request)}`);
}

export const CLIENT_ASK_CARDS = ofClient(
  {
    id: 'C-300',
    title: 'each request of an account is signed over its method, path, query and body as sent',
    spec: 'Signature',
    covers: [
      ...['API-KEY', 'TIMESTAMP', 'PASSPHRASE', 'SIGNATURE'].map(
        (name) => `header SERVICE-${name}`,
      ),
      ...['timestamp', 'METHOD', 'path', 'body'].map((part) => `signature ${part}`),
      ...['apiKey', 'apiSecret', 'apiPassphrase'].map((name) => `credential ${name}`),
      ...['text Signature 1', 'rule Signature 1', 'rule Signature 2', 'text Credentials 1'],
      ...['fact Authentication', 'text preface 2', 'bullet Versioning 1'],
    ],
    run: async (lab) => {
      const written = await Written.start(lab);
      const client = written.client();
      written.answers('GET', '/portfolio/balances', BALANCES);
      written.answers('GET', '/orders', []);
      written.answers('GET', '/portfolio/trades', []);
      written.answers('POST', '/orders', { orderHash: HASH });
      written.answers('DELETE', '/orders', { cancelled: 0, failed: 0 });
      answered(await client.readBalances(), 'balances');
      answered(await client.readOpenOrders({ kind: 'market', marketId: RAIN_ID }), 'orders');
      answered(await client.readTrades(), 'trades');
      await client.placeOrders([bid()]);
      await client.cancelAll({ kind: 'token', tokenId: YES });
      holds(written.double.seen.length === 5, 'five requests');
      for (const request of written.double.seen) {
        holds(request.url.startsWith('/api/'), `${request.url}: under the base address`);
        isSigned(request);
      }
      same(pathOf(written.seen('GET', '/orders')), `/orders?marketId=${RAIN_ID}`, 'the query');
      return undefined;
    },
  },
  {
    id: 'C-301',
    title: 'a bearer token goes in its header alone, and in its auth frame',
    spec: 'Bearer token',
    covers: ['text Bearer token 1', 'frame auth (bearer)', 'text Authentication 1'],
    run: async (lab) => {
      const written = await Written.start(lab);
      const identity = { bearerToken: new Secret('tok.en-1') };
      const credentials = { current: () => identity, reload: () => Promise.resolve(false) };
      written.answers('GET', '/portfolio/balances', BALANCES);
      answered(await written.client({ credentials }).readBalances(), 'balances');
      const { headers } = written.seen('GET', '/portfolio/balances');
      same(headers.authorization, 'Bearer tok.en-1', 'Authorization');
      holds(headers['service-api-key'] === undefined, 'no key beside it');
      const { socket } = written.socket({ credentials: () => identity });
      socket.start();
      same(await written.sent('auth'), [{ type: 'auth', token: 'tok.en-1' }], 'the auth frame');
      return undefined;
    },
  },
  {
    id: 'C-302',
    title: 'a limit order is sent with its fields, exact to the tick and the millionth of a share',
    spec: 'POST /orders',
    covers: [
      'endpoint POST /orders',
      ...['tokenId', 'side', 'price', 'quantity', 'orderType', 'expiredAt'].map(
        (name) => `field POST /orders.${name}`,
      ),
      ...['fact Tick size', 'fact Price range', 'rule POST /orders 1'],
    ],
    run: async (lab) => {
      const written = await Written.start(lab);
      const client = written.client();
      written.answers('POST', '/orders', { orderHash: HASH });
      const bodyFor = async (change: Parameters<typeof bid>[0]) => {
        await client.placeOrders([bid(change)]);
        return bodyOf(written.seen('POST', '/orders'));
      };
      const plain = {
        tokenId: YES,
        side: 'BUY',
        price: 0.29,
        quantity: 12.345678,
        orderType: 'GTC',
      };
      same(await bodyFor({}), plain, 'a bid');
      const sale = {
        side: 'SELL',
        tokenId: NO,
        price: 99 as Ticks,
        quantity: micro(5_000_000),
      } as const;
      const sold = { ...plain, side: 'SELL', tokenId: NO, price: 0.99, quantity: 5 };
      same(await bodyFor(sale), sold, 'an offer');
      const fine = { ...plain, tokenId: FINE_YES, price: 0.007 };
      same(await bodyFor({ tokenId: FINE_YES, price: 7 as Ticks }), fine, 'on the finer grid');
      for (const timeInForce of ['FOK', 'FAK'] as const) {
        same(
          await bodyFor({ lifetime: { timeInForce } }),
          { ...plain, orderType: timeInForce },
          timeInForce,
        );
      }
      const expiresAtMs = unixMs(Date.UTC(2030, 0, 2, 3, 4, 5, 678));
      const dated = { ...plain, orderType: 'GTD', expiredAt: '2030-01-02T03:04:05.678Z' };
      same(await bodyFor({ lifetime: { timeInForce: 'GTD', expiresAtMs } }), dated, 'GTD');
      return undefined;
    },
  },
  {
    id: 'C-303',
    title: 'a batch holds up to 15 orders in one write, and its items are found by their index',
    spec: 'POST /orders/batch',
    covers: [
      ...['endpoint POST /orders/batch', 'text POST /orders/batch 1', 'rule Errors 2'],
      ...['bullet Batch and cancel results 1', 'limit Orders per batch placement'],
    ],
    run: async (lab) => {
      const written = await Written.start(lab);
      const client = written.client();
      const orders = Array.from({ length: 15 }, (_, at) =>
        bid({ intentId: intentId(`i-${at}`), price: (20 + at) as Ticks }),
      );
      const hashOf = (index: number) => `0x${(4_096 + index).toString(16)}`;
      const items = orders.map((_, index) =>
        index === 3
          ? { index, success: false, error: 'price is not a multiple of the tick size' }
          : { index, success: true, order: { orderHash: hashOf(index) } },
      );
      written.answers('POST', '/orders/batch', items.toReversed());
      const outcomes = await client.placeOrders(orders);
      const body = { orders: orders.map(({ price }) => ({ ...PLAIN, price: price / 100 })) };
      same(bodyOf(written.seen('POST', '/orders/batch')), body, 'the batch');
      holds(written.double.seen.length === 1, 'one write');
      for (const [index, outcome] of outcomes.entries()) {
        if (index === 3) continue;
        same(outcome, { kind: 'accepted', orderHash: hashOf(index) }, `item ${index}`);
      }
      const [refused] = outcomes.slice(3);
      holds(refused?.kind === 'refused' && refused.refusal.code === undefined, 'prose has no code');
      same(refused.refusal.message, 'price is not a multiple of the tick size', 'the prose');
      const more = await client.placeOrders([...orders, bid()]);
      holds(more.length === 16 && more.every(({ kind }) => kind === 'notSent'), '16 are not sent');
      holds(written.double.seen.length === 1, 'nothing left');
      return undefined;
    },
  },
  {
    id: 'C-304',
    title: 'a market order names the one size of its side, and its plan is read',
    spec: 'POST /orders/market',
    covers: [
      ...[
        'endpoint POST /orders/market',
        'text POST /orders/market 1',
        'text POST /orders/market 2',
      ],
      ...['tokenId', 'side', 'maxSpend', 'quantity', 'timeInForce', 'maxSlippageBps'].map(
        (name) => `field POST /orders/market.${name}`,
      ),
      ...['limit Decimal places, market order sizes', 'bullet Versioning 4'],
      ...[
        ...['requestedMaxSpend', 'submittedQuantity', 'limitPrice', 'estimatedAveragePrice'],
        ...['estimatedQuoteAmount', 'bookTimestamp'],
      ].map((name) => `field Execution plan.${name}`),
    ],
    run: async (lab) => {
      const written = await Written.start(lab);
      const client = written.client();
      written.answers('POST', '/orders/market', {
        order: { orderHash: HASH, status: 'OPEN' },
        executionPlan: {
          ...{ requestedMaxSpend: '9.123456', submittedQuantity: '20.5', limitPrice: '0.505' },
          ...{ estimatedAveragePrice: '0.4441', estimatedQuoteAmount: '9.10405' },
          bookTimestamp: '2026-01-02T03:04:05.678Z',
        },
      });
      const buy = await client.placeMarketOrder({
        ...{ tokenId: YES, side: 'BUY', timeInForce: 'FAK', maxSlippageBps: 150 },
        maxSpend: usdc('9.123456'),
      });
      const bought = { side: 'BUY', maxSpend: '9.123456', timeInForce: 'FAK', maxSlippageBps: 150 };
      same(bodyOf(written.seen('POST', '/orders/market')), { tokenId: YES, ...bought }, 'a buy');
      const plan = {
        ...{ requestedMaxSpend: '9.123456', submittedQuantity: 20_500_000, limitPrice: '0.505' },
        ...{ estimatedAveragePrice: '0.4441', estimatedQuoteAmount: '9.10405' },
        bookAtMs: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
      };
      same(buy, { kind: 'accepted', orderHash: HASH, plan }, 'its answer');
      const size = { maxSlippageBps: undefined, quantity: micro(5_000_001) };
      await client.placeMarketOrder({ tokenId: NO, side: 'SELL', timeInForce: 'FOK', ...size });
      const sold = { tokenId: NO, side: 'SELL', quantity: '5.000001', timeInForce: 'FOK' };
      same(bodyOf(written.seen('POST', '/orders/market')), sold, 'a sale');
      return undefined;
    },
  },
  {
    id: 'C-305',
    title: 'cancels name one order, up to a hundred, a token, a market or all, and count both ways',
    spec: 'Cancelling',
    covers: [
      ...['endpoint DELETE /orders/:orderHash', 'endpoint POST /orders/batch-cancel'],
      ...['endpoint DELETE /orders', 'text Cancelling 1', 'limit Hashes per batch cancel'],
      ...['bullet Batch and cancel results 2', 'text What the service does 4'],
    ],
    run: async (lab) => {
      const written = await Written.start(lab);
      const client = written.client();
      const counts = { cancelled: 2, failed: 3 };
      const counted = { kind: 'accepted', ...counts };
      written.answers('DELETE', '/orders', counts);
      written.answers('POST', '/orders/batch-cancel', counts);
      written.answers('DELETE', `/orders/${HASH}`, null);
      const one = await client.cancelOrder(orderHash(HASH));
      same(one, { kind: 'accepted', cancelled: 1, failed: 0 }, 'one order');
      const some = [HASH, OTHER_HASH];
      same(await client.cancelOrders(some.map(orderHash)), counted, 'some orders');
      same(
        bodyOf(written.seen('POST', '/orders/batch-cancel')),
        { orderHashes: some },
        'their hashes',
      );
      const hundred = Array.from({ length: 100 }, (_, at) =>
        orderHash(`0x${(4_096 + at).toString(16)}`),
      );
      same(await client.cancelOrders(hundred), counted, 'a hundred');
      const more = await client.cancelOrders([...hundred, orderHash(HASH)]);
      same(more.kind, 'notSent', 'one more');
      for (const [scope, path] of [
        [{ kind: 'token', tokenId: NO }, `/orders?tokenId=${NO}`],
        [{ kind: 'market', marketId: RAIN_ID }, `/orders?marketId=${RAIN_ID}`],
        [{ kind: 'account' }, '/orders'],
      ] as const) {
        same(await client.cancelAll(scope), counted, `all of the ${scope.kind}`);
        same(pathOf(written.seen('DELETE', '/orders')), path, `all of the ${scope.kind}`);
      }
      return undefined;
    },
  },
  {
    id: 'C-306',
    title: 'sets are split, merged and redeemed by their event, market and amount',
    spec: 'Conditional tokens',
    covers: [
      ...['split', 'merge', 'redeem'].map((name) => `endpoint POST /positions/${name}`),
      ...['text Conditional tokens 1', 'bullet Batch and cancel results 3'],
    ],
    run: async (lab) => {
      const written = await Written.start(lab);
      const client = written.client();
      for (const name of ['split', 'merge', 'redeem']) {
        written.answers('POST', `/positions/${name}`, { txHash: `0x${name}` });
      }
      const change = { eventId: EVENT_ID, marketId: RAIN_ID, amount: micro(12_500_000) };
      const body = { eventId: EVENT_ID, marketId: RAIN_ID, amount: '12.5' };
      same(await client.splitSets(change), { kind: 'accepted', txHash: '0xsplit' }, 'a split');
      same(bodyOf(written.seen('POST', '/positions/split')), body, 'a split');
      same(await client.mergeSets(change), { kind: 'accepted', txHash: '0xmerge' }, 'a merge');
      same(bodyOf(written.seen('POST', '/positions/merge')), body, 'a merge');
      same(await client.redeem(RAIN_ID), { kind: 'accepted', txHash: '0xredeem' }, 'a redemption');
      same(bodyOf(written.seen('POST', '/positions/redeem')), { marketId: RAIN_ID }, 'its market');
      return undefined;
    },
  },
  {
    id: 'C-307',
    title: 'what narrows a question is named as the interface names it',
    spec: 'Endpoints',
    covers: [
      ...['status', 'category', 'tag', 'search', 'limit', 'offset', 'includeTotal'].map(
        (name) => `param Markets.${name}`,
      ),
      ...['endpoint GET /events', 'endpoint GET /events/:idOrSlug', 'limit Event list page size'],
      ...[
        'endpoint GET /events/:id/resolution',
        'endpoint GET /markets/:id',
        'endpoint GET /categories',
      ],
      ...[
        'endpoint GET /orderbook/:tokenId',
        'limit Order book depth per side',
        'text GET /orders 1',
      ],
      ...['endpoint GET /price/:tokenId/:side', 'endpoint GET /kline', 'endpoint GET /activity'],
      ...[
        'endpoint GET /leaderboard',
        'endpoint GET /portfolio/trades',
        'endpoint GET /portfolio/deposits',
      ],
      ...['endpoint GET /portfolio/withdrawals', 'endpoint GET /portfolio/market/:marketId'],
      ...['summary', 'positions', 'transactions'].map((name) => `endpoint GET /portfolio/${name}`),
      ...['endpoint GET /positions/claimable', 'endpoint GET /ok', 'endpoint GET /orders'],
    ],
    run: async (lab) => {
      const written = await Written.start(lab);
      const client = written.client();
      const from = unixMs(Date.UTC(2026, 0, 2));
      const candles = { outcomeId: outcomeId('o-1'), interval: 'm15', fromMs: from } as const;
      const query = {
        status: 'open',
        category: 'pop culture',
        tag: 'a&b',
        search: 'Who wins? 50%',
      } as const;
      const asked: readonly (readonly [() => Promise<unknown>, string])[] = [
        [
          () => client.readEventsPage({ ...query, limit: 100, offset: 200, includeTotal: false }),
          '/events?status=open&category=pop%20culture&tag=a%26b&search=Who%20wins%3F%2050%25&limit=100&offset=200&includeTotal=false',
        ],
        [() => client.readEvent('a slug/with'), '/events/a%20slug%2Fwith'],
        [() => client.readResolution(EVENT_ID), `/events/${EVENT_ID}/resolution`],
        [
          () => client.readResolution(EVENT_ID, RAIN_ID),
          `/events/${EVENT_ID}/resolution?marketId=${RAIN_ID}`,
        ],
        [() => client.readMarket(RAIN_ID), `/markets/${RAIN_ID}`],
        [() => client.readCategories(), '/categories'],
        [() => client.readBook(YES), `/orderbook/${YES}?depth=200`],
        [() => client.readBook(YES, 7), `/orderbook/${YES}?depth=7`],
        [() => client.readPrice(YES, 'buy'), `/price/${YES}/buy`],
        [() => client.readPrice(YES, 'sell'), `/price/${YES}/sell`],
        [
          () => client.readCandles({ ...candles, toMs: from }),
          '/kline?outcomeId=o-1&interval=m15&from=2026-01-02T00%3A00%3A00.000Z&to=2026-01-02T00%3A00%3A00.000Z',
        ],
        [() => client.readActivity({ page: 2 }), '/activity?page=2'],
        [() => client.readLeaderboard('weekly'), '/leaderboard?period=weekly'],
        [() => client.readTrades(), '/portfolio/trades?limit=100'],
        [() => client.readPortfolio('deposits', 5), '/portfolio/deposits?limit=5'],
        [() => client.readPortfolio('withdrawals', 6), '/portfolio/withdrawals?limit=6'],
        [() => client.readPortfolio('summary'), '/portfolio/summary'],
        [() => client.readPortfolio('positions'), '/portfolio/positions'],
        [() => client.readPortfolio('transactions'), '/portfolio/transactions'],
        [() => client.readMarketPositions(RAIN_ID), `/portfolio/market/${RAIN_ID}`],
        [() => client.readClaimable(), '/positions/claimable'],
        [() => client.readOpenOrders(), '/orders'],
        [() => client.readOk(), '/ok'],
      ];
      for (const [ask, path] of asked) {
        await ask();
        const last = written.double.seen.at(-1);
        same(last && `${last.method} ${pathOf(last)}`, `GET ${path}`, 'the question');
      }
      return `${asked.length} questions`;
    },
  },
  {
    id: 'C-308',
    title: 'a clock that is off is measured by GET /time, and a refused timestamp measures it anew',
    spec: 'Signature',
    covers: [
      ...['rule Signature 3', 'rule Signature 4', 'code expired_timestamp', 'endpoint GET /time'],
      ...['limit HMAC timestamp window', 'limit GTD expiry'],
    ],
    run: async (lab) => {
      for (const aheadSec of [-7_200, 7_200]) {
        const written = await Written.start(lab);
        const client = written.client();
        written.double.on('GET', '/time', (request, response) =>
          ok({ serverTime: nowSec() + aheadSec })(request, response),
        );
        const late = failure(401, 'expired_timestamp');
        written.double.on('GET', '/portfolio/balances', inTurn(late, ok(BALANCES)));
        answered(await client.readBalances(), 'balances');
        isSigned(written.seen('GET', '/portfolio/balances'), aheadSec);
        written.answers('POST', '/orders', { orderHash: HASH });
        const expiresAtMs = unixMs(REAL_TIME.nowMs() + 10 * MINUTE_MS);
        await client.placeOrders([bid({ lifetime: { timeInForce: 'GTD', expiresAtMs } })]);
        const { expiredAt } = bodyOf(written.seen('POST', '/orders')) as { expiredAt: string };
        const offMs = Math.abs(Date.parse(expiredAt) - expiresAtMs - aheadSec * 1_000);
        holds(offMs < 2_500, `a date in the venue's time, ${offMs} ms off`);
      }
      return undefined;
    },
  },
  {
    id: 'C-309',
    title: 'a 401 has the credentials read again, and what was refused is asked with the new ones',
    spec: 'Credentials',
    covers: [
      'text Credentials 2',
      ...['missing_credentials', 'unknown_api_key', 'invalid_signature', 'invalid_passphrase'].map(
        (code) => `code ${code}`,
      ),
    ],
    run: async (lab) => {
      const codes = [
        'missing_credentials',
        'unknown_api_key',
        'invalid_signature',
        'invalid_passphrase',
      ];
      for (const code of codes) {
        const written = await Written.start(lab);
        const credentials = rotatingCredentials(credentialsOf('old'), credentialsOf('new'));
        const client = written.client({ credentials });
        written.double.on('GET', '/portfolio/balances', inTurn(failure(401, code), ok(BALANCES)));
        answered(await client.readBalances(), `balances after ${code}`);
        const keys = written.double.seen.map(({ headers }) => headers['service-api-key']);
        same(keys, ['old', 'new'], `keys around ${code}`);
      }
      return undefined;
    },
  },
  {
    id: 'C-310',
    title: '300 order writes leave in ten seconds and no more; bulk cancels leave all the same',
    spec: 'Limits',
    covers: ['limit Order writes (API key)', 'limit Bulk cancels', 'rule Limits 1'],
    run: async (lab) => {
      const gone = failure(404, 'order_not_found');
      const counted = await Written.start(lab);
      // However slow the machine is, these fall into one window.
      const counting = counted.client({ limits: { windowMarginMs: 600_000, orderWaitMsMax: 1 } });
      counted.double.on('DELETE', `/orders/${HASH}`, gone);
      for (let count = 0; count < 310; count += 1) await counting.cancelOrder(orderHash(HASH));
      same(counted.double.seen.length, 300, 'writes of one window');
      const written = await Written.start(lab);
      const client = written.client({ limits: { orderWaitMsMax: 1, orderQueueMax: 1_000 } });
      written.double.on('DELETE', `/orders/${HASH}`, gone);
      written.answers('POST', '/orders/batch-cancel', { cancelled: 1, failed: 0 });
      for (let count = 0; count < 320; count += 8) {
        await Promise.all(Array.from({ length: 8 }, () => client.cancelOrder(orderHash(HASH))));
      }
      const times = written.double.seen.map(({ atMs }) => atMs);
      const most = Math.max(
        ...times.map((at) => times.filter((each) => each >= at && each < at + 10_000).length),
      );
      holds(most <= 300, `300 writes in any ten seconds at most, seen ${most}`);
      holds(times.length >= 300, `all 300 of them leave, seen ${times.length}`);
      for (let count = 0; count < 30; count += 1) {
        const cancel = await client.cancelOrders([orderHash(HASH)]);
        same(cancel.kind, 'accepted', `bulk cancel ${count}`);
      }
      return `${times.length} writes`;
    },
  },
);

const PLAIN = { tokenId: YES, side: 'BUY', quantity: 12.345678, orderType: 'GTC' };
