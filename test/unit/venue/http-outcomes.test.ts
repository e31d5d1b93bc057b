import { createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { intentId, orderHash } from '../../../src/domain/ids.ts';
import { SILENT_OBSERVER } from '../../../src/domain/observe.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { createVenueHttp, type VenueHttp } from '../../../src/venue/http/venue-http.ts';
import type { VenueHttpOptions } from '../../../src/venue/options.ts';
import {
  cutBody,
  failure,
  type HttpDouble,
  inTurn,
  json,
  ok,
  raw,
  reset,
  silence,
  startHttpDouble,
} from '../../support/http-double.ts';
import {
  CREDENTIALS,
  credentialsOf,
  fixedCredentials,
  limitOrder,
  NO,
  REAL_TIME,
  rotatingCredentials,
  TOKENS,
  YES,
} from '../../support/http-double-fixtures.ts';

let double: HttpDouble;
let http: VenueHttp;

beforeEach(async () => {
  double = await startHttpDouble();
  http = open();
});

afterEach(async () => {
  await http.stop();
  await double.stop();
});

function open(over: Partial<VenueHttpOptions> = {}): VenueHttp {
  return createVenueHttp({
    baseUrl: double.baseUrl,
    credentials: fixedCredentials(CREDENTIALS),
    clock: REAL_TIME,
    timers: REAL_TIME,
    tokens: TOKENS,
    timeouts: { totalMs: 300 },
    ...over,
  });
}

const PAIR = [limitOrder(), limitOrder({ intentId: intentId('i2'), tokenId: NO })];

describe('the answer to one placement', () => {
  it('is accepted with the hash of the order', async () => {
    double.on('POST', '/orders', ok({ orderHash: '0xAB', status: 'OPEN', filledQuantity: '0' }));
    expect(await http.placeOrders([limitOrder()])).toEqual([
      { kind: 'accepted', orderHash: '0xab' },
    ]);
  });

  it.each([
    ['a coded refusal', failure(422, 'insufficient_balance'), 'insufficient_balance', 422],
    ['a refusal of the older shape', json(400, { success: false, message: 'no' }), undefined, 400],
    ['a refusal under a wrong 2xx status', failure(200, 'market_paused'), 'market_paused', 200],
  ])('is refused after %s', async (_name, answerer, code, httpStatus) => {
    double.on('POST', '/orders', answerer);
    expect(await http.placeOrders([limitOrder()])).toEqual([
      { kind: 'refused', refusal: expect.objectContaining({ code, httpStatus }) },
    ]);
  });

  it.each([
    ['no answer in time', silence, 'timeout'],
    ['a connection reset after the request', reset, 'connection'],
    ['a body cut in the middle', cutBody, 'connection'],
    ['a 500 with an envelope', failure(500, 'internal_error'), 'serverError'],
    ['a 503 of a proxy', raw(503, '<html>busy</html>'), 'serverError'],
    ['a 400 that is no envelope', raw(400, 'Bad Request'), 'unreadable'],
    ['a 401 that is no envelope', raw(401, 'Unauthorized'), 'unreadable'],
    ['a 5xx code under a 4xx status', failure(400, 'service_unavailable'), 'serverError'],
    ['a 408 of the older shape', json(408, { success: false, message: 'no' }), 'serverError'],
    ['the word that it is there', failure(409, 'already_exists'), 'serverError'],
    ['its name used before', failure(409, 'duplicate_client_order_id'), 'serverError'],
    ['a conflict of the older shape', json(409, { success: false, message: 'no' }), 'serverError'],
    ['a conflict by a word that nobody published', failure(409, 'conflict'), 'serverError'],
    ['a 4xx code under a 5xx status', failure(503, 'insufficient_balance'), 'serverError'],
    ['a 503 of the older shape', json(503, { success: false, message: 'no' }), 'serverError'],
    ['success that shows another side', ok({ orderHash: '0xAB', side: 'SELL' }), 'unreadable'],
    ['success that shows another token', ok({ orderHash: '0xAB', tokenId: NO }), 'unreadable'],
    ['success without a hash', ok({ id: 'x' }), 'unreadable'],
    ['success with garbage', raw(200, '{"success":tru'), 'unreadable'],
    ['success under a 5xx status', json(502, { success: true, data: {} }), 'serverError'],
    ['an uncoded failure under 200', json(200, { success: false, message: '?' }), 'serverError'],
  ])('is unknown after %s, and it is sent once', async (_name, answerer, cause) => {
    double.on('POST', '/orders', answerer);
    expect(await http.placeOrders([limitOrder()])).toEqual([
      { kind: 'unknown', cause, detail: expect.any(String) },
    ]);
    expect(double.seen).toHaveLength(1);
  });

  it.each([
    ['price', { price: '0.31' }],
    ['quantity', { quantity: '12' }],
    ['price between two ticks', { tokenId: YES, side: 'BUY', price: '0.295' }],
  ])('is unknown where it shows another %s, and names the order it shows', async (_name, echo) => {
    double.on('POST', '/orders', ok({ orderHash: '0xAB', ...echo }));
    expect(await http.placeOrders([limitOrder()])).toEqual([
      { kind: 'unknown', cause: 'unreadable', detail: expect.any(String), namedHash: '0xab' },
    ]);
  });

  it('is not sent when nobody listens', async () => {
    await double.stop();
    expect(await http.placeOrders([limitOrder()])).toEqual([
      { kind: 'notSent', detail: expect.stringContaining('ECONNREFUSED') },
    ]);
  });

  it('is not sent when it waited for a connection until its time was over', async () => {
    double.on('POST', '/orders', silence);
    await http.stop();
    http = open({ connections: { order: 1 }, limits: { orderWaitMsMax: 100 } });
    const [first, second] = await Promise.all([
      http.placeOrders([limitOrder()]),
      http.placeOrders([limitOrder()]),
    ]);
    expect([first[0]?.kind, second[0]?.kind]).toEqual(['unknown', 'notSent']);
    expect(double.seen).toHaveLength(1);
  });

  it('is not sent when it was decided on too long ago, however long it waited here', async () => {
    double.on('POST', '/orders', ok({ orderHash: '0xAB' }));
    expect(await http.placeOrders([limitOrder()], () => 2_500)).toEqual([
      { kind: 'notSent', detail: expect.stringContaining('decided on 2500 ms ago') },
    ]);
    expect(double.seen).toHaveLength(0);
    expect(await http.placeOrders([limitOrder()], () => 1_500)).toMatchObject([
      { kind: 'accepted' },
    ]);
  });

  it('is not sent when the process stands still between its turn and its first byte', async () => {
    // Asked where it leaves: at the call it was young, and its signature is made by then.
    let asked = 0;
    const ageMs = () => (asked++ === 0 ? 2_001 : 0);
    expect((await http.placeOrders([limitOrder()], ageMs))[0]?.kind).toBe('notSent');
    expect(asked).toBe(1);
    expect(double.seen).toHaveLength(0);
  });

  it('tells how long it had waited when it left, and nothing where it did not leave', async () => {
    await http.stop();
    const left: unknown[] = [];
    const observer = {
      ...SILENT_OBSERVER,
      onLeft: (kind: string, waitedMs: number) => left.push([kind, waitedMs]),
    };
    http = open({ observer });
    double.on('POST', '/orders', ok({ orderHash: '0xAB' }));
    double.on('POST', '/orders/batch-cancel', ok({ cancelled: 1, failed: 0 }));
    await http.placeOrders([limitOrder()], () => 12);
    await http.placeOrders([limitOrder()], () => 2_500);
    await http.cancelOrders([orderHash('0xab')], () => 3);
    expect(left).toEqual([
      ['place', 12],
      ['cancel', 3],
    ]);
  });

  it('is not sent without credentials', async () => {
    await http.stop();
    http = open({ credentials: fixedCredentials(undefined) });
    expect(await http.placeOrders([limitOrder()])).toEqual([
      { kind: 'notSent', detail: 'no credentials' },
    ]);
    expect(double.seen).toHaveLength(0);
  });

  it('is not sent for a token whose tick size is unknown', async () => {
    await http.stop();
    http = open({ tokens: { gridOf: () => undefined, tokensOf: () => [] } });
    expect((await http.placeOrders([limitOrder()]))[0]?.kind).toBe('notSent');
    expect(double.seen).toHaveLength(0);
  });

  it('is not sent on another tick size than it was decided on, where its number is another price', async () => {
    const orders = [limitOrder({ ticksPerUnit: 1_000 }), limitOrder({ ticksPerUnit: 100 })];
    double.on('POST', '/orders', ok({ orderHash: '0xAB' }));
    const outcomes = await http.placeOrders(orders);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['notSent', 'accepted']);
    expect(double.seen).toHaveLength(1);
  });

  it('is never sent again after refused credentials, which are read again all the same', async () => {
    const credentials = rotatingCredentials(CREDENTIALS, credentialsOf('key-2'));
    await http.stop();
    http = open({ credentials });
    double.on('POST', '/orders', failure(401, 'unknown_api_key'));
    expect((await http.placeOrders([limitOrder()]))[0]?.kind).toBe('refused');
    expect(double.seen).toHaveLength(1);
    expect(credentials.reloads()).toBe(1);
  });
});

