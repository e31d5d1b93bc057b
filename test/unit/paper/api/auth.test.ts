import { describe, expect, it } from 'vitest';
import { hmac, RAIN_MARKET, START_MS, signedHeaders, TestSocket, TestVenue } from '../support.ts';

const START_SEC = String(START_MS / 1_000);

const ask = (test: TestVenue, headers: Readonly<Record<string, string | undefined>>) =>
  test.ask('GET', '/orders', { as: 'nobody', headers });

const good = (test: TestVenue) => signedHeaders(test.venue.account, START_SEC, 'GET/orders');

describe('a signed request', () => {
  it('is let in, its query signed exactly as sent', () => {
    const test = new TestVenue();
    const path = `/orders?marketId=${RAIN_MARKET}&x=%20a+b`;
    const headers = signedHeaders(test.venue.account, START_SEC, `GET${path}`);
    expect(test.ask('GET', path, { as: 'nobody', headers }).status).toBe(200);
  });

  it('is let in with its body signed byte for byte', () => {
    const test = new TestVenue();
    const rawBody = '{ "orderHashes" : [ "0xab" ] }';
    expect(test.ask('POST', '/orders/batch-cancel', { rawBody }).status).toBe(200);
    const headers = signedHeaders(
      test.venue.account,
      START_SEC,
      `POST/orders/batch-cancel${JSON.stringify(JSON.parse(rawBody))}`,
    );
    const changed = { as: 'nobody' as const, rawBody, headers };
    expect(test.ask('POST', '/orders/batch-cancel', changed).code).toBe('invalid_signature');
  });

  it.each(['service-api-key', 'service-timestamp', 'service-passphrase', 'service-signature'])(
    'without %s has missing credentials',
    (name) => {
      const test = new TestVenue();
      const refused = { status: 401, code: 'missing_credentials' };
      expect(ask(test, { ...good(test), [name]: undefined })).toMatchObject(refused);
      expect(ask(test, { ...good(test), [name]: '' })).toMatchObject(refused);
    },
  );

  it('with an unknown key, wrong passphrase or wrong signature says which', () => {
    const test = new TestVenue();
    const headers = good(test);
    const wrong = (change: Record<string, string>) => ask(test, { ...headers, ...change });
    expect(wrong({ 'service-api-key': 'key_x' })).toMatchObject({
      status: 401,
      code: 'unknown_api_key',
    });
    expect(wrong({ 'service-passphrase': 'x' }).code).toBe('invalid_passphrase');
    expect(wrong({ 'service-signature': 'x' }).code).toBe('invalid_signature');
    const other = hmac('another secret', `${START_SEC}GET/orders`);
    expect(wrong({ 'service-signature': other }).code).toBe('invalid_signature');
  });

  it('over the path with its prefix is an invalid signature', () => {
    const test = new TestVenue();
    const headers = signedHeaders(test.venue.account, START_SEC, 'GET/api/orders');
    expect(ask(test, headers).code).toBe('invalid_signature');
  });

  it('over another method or path is an invalid signature', () => {
    const test = new TestVenue();
    for (const message of [
      'DELETE/orders',
      'GET/orders?',
      'GET/portfolio/balances',
      'get/orders',
    ]) {
      const headers = signedHeaders(test.venue.account, START_SEC, message);
      expect(ask(test, headers).code).toBe('invalid_signature');
    }
  });

  it.each([
    [30, 200],
    [-30, 200],
    [31, 401],
    [-31, 401],
    [3_600, 401],
  ])('%d seconds from server time gets %d', (offSec, status) => {
    const test = new TestVenue();
    const timestamp = String(START_MS / 1_000 + offSec);
    const headers = signedHeaders(test.venue.account, timestamp, 'GET/orders');
    const answer = ask(test, headers);
    expect(answer.status).toBe(status);
    if (status === 401) expect(answer.code).toBe('expired_timestamp');
  });

  it.each(['now', '', '1.5', '-1', `${START_MS}`, '٣'])(
    'at the time %j is refused',
    (timestamp) => {
      const test = new TestVenue();
      const headers = signedHeaders(test.venue.account, timestamp, 'GET/orders');
      expect(ask(test, headers).status).toBe(401);
    },
  );

  it('is judged by the clock of the venue, which may be off', () => {
    const test = new TestVenue();
    test.venue.faults.shiftClock(40_000);
    expect(test.ask('GET', '/orders').code).toBe('expired_timestamp');
    expect(test.ask('GET', '/time').data).toEqual({ serverTime: START_MS / 1_000 + 40 });
    test.venue.faults.clear();
    expect(test.ask('GET', '/orders').status).toBe(200);
  });
});

