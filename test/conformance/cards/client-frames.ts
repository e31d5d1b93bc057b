// The client's socket: what it says, in which order, and each frame as the value that is written out here.

import { holds } from '../../../src/cli/doctor/card.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import { ofClient } from '../bench/bench.ts';
import { type Lab, soon } from '../bench/lab.ts';
import { hmac } from '../bench/raw-rest.ts';
import { FINE_YES, HASH, KEYS, NO, RAIN_ID, same, Written, YES } from '../bench/written.ts';

const TS = 1_767_323_045_678;

/** A socket that is open, has subscribed and is let in. */
async function opened(lab: Lab) {
  const written = await Written.start(lab);
  const { socket, messages } = written.socket();
  written.double.onConnection((connection) =>
    connection.send(JSON.stringify({ type: 'connected' })),
  );
  socket.subscribe([YES, NO], 100);
  socket.start();
  await written.sent('auth');
  written.say({ type: 'authenticated' });
  await soon('a session', () => messages.some(({ kind }) => kind === 'authenticated'));
  return { written, socket, messages };
}

/** Says frames, and holds what the client makes of them to what is written. */
async function reads(lab: Lab, cases: readonly (readonly [unknown, unknown])[]): Promise<string> {
  const { written, messages } = await opened(lab);
  for (const [frame, wanted] of cases) {
    const before = messages.length;
    written.say(frame);
    await soon('a message', () => messages.length > before);
    // The reader's own number of a token is nothing that the venue said.
    const seen = messages.slice(before).map((message) => ({ ...message, tokenNumber: undefined }));
    same(seen.length === 1 ? seen[0] : seen, wanted, JSON.stringify(frame).slice(0, 80));
  }
  return `${cases.length} frames`;
}

const DELTA = {
  type: 'orderbook.delta',
  marketId: YES,
  side: 'bid',
  price: 0.29,
  size: 10.5,
  ts: TS,
};
const CHANGE = {
  kind: 'bookDelta',
  tokenId: YES,
  side: 'bid',
  price: 29,
  size: 10_500_000,
  venueTs: TS,
};
const UPDATE = {
  ...{ id: 'o-1', orderHash: HASH, tokenId: YES, status: 'OPEN', filledQuantity: '2.5' },
  ...{ remaining: '9.845678', price: '0.29', side: 'SELL', marketId: RAIN_ID },
};
const UPDATED = {
  ...{ orderHash: HASH, tokenId: YES, status: 'OPEN', filledQuantity: 2_500_000 },
  ...{ remaining: 9_845_678, price: 29, ticksPerUnit: 100, side: 'SELL', marketId: RAIN_ID },
};
const STATUSES = ['OPEN', 'MATCHED', 'PARTIALLY_FILLED', 'FILLED', 'CANCELLED', 'EXPIRED'];
const TRADE = { tradeId: 't-1', side: 'BUY', tokenId: YES, marketId: RAIN_ID, price: '0.285' };

