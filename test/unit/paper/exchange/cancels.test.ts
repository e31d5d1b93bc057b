import { describe, expect, it } from 'vitest';
import {
  ANN_MARKET,
  ANN_YES,
  list,
  NO,
  TestSocket,
  TestVenue,
  UNKNOWN_TOKEN,
  YES,
} from '../support.ts';

const OTHER = `0x${'a'.repeat(64)}`;

describe('a single cancel', () => {
  it('ends an open order and releases its hold', () => {
    const test = new TestVenue();
    const socket = new TestSocket(test);
    socket.authenticate();
    const hash = test.rest({});
    expect(test.ask('DELETE', `/orders/${hash}`).success).toBe(true);
    test.advance(0);
    expect(socket.statuses()).toEqual(['OPEN', 'CANCELLED']);
    expect(test.levels().bids).toEqual([]);
  });

  it('reaches an order that is still in flight to the book', () => {
    const test = new TestVenue();
    test.crowd('SELL', 40, 10);
    const { data } = test.place({ price: 0.4 });
    const hash = String(Reflect.get(data as object, 'orderHash'));
    expect(test.ask('DELETE', `/orders/${hash}`).status).toBe(200);
    test.match();
    expect(test.levels().asks).toEqual([[0.4, 10]]);
  });

  it.each([
    ['a hash nobody has', OTHER],
    ['no hash at all', 'ord_1'],
  ])('does not find %s', (_what, hash) => {
    const test = new TestVenue();
    expect(test.ask('DELETE', `/orders/${hash}`)).toMatchObject({
      status: 404,
      code: 'order_not_found',
    });
  });

  it('does not find the order of somebody else', () => {
    const test = new TestVenue();
    const other = test.venue.openAccount('other', 100);
    const hash = test.rest({}, other);
    expect(test.ask('DELETE', `/orders/${hash}`).code).toBe('order_not_found');
    expect(test.openOrders(other)).toHaveLength(1);
  });

  it('comes too late for what has matched', () => {
    const test = new TestVenue();
    test.crowd('SELL', 40, 10);
    const hash = test.rest({ price: 0.4, quantity: 10 });
    const late = { status: 409, code: 'order_not_cancellable' };
    expect(test.ask('DELETE', `/orders/${hash}`)).toMatchObject(late);
    test.settle();
    expect(test.ask('DELETE', `/orders/${hash}`)).toMatchObject(late);
  });

  it('comes too late the second time', () => {
    const test = new TestVenue();
    const hash = test.rest({});
    test.ask('DELETE', `/orders/${hash}`);
    expect(test.ask('DELETE', `/orders/${hash}`).code).toBe('order_not_cancellable');
  });

  it.each([
    [true, 200, []],
    [false, 409, [[0.4, 6]]],
  ])(
    'of a partially filled order: cancellable is %s',
    (partiallyFilledCancellable, status, bids) => {
      const test = new TestVenue({ rules: { partiallyFilledCancellable } });
      test.crowd('SELL', 40, 4);
      const hash = test.rest({ price: 0.4, quantity: 10 });
      expect(test.ask('DELETE', `/orders/${hash}`).status).toBe(status);
      expect(test.levels().bids).toEqual(bids);
    },
  );
});

describe('a batch cancel', () => {
  const cancel = (test: TestVenue, orderHashes: unknown) =>
    test.ask('POST', '/orders/batch-cancel', { body: { orderHashes } });

  it('counts what it cancelled and what was not open', () => {
    const test = new TestVenue();
    const open = test.rest({ price: 0.1 });
    test.crowd('SELL', 40, 10);
    const matched = test.rest({ price: 0.4 });
    const { data } = cancel(test, [open, matched, OTHER, 'rubbish', open]);
    expect(data).toEqual({ cancelled: 1, failed: 4 });
  });

  it('is refused as a whole where the venue plays so, with the code of the first that is not open', () => {
    const test = new TestVenue({ rules: { batchCancel: 'refuse' } });
    const one = test.rest({ price: 0.1 });
    const two = test.rest({ price: 0.11 });
    const gone = test.rest({ price: 0.12 });
    expect(cancel(test, [gone]).data).toEqual({ cancelled: 1, failed: 0 });
    expect(cancel(test, [one, gone, two])).toMatchObject({ code: 'order_not_cancellable' });
    expect(cancel(test, [one, OTHER])).toMatchObject({ status: 404, code: 'order_not_found' });
    expect(list(test.openOrders())).toHaveLength(2);
    expect(cancel(test, [one, two]).data).toEqual({ cancelled: 2, failed: 0 });
  });

  it('takes up to 100 hashes', () => {
    const test = new TestVenue();
    const hashes = (count: number) => Array.from({ length: count }, () => OTHER);
    expect(cancel(test, hashes(100)).data).toEqual({ cancelled: 0, failed: 100 });
    expect(cancel(test, hashes(101))).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(cancel(test, []).code).toBe('invalid_request');
    expect(cancel(test, [1]).code).toBe('invalid_parameter');
    expect(cancel(test, undefined).code).toBe('missing_parameter');
  });
});

describe('DELETE /orders', () => {
  const three = () => {
    const test = new TestVenue();
    test.rest({ tokenId: YES, price: 0.1 });
    test.rest({ tokenId: NO, price: 0.1 });
    test.rest({ tokenId: ANN_YES, price: 0.111 });
    return test;
  };

  it('ends everything of the account and of nobody else', () => {
    const test = three();
    const other = test.venue.openAccount('other', 100);
    test.rest({ price: 0.2 }, other);
    expect(test.ask('DELETE', '/orders').data).toEqual({ cancelled: 3, failed: 0 });
    expect(test.openOrders()).toEqual([]);
    expect(test.openOrders(other)).toHaveLength(1);
  });

  it('can be narrowed to a token or a market', () => {
    const test = three();
    expect(test.ask('DELETE', `/orders?tokenId=${NO}`).data).toEqual({ cancelled: 1, failed: 0 });
    expect(test.ask('DELETE', `/orders?marketId=${ANN_MARKET}`).data).toEqual({
      cancelled: 1,
      failed: 0,
    });
    expect(list(test.openOrders())).toMatchObject([{ tokenId: YES }]);
  });

  it('refuses an unknown token or market, lest nothing cancelled look like nothing left', () => {
    const test = three();
    expect(test.ask('DELETE', `/orders?tokenId=${UNKNOWN_TOKEN}`).code).toBe('token_not_found');
    expect(test.ask('DELETE', '/orders?marketId=none').code).toBe('market_not_found');
    expect(test.openOrders()).toHaveLength(3);
  });

  it('counts orders locked in settlement as failed', () => {
    const test = three();
    test.crowd('SELL', 40, 10);
    test.rest({ price: 0.4 });
    expect(test.ask('DELETE', '/orders').data).toEqual({ cancelled: 3, failed: 1 });
  });
});
