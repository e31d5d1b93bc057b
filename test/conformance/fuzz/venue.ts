// Hostile requests and frames against the embedded venue in process.

import fc from 'fast-check';
import { isVenueCode } from '../../../src/domain/codes.ts';
import {
  ANN_MARKET,
  ANN_YES,
  at,
  NO,
  RAIN_MARKET,
  RAIN_YES_OUTCOME,
  TestSocket,
  TestVenue,
  YES,
} from '../../unit/paper/support.ts';
import { BROKEN_TEXT, mutated, NASTY, shaped } from './noise.ts';
import { type Fuzz, must, running } from './target.ts';

/** Limits out of the way: they have cards of their own. */
const WIDE = { count: 1_000_000, windowMs: 1 };
const OPEN_DOORS = {
  budgets: {
    ...{ keyWrites: WIDE, keyReads: WIDE, bearerWrites: WIDE, bearerReads: WIDE },
    publicReads: WIDE,
  },
  sockets: { framesPerSecMax: 1_000_000 },
};

const IDS = [YES, NO, ANN_YES, RAIN_MARKET, ANN_MARKET, RAIN_YES_OUTCOME, 'rain', 'race'];
const ORDER = { tokenId: YES, side: 'BUY', price: 0.4, quantity: 10, orderType: 'GTC' };
const BODIES: readonly unknown[] = [
  ORDER,
  { ...ORDER, orderType: 'GTD', expiredAt: '2027-01-01T00:00:00Z', clientOrderId: 'x' },
  { orders: [ORDER, { ...ORDER, side: 'SELL' }] },
  { orderHashes: [`0x${'a'.repeat(64)}`, '0x1'] },
  { tokenId: YES, side: 'BUY', maxSpend: '5', timeInForce: 'FAK', maxSlippageBps: 10 },
  { tokenId: YES, side: 'SELL', quantity: '5' },
  { eventId: 'rain', marketId: RAIN_MARKET, amount: '10' },
  { marketId: RAIN_MARKET },
];
const NAMES = [...new Set(BODIES.flatMap((body) => Object.keys(Object(body))))];

const id = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...IDS.map(String)) },
  NASTY.map((value) => escaped(JSON.stringify(value) ?? '')),
  fc.constantFrom('%', '%zz', '%2e%2e', '..', '.', '', '//', '?', '#', ';'),
);
/** A lone surrogate has no encoding, so what cannot be escaped goes out as it is. */
function escaped(text: string): string {
  return /\p{Surrogate}/u.test(text) ? text.slice(0, 300) : encodeURIComponent(text).slice(0, 300);
}

const PATHS = [
  ...['/ok', '/time', '/events', '/events/:', '/events/:/resolution', '/markets/:', '/categories'],
  ...['/orderbook/:', '/midpoint/:', '/price/:/buy', '/price/:/:', '/kline', '/activity'],
  ...['/leaderboard', '/orders', '/orders/market', '/orders/batch', '/orders/batch-cancel'],
  ...['/orders/:', '/portfolio/balances', '/portfolio/summary', '/portfolio/positions'],
  ...['/portfolio/market/:', '/portfolio/trades', '/portfolio/deposits', '/portfolio/:'],
  ...['/positions/split', '/positions/merge', '/positions/redeem', '/positions/claimable', '/:'],
];
const PARAMETERS = [
  ...['status', 'category', 'tag', 'search', 'limit', 'offset', 'includeTotal', 'depth'],
  ...['marketId', 'tokenId', 'outcomeId', 'interval', 'from', 'to', 'period', '__proto__'],
];
const query = fc
  .array(fc.tuple(fc.constantFrom(...PARAMETERS), id), { maxLength: 4 })
  .map((pairs) => (pairs.length === 0 ? '' : `?${pairs.map((pair) => pair.join('=')).join('&')}`));
const path = fc
  .tuple(fc.constantFrom(...PATHS), fc.array(id, { minLength: 2, maxLength: 2 }), query)
  .map(
    ([route, [first = '', second = ''], suffix]) =>
      `${route.replace(':', first).replace(':', second)}${suffix}`,
  );