export const CLIENT_FRAME_CARDS = ofClient(
  {
    id: 'C-340',
    title: 'the socket is greeted, signs /ws, and asks for books at their depth and for trades',
    spec: 'Client frames',
    covers: [
      ...['frame auth (HMAC)', 'text WebSocket authentication 1', 'frame subscribe (order book)'],
      ...['frame subscribe (trades)', 'frame unsubscribe', 'text Events 1', 'text User channel 1'],
      'frame {type: connected} server to client',
    ],
    run: async (lab) => {
      const { written, socket } = await opened(lab);
      const [auth] = await written.sent('auth');
      const timestamp = String(auth?.['timestamp']);
      const signature = hmac(KEYS.apiSecret, `${timestamp}GET/ws`);
      const { apiKey, apiPassphrase: passphrase } = KEYS;
      same(auth, { type: 'auth', apiKey, passphrase, timestamp, signature }, 'the auth frame');
      const subscribed = await written.sent('subscribe', 2);
      const [books, trades] = [
        { type: 'subscribe', markets: [YES, NO], depth: 100 },
        { type: 'subscribe', channel: 'trades', markets: [YES, NO] },
      ];
      same(subscribed, [books, trades], 'what it subscribes to');
      socket.subscribe([NO, FINE_YES], 100);
      const [left] = await written.sent('unsubscribe');
      same(left, { type: 'unsubscribe', markets: [YES] }, 'what it leaves');
      const more = (await written.sent('subscribe', 4)).slice(2);
      const [added, heard] = [
        { ...books, markets: [FINE_YES] },
        { ...trades, markets: [FINE_YES] },
      ];
      same(more, [added, heard], 'what it adds');
      return undefined;
    },
  },
  {
    id: 'C-341',
    title:
      'a ping is answered, and a lost connection is opened anew with session and subscriptions',
    spec: 'Connection',
    covers: [
      ...['frame {type: ping} server to client', 'rule Connection 2', 'rule Connection 3'],
      'rule Connection 1',
    ],
    run: async (lab) => {
      const { written, messages } = await opened(lab);
      written.say({ type: 'ping' });
      await written.sent('pong');
      const before = await written.sent('subscribe', 2);
      written.double.sockets.at(-1)?.terminate();
      await soon('the loss', () => messages.some(({ kind }) => kind === 'socketLost'));
      const after = (await written.sent('subscribe', 4)).slice(2);
      same(after, before, 'the subscriptions of the new connection');
      await written.sent('auth', 2);
      holds(written.double.sockets.length === 2, 'on a connection of its own');
      return undefined;
    },
  },
  {
    id: 'C-342',
    title: 'a refused session is an error frame: the socket stays open and books go on',
    spec: 'WebSocket authentication',
    covers: ['rule Errors 3', 'rule Connection 4'],
    run: async (lab) => {
      const written = await Written.start(lab);
      const { socket, messages } = written.socket();
      socket.subscribe([YES], 50);
      socket.start();
      await written.sent('auth');
      written.say({ type: 'error', message: 'signature does not match' });
      await soon('an answer', () => messages.length > 1);
      written.say(DELTA);
      await soon('a change', () => messages.some(({ kind }) => kind === 'bookDelta'));
      const refused = messages.find(({ kind }) => kind === 'authRefused');
      same(refused, { kind: 'authRefused', detail: 'signature does not match' }, 'the refusal');
      holds(!messages.some(({ kind }) => kind === 'socketLost'), 'the socket stays open');
      return undefined;
    },
  },
  {
    id: 'C-343',
    title: 'books, trades and statuses are read as they are told',
    spec: 'Order book channel',
    covers: [
      ...['frame orderbook.snapshot', 'frame orderbook.delta', 'frame last_trade_price'],
      ...['frame market.status_update', 'text Order book channel 1', 'text Order book channel 2'],
      ...['text Trades channel 1', 'text Event and market status 1'],
    ],
    run: async (lab) => {
      const levels = {
        bids: [
          { price: 0.29, size: 10.5 },
          { price: 0.28, size: 3 },
        ],
        asks: [
          { price: 0.3, size: 7.25 },
          { price: 0.31, size: 2 },
        ],
      };
      const sides = {
        bids: [
          { price: 29, size: 10_500_000 },
          { price: 28, size: 3_000_000 },
        ],
        asks: [
          { price: 30, size: 7_250_000 },
          { price: 31, size: 2_000_000 },
        ],
      };
      const printed = { marketId: YES, price: 0.3, size: 2.25, ts: TS };
      const trade = { kind: 'trade', tokenId: YES, price: 30, size: 2_250_000, venueTs: TS };
      const executed = { type: 'trade.executed', tokenId: YES, price: 0.3, size: 2.25, ts: TS };
      const status = (word: string) => ({
        type: 'market.status_update',
        marketId: YES,
        status: word,
        ts: TS,
      });
      const known = (word: string, meant: string) =>
        [status(word), { kind: 'marketStatus', tokenId: YES, status: meant, word }] as const;
      const { type, ...rest } = DELTA;
      return await reads(lab, [
        [
          { type: 'orderbook.snapshot', marketId: YES, levels, ts: TS },
          { kind: 'bookSnapshot', tokenId: YES, ...sides, venueTs: TS },
        ],
        [DELTA, CHANGE],
        // The same again with its fields in another order, which is read another way.
        [{ ...rest, type, extra: null }, CHANGE],
        [
          { ...DELTA, side: 'ask', price: 0.31, size: 0 },
          { ...CHANGE, side: 'ask', price: 31, size: 0 },
        ],
        [
          { ...rest, type, extra: null, side: 'ask' },
          { ...CHANGE, side: 'ask' },
        ],
        [
          { ...DELTA, marketId: FINE_YES, price: 0.007 },
          { ...CHANGE, tokenId: FINE_YES, price: 7 },
        ],
        [{ type: 'last_trade_price', ...printed }, trade],
        [
          { ...executed, side: 'SELL' },
          { ...trade, takerSide: 'SELL' },
        ],
        [
          { ...executed, side: 'BUY' },
          { ...trade, takerSide: 'BUY' },
        ],
        known('PAUSE', 'paused'),
        known('open', 'open'),
        known('CLOSED', 'closed'),
        known('RESOLVED', 'resolved'),
      ]);
    },
  },
  {
    id: 'C-344',
    title: 'each frame of the account is read as it is told, in both generations',
    spec: 'User channel',
    covers: [
      ...['order.update', 'trade.settled', 'trade.failed', 'position.update'].map(
        (name) => `frame ${name}`,
      ),
      ...['frame portfolio.summary_update', 'text User channel 2', 'text User channel 3'],
      ...['text Order status values 1', 'text Settlement outcome 1'],
      'state Order status values: OPEN by engine matches the order',
      'state Order status values: OPEN by a partial fill',
    ],
    run: async (lab) => {
      const updates = STATUSES.map(
        (status) =>
          [
            { type: 'order.update', data: { ...UPDATE, status } },
            { kind: 'orderUpdate', update: { ...UPDATED, status } } satisfies Partial<
              Record<keyof Extract<VenueMessage, { kind: 'orderUpdate' }>, unknown>
            >,
          ] as const,
      );
      const full = { outcomeName: 'Yes', marketTitle: 'Rain', quantity: '2.5', txHash: '0x1' };
      const { tokenId: _, marketId: __, ...short } = TRADE;
      const failed = { reason: 'execution reverted', marketId: RAIN_ID, side: 'BUY' };
      const moved = { marketId: RAIN_ID, outcomeId: 'weather-yes', averagePrice: '0.29' };
      const position = (sharesDelta: string) => ({
        type: 'position.update',
        data: { ...moved, sharesDelta },
      });
      const change = (sharesDelta: number) => ({
        ...{ kind: 'positionUpdate', marketId: RAIN_ID, outcomeId: 'weather-yes', sharesDelta },
      });
      const totals = {
        totalValue: '99.5',
        availableBalance: '12.345678',
        totalPnl: '-1',
        positionCount: 2,
      };
      const older = { cashBalance: '12.5', positionsValue: '1', totalBalance: '13.5' };
      return await reads(lab, [
        ...updates,
        [
          { type: 'trade.settled', ...TRADE, ...full },
          { kind: 'tradeSettled', ...TRADE, quantity: 2_500_000 },
        ],
        [
          { type: 'trade.settled', ...short, quantity: '2.5', txHash: '0x1' },
          { kind: 'tradeSettled', ...short, quantity: 2_500_000 },
        ],
        [
          { type: 'trade.failed', ...failed, quantity: '2.5' },
          { kind: 'tradeFailed', ...failed, quantity: 2_500_000 },
        ],
        [position('2.5'), change(2_500_000)],
        [position('-1.25'), change(-1_250_000)],
        [
          { type: 'portfolio.summary_update', data: totals },
          { kind: 'summaryUpdate', availableBalance: '12.345678' },
        ],
        [{ type: 'portfolio.summary_update', data: older }, { kind: 'summaryUpdate' }],
      ]);
    },
  },
);
