// Budgets and ceilings, at the numbers that the interface publishes.
// @spec Limits

import { holds } from '../../../src/cli/doctor/card.ts';
import { at, listOf } from '../../../src/cli/doctor/shape.ts';
import {
  type Answer,
  type Asked,
  hmac,
  START_MS,
  TestSocket,
  TestVenue,
} from '../../unit/paper/support.ts';
import { embedded } from '../bench/bench.ts';
import { YES } from '../bench/lab.ts';

/** A cancel of nothing: it costs one order write and changes nothing. */
const NOTHING = `0x${'e'.repeat(64)}`;

const isLimited = ({ code }: Answer) => code === 'rate_limited';

/** Uses up what is left of the order writes; how many there were. */
function exhaust(test: TestVenue, asked: Asked = {}): number {
  for (let count = 0; count < 1_000; count += 1) {
    if (isLimited(test.ask('DELETE', `/orders/${NOTHING}`, asked))) return count;
  }
  return 1_000;
}

export const LIMIT_CARDS = embedded(
  'clock',
  {
    id: 'C-142',
    title: 'a batch of fifteen costs one order write',
    spec: 'POST /orders/batch',
    covers: ['limit Orders per batch placement', 'text POST /orders/batch 1'],
    run: () => {
      const test = new TestVenue();
      const order = { tokenId: YES, side: 'BUY', price: 0.01, quantity: 100 };
      const orders = Array.from({ length: 15 }, () => order);
      for (let count = 0; count < 10; count += 1) {
        const items = test.ask('POST', '/orders/batch', { body: { orders } }).data;
        holds(listOf(items, 'batch').length === 15, 'fifteen items');
      }
      const left = exhaust(test);
      holds(left === 290, `290 writes are left after ten batches, seen ${left}`);
      return Promise.resolve(undefined);
    },
  },
  {
    id: 'C-143',
    title: 'reads have 500 a second of their own',
    spec: 'Limits',
    covers: ['limit Reads (API key)'],
    run: () => {
      const test = new TestVenue();
      const read = () => test.ask('GET', '/portfolio/balances');
      for (let count = 0; count < 500; count += 1) holds(read().status === 200, `read ${count}`);
      holds(read().code === 'rate_limited', 'the next one is refused');
      holds(test.place({}).status === 200, 'an order is not a read');
      test.advance(1_000);
      holds(read().status === 200, 'a second later reads go on');
      return Promise.resolve(undefined);
    },
  },
  {
    id: 'C-144',
    title: 'order writes come back when ten seconds have passed, in a sliding or a fixed window',
    spec: 'Limits',
    covers: ['limit Order writes (API key)'],
    run: () => {
      for (const window of ['sliding', 'fixed'] as const) {
        const test = new TestVenue({ budgets: { window } });
        const write = () => test.ask('DELETE', `/orders/${NOTHING}`);
        for (let count = 0; count < 300; count += 1) holds(write().status === 404, 'not limited');
        const refused = write();
        holds(refused.code === 'rate_limited', `${window}: the next one is refused`);
        test.advance(Number(refused.headers['retry-after']) * 1_000);
        holds(write().status === 404, `${window}: Retry-After was enough`);
      }
      return Promise.resolve(undefined);
    },
  },
  {
    id: 'C-145',
    title: 'bearer sessions have smaller budgets than keys, and budgets of their own',
    spec: 'Limits',
    covers: ['rule Limits 1', 'text Bearer token 1'],
    run: () => {
      const test = new TestVenue();
      const token = test.venue.issueBearer('maker', 60_000);
      const asked = { as: 'nobody', headers: { authorization: `Bearer ${token}` } } as const;
      const served = exhaust(test, asked);
      holds(served <= 100, `much fewer than 300, seen ${served}`);
      const reads = Array.from({ length: 200 }, () => test.ask('GET', '/orders', asked));
      holds(reads.some(isLimited), 'much fewer than 500 reads a second');
      holds(test.place({}).status === 200, 'the key of the same account');
      return Promise.resolve(`${served} writes by bearer token`);
    },
  },
  {
    id: 'C-146',
    title: 'budgets are counted for each account and can be configured for one',
    spec: 'Limits',
    covers: ['rule Limits 1', 'rule Limits 3', 'rule Limits 4'],
    run: () => {
      const keyWrites = { count: 20, windowMs: 10_000 };
      const test = new TestVenue({ accountBudgets: { small: { keyWrites } } });
      const servedSmall = exhaust(test, { as: test.venue.openAccount('small', 100) });
      holds(servedSmall === 20, `20 for the small account, seen ${servedSmall}`);
      holds(test.place({}).status === 200, 'the other account');
      holds(test.ask('GET', '/time', { as: 'nobody' }).status === 200, 'a public request');
      return Promise.resolve(undefined);
    },
  },
  {
    id: 'C-147',
    title: 'an account has at most 2,000 open orders',
    spec: 'Limits',
    covers: ['limit Open orders per account', 'code max_open_orders'],
    run: () => {
      const test = new TestVenue();
      const order = { tokenId: YES, side: 'BUY', price: 0.01, quantity: 100 };
      const body = { orders: Array.from({ length: 15 }, () => order) };
      for (let count = 0; count < 134; count += 1) test.ask('POST', '/orders/batch', { body });
      holds(test.openOrders().length === 2_000, '2,000 are listed');
      const more = test.place(order);
      holds(more.code === 'max_open_orders' && more.status === 422, `422, seen ${more.status}`);
      const cancel = test.ask('DELETE', '/orders').data;
      holds(at(cancel, 'cancelled') === 2_000, 'all of them cancelled in one request');
      return Promise.resolve(undefined);
    },
  },
  {
    id: 'C-148',
    title: 'windows end where they are said to: 30 s for a signature, a minute for GTD, 50 levels',
    spec: 'Limits',
    covers: [
      'limit HMAC timestamp window',
      'rule Signature 3',
      'limit GTD expiry',
      'limit Order book depth per side',
    ],
    run: () => {
      const test = new TestVenue();
      for (const offSec of [-30, 30]) holds(signedAt(test, offSec) === undefined, `${offSec} s`);
      for (const offSec of [-31, 31]) {
        holds(signedAt(test, offSec) === 'expired_timestamp', `${offSec} s is too far`);
      }
      const gtd = (aheadMs: number) =>
        test.place({ orderType: 'GTD', expiredAt: new Date(START_MS + aheadMs).toISOString() });
      holds(gtd(59_999).code === 'invalid_parameter', 'just under a minute');
      holds(gtd(60_000).status === 200, 'a minute');
      for (let tick = 1; tick <= 60; tick += 1) test.crowd('SELL', 35 + tick, 10);
      const { data } = test.ask('GET', `/orderbook/${YES}`);
      holds(listOf(at(data, 'asks'), 'asks').length === 50, '50 levels without a word');
      return Promise.resolve(undefined);
    },
  },
  {
    id: 'C-149',
    title: 'frames keep their pace: changes after 150 ms, a ping every 30 s',
    spec: 'Order book channel',
    covers: ['text Order book channel 2', 'frame {type: ping} server to client'],
    run: () => {
      const test = new TestVenue();
      const socket = new TestSocket(test);
      socket.send({ type: 'subscribe', markets: [YES], depth: 50 });
      test.crowd('BUY', 30, 10);
      test.advance(149);
      holds(socket.of('orderbook.delta').length === 0, 'nothing before 150 ms');
      test.advance(1);
      holds(socket.of('orderbook.delta').length === 1, 'the change after 150 ms');
      test.advance(29_000);
      holds(socket.of('ping').length === 0, 'no ping yet');
      test.advance(1_000);
      holds(socket.of('ping').length === 1, 'a ping after 30 s');
      return Promise.resolve(undefined);
    },
  },
);

/** What is said to a read whose timestamp is so far from the venue's time. */
function signedAt(test: TestVenue, offSec: number): unknown {
  const path = '/portfolio/balances';
  const timestamp = String(Math.floor(START_MS / 1_000) + offSec);
  const { apiSecret } = test.venue.account;
  const headers = {
    'service-timestamp': timestamp,
    'service-signature': hmac(apiSecret, `${timestamp}GET${path}`),
  };
  return test.ask('GET', path, { headers }).code;
}
