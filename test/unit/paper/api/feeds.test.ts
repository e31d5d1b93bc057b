import { describe, expect, it } from 'vitest';
import {
  at,
  list,
  NO,
  RAIN_MARKET,
  START_MS,
  TestSocket,
  TestVenue,
  UNKNOWN_TOKEN,
  YES,
} from '../support.ts';

const subscribe = (socket: TestSocket, depth?: number, markets: readonly string[] = [YES]) =>
  socket.send({ type: 'subscribe', markets, ...(depth === undefined ? {} : { depth }) });

const watched = (options: ConstructorParameters<typeof TestVenue>[0] = {}, depth = 10) => {
  const test = new TestVenue(options);
  const socket = new TestSocket(test);
  subscribe(socket, depth);
  socket.take();
  return { test, socket };
};

/** The book that a client makes of what it was told. */
function mirror(frames: readonly Record<string, unknown>[]) {
  const sides = { bid: new Map<unknown, unknown>(), ask: new Map<unknown, unknown>() };
  for (const frame of frames) {
    if (frame['type'] === 'orderbook.snapshot') {
      for (const side of ['bid', 'ask'] as const) {
        const levels = list(at(frame, 'levels', `${side}s`));
        sides[side] = new Map(levels.map((level) => [at(level, 'price'), at(level, 'size')]));
      }
    }
    if (frame['type'] !== 'orderbook.delta') continue;
    const side = sides[frame['side'] === 'bid' ? 'bid' : 'ask'];
    if (frame['size'] === 0) side.delete(frame['price']);
    else side.set(frame['price'], frame['size']);
  }
  const sorted = (side: 'bid' | 'ask', sign: number) =>
    [...sides[side]].sort(([a], [b]) => sign * (Number(a) - Number(b)));
  return { bids: sorted('bid', -1), asks: sorted('ask', 1) };
}

