// Books and sessions of any venue, seen by own orders that stand alone at their price, inside the spread.
// @spec Events

import { holds, payload } from '../../../src/cli/doctor/card.ts';
import { at, listOf, textAt } from '../../../src/cli/doctor/shape.ts';
import { type Bench, destructive } from '../bench/bench.ts';
import { dealOf, withSocket } from '../bench/deals.ts';
import { pause, soon } from '../bench/lab.ts';
import type { Frame, RawSocket } from '../bench/raw-socket.ts';

const DEPTH = 200;
/** A flush is told 150 ms later, and frames of an account at once. */
const TOLD_MS = 500;

/** The book that frames add up to: `price → size` of each side. */
function rebuilt(frames: readonly Frame[], token: string): string {
  const book = { bid: new Map<unknown, unknown>(), ask: new Map<unknown, unknown>() };
  for (const frame of frames) {
    if (frame['marketId'] !== token) continue;
    if (frame['type'] === 'orderbook.snapshot') {
      book.bid = sizesOf(at(frame, 'levels', 'bids'));
      book.ask = sizesOf(at(frame, 'levels', 'asks'));
    }
    if (frame['type'] !== 'orderbook.delta') continue;
    const side = frame['side'] === 'bid' ? book.bid : book.ask;
    if (frame['size'] === 0) side.delete(frame['price']);
    else side.set(frame['price'], frame['size']);
  }
  return JSON.stringify([sorted(book.bid), sorted(book.ask)]);
}

function sizesOf(levels: unknown): Map<unknown, unknown> {
  return new Map(listOf(levels, 'levels').map((level) => [at(level, 'price'), at(level, 'size')]));
}

function sorted(side: Map<unknown, unknown>) {
  return [...side].sort(([one], [other]) => Number(one) - Number(other));
}

async function untilRebuilt({ rest }: Bench, socket: RawSocket, token: string): Promise<void> {
  await soon('the frames add up to the book', async () => {
    const book = payload(await rest.get(`/orderbook/${token}?depth=${DEPTH}`), 'the book');
    const whole = [sorted(sizesOf(at(book, 'bids'))), sorted(sizesOf(at(book, 'asks')))];
    return rebuilt(socket.frames, token) === JSON.stringify(whole);
  });
}

/** One bid of ours at a price where nobody else bids. */
async function bids(bench: Bench, token: string) {
  const { price, part } = await dealOf(bench, token);
  const order = { tokenId: token, side: 'BUY', price, quantity: part };
  const placed = payload(await bench.rest.post('/orders', order), 'a bid');
  return { price, part, orderHash: textAt(placed, 'orderHash') };
}

async function takesBack({ rest }: Bench, orderHash: string): Promise<void> {
  payload(await rest.delete(`/orders/${orderHash}`), 'its cancel');
}

const subscribed = (markets: readonly string[]) => ({ type: 'subscribe', markets, depth: DEPTH });

export const STREAM_CARDS = destructive(
  {
    id: 'C-086',
    title: 'a snapshot and its deltas add up to the book over REST; size 0 removes a level',
    spec: 'Order book channel',
    covers: ['frame orderbook.snapshot', 'frame orderbook.delta', 'text Order book channel 2'],
    run: async (bench) =>
      await withSocket(bench, async (socket) => {
        const { yes } = bench.target;
        socket.send(subscribed([yes]));
        await socket.next('orderbook.snapshot');
        const { price, part, orderHash } = await bids(bench, yes);
        const isOurs = (size: number) => (frame: Frame) =>
          frame['marketId'] === yes &&
          frame['side'] === 'bid' &&
          frame['price'] === price &&
          frame['size'] === size;
        await socket.next('orderbook.delta', isOurs(part));
        await untilRebuilt(bench, socket, yes);
        await takesBack(bench, orderHash);
        await socket.next('orderbook.delta', isOurs(0));
        await untilRebuilt(bench, socket, yes);
        return undefined;
      }),
  },
  {
    id: 'C-087',
    title: 'an unsubscribed token is told no more',
    spec: 'Client frames',
    covers: ['frame unsubscribe'],
    run: async (bench) =>
      await withSocket(bench, async (socket) => {
        const { yes, no } = bench.target;
        socket.send(subscribed([yes, no]));
        await socket.next('orderbook.snapshot', (frame) => frame['marketId'] === no);
        socket.send({ type: 'unsubscribe', markets: [yes] });
        // What was in flight has come before the answer to this.
        socket.send({ type: 'ping' });
        await socket.next('pong');
        const before = socket.frames.length;
        await takesBack(bench, (await bids(bench, yes)).orderHash);
        const other = await bids(bench, no);
        const isOther = (frame: Frame) =>
          frame['marketId'] === no && frame['price'] === other.price && frame['side'] === 'bid';
        await socket.next('orderbook.delta', isOther);
        await takesBack(bench, other.orderHash);
        await pause(TOLD_MS);
        const ofYes = socket.frames.slice(before).filter((frame) => frame['marketId'] === yes);
        holds(ofYes.length === 0, `nothing of the token that was left, seen ${ofYes.length}`);
        return undefined;
      }),
  },
  {
    id: 'C-088',
    title: 'a new connection has neither session nor subscriptions',
    spec: 'Connection',
    covers: ['rule Connection 3'],
    run: async (bench) => {
      const { yes } = bench.target;
      await withSocket(bench, async (first) => {
        await first.authenticate(bench.keys);
        first.send(subscribed([yes]));
        await first.next('orderbook.snapshot');
        await takesBack(bench, (await bids(bench, yes)).orderHash);
        await first.next('order.update');
      });
      return await withSocket(bench, async (second) => {
        const { orderHash } = await bids(bench, yes);
        await pause(TOLD_MS);
        await takesBack(bench, orderHash);
        await pause(TOLD_MS);
        holds(second.of('order.update').length === 0, 'no session');
        holds(second.of('orderbook.delta').length === 0, 'no subscription');
        return undefined;
      });
    },
  },
);
