// A cancel of the whole account while other cancels hold the connections for them.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { marketId, orderHash } from '../../../src/domain/ids.ts';
import { createVenueHttp, type VenueHttp } from '../../../src/venue/http/venue-http.ts';
import {
  CREDENTIALS,
  fixedCredentials,
  REAL_TIME,
  TOKENS,
} from '../../support/http-double-fixtures.ts';

const ACCEPTED = JSON.stringify({ success: true, data: { cancelled: 1, failed: 0 } });
/** As many as there are connections for bulk cancels. */
const CONNECTIONS = 6;

let seen: string[] = [];
let http: VenueHttp;
let server: Server;
/** Milliseconds until a request is answered; `undefined` for never. */
let delayMs: (url: string) => number | undefined;

beforeEach(async () => {
  seen = [];
  server = createServer((request, response) => {
    const { url = '' } = request;
    seen.push(url);
    request.resume();
    const ms = delayMs(url);
    if (ms !== undefined) setTimeout(() => response.end(ACCEPTED), ms);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  http = createVenueHttp({
    baseUrl: `http://127.0.0.1:${port}`,
    credentials: fixedCredentials(CREDENTIALS),
    clock: REAL_TIME,
    timers: REAL_TIME,
    tokens: TOKENS,
    timeouts: { totalMs: 4_000 },
  });
});

afterEach(async () => {
  await http.stop();
  server.closeAllConnections();
  server.close();
});

async function untilSeen(count: number): Promise<void> {
  while (seen.length < count) await sleep(5);
}

describe('a cancel of the whole account', () => {
  it('waits for none of twenty markets', async () => {
    delayMs = (url) => (url === '/orders' ? 0 : undefined);
    const ids = Array.from({ length: 20 }, (_, index) => marketId(`m${index}`));
    const markets = ids.map((id) => http.cancelAll({ kind: 'market', marketId: id }));
    await untilSeen(CONNECTIONS);
    const startedAtMs = performance.now();
    expect(await http.cancelAll({ kind: 'account' })).toMatchObject({ kind: 'accepted' });
    expect(performance.now() - startedAtMs).toBeLessThan(2_000);
    await http.stop();
    await Promise.all(markets);
  });

  it('leaves once, by a connection that becomes free, where no further one is to be had', async () => {
    delayMs = (url) => (url === '/orders' ? 0 : 150);
    const cancel = async () => await http.cancelOrders([orderHash('0x1')]);
    const batches = Array.from({ length: CONNECTIONS }, cancel);
    await untilSeen(CONNECTIONS);
    server.close();
    expect(await http.cancelAll({ kind: 'account' })).toMatchObject({ kind: 'accepted' });
    await Promise.all(batches);
    expect(seen.filter((url) => url === '/orders')).toHaveLength(1);
  });

  it('leaves once where a connection of both kinds becomes free', async () => {
    delayMs = (url) => (url === '/orders' ? 100 : 50);
    const cancel = async () => await http.cancelOrders([orderHash('0x1')]);
    const batches = Array.from({ length: 2 * CONNECTIONS }, cancel);
    await untilSeen(CONNECTIONS);
    const all = Array.from({ length: 4 }, async () => await http.cancelAll({ kind: 'account' }));
    const outcomes = await Promise.all([...all, ...batches]);
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['accepted']));
    expect(seen.filter((url) => url === '/orders')).toHaveLength(4);
    expect(await cancel()).toMatchObject({ kind: 'accepted' });
  });

  it('has failed, and never left, where neither connection is to be had', async () => {
    server.close();
    const cancel = async () => await http.cancelOrders([orderHash('0x1')]);
    const batches = Array.from({ length: 64 }, cancel);
    expect(await http.cancelAll({ kind: 'account' })).toMatchObject({ kind: 'notSent' });
    await Promise.all(batches);
  });
});
