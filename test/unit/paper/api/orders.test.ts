import { describe, expect, it } from 'vitest';
import {
  ANN_YES,
  at,
  list,
  RAIN_MARKET,
  RAIN_YES_OUTCOME,
  TestVenue,
  UNKNOWN_TOKEN,
  YES,
} from '../support.ts';

const ahead = (ms: number) => new Date(Date.parse('2026-11-21T12:00:00.000Z') + ms).toISOString();

describe('a placement that is refused', () => {
  it.each([
    ['a price off the grid', { price: 0.405 }, 400, 'tick_size_violation'],
    ['a price with the dust of binary fractions', { price: 0.1 + 0.2 }, 400, 'tick_size_violation'],
    ['a price below the absolute range', { price: 0.00005 }, 400, 'price_out_of_range'],
    ['a price above the absolute range', { price: 0.99995 }, 400, 'price_out_of_range'],
    ['a price of one', { price: 1 }, 400, 'price_out_of_range'],
    ['a price of zero', { price: 0 }, 400, 'price_out_of_range'],
    ['a negative price', { price: -0.4 }, 400, 'price_out_of_range'],
    ['a price in words', { price: 'cheap' }, 400, 'invalid_price'],
    ['a price as text', { price: '0.4' }, 400, 'invalid_price'],
    ['an object for a price', { price: {} }, 400, 'invalid_price'],
    ['no price', { price: undefined }, 400, 'missing_parameter'],
    ['no quantity', { quantity: undefined }, 400, 'missing_parameter'],
    ['a quantity of zero', { quantity: 0 }, 400, 'invalid_quantity'],
    ['a negative quantity', { quantity: -5 }, 400, 'invalid_quantity'],
    ['seven decimals', { quantity: 10.0000001 }, 400, 'invalid_quantity'],
    ['a quantity as text', { quantity: '10' }, 400, 'invalid_quantity'],
    ['a quantity beyond reach', { quantity: 1e300 }, 400, 'invalid_quantity'],
    [
      'a quantity above the largest order',
      { quantity: 1_000_001, price: 0.01 },
      400,
      'invalid_quantity',
    ],
    ['less than a dollar', { price: 0.1, quantity: 9.99 }, 400, 'below_min_notional'],
    ['no token', { tokenId: undefined }, 400, 'missing_parameter'],
    ['a token that is not listed', { tokenId: UNKNOWN_TOKEN }, 404, 'token_not_found'],
    ['an outcome id for a token id', { tokenId: RAIN_YES_OUTCOME }, 404, 'token_not_found'],
    ['a number for a token', { tokenId: 7 }, 400, 'invalid_parameter'],
    ['no side', { side: undefined }, 400, 'missing_parameter'],
    ['a side in lower case', { side: 'buy' }, 400, 'invalid_parameter'],
    ['an unknown order type', { orderType: 'IOC' }, 400, 'invalid_parameter'],
    ['GTD without a date', { orderType: 'GTD' }, 400, 'missing_parameter'],
    [
      'GTD under a minute ahead',
      { orderType: 'GTD', expiredAt: ahead(59_999) },
      400,
      'invalid_parameter',
    ],
    ['GTD in the past', { orderType: 'GTD', expiredAt: ahead(-1) }, 400, 'invalid_parameter'],
    ['GTD at no date', { orderType: 'GTD', expiredAt: 'tomorrow' }, 400, 'invalid_parameter'],
    [
      'GTD at an impossible date',
      { orderType: 'GTD', expiredAt: '2026-99-01T00:00:00Z' },
      400,
      'invalid_parameter',
    ],
    ['more than the account has', { price: 0.5, quantity: 20_001 }, 422, 'insufficient_balance'],
    ['shares it does not have', { side: 'SELL' }, 422, 'insufficient_shares'],
  ])('for %s says so with its code', (_what, order, status, code) => {
    const test = new TestVenue();
    expect(test.place(order)).toMatchObject({ success: false, status, code });
    expect(test.openOrders()).toEqual([]);
    expect(test.balances()['usdcOnHold']).toBe('0');
  });

  it.each([
    ['closed', 'market_closed'],
    ['paused', 'market_paused'],
    ['unknown', 'market_paused'],
  ] as const)('because its market is %s says %s', (status, code) => {
    const test = new TestVenue();
    test.venue.desk.setTradingStatus(RAIN_MARKET, status);
    expect(test.place({})).toMatchObject({ status: 422, code });
  });

  it('beyond the ceiling of open orders says so, and may go on after a cancel', () => {
    const test = new TestVenue({ rules: { openOrdersMax: 3 } });
    for (let count = 0; count < 3; count += 1) test.rest({ price: 0.1, quantity: 10 });
    expect(test.place({ price: 0.1 })).toMatchObject({ status: 422, code: 'max_open_orders' });
    const hash = String(at(test.openOrders()[0], 'orderHash'));
    test.ask('DELETE', `/orders/${hash}`);
    expect(test.place({ price: 0.1 }).status).toBe(200);
  });

  it('has a ceiling of 2,000 open orders by default', () => {
    const test = new TestVenue({ budgets: { keyWrites: { count: 10_000, windowMs: 1 } } });
    const orders = Array.from({ length: 15 }, () => ({
      tokenId: YES,
      side: 'BUY',
      price: 0.01,
      quantity: 100,
    }));
    for (let count = 0; count < 133; count += 1) {
      test.ask('POST', '/orders/batch', { body: { orders } });
    }
    for (let count = 0; count < 5; count += 1) test.place({ price: 0.01, quantity: 100 });
    expect(test.openOrders()).toHaveLength(2_000);
    expect(test.place({ price: 0.01, quantity: 100 }).code).toBe('max_open_orders');
  });

  it('by a restricted account says which restriction, and cancels still work', () => {
    const test = new TestVenue();
    test.rest({});
    const account = test.venue.exchange.accounts.named('maker');
    account.isGeoRestricted = true;
    expect(test.place({})).toMatchObject({ status: 403, code: 'geo_restricted' });
    // Only opening is refused: what is held may still be sold.
    test.ask('POST', '/positions/split', { body: { eventId: 'rain', amount: '10' } });
    expect(test.place({ side: 'SELL', price: 0.6 }).status).toBe(200);
    account.isRestricted = true;
    expect(test.place({})).toMatchObject({ status: 403, code: 'account_restricted' });
    expect(test.ask('DELETE', '/orders').data).toEqual({ cancelled: 2, failed: 0 });
  });

  it('for a client order id that was used says so', () => {
    const test = new TestVenue();
    expect(test.place({ clientOrderId: 'a' }).status).toBe(200);
    expect(test.place({ clientOrderId: 'a' })).toMatchObject({
      status: 409,
      code: 'duplicate_client_order_id',
    });
  });
});

