// What the client has no use for: a record reads the same whatever such a field says. And how many tokens it hears of
// over one connection.
// @spec Resources and their fields

import { holds } from '../../../src/cli/doctor/card.ts';
import { tokenId } from '../../../src/domain/ids.ts';
import { ofClient } from '../bench/bench.ts';
import { soon } from '../bench/lab.ts';
import { answered, HASH, same, Written, YES } from '../bench/written.ts';

/** A number where the document has a text, a text where it has a time, none at all. */
const ODD = [undefined, null, 'odd', 12.5, ['odd'], { odd: true }];
const TOKENS = 3_000;

function outcome(index: number, lastPrice: unknown) {
  return { id: `o${index}`, name: 'One', tokenId: `0xd${index}`, outcomeIndex: index, lastPrice };
}

function event(odd: unknown) {
  const of = { id: 'e-9', slug: 'rain', title: 'Rain', category: 'weather', status: 'open' };
  const outcomes = [outcome(1, odd), outcome(0, odd)];
  const market = { id: 'm-1', title: 'Rain', status: 'open', enableOrderBook: true, volume: odd };
  return { ...of, tickSize: '0.01', marketType: odd, markets: [{ ...market, outcomes }] };
}

function order(odd: unknown) {
  const of = { orderHash: HASH, tokenId: YES, side: 'BUY', price: '0.29', quantity: '12.5' };
  const state = { filledQuantity: '0', holdQuantity: '0', status: 'OPEN' };
  return { ...of, ...state, id: odd, timeInForce: odd, expiredAt: odd };
}

export const CLIENT_TOLERANCE_CARDS = ofClient(
  {
    id: 'C-346',
    title: 'an event reads the same whatever its type, volume and last prices say',
    spec: 'Event',
    covers: ['field Event.marketType', 'field Market.volume', 'field Outcome.lastPrice'],
    run: async (lab) => {
      const written = await Written.start(lab);
      const read = async (said: object) => {
        written.answers('GET', '/events/rain', said);
        return answered(await written.client().readEvent('rain'), 'an event');
      };
      const usual = await read(event('0.5'));
      holds(usual.event.markets.length === 1, 'its market is read');
      for (const odd of ODD) same(await read(event(odd)), usual, JSON.stringify(odd) ?? 'absent');
      return `${ODD.length} answers`;
    },
  },
  {
    id: 'C-347',
    title: 'an order reads the same whatever its id, time in force and expiry say',
    spec: 'Order',
    covers: ['field Order.id', 'field Order.timeInForce', 'field Order.expiredAt'],
    run: async (lab) => {
      const written = await Written.start(lab);
      const read = async (said: object) => {
        written.answers('GET', '/orders', [said]);
        return answered(await written.client().readOpenOrders(), 'GET /orders');
      };
      const usual = await read(order('o-1'));
      holds(usual.length === 1, 'it is read');
      for (const odd of ODD) same(await read(order(odd)), usual, JSON.stringify(odd) ?? 'absent');
      return `${ODD.length} answers`;
    },
  },
  {
    id: 'C-348',
    title: 'three thousand tokens are subscribed to over one connection',
    spec: 'Limits',
    covers: ['limit Subscribed tokens per WebSocket'],
    run: async (lab) => {
      const written = await Written.start(lab);
      const { socket } = written.socket();
      const tokens = Array.from({ length: TOKENS }, (_, at) => tokenId(`0x${at.toString(16)}`));
      socket.subscribe(tokens, 50);
      socket.start();
      await written.sent('auth');
      let asked = new Set<unknown>();
      await soon('all of them', async () => {
        const frames = await written.sent('subscribe');
        const books = frames.filter(({ channel }) => channel === undefined);
        asked = new Set(books.flatMap(({ markets }) => (Array.isArray(markets) ? markets : [])));
        return asked.size === TOKENS;
      });
      holds(written.double.sockets.length === 1, 'over one connection');
      return `${asked.size} tokens`;
    },
  },
);