describe('the answer to a batch', () => {
  const item = (index: number, orderHash = `0x${index + 1}`) => ({
    index,
    success: true,
    order: { orderHash },
  });

  it('gives each order its own outcome by index, in any order', async () => {
    const refused = { index: 1, success: false, error: 'Insufficient balance' };
    double.on('POST', '/orders/batch', ok([refused, item(0)]));
    expect(await http.placeOrders(PAIR)).toEqual([
      { kind: 'accepted', orderHash: '0x1' },
      {
        kind: 'refused',
        refusal: expect.objectContaining({ code: undefined, message: 'Insufficient balance' }),
      },
    ]);
  });

  it('leaves a missing item unknown', async () => {
    double.on('POST', '/orders/batch', ok([item(0)]));
    expect(await http.placeOrders(PAIR)).toMatchObject([
      { kind: 'accepted', orderHash: '0x1' },
      { kind: 'unknown', cause: 'missing' },
    ]);
  });

  it('takes no half answer for a whole one that counts from one', async () => {
    double.on('POST', '/orders/batch', ok([item(1)]));
    expect(await http.placeOrders(PAIR)).toMatchObject([
      { kind: 'unknown', cause: 'unreadable' },
      { kind: 'unknown', cause: 'unreadable' },
    ]);
  });

  it.each([
    ['without a hash', [item(0), { index: 1, success: true, order: {} }]],
    ['without an order', [item(0), { index: 1, success: true }]],
  ])('leaves a successful item %s unknown', async (_name, items) => {
    double.on('POST', '/orders/batch', ok(items));
    expect(await http.placeOrders(PAIR)).toMatchObject([
      { kind: 'accepted' },
      { kind: 'unknown', cause: 'unreadable' },
    ]);
  });

  it.each([
    ['counts from one', [item(1), item(2)], ['0x2', '0x3']],
    ['names an index twice', [item(0), item(0, '0x9')], ['0x1', '0x9']],
    ['gives two orders one hash', [item(0, '0x5'), item(1, '0x5')], ['0x5']],
  ])(
    'is unknown as a whole when it %s, and names its orders',
    async (_name, items, batchOrderIds) => {
      double.on('POST', '/orders/batch', ok(items));
      expect(await http.placeOrders(PAIR)).toMatchObject([
        { kind: 'unknown', cause: 'unreadable', batchOrderIds },
        { kind: 'unknown', cause: 'unreadable', batchOrderIds },
      ]);
    },
  );

  it.each([
    ['says nothing of its place', { success: true, order: { orderHash: '0x9' } }],
    ['fails', { index: 1, success: false, order: { orderHash: '0x9' } }],
  ])('names the order of an item that %s', async (_name, odd) => {
    double.on('POST', '/orders/batch', ok([item(0), odd]));
    expect(await http.placeOrders(PAIR)).toMatchObject([
      { kind: 'accepted', orderHash: '0x1' },
      { kind: 'unknown', batchOrderIds: ['0x9'] },
    ]);
  });

  it('names orders that it shows in the place of each other', async () => {
    const [first, second] = PAIR;
    const echoOf = (order = first, hash = '') => ({
      orderHash: hash,
      tokenId: order?.tokenId,
      side: order?.side,
    });
    const swapped = [
      { ...item(0), order: echoOf(second, '0x1') },
      { ...item(1), order: echoOf(first, '0x2') },
    ];
    double.on('POST', '/orders/batch', ok(swapped));
    expect(await http.placeOrders(PAIR)).toMatchObject([
      { kind: 'unknown', batchOrderIds: ['0x1', '0x2'] },
      { kind: 'unknown', batchOrderIds: ['0x1', '0x2'] },
    ]);
  });

  it('does not give an order the hash of another one', async () => {
    const echo = { orderHash: '0x1', tokenId: YES, side: 'BUY', price: '0.3', quantity: '12.5' };
    double.on('POST', '/orders/batch', ok([{ index: 0, success: true, order: echo }, item(1)]));
    expect(await http.placeOrders(PAIR)).toMatchObject([
      { kind: 'unknown', cause: 'unreadable' },
      { kind: 'accepted' },
    ]);
  });

  it('names an order that it shows at another price, and none of another side', async () => {
    const shown = { tokenId: YES, price: '0.3', quantity: '12.5' };
    const first = { ...item(0), order: { orderHash: '0x1', ...shown, side: 'BUY' } };
    const second = { ...item(1), order: { orderHash: '0x2', tokenId: NO, side: 'SELL' } };
    double.on('POST', '/orders/batch', ok([first, second]));
    expect(await http.placeOrders(PAIR)).toEqual([
      { kind: 'unknown', cause: 'unreadable', detail: expect.any(String), namedHash: '0x1' },
      { kind: 'unknown', cause: 'unreadable', detail: expect.any(String) },
    ]);
  });

  it('is unknown for every order when the answer is lost', async () => {
    double.on('POST', '/orders/batch', reset);
    expect((await http.placeOrders(PAIR)).map(({ kind }) => kind)).toEqual(['unknown', 'unknown']);
    expect(double.seen).toHaveLength(1);
  });

  it('sends one order alone to the endpoint whose refusals carry a code', async () => {
    double.on('POST', '/orders', failure(400, 'tick_size_violation'));
    const others = limitOrder({ tokenId: '0xdead' as typeof YES });
    expect(await http.placeOrders([others, limitOrder()])).toMatchObject([
      { kind: 'notSent' },
      { kind: 'refused', refusal: { code: 'tick_size_violation' } },
    ]);
  });

  it('of more than fifteen orders is not sent', async () => {
    const outcomes = await http.placeOrders(Array.from({ length: 16 }, () => limitOrder()));
    expect(outcomes).toHaveLength(16);
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['notSent']));
    expect(double.seen).toHaveLength(0);
  });
});

