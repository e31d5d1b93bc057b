// Market orders: sizes, the sweep they plan, and the two things they cannot do.
// @spec Endpoints › Orders (all Auth) › POST /orders/market (market order)

import { holds, payload, refusal } from '../../../src/cli/doctor/card.ts';
import { at, textAt } from '../../../src/cli/doctor/shape.ts';
import { embedded } from '../bench/bench.ts';
import { ANN_YES, type LabVenue, NO, soon, YES } from '../bench/lab.ts';

const sweep = (venue: LabVenue, body: Readonly<Record<string, unknown>>) =>
  venue.rest.post('/orders/market', { tokenId: YES, ...body });

export const MARKET_ORDER_CARDS = embedded(
  'alone',
  {
    id: 'C-121',
    title: 'a market buy takes asks of its own token only, never the bids of the sibling',
    spec: 'POST /orders/market',
    covers: ['rule POST /orders/market 1', 'code no_liquidity'],
    run: async (lab) => {
      const venue = await lab.start();
      const buy = { side: 'BUY', maxSpend: '5' };
      refusal(await sweep(venue, buy), 'no_liquidity');
      venue.crowd('BUY', '0.60', 50, { tokenId: NO });
      venue.crowd('BUY', '0.30', 50);
      refusal(await sweep(venue, buy), 'no_liquidity');
      const socket = await venue.socket(venue.keys);
      payload(await venue.place({ price: 0.4, orderType: 'FAK' }), 'a crossing limit order');
      await socket.next('order.update', (frame) => at(frame, 'data', 'status') === 'MATCHED');
      return undefined;
    },
  },
  {
    id: 'C-122',
    needs: 'readings',
    title: 'a market sell whose price falls between two ticks is refused; a limit FAK is not',
    spec: 'POST /orders/market',
    covers: ['rule POST /orders/market 2', 'field POST /orders/market.quantity'],
    run: async (lab) => {
      const venue = await lab.start();
      await venue.split('100');
      venue.crowd('BUY', '0.40', 10);
      venue.crowd('BUY', '0.39', 10);
      const sell = { side: 'SELL', quantity: '15', timeInForce: 'FAK' };
      refusal(await sweep(venue, sell), 'tick_size_violation');
      const limit = await venue.place({
        side: 'SELL',
        price: 0.39,
        quantity: 15,
        orderType: 'FAK',
      });
      payload(limit, 'a tick-aligned crossing limit order');
      const lenient = await lab.start({ rules: { offTickMarketSell: 'allow' } });
      await lenient.split('100');
      lenient.crowd('BUY', '0.40', 10);
      lenient.crowd('BUY', '0.39', 10);
      payload(await sweep(lenient, sell), 'where the venue lets it pass');
      return undefined;
    },
  },
  {
    id: 'C-124',
    title: 'FOK is the default: all of it or nothing; FAK takes what is there',
    spec: 'POST /orders/market',
    covers: ['field POST /orders/market.timeInForce', 'field POST /orders.orderType'],
    run: async (lab) => {
      const venue = await lab.start();
      await venue.split('100');
      venue.crowd('BUY', '0.40', 10);
      const whole = await sweep(venue, { side: 'SELL', quantity: '20' });
      holds(whole.success === false, 'no sale of 20 into 10');
      payload(await sweep(venue, { side: 'SELL', quantity: '20', timeInForce: 'FAK' }), 'FAK');
      await soon('10 are sold', async () => {
        return Number(at(await venue.balances(), 'cashBalance')) === 9_904;
      });
      return undefined;
    },
  },
  {
    id: 'C-125',
    title: 'sizes of six decimals and prices of the finer grid are taken exactly',
    spec: 'Limits',
    covers: ['limit Decimal places, market order sizes', 'fact Tick size', 'fact Price range'],
    run: async (lab) => {
      const venue = await lab.start();
      venue.crowd('SELL', '0.123', 50, { tokenId: ANN_YES });
      const buy = { tokenId: ANN_YES, side: 'BUY', maxSpend: '1.230123', timeInForce: 'FAK' };
      const plan = at(payload(await sweep(venue, buy), 'six decimals'), 'executionPlan');
      holds(textAt(plan, 'requestedMaxSpend') === '1.230123', 'to the millionth');
      const edges = [0.001, 0.999].map((price) =>
        venue.place({ tokenId: ANN_YES, price, quantity: 1_001 }),
      );
      for (const edge of await Promise.all(edges)) payload(edge, 'the edges of the grid');
      const beyond = [0.0001, 0.9999, 0.0005].map((price) =>
        venue.place({ tokenId: ANN_YES, price, quantity: 20_000 }),
      );
      // Within the absolute range, off the grid: the narrower rule speaks.
      for (const answer of await Promise.all(beyond)) refusal(answer, 'tick_size_violation');
      for (const price of [0.00009, 0.99991]) {
        refusal(await venue.place({ price, quantity: 20_000 }), 'price_out_of_range');
      }
      return undefined;
    },
  },
);