describe('a subscription to a book', () => {
  it('begins with a snapshot', () => {
    const test = new TestVenue();
    test.crowd('BUY', 40, 10);
    test.crowd('SELL', 60, 20);
    const socket = new TestSocket(test);
    subscribe(socket, 5);
    expect(socket.of('orderbook.snapshot')).toEqual([
      {
        type: 'orderbook.snapshot',
        marketId: YES,
        levels: { bids: [{ price: 0.4, size: 10 }], asks: [{ price: 0.6, size: 20 }] },
        ts: START_MS,
      },
    ]);
  });

  it('goes on with net changes about every 150 ms', () => {
    const { test, socket } = watched();
    test.crowd('BUY', 40, 10);
    test.crowd('BUY', 40, 5);
    test.crowd('BUY', 39, 10);
    test.venue.desk.cancelAll('crowd');
    test.crowd('BUY', 38, 10);
    test.advance(149);
    expect(socket.frames).toEqual([]);
    test.advance(1);
    expect(socket.take()).toEqual([
      {
        type: 'orderbook.delta',
        ...{ marketId: YES, side: 'bid', price: 0.38, size: 10, ts: START_MS + 150 },
      },
    ]);
    test.venue.desk.cancelAll('crowd');
    test.advance(150);
    expect(socket.take()).toMatchObject([{ side: 'bid', price: 0.38, size: 0 }]);
  });

  it('says nothing when a level is back where it was', () => {
    const { test, socket } = watched();
    test.crowd('BUY', 40, 10);
    test.advance(150);
    socket.take();
    test.crowd('BUY', 40, 5, { trader: 'brief' });
    test.venue.desk.cancelAll('brief');
    test.advance(150);
    expect(socket.frames).toEqual([]);
  });

  it('removes before it adds, so that no client sees a crossed book', () => {
    const { test, socket } = watched();
    test.recordedLevel('ask', 50, 10);
    test.advance(150);
    socket.take();
    test.recordedLevel('ask', 50, 0);
    test.recordedLevel('bid', 55, 10);
    test.advance(150);
    expect(socket.frames.map(({ price, size }) => [price, size])).toEqual([
      [0.5, 0],
      [0.55, 10],
    ]);
  });

  it('may be renewed for a fresh snapshot, and is one subscription all the same', () => {
    const { test, socket } = watched();
    test.crowd('BUY', 40, 10);
    subscribe(socket, 10);
    expect(socket.of('orderbook.snapshot')).toMatchObject([{ levels: { bids: [{ price: 0.4 }] } }]);
    test.crowd('BUY', 41, 10);
    test.advance(150);
    expect(socket.of('orderbook.delta')).toHaveLength(1);
  });

  it('tells a newcomer and the others the same book, though changes were pending', () => {
    const { test, socket } = watched();
    test.crowd('BUY', 40, 10);
    const late = new TestSocket(test);
    subscribe(late, 10);
    test.venue.desk.cancelAll('crowd');
    test.crowd('BUY', 39, 10);
    test.advance(150);
    expect(mirror(late.frames)).toEqual({ bids: [[0.39, 10]], asks: [] });
    expect(mirror(socket.frames)).toEqual({ bids: [[0.39, 10]], asks: [] });
  });

  it('ends with an unsubscribe', () => {
    const { test, socket } = watched();
    socket.send({ type: 'subscribe', channel: 'trades', markets: [YES] });
    socket.send({ type: 'unsubscribe', markets: [YES] });
    test.crowd('SELL', 40, 10);
    test.crowd('BUY', 40, 5, { trader: 'taker' });
    test.advance(300);
    expect(socket.frames).toEqual([]);
  });

  it('can end for one channel alone', () => {
    const { test, socket } = watched();
    socket.send({ type: 'subscribe', channel: 'trades', markets: [YES] });
    socket.send({ type: 'unsubscribe', channel: 'orderbook', markets: [YES] });
    test.crowd('SELL', 40, 10);
    test.crowd('BUY', 40, 5, { trader: 'taker' });
    test.advance(300);
    expect(socket.frames.map(({ type }) => type)).toEqual(['trade.executed']);
  });

  it('of a token that is not listed gets an error, and the others of the frame go on', () => {
    const test = new TestVenue();
    const socket = new TestSocket(test);
    subscribe(socket, 5, [UNKNOWN_TOKEN, NO]);
    expect(socket.of('error')).toMatchObject([
      { message: expect.stringContaining('token_not_found') },
    ]);
    expect(socket.of('orderbook.snapshot')).toMatchObject([{ marketId: NO }]);
  });
});

describe('a subscription of limited depth', () => {
  it('keeps its window true when a level leaves it and when one comes back', () => {
    const { test, socket } = watched({}, 2);
    for (const price of [30, 31, 32]) test.recordedLevel('bid', price, 10);
    test.advance(150);
    expect(mirror(socket.frames).bids).toEqual([
      [0.32, 10],
      [0.31, 10],
    ]);
    test.recordedLevel('bid', 33, 10);
    test.advance(150);
    expect(socket.of('orderbook.delta').slice(-2)).toMatchObject([
      { price: 0.31, size: 0 },
      { price: 0.33, size: 10 },
    ]);
    test.recordedLevel('bid', 33, 0);
    test.advance(150);
    expect(mirror(socket.frames).bids).toEqual([
      [0.32, 10],
      [0.31, 10],
    ]);
  });

  it('leaves the window to the client where the deployment is lazy', () => {
    const { test, socket } = watched({ dialect: { bookWindow: 'lazy' } }, 2);
    for (const price of [31, 32]) test.recordedLevel('bid', price, 10);
    test.advance(150);
    socket.take();
    test.recordedLevel('bid', 33, 10);
    test.advance(150);
    expect(socket.take()).toMatchObject([{ price: 0.33, size: 10 }]);
    test.recordedLevel('bid', 31, 0);
    test.advance(150);
    expect(socket.take()).toMatchObject([{ price: 0.31, size: 0 }]);
  });

  it('is 50 without a word and 200 at most', () => {
    const test = new TestVenue({
      events: [
        {
          slug: 'fine',
          title: 'Fine',
          category: 'x',
          tickSize: '0.001',
          markets: [{ slug: 'm', title: 'M' }],
        },
      ],
    });
    const [event] = test.venue.desk.events();
    const token = event?.markets[0]?.yes.tokenId ?? YES;
    for (let price = 1; price <= 250; price += 1) test.recordedLevel('bid', price, 10, token);
    const socket = new TestSocket(test);
    subscribe(socket, undefined, [token]);
    subscribe(socket, 200, [token]);
    subscribe(socket, 201, [token]);
    const depths = socket
      .of('orderbook.snapshot')
      .map((frame) => list(at(frame, 'levels', 'bids')).length);
    expect(depths).toEqual([50, 200]);
    expect(socket.of('error')).toHaveLength(1);
  });
});