describe('a cancel', () => {
  it('tells the counts of the venue', async () => {
    double.on('DELETE', '/orders', ok({ cancelled: 3, failed: 1 }));
    expect(await http.cancelAll({ kind: 'token', tokenId: YES })).toEqual({
      kind: 'accepted',
      cancelled: 3,
      failed: 1,
    });
    expect(double.seen[0]?.url).toBe('/api/orders?tokenId=0xa1');
  });

  it.each([
    ['counts that cannot be read', ok({}), 'unreadable'],
    ['a 5xx', failure(503, 'maintenance'), 'serverError'],
    ['a reset', reset, 'connection'],
  ])('is unknown after %s', async (_name, answerer, cause) => {
    double.on('POST', '/orders/batch-cancel', answerer);
    expect(await http.cancelOrders([orderHash('0x1')])).toMatchObject({ kind: 'unknown', cause });
  });

  it('of one order counts one where the answer shows no counts', async () => {
    double.on('DELETE', '/orders/0x1', ok(null));
    expect(await http.cancelOrder(orderHash('0x1'))).toEqual({
      kind: 'accepted',
      cancelled: 1,
      failed: 0,
    });
  });

  it('is made once more with credentials that were read again', async () => {
    await http.stop();
    http = open({ credentials: rotatingCredentials(CREDENTIALS, credentialsOf('key-2')) });
    const answers = inTurn(failure(401, 'unknown_api_key'), ok({ cancelled: 1, failed: 0 }));
    double.on('DELETE', '/orders', answers);
    expect(await http.cancelAll({ kind: 'account' })).toMatchObject({ kind: 'accepted' });
    expect(double.seen.map(({ headers }) => headers['service-api-key'])).toEqual([
      'key-1',
      'key-2',
    ]);
  });

  it.each([
    ['the older failure, without a code', json(401, { success: false, message: 'no' })],
    ['a code that nobody published', failure(401, 'unauthorized')],
    ['the other status', json(403, { success: false, message: 'no' })],
    ['no envelope', json(401, { message: 'Unauthorized' })],
  ])('is made once more with credentials that were read again after %s', async (_name, refused) => {
    await http.stop();
    http = open({ credentials: rotatingCredentials(CREDENTIALS, credentialsOf('key-2')) });
    double.on('GET', '/time', ok({ serverTime: Math.floor(Date.now() / 1000) }));
    double.on('DELETE', '/orders', inTurn(refused, ok({ cancelled: 1, failed: 0 })));
    expect(await http.cancelAll({ kind: 'account' })).toMatchObject({ kind: 'accepted' });
    const cancels = double.seen.filter(({ method }) => method === 'DELETE');
    expect(cancels.map(({ headers }) => headers['service-api-key'])).toEqual(['key-1', 'key-2']);
  });

  it('is made once more with a clock that was measured again where no code says what was wrong', async () => {
    const refused = json(401, { success: false, message: 'no' });
    double.on('DELETE', '/orders', inTurn(refused, ok({ cancelled: 1, failed: 0 })));
    double.on('GET', '/time', (request, response) => {
      ok({ serverTime: Math.floor(Date.now() / 1000) + 40 })(request, response);
    });
    expect(await http.cancelAll({ kind: 'account' })).toMatchObject({ kind: 'accepted' });
    const [first, second] = double.seen
      .filter(({ method }) => method === 'DELETE')
      .map(({ headers }) => Number(headers['service-timestamp']));
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(39);
  });

  it('is made once more, once only, with a clock that was measured again', async () => {
    double.on('DELETE', '/orders', failure(401, 'expired_timestamp'));
    double.on('GET', '/time', (request, response) => {
      ok({ serverTime: Math.floor(Date.now() / 1000) + 40 })(request, response);
    });
    expect(await http.cancelAll({ kind: 'account' })).toMatchObject({ kind: 'refused' });
    const [first, second] = double.seen
      .filter(({ method }) => method === 'DELETE')
      .map(({ headers }) => Number(headers['service-timestamp']));
    expect(double.seen).toHaveLength(3);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(39);
  });

  it('is not made again when other credentials are not to be had', async () => {
    double.on('DELETE', '/orders', failure(401, 'invalid_passphrase'));
    expect(await http.cancelAll({ kind: 'account' })).toMatchObject({ kind: 'refused' });
    expect(double.seen).toHaveLength(1);
  });

  it('is not sent while the connection is still being made', async () => {
    await http.stop();
    const mute = await startMuteServer();
    http = open({ baseUrl: `https://127.0.0.1:${mute.port}/api`, timeouts: { totalMs: 100 } });
    expect(await http.cancelAll({ kind: 'account' })).toEqual({
      kind: 'notSent',
      detail: 'no answer in 100 ms',
    });
    await http.stop();
    await mute.stop();
  });

  it('goes at once while bulk cancels are not answered', async () => {
    await http.stop();
    http = open({ timeouts: { totalMs: 4_000 } });
    double.on('POST', '/orders/batch-cancel', silence);
    double.on('DELETE', '/orders', ok({ cancelled: 0, failed: 0 }));
    const batches = Array.from({ length: 64 }, () => http.cancelOrders([orderHash('0x1')]));
    const startedAtMs = performance.now();
    const [one, other] = await Promise.all([
      http.cancelAll({ kind: 'account' }),
      http.cancelAll({ kind: 'account' }),
    ]);
    expect([one, other]).toMatchObject([{ kind: 'accepted' }, { kind: 'accepted' }]);
    expect(performance.now() - startedAtMs).toBeLessThan(2_000);
    await http.stop();
    await Promise.all(batches);
  });

  it('goes at once while orders and reads wait for the venue', async () => {
    double.on('POST', '/orders', failure(429, 'rate_limited', { 'retry-after': '30' }));
    double.on('GET', '/portfolio/balances', silence);
    double.on('DELETE', '/orders', ok({ cancelled: 0, failed: 0 }));
    await http.placeOrders([limitOrder()]);
    const reads = Array.from({ length: 40 }, () => http.readBalances());
    const startedAtMs = performance.now();
    expect(await http.cancelAll({ kind: 'account' })).toMatchObject({ kind: 'accepted' });
    expect(performance.now() - startedAtMs).toBeLessThan(200);
    await Promise.all(reads);
  });
});

