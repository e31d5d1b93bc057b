import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock/system.ts';
import type { VenuePort } from '../../../src/domain/command.ts';
import { requestId } from '../../../src/domain/ids.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import { unixMs } from '../../../src/domain/time.ts';
import type { VenueOptions } from '../../../src/venue/options.ts';
import { createVenue } from '../../../src/venue/venue.ts';
import {
  failure,
  type HttpDouble,
  inTurn,
  ok,
  silence,
  startHttpDouble,
} from '../../support/http-double.ts';
import {
  CREDENTIALS,
  credentialsOf,
  fixedCredentials,
  limitOrder,
  REAL_TIME,
  rotatingCredentials,
  until,
  WIRE_EVENT,
  YES,
} from '../../support/http-double-fixtures.ts';

let double: HttpDouble;
let venue: VenuePort | undefined;
let messages: VenueMessage[];

beforeEach(async () => {
  double = await startHttpDouble();
  messages = [];
  double.on('GET', '/time', (request, response) => {
    ok({ serverTime: Math.floor(Date.now() / 1000) })(request, response);
  });
  double.on('GET', '/events', ok({ items: [WIRE_EVENT], total: 1, limit: 100, offset: 0 }));
});

afterEach(async () => {
  await venue?.stop();
  venue = undefined;
  await double.stop();
});

function start(over: Partial<VenueOptions> = {}): VenuePort {
  const port = createVenue({
    baseUrl: double.baseUrl,
    wsUrl: double.wsUrl,
    credentials: fixedCredentials(CREDENTIALS),
    clock: REAL_TIME,
    timers: REAL_TIME,
    random: () => 0.5,
    timeouts: { totalMs: 500 },
    socket: { reconnectMsMin: 20, reconnectMsMax: 40 },
    ...over,
  });
  port.start((message) => messages.push(message));
  venue = port;
  return port;
}

function of<Kind extends VenueMessage['kind']>(
  kind: Kind,
): readonly Extract<VenueMessage, { kind: Kind }>[] {
  return messages.filter(
    (message): message is Extract<VenueMessage, { kind: Kind }> => message.kind === kind,
  );
}