describe('other public frames', () => {
  it('tell each trade with the side of its taker', () => {
    const test = new TestVenue();
    const socket = new TestSocket(test);
    socket.send({ type: 'subscribe', channel: 'trades', markets: [YES, NO] });
    test.crowd('SELL', 40, 10);
    test.crowd('BUY', 40, 4, { trader: 'taker' });
    test.advance(0);
    expect(socket.of('trade.executed')).toEqual([
      { type: 'trade.executed', tokenId: YES, price: 0.4, size: 4, side: 'BUY', ts: START_MS },
    ]);
  });

  it('tell a minted set on both tokens, from the side each book lost', () => {
    const test = new TestVenue();
    const socket = new TestSocket(test);
    socket.send({ type: 'subscribe', channel: 'trades', markets: [YES, NO] });
    test.crowd('BUY', 60, 10, { tokenId: NO });
    test.crowd('BUY', 45, 10, { trader: 'taker' });
    test.advance(0);
    expect(socket.of('trade.executed')).toMatchObject([
      { tokenId: YES, price: 0.4, side: 'BUY' },
      { tokenId: NO, price: 0.6, side: 'SELL' },
    ]);
  });

  it('tell a paused, reopened and resolved market, with a baseline on reopening', () => {
    const { test, socket } = watched();
    test.venue.desk.setTradingStatus(RAIN_MARKET, 'paused');
    test.venue.desk.setTradingStatus(RAIN_MARKET, 'open');
    test.advance(150);
    test.venue.desk.resolve(RAIN_MARKET, YES);
    test.advance(0);
    expect(socket.frames.map(({ type, status }) => status ?? type)).toEqual([
      'PAUSE',
      'OPEN',
      'orderbook.snapshot',
      'RESOLVED',
    ]);
  });

  it('name the market in a status where the deployment does', () => {
    const { test, socket } = watched({ dialect: { statusFrameId: 'market', pauseWord: 'PAUSED' } });
    test.venue.desk.setTradingStatus(RAIN_MARKET, 'paused');
    test.advance(0);
    expect(socket.take()).toMatchObject([{ marketId: RAIN_MARKET, status: 'PAUSED' }]);
  });

  it('go on for trades after an unsubscribe where that ends books alone', () => {
    const { test, socket } = watched({ dialect: { unsubscribeEnds: 'books' } });
    socket.send({ type: 'subscribe', channel: 'trades', markets: [YES] });
    socket.send({ type: 'unsubscribe', markets: [YES] });
    test.crowd('SELL', 40, 10);
    test.crowd('BUY', 40, 4, { trader: 'taker' });
    test.advance(150);
    expect(socket.take()).toMatchObject([{ type: 'trade.executed' }]);
  });

  it('never reach who subscribed nothing', () => {
    const test = new TestVenue();
    const socket = new TestSocket(test);
    test.crowd('SELL', 40, 10);
    test.crowd('BUY', 40, 4, { trader: 'taker' });
    test.venue.desk.setTradingStatus(RAIN_MARKET, 'paused');
    test.advance(20_000);
    expect(socket.take()).toEqual([{ type: 'connected' }]);
  });
});