describe('a venue that asks us to wait', () => {
  it('is obeyed: nothing of that budget leaves before the time it named', async () => {
    const answers = inTurn(
      failure(429, 'rate_limited', { 'retry-after': '0.2' }),
      ok({ orderHash: '0x1' }),
    );
    double.on('POST', '/orders', answers);
    const [first] = await http.placeOrders([limitOrder()]);
    expect(first).toMatchObject({
      kind: 'refused',
      refusal: { code: 'rate_limited', retryAfterMs: 200 },
    });
    expect(await http.placeOrders([limitOrder()])).toMatchObject([{ kind: 'accepted' }]);
    const [one, two] = double.seen.map(({ atMs }) => atMs);
    expect((two ?? 0) - (one ?? 0)).toBeGreaterThanOrEqual(195);
  });

  it('before other orders is read from at once, and takes orders while it limits reads', async () => {
    double.on('POST', '/orders', failure(429, 'rate_limited', { 'retry-after': '30' }));
    double.on('GET', '/portfolio/balances', failure(429, 'rate_limited', { 'retry-after': '30' }));
    await http.placeOrders([limitOrder()]);
    expect(await http.readBalances()).toMatchObject({ refusal: { code: 'rate_limited' } });
    expect(await http.readBalances()).toMatchObject({ kind: 'notSent' });
    expect(await http.placeOrders([limitOrder()])).toMatchObject([{ kind: 'notSent' }]);
    expect(double.seen.map(({ method }) => method)).toEqual(['POST', 'GET']);
  });

  it('before it is read from again takes an order at once', async () => {
    double.on('GET', '/portfolio/balances', failure(429, 'rate_limited', { 'retry-after': '30' }));
    double.on('POST', '/orders', ok({ orderHash: '0x1' }));
    await http.readBalances();
    expect(await http.placeOrders([limitOrder()])).toMatchObject([{ kind: 'accepted' }]);
  });

  it('for longer than a write may wait leaves the write unsent at once', async () => {
    double.on('POST', '/orders', failure(429, 'rate_limited', { 'retry-after': '30' }));
    await http.placeOrders([limitOrder()]);
    expect(await http.placeOrders([limitOrder()])).toEqual([
      { kind: 'notSent', detail: expect.stringContaining('asked us to wait') },
    ]);
  });

  it('is understood without an envelope, by the header alone', async () => {
    double.on('POST', '/orders', raw(429, 'slow down', { 'retry-after': '1' }));
    expect(await http.placeOrders([limitOrder()])).toMatchObject([
      { kind: 'refused', refusal: { code: 'rate_limited', retryAfterMs: 1000 } },
    ]);
  });

  it('is waited out where the venue names no pace, as with `Retry-After: 0`', async () => {
    double.on('POST', '/orders', failure(429, 'rate_limited', { 'retry-after': '0' }));
    expect(await http.placeOrders([limitOrder()])).toMatchObject([
      { kind: 'refused', refusal: { code: 'rate_limited', retryAfterMs: 1000 } },
    ]);
  });
});

