import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { BotError } from '../../../src/domain/errors.ts';
import { eventId, intentId, marketId, orderHash } from '../../../src/domain/ids.ts';
import { shares } from '../../../src/domain/shares.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { parseBase, parseSocketUrl } from '../../../src/venue/http/base.ts';
import { createVenueHttp, type VenueHttp } from '../../../src/venue/http/venue-http.ts';
import { type HttpDouble, type SeenRequest, startHttpDouble } from '../../support/http-double.ts';
import {
  CREDENTIALS,
  fixedCredentials,
  limitOrder,
  NO,
  REAL_TIME,
  TOKENS,
  YES,
} from '../../support/http-double-fixtures.ts';

let double: HttpDouble | undefined;
let http: VenueHttp | undefined;

afterEach(async () => {
  await http?.stop();
  await double?.stop();
  [http, double] = [undefined, undefined];
});

async function open(prefix: string): Promise<{ http: VenueHttp; seen: readonly SeenRequest[] }> {
  double = await startHttpDouble({ prefix });
  http = createVenueHttp({
    baseUrl: double.baseUrl,
    credentials: fixedCredentials(CREDENTIALS),
    clock: REAL_TIME,
    timers: REAL_TIME,
    tokens: TOKENS,
  });
  return { http, seen: double.seen };
}

/** What a venue computes from the bytes it got, after it took its own prefix off. */
function expectedSignature(request: SeenRequest, prefix: string): string {
  const { method, url, body, headers } = request;
  const message = `${headers['service-timestamp']}${method}${url.slice(prefix.length)}${body}`;
  return createHmac('sha256', 's3cret').update(message).digest('base64');
}

describe('a signed request', () => {
  it.each(['/api', '/x/api', ''])(
    'is signed over the bytes that arrive, without the prefix %j',
    async (prefix) => {
      const { http, seen } = await open(prefix);
      const market = marketId('m 1/ü?&');
      const pair = [limitOrder(), limitOrder({ intentId: intentId('i2'), tokenId: NO })];
      await http.placeOrders([limitOrder()]);
      await http.placeOrders(pair);
      await http.cancelOrder(orderHash('0x1'));
      await http.cancelOrders([orderHash('0x1'), orderHash('0x2')]);
      await http.cancelAll({ kind: 'account' });
      await http.cancelAll({ kind: 'market', marketId: market });
      await http.readOpenOrders({ kind: 'market', marketId: market });
      await http.readMarketPositions(market);
      await http.readPortfolio('trades', 5);
      await http.splitSets({ eventId: eventId('ü'), marketId: undefined, amount: shares(1) });
      expect(seen).toHaveLength(10);
      for (const request of seen) {
        expect(request.headers['service-signature']).toBe(expectedSignature(request, prefix));
        expect(request.headers['service-api-key']).toBe('key-1');
        expect(request.headers['service-passphrase']).toBe('open sesame');
        expect(request.url.startsWith(`${prefix}/`)).toBe(true);
      }
    },
  );

  it('carries the time at which it leaves, in whole seconds', async () => {
    const { http, seen } = await open('/api');
    const beforeSec = Math.floor(Date.now() / 1000);
    await http.readBalances();
    const stamp = seen[0]?.headers['service-timestamp'];
    expect(stamp).toMatch(/^\d{10}$/);
    expect(Number(stamp)).toBeGreaterThanOrEqual(beforeSec);
    expect(Number(stamp)).toBeLessThanOrEqual(beforeSec + 2);
  });
});

describe('a public read', () => {
  it('gives no credentials away', async () => {
    const { http, seen } = await open('/api');
    await http.readEventsPage({ search: 'a b&c', status: 'open', limit: 5, includeTotal: false });
    await http.readEvent('will it/rain');
    await http.readPrice(YES, 'sell');
    await http.readCandles({
      outcomeId: YES,
      interval: 'm5',
      fromMs: unixMs(0),
      toMs: unixMs(1_000),
    });
    await http.readResolution(eventId('e1'), marketId('m1'));
    await http.readActivity({ limit: 3 });
    expect(seen.map(({ url }) => url)).toEqual([
      '/api/events?search=a%20b%26c&status=open&limit=5&includeTotal=false',
      '/api/events/will%20it%2Frain',
      '/api/price/0xa1/sell',
      '/api/kline?outcomeId=0xa1&interval=m5&from=1970-01-01T00%3A00%3A00.000Z&to=1970-01-01T00%3A00%3A01.000Z',
      '/api/events/e1/resolution?marketId=m1',
      '/api/activity?limit=3',
    ]);
    for (const { headers } of seen) {
      expect(Object.keys(headers).filter((name) => name.startsWith('service'))).toEqual([]);
    }
  });
});

describe('an address', () => {
  it.each([
    ['http://h:1/x/api', 'http://h:1', '/x/api'],
    ['https://h/api/', 'https://h', '/api'],
    ['http://h', 'http://h', ''],
  ])('%s is dialled at %s and prefixed with %s', (baseUrl, origin, prefix) => {
    expect(parseBase(baseUrl)).toEqual({ origin, prefix });
  });

  it.each(['', 'h/api', 'ftp://h/api', 'http://u:p@h/api', 'http://h/api?x=1', 'http://h/api#x'])(
    '%j is refused',
    (baseUrl) => {
      expect(() => parseBase(baseUrl)).toThrow(BotError);
    },
  );

  it('of a socket is a ws or wss address', () => {
    expect(parseSocketUrl('wss://h/ws')).toBe('wss://h/ws');
    expect(() => parseSocketUrl('http://h/ws')).toThrow(BotError);
    expect(() => parseSocketUrl('nowhere')).toThrow(BotError);
  });
});
