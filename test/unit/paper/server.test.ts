// The venue on real loopback sockets: what carries requests and frames, and what external orders send.

import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { PaperOptions } from '../../../src/paper/options.ts';
import { type PaperVenue, startPaperVenue } from '../../../src/paper/server.ts';
import { at, hmac, type Keys, list, RACE, RAIN, signedHeaders, YES } from './support.ts';

const running: PaperVenue[] = [];
const clients: WebSocket[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) client.terminate();
  await Promise.all(running.splice(0).map((venue) => venue.stop()));
});

async function start(options: Partial<PaperOptions> = {}): Promise<PaperVenue> {
  const venue = await startPaperVenue({ events: [RAIN, RACE], timeScale: 0.001, ...options });
  running.push(venue);
  return venue;
}

async function ask(
  venue: PaperVenue,
  method: string,
  path: string,
  more: { readonly body?: string; readonly keys?: Keys } = {},
) {
  const body = more.body ?? '';
  const keys = more.keys ?? venue.account;
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const response = await fetch(`${venue.baseUrl}${path}`, {
    method,
    headers: signedHeaders(keys, timestamp, `${method}${path}${body}`),
    ...(body === '' ? {} : { body }),
    signal: AbortSignal.timeout(5_000),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    answer: JSON.parse(text) as unknown,
  };
}

type Client = { readonly socket: WebSocket; readonly frames: unknown[] };

async function open(
  venue: PaperVenue,
  options: { readonly autoPong?: boolean } = {},
): Promise<Client> {
  const socket = new WebSocket(venue.wsUrl, options);
  clients.push(socket);
  const frames: unknown[] = [];
  socket.on('message', (data) => frames.push(JSON.parse(String(data))));
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  return { socket, frames };
}

async function until(holds: () => boolean): Promise<void> {
  const deadlineMs = Date.now() + 5_000;
  while (!holds()) {
    if (Date.now() > deadlineMs) throw new Error('it never came to be');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const types = (client: Client) => client.frames.map((frame) => at(frame, 'type'));

function authFrame(keys: Keys): string {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = hmac(keys.apiSecret, `${timestamp}GET/ws`);
  const { apiKey, apiPassphrase: passphrase } = keys;
  return JSON.stringify({ type: 'auth', apiKey, passphrase, timestamp, signature });
}

/** Sends bytes as they are and returns what came back until the other end hung up. */
function raw(venue: PaperVenue, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(venue.port, '127.0.0.1', () => socket.write(bytes));
    const done = () => resolve(received);
    socket.on('data', (chunk) => {
      received += String(chunk);
    });
    socket.on('close', done);
    socket.on('error', done);
    socket.setTimeout(400, () => socket.destroy());
  });
}

const isAlive = async (venue: PaperVenue) =>
  (await fetch(`${venue.baseUrl}/ok`, { signal: AbortSignal.timeout(2_000) })).ok;

describe('a venue on the network', () => {
  it('takes an order over HTTP and tells its run over the socket', async () => {
    const venue = await start();
    const client = await open(venue);
    client.socket.send(JSON.stringify({ type: 'subscribe', markets: [YES], depth: 5 }));
    client.socket.send(authFrame(venue.account));
    const body = JSON.stringify({ tokenId: YES, side: 'BUY', price: 0.4, quantity: 10 });
    await until(() => types(client).includes('authenticated'));
    const placed = await ask(venue, 'POST', '/orders', { body });
    expect(placed).toMatchObject({ status: 200, answer: { data: { status: 'OPEN' } } });
    await until(() => types(client).includes('orderbook.delta'));
    venue.desk.setRecordedLevel(YES, 'ask', 40 as never, 10_000_000 as never);
    await until(() => types(client).includes('trade.settled'));
    const statuses = client.frames
      .filter((frame) => at(frame, 'type') === 'order.update')
      .map((frame) => at(frame, 'data', 'status'));
    expect(statuses).toEqual(['OPEN', 'MATCHED', 'FILLED']);
  });

  it('signs over DELETE with a query, and answers every listing', async () => {
    const venue = await start();
    const cancelled = await ask(venue, 'DELETE', `/orders?tokenId=${YES}`);
    expect(cancelled.answer).toEqual({ success: true, data: { cancelled: 0, failed: 0 } });
    const orders = await ask(venue, 'GET', '/orders');
    expect(list(at(orders.answer, 'data'))).toEqual([]);
  });

  it('sends Retry-After with a 429', async () => {
    const strict = await start({ budgets: { keyReads: { count: 1, windowMs: 60_000 } } });
    await ask(strict, 'GET', '/orders');
    const refused = await ask(strict, 'GET', '/orders');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50);
  });

  it('listens on loopback and on a free port unless told otherwise', async () => {
    const [one, two] = await Promise.all([start(), start()]);
    expect(one.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api$/);
    expect(one.wsUrl).toBe(`ws://127.0.0.1:${one.port}/ws`);
    expect(one.port).not.toBe(two.port);
    await expect(startPaperVenue({ events: [], port: one.port })).rejects.toThrow('EADDRINUSE');
  });

  it('serves the control route only where it is switched on', async () => {
    const url = (venue: PaperVenue) => `http://127.0.0.1:${venue.port}/__control/clearFaults`;
    const off = await fetch(url(await start()), { method: 'POST' });
    expect(off.status).toBe(404);
    const on = await fetch(url(await start({ isControllable: true })), { method: 'POST' });
    expect(await on.json()).toEqual({ success: true, data: {} });
  });

  it('drops connections where a fault is planned', async () => {
    const venue = await start();
    venue.faults.plan({ path: '/orders', action: { kind: 'dropReply' } });
    const body = JSON.stringify({ tokenId: YES, side: 'BUY', price: 0.4, quantity: 10 });
    await expect(ask(venue, 'POST', '/orders', { body })).rejects.toThrow('fetch failed');
    expect(list(at((await ask(venue, 'GET', '/orders')).answer, 'data'))).toHaveLength(1);
  });

  it('stops with sockets and requests open, and frees its port', async () => {
    const venue = await start();
    const client = await open(venue);
    venue.faults.plan({ path: '/ok', action: { kind: 'delayReply', ms: 60_000 } });
    const hanging = fetch(`${venue.baseUrl}/ok`).catch(() => 'ended');
    await until(() => venue.hub.count === 1);
    const closed = new Promise((resolve) => client.socket.once('close', resolve));
    const startedMs = Date.now();
    await venue.stop();
    await closed;
    expect(await hanging).toBe('ended');
    expect(Date.now() - startedMs).toBeLessThan(1_000);
    const again = await startPaperVenue({ events: [RAIN], port: venue.port });
    await again.stop();
  });
});