describe('a read', () => {
  it.each([
    ['an envelope', 200, '{"success":true,"data":{"status":"ok"}}'],
    ['bare text', 200, 'OK'],
    ['nothing at all', 204, ''],
  ])('of GET /ok takes %s for yes', async (_name, status, body) => {
    double.on('GET', '/ok', raw(status, body));
    expect(await http.readOk()).toEqual({ kind: 'ok', value: true });
  });

  it.each([
    [503, '{"success":false,"code":"maintenance","message":"later"}', 'refused'],
    [404, 'no such page', 'unknown'],
  ])('of GET /ok takes %i for no', async (status, body, kind) => {
    double.on('GET', '/ok', raw(status, body));
    expect(await http.readOk()).toMatchObject({ kind });
  });

  it('that failed is never an empty answer', async () => {
    double.on('GET', '/orders', failure(500, 'internal_error'));
    expect(await http.readOpenOrders()).toMatchObject({
      kind: 'refused',
      refusal: { code: 'internal_error', httpStatus: 500 },
    });
  });

  it('of orders is whole or nothing', async () => {
    const good = {
      orderHash: '0x1',
      tokenId: '0xa1',
      side: 'BUY',
      price: '0.29',
      quantity: '10',
      filledQuantity: '1',
      holdQuantity: '2',
      status: 'OPEN',
      createdAt: '2026-01-01T00:00:00Z',
    };
    double.on('GET', '/orders', ok([good, { ...good, price: 'NaN' }]));
    expect(await http.readOpenOrders()).toMatchObject({
      kind: 'unknown',
      cause: 'unreadable',
      detail: expect.stringContaining('orders[1].price'),
    });
  });

  it('of orders follows pages until it has as many as there are', async () => {
    const order = (count: number) => ({
      orderHash: `0x${count}`,
      tokenId: '0xa1',
      side: 'BUY',
      price: '0.29',
      quantity: '10',
      filledQuantity: '0',
      holdQuantity: '0',
      status: 'OPEN',
      createdAt: '2026-01-01T00:00:00Z',
    });
    const all = [1, 2, 3, 4, 5].map(order);
    double.on('GET', '/orders', (request, response) => {
      const offset = Number(new URL(request.url, 'http://x').searchParams.get('offset') ?? 0);
      const items = all.slice(offset, offset + 2);
      ok({ items, total: 5, limit: 2, offset })(request, response);
    });
    const outcome = await http.readOpenOrders();
    expect(outcome.kind === 'ok' && outcome.value.map(({ orderHash }) => orderHash)).toEqual([
      '0x1',
      '0x2',
      '0x3',
      '0x4',
      '0x5',
    ]);
  });

  it('of orders that the venue cuts short is a failure', async () => {
    double.on('GET', '/orders', ok({ items: [], total: 3 }));
    expect(await http.readOpenOrders()).toMatchObject({ kind: 'unknown', cause: 'unreadable' });
  });

  it('of a middle that does not exist is an answer, of a token that does not a refusal', async () => {
    double.on('GET', '/midpoint/0xa1', json(404, { success: false, message: 'empty side' }));
    double.on('GET', '/midpoint/0xa0', failure(404, 'token_not_found'));
    expect(await http.readMidpoint(YES)).toEqual({ kind: 'ok', value: { kind: 'noMidpoint' } });
    expect(await http.readMidpoint(NO)).toMatchObject({ kind: 'refused' });
  });

  it('is bounded in time even when the venue trickles', async () => {
    double.on('GET', '/portfolio/balances', (_request, response) => {
      response.writeHead(200);
      const trickle = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(trickle));
    });
    expect(await http.readBalances()).toMatchObject({ kind: 'unknown', cause: 'timeout' });
  });
});