const body = fc.oneof(
  ...BODIES.map((good) => mutated(good).map((value) => JSON.stringify(value) ?? '')),
  shaped(NAMES).map((value) => JSON.stringify(value) ?? ''),
  BROKEN_TEXT,
  fc.constant('x'.repeat(300_000)),
);
const HEADERS = [
  ...['authorization', 'service-api-key', 'service-timestamp', 'service-passphrase'],
  ...['service-signature', 'content-type', 'host'],
];
const headers = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  fc.dictionary(
    fc.constantFrom(...HEADERS),
    fc.oneof(fc.string(), fc.constantFrom('', 'Bearer x', 'Bearer ', '0')),
    { maxKeys: 3 },
  ),
);
const METHODS = ['GET', 'POST', 'DELETE'];
const method = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...METHODS) },
  fc.constantFrom('PUT', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'get', '', 'G E T'),
);

/** Requests of any shape: the right envelope, a known code, and no failure of the venue's own. */
export const hostileRequests: Fuzz = () => {
  const test = new TestVenue(OPEN_DOORS);
  test.crowd('BUY', 30, 1_000);
  test.crowd('SELL', 70, 1_000);
  return running({
    name: 'requests to the venue',
    cases: fc.record({ method, path, body, headers, isSigned: fc.boolean() }),
    check: (given) => {
      const answer = test.ask(given.method, given.path, {
        ...(given.isSigned ? {} : { as: 'nobody' }),
        rawBody: given.method === 'POST' ? given.body : '',
        headers: given.headers,
      });
      if (answer.success === true) must(answer.status === 200, `success with ${answer.status}`);
      else isRefusal(answer);
      must(Reflect.get({}, 'polluted') === undefined, 'a prototype was polluted');
      test.advance(1);
    },
    finish: () => {
      must(test.ask('GET', '/time').status === 200, 'it still tells the time');
      must(test.ask('DELETE', '/orders').status === 200, 'it still cancels everything');
      must(
        test.openOrders().every((order) => at(order, 'orderHash') !== undefined),
        'and lists',
      );
      test.venue.stop();
    },
  });
};

function isRefusal(answer: {
  readonly status: number;
  readonly code: unknown;
  readonly message: unknown;
}) {
  const { status, code } = answer;
  must(status >= 400 && status < 500, `a refusal with ${status} ${String(code)}`);
  must(typeof code === 'string' && isVenueCode(code), `no code of the interface: ${String(code)}`);
  must(typeof answer.message === 'string', 'no message');
}

const TYPES = ['ping', 'pong', 'subscribe', 'unsubscribe', 'auth', 'connected', 'order.update'];
const FRAMES: readonly object[] = [
  { type: 'ping' },
  { type: 'subscribe', markets: [YES, NO], depth: 5 },
  { type: 'subscribe', channel: 'trades', markets: [YES] },
  { type: 'unsubscribe', markets: [YES], channel: 'orderbook' },
  { type: 'auth', apiKey: 'k', passphrase: 'p', timestamp: '1', signature: 's' },
  { type: 'auth', token: 't' },
];
const frame = fc.oneof(
  ...FRAMES.map((good) => mutated(good).map((value) => JSON.stringify(value) ?? '')),
  fc
    .tuple(fc.constantFrom(...TYPES), shaped(['markets', 'depth', 'channel', 'token', 'apiKey']))
    .map(([type, rest]) => JSON.stringify({ ...rest, type })),
  BROKEN_TEXT,
);

/** Frames of any shape on one socket: it stays open, and every reply is a typed frame. */
export const hostileFrames: Fuzz = () => {
  const test = new TestVenue(OPEN_DOORS);
  const socket = new TestSocket(test);
  return running({
    name: 'frames to the venue',
    cases: frame,
    check: (text) => {
      socket.send(text);
      test.advance(1);
      for (const reply of socket.take()) must(typeof reply['type'] === 'string', 'untyped reply');
      must(!socket.isClosed, 'the socket was closed');
    },
    finish: () => {
      socket.authenticate();
      must(socket.of('authenticated').length === 1, 'it still lets us in');
      test.venue.stop();
    },
  });
};