describe('a placement that is taken', () => {
  it.each([
    [YES, 0.01],
    [YES, 0.29],
    [YES, 0.57],
    [YES, 0.99],
    [ANN_YES, 0.001],
    [ANN_YES, 0.007],
    [ANN_YES, 0.999],
  ])('on the grid of %s may have the price %d', (tokenId, price) => {
    const test = new TestVenue();
    expect(test.place({ tokenId, price, quantity: 1_000 }).status).toBe(200);
  });

  it('may be worth exactly one dollar', () => {
    const test = new TestVenue();
    expect(test.place({ price: 0.07, quantity: 14.285715 }).status).toBe(200);
    expect(test.place({ price: 0.07, quantity: 14.285714 }).code).toBe('below_min_notional');
  });

  it('finds its token in either case of the hex digits', () => {
    const test = new TestVenue();
    expect(test.place({ tokenId: YES.toUpperCase().replace('0X', '0x') }).status).toBe(200);
  });

  it('may name a GTD date a minute ahead', () => {
    const test = new TestVenue();
    const { data } = test.place({ orderType: 'GTD', expiredAt: ahead(60_000) });
    expect(data).toMatchObject({ timeInForce: 'GTD', expiredAt: '2026-11-21T12:01:00.000Z' });
  });

  it('may carry numbers as text where the deployment takes them', () => {
    const test = new TestVenue({ dialect: { acceptsTextNumbers: true } });
    expect(test.place({ price: '0.29', quantity: '12.5' }).status).toBe(200);
  });
});