describe('a venue that starts', () => {
  it('measures the clock, authenticates and loads the catalogue', async () => {
    double.onConnection((socket) => {
      socket.on('message', (data) => {
        if (JSON.parse(String(data)).type === 'auth') socket.send('{"type":"authenticated"}');
      });
    });
    start();
    await until('authenticated', () => of('authenticated').length > 0);
    await until('a catalogue', () => of('catalogue').length > 0);
    expect(of('catalogue')[0]?.outcome).toMatchObject({ kind: 'ok', value: [{ slug: 'rain' }] });
    expect(Math.abs(of('clockOffset')[0]?.offsetMs ?? 9_999)).toBeLessThan(1_500);
    expect(double.frames[0]).toMatchObject({ type: 'auth', apiKey: 'key-1' });
  });

  it('measures the clock anew at once when ours was set ahead', async () => {
    let aheadMs = 0;
    const clock = systemClock({
      wallMs: () => Date.now() + aheadMs,
      steadyMs: () => performance.now(),
    });
    start({ clock, onClockJump: (listener) => clock.onJump(listener) });
    // The first measurements follow closely; from then on there is half a minute between two.
    await until('five measurements', () => of('clockOffset').length === 5);
    aheadMs = 20_000;
    const atMs = performance.now();
    clock.nowMs();
    await until('the sixth', () => of('clockOffset').length === 6);
    expect(performance.now() - atMs).toBeLessThan(1_000);
    expect(Math.abs((of('clockOffset')[5]?.offsetMs ?? 0) + aheadMs)).toBeLessThan(1_000);
    await until('five more', () => of('clockOffset').length === 10);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(of('clockOffset')).toHaveLength(10);
  });

  it('asks for the catalogue until it comes, and tells each failure', async () => {
    const events = ok({ items: [WIRE_EVENT], total: 1, limit: 100, offset: 0 });
    double.on('GET', '/events', inTurn(failure(503, 'maintenance'), events));
    start({ random: () => 1 });
    await until('two catalogues', () => of('catalogue').length === 2);
    expect(of('catalogue').map(({ outcome }) => outcome.kind)).toEqual(['refused', 'ok']);
  });

  it('fails the whole catalogue when one page fails', async () => {
    const page = ok({ items: [WIRE_EVENT], total: 2, limit: 1, offset: 0 });
    double.on('GET', '/events', inTurn(page, failure(500, 'internal_error')));
    start();
    await until('a catalogue', () => of('catalogue').length > 0);
    expect(of('catalogue')[0]?.outcome.kind).toBe('refused');
  });

  it('loads wanted events by name, and leaves out one that the venue does not know', async () => {
    double.on('GET', '/events/rain', ok(WIRE_EVENT));
    double.on('GET', '/events/snow', failure(404, 'market_not_found'));
    start({ wantedEvents: ['rain', 'snow', 'rain'] });
    await until('a catalogue', () => of('catalogue').length > 0);
    expect(of('catalogue')[0]?.outcome).toMatchObject({ kind: 'ok', value: [{ id: 'e1' }] });
    expect(double.seen.filter(({ url }) => url === '/api/events')).toHaveLength(0);
  });

  it('leaves out a wanted event that it cannot read, says which, and has the others', async () => {
    double.on('GET', '/events/rain', ok(WIRE_EVENT));
    double.on('GET', '/events/snow', ok({ ...WIRE_EVENT, id: 'e2', tickSize: '0.005' }));
    start({ wantedEvents: ['snow', 'rain'] });
    await until('a catalogue', () => of('catalogue').length > 0);
    expect(of('catalogue')[0]?.outcome).toMatchObject({ kind: 'ok', value: [{ id: 'e1' }] });
    expect(of('unrecognised')[0]?.detail).toMatch(/^event\[snow\]: .*event\[snow\]\.tickSize/);
  });

  it('keeps a wanted event as it was when it cannot be read any more', async () => {
    double.on('GET', '/events/rain', ok(WIRE_EVENT));
    const snow = { ...WIRE_EVENT, id: 'e2', slug: 'snow' };
    double.on('GET', '/events/snow', inTurn(ok(snow), ok({ ...snow, markets: 'none' })));
    const port = start({ wantedEvents: ['snow', 'rain'] });
    await until('a catalogue', () => of('catalogue').length > 0);
    port.send({ kind: 'readCatalogue' });
    await until('the next catalogue', () => of('catalogue').length > 1);
    const [first, second] = of('catalogue').map(({ outcome }) =>
      outcome.kind === 'ok' ? outcome.value.map(({ id }) => id).toSorted() : outcome.kind,
    );
    expect(first).toEqual(['e1', 'e2']);
    expect(second).toEqual(first);
  });

  it('skips a market it cannot read and says which', async () => {
    const broken = { ...WIRE_EVENT, markets: [{ id: 'm2', status: 'open', outcomes: [] }] };
    double.on('GET', '/events', ok([WIRE_EVENT, { ...broken, id: 'e2' }]));
    start();
    await until('a catalogue', () => of('catalogue').length > 0);
    expect(of('unrecognised')[0]).toMatchObject({
      frameType: 'GET /events',
      detail: expect.stringContaining('events[1].markets[0].outcomes'),
    });
    expect(of('catalogue')[0]?.outcome).toMatchObject({ kind: 'ok', value: [{}, { markets: [] }] });
  });
});