describe('connections of the venue', () => {
  it('are pinged natively and ended after two missed pongs', async () => {
    const venue = await start({ sockets: { pingMs: 40 } });
    const deaf = await open(venue, { autoPong: false });
    const live = await open(venue);
    await new Promise((resolve) => deaf.socket.once('close', resolve));
    expect(types(deaf).filter((type) => type === 'ping')).toHaveLength(2);
    expect(live.socket.readyState).toBe(WebSocket.OPEN);
  });

  it('are ended when they read too slowly', async () => {
    const venue = await start({ sockets: { bufferBytesMax: 100_000, framesPerSecMax: 100_000 } });
    const client = await open(venue);
    const quick = await open(venue);
    for (let price = 1; price < 100; price += 1) {
      venue.desk.setRecordedLevel(YES, 'bid', price as never, 1_234_567 as never);
    }
    client.socket.pause();
    const frame = JSON.stringify({ type: 'subscribe', markets: [YES], depth: 200 });
    const flood = setInterval(() => {
      for (let count = 0; count < 300; count += 1) client.socket.send(frame);
    }, 5);
    await until(() => venue.hub.count === 1);
    clearInterval(flood);
    expect(quick.socket.readyState).toBe(WebSocket.OPEN);
    expect(await isAlive(venue)).toBe(true);
  });

  it('can be dropped all at once, and come back without sessions', async () => {
    const venue = await start();
    const client = await open(venue);
    client.socket.send(authFrame(venue.account));
    await until(() => types(client).includes('authenticated'));
    venue.dropSockets();
    await until(() => client.socket.readyState === WebSocket.CLOSED && venue.hub.count === 0);
    const again = await open(venue);
    const body = JSON.stringify({ tokenId: YES, side: 'BUY', price: 0.4, quantity: 10 });
    await ask(venue, 'POST', '/orders', { body });
    again.socket.send(JSON.stringify({ type: 'ping' }));
    await until(() => types(again).includes('pong'));
    expect(types(again)).toEqual(['connected', 'pong']);
  });

  it('beyond their number are refused', async () => {
    const venue = await start({ sockets: { socketsMax: 1 } });
    await open(venue);
    await expect(open(venue)).rejects.toThrow('503');
  });

  it('exist on /ws alone', async () => {
    const venue = await start();
    const wrong = { ...venue, wsUrl: venue.wsUrl.replace('/ws', '/other') };
    await expect(open(wrong)).rejects.toThrow('404');
  });

  it('that send a giant or a binary frame harm nobody', async () => {
    const venue = await start({ sockets: { frameBytesMax: 10_000 } });
    const giant = await open(venue);
    giant.socket.on('error', () => undefined);
    giant.socket.send('x'.repeat(20_000));
    await new Promise((resolve) => giant.socket.once('close', resolve));
    const binary = await open(venue);
    binary.socket.send(Buffer.from([0xff, 0xfe, 0x00]));
    await until(() => types(binary).includes('error'));
    expect(await isAlive(venue)).toBe(true);
  });
});