describe('a batch', () => {
  const good = { tokenId: YES, side: 'BUY', price: 0.1, quantity: 10 };
  const batch = (test: TestVenue, orders: unknown) =>
    test.ask('POST', '/orders/batch', { body: { orders } });

  it('answers each item in its place, and a bad one does not hurt the others', () => {
    const test = new TestVenue();
    const items = list(batch(test, [good, { ...good, price: 0.105 }, 'rubbish', good]).data);
    expect(items).toMatchObject([
      { index: 0, success: true, order: { status: 'OPEN' } },
      { index: 1, success: false, error: expect.any(String) },
      { index: 2, success: false, error: expect.any(String) },
      { index: 3, success: true, order: { orderHash: expect.stringMatching(/^0x/) } },
    ]);
    expect(items[1]).not.toHaveProperty('code');
    expect(test.openOrders()).toHaveLength(2);
  });

  it('spends the balance in order', () => {
    const test = new TestVenue({ startingCash: 1.5 });
    const items = list(batch(test, [good, good]).data);
    expect(items.map((item) => at(item, 'success'))).toEqual([true, false]);
  });

  it('has 1 to 15 items', () => {
    const test = new TestVenue();
    expect(
      list(
        batch(
          test,
          Array.from({ length: 15 }, () => good),
        ).data,
      ),
    ).toHaveLength(15);
    const refused = { status: 400, code: 'invalid_request' };
    expect(
      batch(
        test,
        Array.from({ length: 16 }, () => good),
      ),
    ).toMatchObject(refused);
    expect(batch(test, [])).toMatchObject(refused);
    expect(batch(test, 'orders').code).toBe('invalid_parameter');
    expect(batch(test, undefined).code).toBe('missing_parameter');
    expect(test.openOrders()).toHaveLength(15);
  });

  it('may name no more than the hash of each order', () => {
    const test = new TestVenue({ dialect: { batchOrders: 'hashOnly' } });
    const [item] = list(batch(test, [good]).data);
    expect(at(item, 'order')).toEqual({ orderHash: expect.stringMatching(/^0x/) });
  });
});

describe('GET /orders', () => {
  it('lists open and partially filled orders of the caller, of one market where asked', () => {
    const test = new TestVenue();
    const other = test.venue.openAccount('other', 100);
    test.rest({}, other);
    test.rest({ tokenId: YES, price: 0.1 });
    test.rest({ tokenId: ANN_YES, price: 0.111 });
    expect(test.openOrders()).toHaveLength(2);
    const { data } = test.ask('GET', `/orders?marketId=${RAIN_MARKET}`);
    expect(list(data)).toMatchObject([{ tokenId: YES, status: 'OPEN' }]);
    expect(test.ask('GET', '/orders?marketId=none').code).toBe('market_not_found');
  });

  it('can come in pages', () => {
    const test = new TestVenue({ dialect: { ordersAs: 'page' } });
    for (let count = 0; count < 3; count += 1) test.rest({ price: 0.1 });
    const { data } = test.ask('GET', '/orders?limit=2&offset=2');
    expect(data).toMatchObject({ items: [{ price: '0.10' }], total: 3, limit: 2, offset: 2 });
  });

  it('can count what is held as filled already', () => {
    const test = new TestVenue({ dialect: { restFilled: 'withHold' } });
    test.crowd('SELL', 40, 4);
    const hash = test.rest({ price: 0.4, quantity: 10 });
    expect(test.order(hash)).toMatchObject({ filledQuantity: '4', holdQuantity: '4' });
  });

  it('can leave out what is matched whole', () => {
    const test = new TestVenue({ dialect: { listsMatched: false } });
    test.crowd('SELL', 40, 10);
    test.rest({ price: 0.4, quantity: 10 });
    expect(test.openOrders()).toEqual([]);
  });
});
