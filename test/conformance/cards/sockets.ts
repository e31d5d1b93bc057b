// The socket as any client sees it: connection, sessions, subscriptions. Nothing is placed.
// @spec Events

import { holds } from '../../../src/cli/doctor/card.ts';
import { isBook } from '../../../src/cli/doctor/records.ts';
import { at, isNumber, listOf } from '../../../src/cli/doctor/shape.ts';
import { type Bench, harmless } from '../bench/bench.ts';
import { authFrame, type RawSocket } from '../bench/raw-socket.ts';

async function withSocket(bench: Bench, run: (socket: RawSocket) => Promise<void>) {
  const socket = await bench.openSocket();
  try {
    await run(socket);
  } finally {
    socket.close();
  }
  return undefined;
}

export const SOCKET_CARDS = harmless(
  {
    id: 'C-050',
    title: 'a connection is greeted, and each frame has a type',
    spec: 'Connection',
    covers: ['frame {type: connected} server to client', 'text Events 1'],
    run: async (bench) =>
      await withSocket(bench, async (socket) => {
        await socket.next('connected');
        holds(
          socket.frames.every((frame) => typeof frame['type'] === 'string'),
          'each frame has a type',
        );
      }),
  },
  {
    id: 'C-051',
    title: 'a ping of ours is answered with a pong',
    spec: 'Connection',
    covers: ['frame {type: ping} client to server'],
    run: async (bench) =>
      await withSocket(bench, async (socket) => {
        socket.send({ type: 'ping' });
        await socket.next('pong');
      }),
  },
  {
    id: 'C-052',
    title: 'a session begins with an auth frame over the fixed path /ws',
    spec: 'WebSocket authentication',
    covers: ['text WebSocket authentication 1', 'frame auth (HMAC)', 'text User channel 1'],
    run: async (bench) =>
      await withSocket(bench, async (socket) => await socket.authenticate(bench.keys)),
  },
  {
    id: 'C-053',
    title: 'a refused auth frame is answered by an error with a message, and the socket stays open',
    spec: 'WebSocket authentication',
    covers: ['rule Errors 3', 'rule Connection 4'],
    run: async (bench) =>
      await withSocket(bench, async (socket) => {
        socket.send(authFrame(bench.keys, { signature: 'bm9wZQ==' }));
        const error = await socket.next('error');
        holds(typeof error['message'] === 'string', 'an error frame carries a message');
        await socket.authenticate(bench.keys);
      }),
  },
  {
    id: 'C-054',
    title: 'a subscription begins with the whole book, no deeper than asked for',
    spec: 'Order book channel',
    covers: [
      'frame subscribe (order book)',
      'frame orderbook.snapshot',
      'text Order book channel 1',
    ],
    run: async (bench) =>
      await withSocket(bench, async (socket) => {
        const { yes } = bench.target;
        socket.send({ type: 'subscribe', markets: [yes], depth: 5 });
        const snapshot = await socket.next('orderbook.snapshot');
        holds(snapshot['marketId'] === yes, 'marketId carries the token subscribed with');
        holds(isNumber.is(snapshot['ts']), 'ts is a number');
        isBook(snapshot['levels'], 'snapshot');
        for (const side of ['bids', 'asks']) {
          holds(listOf(at(snapshot, 'levels', side), side).length <= 5, `${side}: 5 at most`);
        }
        const ageMs = Math.abs(bench.nowMs() - Number(snapshot['ts']));
        holds(ageMs < 60_000, 'ts is in Unix milliseconds');
      }),
  },
  {
    id: 'C-055',
    title: 'asking again for a token brings a fresh snapshot',
    spec: 'Order book channel',
    covers: ['text Order book channel 2'],
    run: async (bench) =>
      await withSocket(bench, async (socket) => {
        const subscribe = { type: 'subscribe', markets: [bench.target.yes], depth: 5 };
        socket.send(subscribe);
        await socket.next('orderbook.snapshot');
        socket.send(subscribe);
        await socket.until('another snapshot', () => socket.of('orderbook.snapshot').length > 1);
      }),
  },
  {
    id: 'C-056',
    title: 'one connection carries books, trades and a session, for many tokens',
    spec: 'Events',
    covers: ['frame subscribe (trades)', 'limit Subscribed tokens per WebSocket'],
    run: async (bench) =>
      await withSocket(bench, async (socket) => {
        const { yes, no } = bench.target;
        await socket.authenticate(bench.keys);
        socket.send({ type: 'subscribe', channel: 'trades', markets: [yes, no] });
        socket.send({ type: 'subscribe', markets: [yes, no], depth: 1 });
        await socket.next('orderbook.snapshot', (frame) => frame['marketId'] === yes);
        await socket.next('orderbook.snapshot', (frame) => frame['marketId'] === no);
        holds(socket.of('error').length === 0, 'no error frame');
      }),
  },
);