describe('the user channel', () => {
  const trading = (options: ConstructorParameters<typeof TestVenue>[0] = {}) => {
    const test = new TestVenue(options);
    const socket = new TestSocket(test);
    socket.authenticate();
    return { test, socket };
  };

  it('tells every change of an order with what filled and what remains', () => {
    const { test, socket } = trading({ rules: { partiallyFilledCancellable: true } });
    const hash = test.rest({ price: 0.4, quantity: 10 });
    test.crowd('SELL', 40, 4);
    test.ask('DELETE', `/orders/${hash}`);
    test.advance(0);
    const told = socket.of('order.update').map((frame) => frame['data']);
    expect(told).toEqual([
      {
        id: expect.stringMatching(/^ord_/),
        ...{ orderHash: hash, tokenId: YES, status: 'OPEN', filledQuantity: '0', remaining: '10' },
        ...{ price: '0.40', side: 'BUY', marketId: RAIN_MARKET },
      },
      expect.objectContaining({ status: 'PARTIALLY_FILLED', filledQuantity: '4', remaining: '6' }),
      expect.objectContaining({ status: 'CANCELLED', filledQuantity: '4', remaining: '6' }),
    ]);
  });

  it('says nothing of filled shares before they settle where the deployment counts so', () => {
    const { test, socket } = trading({ dialect: { socketFilled: 'settled' } });
    test.crowd('SELL', 40, 4);
    test.rest({ price: 0.4, quantity: 10 });
    test.settle();
    const told = socket
      .of('order.update')
      .map((frame) => [at(frame, 'data', 'status'), at(frame, 'data', 'filledQuantity')]);
    expect(told).toEqual([
      ['OPEN', '0'],
      ['PARTIALLY_FILLED', '0'],
      ['PARTIALLY_FILLED', '4'],
    ]);
  });

  it('says that nothing remains of a cancelled order where the deployment means what rests', () => {
    const { test, socket } = trading({ dialect: { cancelledRemaining: 'zero' } });
    const hash = test.rest({ price: 0.4, quantity: 10 });
    test.ask('DELETE', `/orders/${hash}`);
    test.advance(0);
    expect(at(socket.of('order.update').at(-1), 'data')).toMatchObject({ remaining: '0' });
  });

  it('tells totals about once a second at most', () => {
    const { test, socket } = trading();
    for (let count = 0; count < 30; count += 1) test.rest({ price: 0.1 });
    test.advance(1_000);
    const told = socket.of('portfolio.summary_update');
    expect(told).toHaveLength(2);
    expect(told[1]).toEqual({
      type: 'portfolio.summary_update',
      data: {
        totalValue: '10000',
        availableBalance: '9970',
        totalPnl: '0',
        positionCount: 0,
      },
    });
  });

  it('has an older shape of totals and of settled trades', () => {
    const { test, socket } = trading({ dialect: { summaryFrame: 'older', settledFrame: 'short' } });
    test.crowd('SELL', 40, 10);
    test.rest({ price: 0.4, quantity: 10 });
    test.settle();
    test.advance(1_000);
    expect(socket.of('portfolio.summary_update').at(-1)?.['data']).toEqual({
      cashBalance: '9996',
      positionsValue: '4',
      totalBalance: '10000',
    });
    expect(Object.keys(socket.of('trade.settled')[0] ?? {})).toEqual([
      'type',
      'tradeId',
      'side',
      'price',
      'quantity',
      'txHash',
    ]);
  });

  it.each(['always', 'never'] as const)(
    'has fields in data %s, where it is of one mind',
    (userData) => {
      const { test, socket } = trading({ dialect: { userData } });
      test.crowd('SELL', 40, 10);
      test.rest({ price: 0.4, quantity: 10 });
      test.settle();
      for (const type of ['order.update', 'trade.settled', 'position.update']) {
        const [frame] = socket.of(type);
        expect(typeof frame?.['data']).toBe(userData === 'always' ? 'object' : 'undefined');
        const fields = userData === 'always' ? frame?.['data'] : frame;
        expect(at(fields, 'marketId')).toBe(RAIN_MARKET);
      }
    },
  );

  it('is for its own account alone', () => {
    const { test, socket } = trading();
    const other = test.venue.openAccount('other', 100);
    test.rest({}, other);
    expect(socket.of('order.update')).toEqual([]);
  });
});