describe('regenerated credentials', () => {
  it('kill the old key at once and the live sockets it opened', () => {
    const test = new TestVenue();
    const old = test.venue.account;
    const mine = new TestSocket(test);
    const others = new TestSocket(test);
    mine.authenticate();
    others.authenticate(test.venue.openAccount('other', 100));
    const fresh = test.venue.regenerate('maker');
    test.advance(0);
    expect(mine.isClosed).toBe(true);
    expect(others.isClosed).toBe(false);
    expect(test.ask('GET', '/orders', { as: old }).code).toBe('unknown_api_key');
    expect(test.ask('GET', '/orders', { as: fresh }).status).toBe(200);
  });

  it('leave the orders of the account where they are', () => {
    const test = new TestVenue();
    test.rest({});
    const fresh = test.venue.regenerate('maker');
    expect(test.openOrders(fresh)).toHaveLength(1);
  });
});

describe('a bearer token', () => {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  it('lets its account in until it expires', () => {
    const test = new TestVenue();
    const headers = bearer(test.venue.issueBearer('maker', 60_000));
    expect(ask(test, headers).status).toBe(200);
    test.advance(60_000);
    expect(ask(test, headers)).toMatchObject({ status: 401, code: 'expired_timestamp' });
  });

  it('that nobody issued is refused', () => {
    expect(ask(new TestVenue(), bearer('idp.x')).code).toBe('unknown_api_key');
  });

  it('authenticates a socket too', () => {
    const test = new TestVenue();
    const socket = new TestSocket(test);
    socket.send({ type: 'auth', token: test.venue.issueBearer('maker', 60_000) });
    test.rest({});
    expect(socket.frames.map(({ type }) => type)).toContain('authenticated');
    expect(socket.statuses()).toEqual(['OPEN']);
  });
});

describe('an auth frame', () => {
  it('opens the user channel without any subscribe', () => {
    const test = new TestVenue();
    const socket = new TestSocket(test);
    socket.authenticate();
    expect(socket.take()).toEqual([{ type: 'connected' }, { type: 'authenticated' }]);
    test.rest({});
    expect(socket.of('order.update')).toHaveLength(1);
  });

  it.each([
    ['a wrong key', { apiKey: 'x' }, 'unknown_api_key'],
    ['a wrong passphrase', { passphrase: 'x' }, 'invalid_passphrase'],
    ['a wrong signature', { signature: 'x' }, 'invalid_signature'],
    ['an old timestamp', { timestamp: '1000' }, 'expired_timestamp'],
    ['a number for a timestamp', { timestamp: 5 }, 'invalid_request'],
    ['nothing', { apiKey: undefined }, 'invalid_request'],
  ])('with %s gets an error frame, and the socket stays open', (_what, extra, code) => {
    const test = new TestVenue();
    const socket = new TestSocket(test);
    socket.authenticate(test.venue.account, extra);
    expect(socket.of('error')).toMatchObject([{ message: expect.stringContaining(code) }]);
    socket.authenticate();
    expect(socket.of('authenticated')).toHaveLength(1);
    expect(socket.isClosed).toBe(false);
  });

  it('for another account moves the socket to that account', () => {
    const test = new TestVenue();
    const other = test.venue.openAccount('other', 100);
    const socket = new TestSocket(test);
    socket.authenticate();
    socket.authenticate(other);
    test.rest({});
    expect(socket.of('order.update')).toEqual([]);
    test.rest({}, other);
    expect(socket.of('order.update')).toHaveLength(1);
  });

  it('does not outlive its socket', () => {
    const test = new TestVenue();
    const socket = new TestSocket(test);
    socket.authenticate();
    socket.close();
    test.rest({});
    const again = new TestSocket(test);
    test.rest({});
    expect(again.of('order.update')).toEqual([]);
  });
});
