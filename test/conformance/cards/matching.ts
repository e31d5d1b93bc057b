// What becomes of an order that meets another: both channels, settlement, positions.
// @spec States and transitions

import { holds, payload } from '../../../src/cli/doctor/card.ts';
import { at, listOf } from '../../../src/cli/doctor/shape.ts';
import { embedded } from '../bench/bench.ts';
import { pause, RAIN_MARKET, soon, YES } from '../bench/lab.ts';
import type { Frame } from '../bench/raw-socket.ts';

const ofOrder = (orderHash: string, status: string) => (frame: Frame) =>
  at(frame, 'data', 'orderHash') === orderHash && at(frame, 'data', 'status') === status;

export const MATCHING_CARDS = embedded(
  'readings',
  {
    id: 'C-102',
    title: 'a part that trades is told with what remains, and the rest ends if it can be cancelled',
    spec: 'Order status values',
    covers: [
      'state Order status values: OPEN by a partial fill',
      'rule Order status values 2',
      'rule Order status values 3',
    ],
    run: async (lab) => {
      const venue = await lab.start({ rules: { partiallyFilledCancellable: true } });
      const socket = await venue.socket(venue.keys);
      const orderHash = await venue.rests({ price: 0.4, quantity: 30 });
      venue.crowd('SELL', '0.40', 12, { timeInForce: 'FAK' });
      const told = await socket.next('order.update', ofOrder(orderHash, 'PARTIALLY_FILLED'));
      holds(Number(at(told, 'data', 'remaining')) === 18, '18 remain');
      await soon('the list says so', async () => {
        const listed = await venue.order(orderHash);
        return at(listed, 'status') === 'PARTIALLY_FILLED';
      });
      const cancel = payload(await venue.rest.delete('/orders'), 'DELETE /orders');
      holds(at(cancel, 'cancelled') === 1, 'what rests is cancelled');
      await socket.next('order.update', ofOrder(orderHash, 'CANCELLED'));
      return undefined;
    },
  },
  {
    id: 'C-104',
    title: 'a settlement is told with the trade, whole or in the older short form',
    spec: 'User channel',
    covers: ['frame trade.settled', 'text Settlement outcome 1'],
    run: async (lab) => {
      for (const settledFrame of ['full', 'short'] as const) {
        const venue = await lab.start({ dialect: { settledFrame } });
        const socket = await venue.socket(venue.keys);
        await venue.rests({ price: 0.4, quantity: 30 });
        venue.crowd('SELL', '0.40', 30, { timeInForce: 'FAK' });
        const told = await socket.next('trade.settled');
        for (const name of ['tradeId', 'side', 'price', 'quantity', 'txHash']) {
          holds(told[name] !== undefined, `trade.settled has ${name}`);
        }
        const isFull = ['outcomeName', 'tokenId', 'marketId', 'marketTitle'].every(
          (name) => told[name] !== undefined,
        );
        holds(isFull === (settledFrame === 'full'), `${settledFrame} form`);
      }
      return undefined;
    },
  },
  {
    id: 'C-105',
    needs: 'failures',
    title: 'a settlement that fails on-chain is told, and takes the position back',
    spec: 'Settlement outcome',
    covers: ['frame trade.failed', 'text Settlement outcome 1', 'frame position.update'],
    run: async (lab) => {
      const venue = await lab.start();
      const socket = await venue.socket(venue.keys);
      venue.venue.exchange.settlement.failNext(1);
      await venue.rests({ price: 0.4, quantity: 30 });
      venue.crowd('SELL', '0.40', 30, { timeInForce: 'FAK' });
      const failed = await socket.next('trade.failed');
      holds(failed['marketId'] === RAIN_MARKET.id && failed['side'] === 'BUY', 'whose it was');
      holds(Number(failed['quantity']) === 30, 'how much it was');
      holds(typeof failed['reason'] === 'string', 'why it failed');
      await soon('both moves', () => socket.of('position.update').length === 2);
      const deltas = socket.of('position.update').map((frame) => at(frame, 'data', 'sharesDelta'));
      holds(deltas.map(Number).join() === '30,-30', 'given and taken back');
      holds(Number(at(await venue.balances(), 'cashBalance')) === 10_000, 'the cash is untouched');
      return undefined;
    },
  },
  {
    id: 'C-107',
    title: 'totals are told in either shape, at most about once a second',
    spec: 'User channel',
    covers: ['text User channel 2'],
    touches: ['frame portfolio.summary_update'],
    run: async (lab) => {
      const shapes = {
        current: ['totalValue', 'availableBalance', 'totalPnl', 'positionCount'],
        older: ['cashBalance', 'positionsValue', 'totalBalance'],
      };
      for (const summaryFrame of ['current', 'older'] as const) {
        const venue = await lab.start({ dialect: { summaryFrame } });
        const socket = await venue.socket(venue.keys);
        for (let count = 0; count < 5; count += 1) await venue.place();
        const { data } = await socket.next('portfolio.summary_update');
        for (const name of shapes[summaryFrame]) {
          // The count is a number, the others are decimal texts.
          const type = name === 'positionCount' ? 'number' : 'string';
          holds(typeof at(data, name) === type, `${summaryFrame}: ${name}`);
        }
        holds(socket.of('portfolio.summary_update').length <= 2, 'five changes, one or two frames');
      }
      return undefined;
    },
  },
  {
    id: 'C-109',
    title: 'a GTD order ends at its date',
    spec: 'POST /orders',
    covers: ['limit GTD expiry', 'field POST /orders.expiredAt'],
    run: async (lab) => {
      const venue = await lab.start({ rules: { gtdAheadMsMin: 100 } });
      const socket = await venue.socket(venue.keys);
      const expiredAt = new Date(Date.now() + 2_500).toISOString();
      const orderHash = await venue.rests({ orderType: 'GTD', expiredAt });
      await socket.next('order.update', ofOrder(orderHash, 'EXPIRED'));
      holds((await venue.order(orderHash)) === undefined, 'it is no longer listed');
      return undefined;
    },
  },
  {
    id: 'C-110',
    title: 'takers pay by category and makers pay nothing',
    spec: 'What the service does',
    covers: ['fact Fees', 'fact Collateral'],
    run: async (lab) => {
      const venue = await lab.start({ rules: { takerFeeBpsByCategory: { weather: 100 } } });
      const keys = venue.venue.openAccount('taker', 1_000);
      const taker = venue.restOf(keys);
      await venue.split('50');
      await venue.rests({ side: 'SELL', price: 0.4, quantity: 50 });
      payload(await venue.place({ price: 0.4, quantity: 50 }, taker), 'the taker');
      const cash = async (rest: typeof taker) =>
        Number(at(await venue.balances(rest), 'cashBalance'));
      await soon('the fee', async () => (await cash(taker)) === 1_000 - 20 - 0.2);
      holds((await cash(venue.rest)) === 10_000 - 50 + 20, 'the maker has the whole price');
      return undefined;
    },
  },
  {
    id: 'C-112',
    needs: 'statuses',
    title: 'a resolved market pays one USDC for each winning share, once',
    spec: 'Conditional tokens',
    covers: ['endpoint POST /positions/redeem', 'endpoint GET /positions/claimable'],
    run: async (lab) => {
      const venue = await lab.start();
      await venue.split('100');
      const redeem = () => venue.rest.post('/positions/redeem', { marketId: RAIN_MARKET.id });
      holds((await redeem()).success === false, 'nothing to redeem before resolution');
      await pause(5);
      venue.venue.desk.resolve(RAIN_MARKET.id, YES);
      const claims = payload(await venue.rest.signedGet('/positions/claimable'), 'claimable');
      holds(listOf(claims, 'claimable').length === 1, 'one market to claim from');
      payload(await redeem(), 'redeem');
      holds(Number(at(await venue.balances(), 'cashBalance')) === 10_000, '100 USDC came back');
      holds((await redeem()).success === false, 'and no second time');
      return undefined;
    },
  },
);
