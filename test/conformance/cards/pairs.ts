// Two accounts of any venue that trade with each other: the first bids alone at its price, inside the spread,
// and the second sells to it.
// @spec States and transitions

import { holds, payload, refusal } from '../../../src/cli/doctor/card.ts';
import { at } from '../../../src/cli/doctor/shape.ts';
import { paired } from '../bench/bench.ts';
import {
  dealOf,
  INDEXED_MS_MAX,
  listed,
  ofOrder,
  reported,
  rests,
  SETTLED_MS_MAX,
  sells,
  settled,
  sharesOf,
  traded,
  withSocket,
} from '../bench/deals.ts';
import { soon } from '../bench/lab.ts';
import type { Frame } from '../bench/raw-socket.ts';

export const PAIR_CARDS = paired(
  {
    id: 'C-080',
    title: 'an order that crosses is acknowledged like any other: OPEN, nothing filled',
    spec: 'POST /orders',
    covers: ['text POST /orders 1', 'endpoint POST /orders', 'endpoint POST /positions/split'],
    run: async (bench) => {
      const deal = await dealOf(bench);
      const orderHash = await rests(bench, deal);
      const sale = await sells(bench, deal.price, deal.whole);
      holds(at(sale, 'status') === 'OPEN', 'the acknowledgement says OPEN');
      holds(Number(at(sale, 'filledQuantity')) === 0, 'and nothing filled');
      await settled(bench, orderHash);
      return undefined;
    },
  },
  {
    id: 'C-081',
    title:
      'MATCHED is said on the socket only, then the settlement, then FILLED; REST shows the rest as held',
    spec: 'Order status values',
    covers: [
      ...[
        'text Order status values 1',
        'field Order.holdQuantity',
        'text Order 1',
        'bullet Versioning 3',
      ],
      ...['text User channel 3', 'frame trade.settled', 'text Settlement outcome 1'],
      ...[
        'state Order status values: OPEN by engine matches the order',
        'fact Matching and settlement',
      ],
    ],
    run: async (bench) =>
      await withSocket(bench, async (socket) => {
        await socket.authenticate(bench.keys);
        const deal = await dealOf(bench);
        const orderHash = await rests(bench, deal);
        await sells(bench, deal.price, deal.whole);
        const matched = await reported(socket, orderHash, 'MATCHED');
        holds(Number(at(matched, 'remaining')) === 0, 'nothing remains');
        const order = await listed(bench, orderHash);
        // It may have settled by the time that it is looked for.
        if (order !== undefined) {
          holds(at(order, 'status') !== 'MATCHED', 'REST does not say MATCHED');
          holds(traded(order) === deal.whole, 'REST shows all of it as held or filled');
        }
        const isOurs = (frame: Frame) => Number(frame['quantity']) === deal.whole;
        await socket.until(
          'the settlement',
          () => socket.of('trade.settled').some(isOurs),
          SETTLED_MS_MAX,
        );
        const settled = socket.of('trade.settled').find(isOurs);
        holds(at(settled, 'side') === 'BUY', 'the side is ours');
        holds(Number(at(settled, 'price')) === deal.price, 'the price is ours');
        const token = at(settled, 'tokenId') ?? bench.target.yes;
        holds(token === bench.target.yes, 'the token is ours');
        await reported(socket, orderHash, 'FILLED');
        await soon(
          'the list without it',
          async () => (await listed(bench, orderHash)) === undefined,
        );
        return order === undefined ? 'settled at once' : 'seen on hold';
      }),
  },
  {
    id: 'C-082',
    title:
      'a part that trades is told with what is filled and what remains, and the order is still listed',
    spec: 'Order status values',
    covers: [
      ...['state Order status values: OPEN by a partial fill', 'rule Order status values 2'],
      ...['rule Order status values 3', 'frame order.update', 'field Order.filledQuantity'],
    ],
    run: async (bench) =>
      await withSocket(bench, async (socket) => {
        await socket.authenticate(bench.keys);
        const deal = await dealOf(bench);
        const orderHash = await rests(bench, deal);
        await sells(bench, deal.price, deal.part);
        const part = await reported(socket, orderHash, 'PARTIALLY_FILLED');
        holds(Number(at(part, 'remaining')) === deal.whole - deal.part, 'what remains');
        holds(at(part, 'side') === 'BUY' && Number(at(part, 'price')) === deal.price, 'of our bid');
        let seen: unknown;
        await soon('the list says so', async () => {
          seen = await listed(bench, orderHash);
          return at(seen, 'status') === 'PARTIALLY_FILLED';
        });
        holds(traded(seen) === deal.part, 'one part is held or filled');
        holds(Number(at(seen, 'quantity')) === deal.whole, 'of the whole');
        const isOver = () => socket.of('trade.settled').length > 0;
        await socket.until('the settlement of the part', isOver, SETTLED_MS_MAX);
        const counts = payload(await bench.rest.delete('/orders'), 'DELETE /orders');
        if (Number(at(counts, 'cancelled')) === 0) return 'the rest cannot be cancelled';
        await reported(socket, orderHash, 'CANCELLED');
        return 'the rest can be cancelled';
      }),
  },
  {
    id: 'C-083',
    title:
      'an order that has matched cannot be cancelled: it counts as failed, and is never told as cancelled',
    spec: 'Order status values',
    covers: ['rule Order status values 1', 'code order_not_cancellable', 'text Cancelling 1'],
    run: async (bench) =>
      await withSocket(bench, async (socket) => {
        await socket.authenticate(bench.keys);
        const deal = await dealOf(bench);
        const orderHash = await rests(bench, deal);
        await sells(bench, deal.price, deal.whole);
        await reported(socket, orderHash, 'MATCHED');
        const body = { orderHashes: [orderHash] };
        const many = payload(await bench.rest.post('/orders/batch-cancel', body), 'batch-cancel');
        holds(at(many, 'failed') === 1 && at(many, 'cancelled') === 0, 'it counts as failed');
        const one = await bench.rest.delete(`/orders/${orderHash}`);
        await reported(socket, orderHash, 'FILLED');
        holds(!socket.of('order.update').some(ofOrder(orderHash, 'CANCELLED')), 'never cancelled');
        refusal(one, 'order_not_cancellable', 'order_not_found');
        return String(one.code);
      }),
  },
  {
    id: 'C-084',
    title:
      'a position moves at once on the socket, and in balances by its token when it is indexed',
    spec: 'Balances',
    covers: [
      'text Balances 1',
      'frame position.update',
      'field Balances.positions',
      'field Balances.cashBalance',
    ],
    run: async (bench) =>
      await withSocket(bench, async (socket) => {
        await socket.authenticate(bench.keys);
        const deal = await dealOf(bench);
        const self = { rest: bench.rest, keys: bench.keys };
        const cash = async () =>
          Number(
            at(
              payload(await bench.rest.signedGet('/portfolio/balances'), 'balances'),
              'cashBalance',
            ),
          );
        const before = { shares: await sharesOf(self, bench.target.yes), cash: await cash() };
        const orderHash = await rests(bench, deal);
        await sells(bench, deal.price, deal.whole);
        const isOurs = (frame: Frame) => Number(at(frame, 'data', 'sharesDelta')) === deal.whole;
        const { data } = await socket.next('position.update', isOurs);
        holds(at(data, 'outcomeId') === bench.target.yesOutcomeId, 'by its outcome id');
        holds(at(data, 'marketId') === bench.target.marketId, 'in its market');
        holds(Number(at(data, 'averagePrice')) === deal.price, 'at its price');
        await reported(socket, orderHash, 'FILLED');
        const gained = async () => (await sharesOf(self, bench.target.yes)) - before.shares;
        // Those of earlier trades may be indexed meanwhile, too; all cash of theirs has moved before.
        const isShown = async () => (await gained()) >= deal.whole - 1e-6;
        await soon('the shares', isShown, INDEXED_MS_MAX);
        const paid = before.cash - (await cash());
        holds(
          Math.abs(paid - deal.price * deal.whole) < 1e-6,
          `makers pay the price alone, seen ${paid}`,
        );
        return undefined;
      }),
  },
  {
    id: 'C-085',
    title: 'a trade is told to all with the taker’s side, and its price when it has settled',
    spec: 'Trades channel',
    covers: ['text Trades channel 1', 'frame last_trade_price', 'frame subscribe (trades)'],
    run: async (bench) =>
      await withSocket(bench, async (socket) => {
        const { yes } = bench.target;
        socket.send({ type: 'subscribe', channel: 'trades', markets: [yes] });
        socket.send({ type: 'subscribe', markets: [yes], depth: 5 });
        await socket.next('orderbook.snapshot');
        const deal = await dealOf(bench);
        await rests(bench, deal);
        await sells(bench, deal.price, deal.whole);
        const isOurs = (frame: Frame) =>
          frame['size'] === deal.whole && frame['price'] === deal.price;
        const executed = await socket.next('trade.executed', isOurs);
        holds(executed['tokenId'] === yes && executed['side'] === 'SELL', 'the taker sold YES');
        const isReported = () => socket.of('last_trade_price').some(isOurs);
        await socket.until('its price when it has settled', isReported, SETTLED_MS_MAX);
        return undefined;
      }),
  },
);