describe('bad input', () => {
  const head = 'Host: x\r\nConnection: close\r\n';

  it.each([
    ['bytes that are no HTTP', '\u0000\u0001\u0002 hello\r\n\r\n', '400'],
    ['a broken path', `GET /api/orderbook/%E0%A4%A HTTP/1.1\r\n${head}\r\n`, '400'],
    ['a target of another host', `GET http://evil/api/ok HTTP/1.1\r\n${head}\r\n`, '404'],
    ['a strange method', `PROPFIND /api/events HTTP/1.1\r\n${head}\r\n`, '405'],
    ['a giant header', `GET /api/ok HTTP/1.1\r\nX: ${'x'.repeat(40_000)}\r\n${head}\r\n`, '400'],
    [
      'a body without a type',
      `POST /api/orders HTTP/1.1\r\n${head}Content-Length: 1\r\n\r\n{`,
      '401',
    ],
    [
      'a strange type',
      `POST /api/orders HTTP/1.1\r\n${head}Content-Type: a/b; c\r\nContent-Length: 2\r\n\r\n{}`,
      '401',
    ],
    ['a false length', `POST /api/orders HTTP/1.1\r\n${head}Content-Length: -5\r\n\r\n{}`, '400'],
  ])('as %s gets an envelope and leaves the venue alive', async (_what, bytes, status) => {
    const venue = await start();
    const received = await raw(venue, bytes);
    expect(received.split('\r\n')[0]).toContain(status);
    expect(received).toContain('"success":false');
    expect(await isAlive(venue)).toBe(true);
  });

  it('as a body too large gets an envelope', async () => {
    const venue = await start();
    const { status, answer } = await ask(venue, 'POST', '/orders', { body: 'x'.repeat(300_000) });
    expect([status, at(answer, 'code')]).toEqual([400, 'invalid_request']);
  });

  it.each(['{', 'null', '[]', '"x"', '7', '{"orders":{}}', `{"a":${'['.repeat(2_000)}`])(
    'as the signed body %s gets an envelope',
    async (body) => {
      const venue = await start();
      for (const path of ['/orders', '/orders/batch', '/orders/market', '/positions/split']) {
        const { status, answer } = await ask(venue, 'POST', path, { body });
        expect([status, at(answer, 'success')]).toEqual([400, false]);
      }
    },
  );

  it('as connections that say nothing or half a request does not block others', async () => {
    const venue = await start();
    const halves = Array.from({ length: 50 }, () => connect(venue.port, '127.0.0.1'));
    for (const [place, half] of halves.entries()) {
      half.on('error', () => undefined);
      if (place % 2 === 0) half.write('POST /api/orders HTTP/1.1\r\nContent-Length: 99\r\n');
      else half.write('GET /ws HTTP/1.1\r\nUpgrade: websocket\r\n');
    }
    expect(await isAlive(venue)).toBe(true);
    const upgrade =
      'GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n';
    expect(await raw(venue, upgrade)).toContain('400');
    for (const half of halves) half.destroy();
    expect(await isAlive(venue)).toBe(true);
  });

  it('as a subscribe flood ends its own socket alone', async () => {
    const venue = await start();
    const flood = await open(venue);
    const calm = await open(venue);
    const frame = JSON.stringify({
      type: 'subscribe',
      markets: Array(1_000).fill(YES),
      depth: 200,
    });
    flood.socket.on('error', () => undefined);
    for (let count = 0; count < 300; count += 1) flood.socket.send(frame);
    await new Promise((resolve) => flood.socket.once('close', resolve));
    expect(calm.socket.readyState).toBe(WebSocket.OPEN);
    expect(await isAlive(venue)).toBe(true);
  });
});
