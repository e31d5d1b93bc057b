// Whatever is sent, the venue answers in its envelope, blames nobody but the sender, and goes on.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { at, NO, RAIN_MARKET, TestSocket, TestVenue, YES } from '../support.ts';

/** Runs of each property; a campaign sets more. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 300);

const POSTS = [
  '/orders',
  '/orders/market',
  '/orders/batch',
  '/orders/batch-cancel',
  '/positions/split',
  '/positions/merge',
  '/positions/redeem',
] as const;

const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.double(),
  fc.constantFrom<unknown>(
    ...[
      null,
      '',
      '0',
      '-0',
      '1e9',
      'NaN',
      'Infinity',
      '__proto__',
      '\u0000',
      '٣',
      '🎲',
      1e308,
      5e-324,
    ],
    ...[-0, 0.1 + 0.2, 2 ** 53, '0x', YES, NO, RAIN_MARKET, 'rain', 'BUY', 'SELL', 'GTD', 'FAK'],
    ...['2026-11-21T12:02:00.000Z', '9999-99-99T99:99:99Z', '+275760-09-13T00:00:00.000Z', [], {}],
  ),
);

const field = fc.constantFrom(
  ...['tokenId', 'side', 'price', 'quantity', 'orderType', 'expiredAt', 'maxSpend', 'timeInForce'],
  ...['maxSlippageBps', 'clientOrderId', 'orders', 'orderHashes', 'eventId', 'marketId', 'amount'],
  ...['__proto__', 'constructor', 'toString'],
);

/** An order that would be taken, with some of its fields made odd. */
const almostOrder = fc.dictionary(field, odd, { maxKeys: 4 }).map((change) => ({
  ...{
    tokenId: YES,
    side: 'BUY',
    price: 0.4,
    quantity: 10,
    maxSpend: '5',
    eventId: 'rain',
    amount: 1,
  },
  ...change,
}));

const body = fc.oneof(
  almostOrder,
  fc.jsonValue(),
  fc.array(fc.oneof(almostOrder, odd), { maxLength: 17 }).map((orders) => ({ orders })),
  fc.array(odd, { maxLength: 101 }).map((orderHashes) => ({ orderHashes })),
);

const part = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '..',
    '%2e%2e',
    '%',
    '%00',
    '?',
    '#',
    '//',
    YES,
    RAIN_MARKET,
    'rain',
    'batch',
    'market',
  ),
);

const path = fc
  .tuple(
    fc.constantFrom(
      ...['/events', '/orderbook', '/midpoint', '/price', '/markets', '/orders', '/portfolio'],
      ...['/kline', '/activity', '/leaderboard', '/positions', '/categories', ''],
    ),
    fc.array(part, { maxLength: 4 }),
    fc.array(
      fc.tuple(
        fc.oneof(
          part,
          fc.constantFrom(
            'limit',
            'offset',
            'depth',
            'from',
            'interval',
            'outcomeId',
            'status',
            'marketId',
          ),
        ),
        part,
      ),
      { maxLength: 3 },
    ),
  )
  .map(([root, parts, query]) => {
    const pairs = query.map(([name, value]) => `${name}=${value}`).join('&');
    return `${[root, ...parts].join('/')}${pairs === '' ? '' : `?${pairs}`}`;
  });

const open = () => {
  const wide = { count: 1_000_000, windowMs: 1_000 };
  return new TestVenue({
    budgets: { keyWrites: wide, keyReads: wide, publicReads: wide },
    sockets: { framesPerSecMax: 1_000_000 },
  });
};

/** What must still be true of the account whatever was sent. */
function checkAccount(test: TestVenue): void {
  const account = test.venue.exchange.accounts.named('maker');
  expect(account.availableNano() >= 0n).toBe(true);
  for (const [, holding] of account.holdings) {
    expect(Number.isSafeInteger(holding.settledMicro)).toBe(true);
    expect(holding.settledMicro).toBeGreaterThanOrEqual(holding.heldMicro);
  }
}

describe('a hostile client', () => {
  it('gets an envelope for any body, never a server error', () => {
    const test = open();
    test.crowd('SELL', 60, 1_000);
    test.crowd('BUY', 40, 1_000);
    fc.assert(
      fc.property(fc.constantFrom(...POSTS), body, (to, what) => {
        const answer = test.ask('POST', to, { body: what });
        expect(typeof answer.success).toBe('boolean');
        expect(answer.status).toBeLessThan(500);
        if (answer.success === false) expect(typeof answer.code).toBe('string');
        test.advance(7);
        checkAccount(test);
      }),
      { numRuns: RUNS },
    );
    test.settle();
    test.ask('DELETE', '/orders');
    expect(test.openOrders()).toEqual([]);
  });

  it('gets an envelope for any path and query, never a server error', () => {
    const test = open();
    fc.assert(
      fc.property(fc.constantFrom('GET', 'POST', 'DELETE', 'PUT', 'TRACE'), path, (method, to) => {
        const answer = test.ask(method, to, { as: 'nobody' });
        expect(answer.status).toBeLessThan(500);
        expect(test.ask(method, to).status).toBeLessThan(500);
      }),
      { numRuns: RUNS },
    );
  });

  it('gets an envelope for any headers', () => {
    const test = open();
    const names = [
      'service-api-key',
      'service-timestamp',
      'service-passphrase',
      'service-signature',
    ];
    const header = fc.constantFrom(...names, 'authorization');
    fc.assert(
      fc.property(fc.dictionary(header, fc.string({ unit: 'binary' })), (headers) => {
        const answer = test.ask('GET', '/orders', { as: 'nobody', headers });
        expect(answer.status).toBe(401);
      }),
      { numRuns: RUNS },
    );
  });

  it('gets an answer or an error frame for any frame, and stays connected', () => {
    const test = open();
    const socket = new TestSocket(test);
    const type = fc.constantFrom('subscribe', 'unsubscribe', 'auth', 'ping', 'pong', 'connected');
    const key = fc.constantFrom(
      ...['channel', 'markets', 'depth', 'token', 'apiKey', 'passphrase', 'timestamp', 'signature'],
    );
    const tokens = fc.array(fc.oneof(fc.constantFrom<unknown>(YES, NO, 'trades'), odd));
    const frame = fc.oneof(
      fc.jsonValue().map((value) => JSON.stringify(value)),
      fc.string({ unit: 'binary' }),
      fc
        .tuple(type, fc.dictionary(key, fc.oneof(odd, tokens)))
        .map(([name, rest]) => JSON.stringify({ ...rest, type: name })),
    );
    fc.assert(
      fc.property(frame, (text) => {
        socket.take();
        socket.send(text);
        for (const { type: told } of socket.frames) {
          expect(['error', 'pong', 'orderbook.snapshot']).toContain(told);
        }
        expect(socket.isClosed).toBe(false);
      }),
      { numRuns: RUNS },
    );
    socket.take();
    socket.send({ type: 'ping' });
    expect(at(socket.frames[0], 'type')).toBe('pong');
  });
});