describe('a command', () => {
  it('is answered exactly once, also when the venue stops meanwhile', async () => {
    double.on('POST', '/orders', silence);
    double.on('GET', '/orders', silence);
    const port = start({ timeouts: { totalMs: 60_000 } });
    await until('a catalogue', () => of('catalogue').length > 0);
    port.send({ kind: 'placeOrders', requestId: requestId(1), orders: [limitOrder()] });
    port.send({ kind: 'readOpenOrders', requestId: requestId(2) });
    await until('both under way', () => double.seen.some(({ method }) => method === 'POST'));
    await port.stop();
    port.send({ kind: 'cancelAll', requestId: requestId(3), scope: { kind: 'account' } });
    await until('three answers', () => of('cancelled').length > 0);
    expect(of('placed')).toEqual([
      {
        kind: 'placed',
        requestId: 1,
        outcomes: [{ intentId: 'i1', outcome: expect.objectContaining({ kind: 'unknown' }) }],
      },
    ]);
    expect(of('openOrders')).toHaveLength(1);
    expect(of('openOrders')[0]?.outcome.kind).toBe('unknown');
    expect(of('cancelled')[0]?.outcome.kind).toBe('notSent');
  });

  it('that places is not sent any more once everything is cancelled, and is after that', async () => {
    let answerFirst = (): void => undefined;
    double.on('POST', '/orders', (request, response) => {
      answerFirst = () => failure(422, 'market_paused')(request, response);
    });
    double.on('DELETE', '/orders', ok({ cancelled: 0, failed: 0 }));
    const port = start({ connections: { order: 1 }, timeouts: { totalMs: 60_000 } });
    await until('a catalogue', () => of('catalogue').length > 0);
    const place = (id: number) =>
      port.send({ kind: 'placeOrders', requestId: requestId(id), orders: [limitOrder()] });
    const posts = () => double.seen.filter(({ method }) => method === 'POST').length;
    place(1);
    place(2);
    await until('the first under way', () => posts() === 1);
    port.send({ kind: 'cancelAll', requestId: requestId(3), scope: { kind: 'account' } });
    await until('the cancel', () => of('cancelled').length > 0);
    answerFirst();
    await until('both answers', () => of('placed').length === 2);
    expect(of('placed').map(({ outcomes }) => outcomes[0]?.outcome.kind)).toEqual([
      'refused',
      'notSent',
    ]);
    expect(posts()).toBe(1);
    place(4);
    await until('one that was asked for later', () => posts() === 2);
    answerFirst();
  });

  it('that reads a book tells when it was asked', async () => {
    const book = { bids: [{ price: 0.29, size: 5 }], asks: [], tokenId: YES, ts: 1 };
    double.on('GET', '/orderbook/0xa1', ok(book));
    const port = start();
    await until('a catalogue', () => of('catalogue').length > 0);
    const beforeMs = Date.now();
    port.send({ kind: 'readBook', requestId: requestId(4), tokenId: YES });
    await until('a book', () => of('bookRead').length > 0);
    expect(of('bookRead')[0]).toMatchObject({
      requestId: 4,
      outcome: { kind: 'ok', value: { bids: [{ price: 29, size: 5_000_000 }], asks: [] } },
    });
    expect(of('bookRead')[0]?.askedAtMs).toBeGreaterThanOrEqual(beforeMs);
  });
});

describe('a subscription', () => {
  it('is renewed for one token, and doubts about the grid are settled by the catalogue', async () => {
    const port = start();
    await until('a catalogue', () => of('catalogue').length > 0);
    await until('a socket', () => of('socketOpened').length > 0);
    port.send({ kind: 'subscribe', tokenIds: [YES], depth: 10 });
    port.send({ kind: 'resubscribe', tokenId: YES });
    await until('frames', () => double.frames.some(({ type }) => type === 'unsubscribe'));
    const delta = { type: 'orderbook.delta', marketId: YES, side: 'bid', price: 0.295, size: 1 };
    double.sockets[0]?.send(JSON.stringify(delta));
    await until('a doubt', () => of('bookUnreadable').length > 0);
    expect(of('catalogue')).toHaveLength(1);
  });

  it('learns of a finer grid by itself', async () => {
    let nowMs = 1_700_000_000_000;
    const clock = { nowMs: () => unixMs(nowMs) };
    start({ clock });
    await until('a catalogue', () => of('catalogue').length > 0);
    await until('a socket', () => of('socketOpened').length > 0);
    const finer = { ...WIRE_EVENT, tickSize: '0.001' };
    double.on('GET', '/events', ok({ items: [finer], total: 1 }));
    nowMs += 10_000;
    const delta = { type: 'orderbook.delta', marketId: YES, side: 'bid', price: 0.295, size: 1 };
    double.sockets[0]?.send(JSON.stringify(delta));
    await until('a second catalogue', () => of('catalogue').length === 2);
    double.sockets[0]?.send(JSON.stringify(delta));
    await until('a readable book', () => of('bookDelta').length === 1);
    expect(of('bookDelta')[0]?.price).toBe(295);
  });
});

describe('new credentials', () => {
  it('open a new session on the same socket after a refused request', async () => {
    const credentials = rotatingCredentials(CREDENTIALS, credentialsOf('key-2'));
    double.onConnection((socket) => {
      socket.on('message', (data) => {
        if (JSON.parse(String(data)).type === 'auth') socket.send('{"type":"authenticated"}');
      });
    });
    double.on('GET', '/orders', inTurn(failure(401, 'unknown_api_key'), ok([])));
    const port = start({ credentials });
    await until('authenticated', () => of('authenticated').length === 1);
    port.send({ kind: 'readOpenOrders', requestId: requestId(1) });
    await until('authenticated again', () => of('authenticated').length === 2);
    await until('an answer', () => of('openOrders').length === 1);
    expect(of('openOrders')[0]?.outcome).toEqual({ kind: 'ok', value: [] });
    const keys = double.frames.filter(({ type }) => type === 'auth').map(({ apiKey }) => apiKey);
    expect(keys).toEqual(['key-1', 'key-2']);
    expect(double.sockets).toHaveLength(1);
  });
});