describe('stopping', () => {
  it('ends what is under way as unknown, what comes later as not sent', async () => {
    double.on('POST', '/orders', silence);
    const underWay = http.placeOrders([limitOrder()]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await http.stop();
    expect(await underWay).toMatchObject([{ kind: 'unknown' }]);
    expect(await http.placeOrders([limitOrder()])).toMatchObject([{ kind: 'notSent' }]);
    expect(await http.cancelAll({ kind: 'account' })).toMatchObject({ kind: 'notSent' });
    expect(double.seen).toHaveLength(1);
  });
});

describe('a good-till-date order', () => {
  it('is dated in the time of the venue, which is not ours', async () => {
    double.on('POST', '/orders', ok({ orderHash: '0x1' }));
    double.on('GET', '/time', (request, response) => {
      ok({ serverTime: Math.floor(Date.now() / 1000) + 3_600 })(request, response);
    });
    await http.measureClock();
    const expiresAtMs = unixMs(Date.now() + 120_000);
    await http.placeOrders([limitOrder({ lifetime: { timeInForce: 'GTD', expiresAtMs } })]);
    const { expiredAt } = JSON.parse(double.seen[1]?.body ?? '{}');
    const aheadMs = Date.parse(expiredAt) - expiresAtMs;
    expect(Math.abs(aheadMs - 3_600_000)).toBeLessThan(1_100);
  });
});

/** Accepts connections and never says a word, so that no TLS handshake is ever done. */
async function startMuteServer(): Promise<{ port: number; stop(): Promise<void> }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    sockets.push(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