describe('a connection', () => {
  it('answers a ping, takes a pong, and is pinged both ways every 30 seconds', () => {
    const test = new TestVenue();
    const socket = new TestSocket(test);
    socket.send({ type: 'ping' });
    socket.send({ type: 'pong' });
    expect(socket.take()).toEqual([{ type: 'connected' }, { type: 'pong' }]);
    test.advance(90_000);
    expect(socket.take()).toEqual([{ type: 'ping' }, { type: 'ping' }, { type: 'ping' }]);
    expect(socket.isClosed).toBe(false);
  });

  it('that misses two native pongs is terminated, whatever else it says', () => {
    const test = new TestVenue();
    const socket = new TestSocket(test, { answersPings: false });
    test.advance(60_000);
    socket.send({ type: 'pong' });
    expect(socket.isClosed).toBe(false);
    test.advance(30_000);
    expect(socket.isClosed).toBe(true);
    expect(test.venue.hub.count).toBe(0);
  });

  it.each([
    'not json',
    '',
    'null',
    '[]',
    '42',
    '{"type":"buy"}',
    '{"type":["subscribe"]}',
    '{"type":"subscribe"}',
    '{"type":"subscribe","markets":"all"}',
    '{"type":"subscribe","markets":[]}',
    '{"type":"subscribe","markets":[1]}',
    `{"type":"subscribe","markets":["${YES}"],"depth":-1}`,
    `{"type":"subscribe","markets":["${YES}"],"depth":1.5}`,
    '{"type":"subscribe","channel":"gossip","markets":["0x1"]}',
    '{"type":"auth"}',
    '{"type":"auth","token":{}}',
    '{"__proto__":{"type":"ping"}}',
    `"${'x'.repeat(10_000)}"`,
    '['.repeat(50_000),
  ])('that sends %.40s gets an error frame and goes on', (raw) => {
    const test = new TestVenue();
    const socket = new TestSocket(test);
    socket.take();
    socket.send(raw);
    expect(socket.take()).toEqual([{ type: 'error', message: expect.any(String) }]);
    socket.send({ type: 'ping' });
    expect(socket.take()).toEqual([{ type: 'pong' }]);
  });

  it('that floods is terminated', () => {
    const test = new TestVenue();
    const socket = new TestSocket(test);
    for (let count = 0; count < 201; count += 1) socket.send({ type: 'ping' });
    expect(socket.isClosed).toBe(true);
    expect(socket.of('pong').length).toBeLessThanOrEqual(200);
  });

  it('that ends is pinged no more', () => {
    const test = new TestVenue();
    const before = test.clock.pending;
    for (let count = 0; count < 100; count += 1) new TestSocket(test).close();
    expect(test.clock.pending).toBe(before);
  });

  it('leaves nothing behind', () => {
    const test = new TestVenue();
    const sockets = [1, 2, 3].map(() => new TestSocket(test));
    for (const socket of sockets) {
      subscribe(socket, 5, [YES, NO]);
      socket.authenticate();
    }
    for (const socket of sockets) socket.close();
    expect(test.venue.hub.count).toBe(0);
    test.crowd('BUY', 40, 10);
    test.venue.stop();
    expect(test.clock.pending).toBe(0);
  });
});
