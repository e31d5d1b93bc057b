import { describe, expect, it } from 'vitest';
import { WireError } from '../../../src/domain/errors.ts';
import { MICRO_SHARES_MAX } from '../../../src/domain/shares.ts';
import { parseBalances } from '../../../src/wire/balances.ts';
import { WIRE_CHOICES } from '../../../src/wire/choices.ts';
import {
  parseBatch,
  parseCancelCounts,
  parseMarketPlaced,
  parseOpenOrders,
  parseOrder,
  parsePlaced,
} from '../../../src/wire/orders.ts';
import { TOKENS } from '../../support/http-double-fixtures.ts';

const READING = { tokens: TOKENS, choices: WIRE_CHOICES };

const WIRE_ORDER = {
  id: 'db-1',
  orderHash: '0xAB',
  tokenId: '0xA1',
  side: 'BUY',
  price: '0.29',
  quantity: '10',
  filledQuantity: '1.5',
  holdQuantity: '2',
  status: 'PARTIALLY_FILLED',
  timeInForce: 'GTC',
  expiredAt: null,
  createdAt: '2026-01-01T00:00:00.000Z',
};

const ORDER = {
  orderHash: '0xab',
  tokenId: '0xa1',
  side: 'BUY',
  price: 29,
  ticksPerUnit: 100,
  quantity: 10_000_000,
  executed: 3_500_000,
  status: 'PARTIALLY_FILLED',
  createdAtMs: 1_767_225_600_000,
};

describe('an own order', () => {
  it.each([
    ['the current generation', WIRE_ORDER],
    [
      'the older one',
      {
        ...WIRE_ORDER,
        price: 0.29,
        quantity: 10,
        filledQuantity: 1.5,
        holdQuantity: 2,
        side: 'buy',
        status: 'partially_filled',
        timeInForce: undefined,
        orderType: 'GTC',
      },
    ],
  ])('reads in %s', (_name, wire) => {
    expect(parseOrder(wire, READING)).toEqual(ORDER);
  });

  it.each([
    ['a sum beyond the quantity', { filledQuantity: '10', holdQuantity: '10' }, 10_000_000],
    ['no hold at all', { holdQuantity: undefined }, 1_500_000],
    ['neither', { filledQuantity: null, holdQuantity: null }, 0],
  ])('counts what trades no more with %s', (_name, over, executed) => {
    expect(parseOrder({ ...WIRE_ORDER, ...over }, READING).executed).toBe(executed);
  });

  it('finer than a micro-share is cut to it, and keeps no list from being read', () => {
    const noisy = {
      quantity: 9.999999999999998,
      filledQuantity: '3.3333333333',
      holdQuantity: 1e-7,
    };
    expect(parseOpenOrders([{ ...WIRE_ORDER, ...noisy }], READING).orders).toEqual([
      { ...ORDER, quantity: 10_000_000, executed: 3_333_333 },
    ]);
  });

  it.each([
    ['10000000', '0', '0', MICRO_SHARES_MAX, 0],
    ['20000000', '12000000', '7000000', MICRO_SHARES_MAX, MICRO_SHARES_MAX - 1_000_000_000_000],
    ['20000000', '12000000', '8000000', MICRO_SHARES_MAX, MICRO_SHARES_MAX],
    [1e12, 1, 0, MICRO_SHARES_MAX, 0],
    [1e12, 1e12, 0, MICRO_SHARES_MAX, MICRO_SHARES_MAX],
  ])('of more than can be counted is seen: %s with %s and %s', (...of) => {
    const [quantity, filledQuantity, holdQuantity, most, executed] = of;
    const wire = { ...WIRE_ORDER, quantity, filledQuantity, holdQuantity };
    expect(parseOpenOrders([wire], READING).orders).toMatchObject([{ quantity: most, executed }]);
  });

  it('of more than there can be is not read', () => {
    expect(() => parseOrder({ ...WIRE_ORDER, quantity: 1.1e12 }, READING)).toThrow(WireError);
  });

  it('does not count held shares twice where the venue counts them as filled', () => {
    const choices = { ...WIRE_CHOICES, filledIncludesHold: true };
    const wire = { ...WIRE_ORDER, filledQuantity: '2', holdQuantity: '2' };
    expect(parseOrder(wire, { ...READING, choices }).executed).toBe(2_000_000);
  });

  it.each([
    ['0', 'OPEN'],
    ['1', 'PARTIALLY_FILLED'],
  ])('under an unknown word rests, with %s filled', (filledQuantity, status) => {
    const wire = { ...WIRE_ORDER, status: 'LIVE', filledQuantity, holdQuantity: '0' };
    expect(parseOrder(wire, READING).status).toBe(status);
  });

  it.each([
    ['0.29', 290],
    ['0.0004', 1],
    ['0.99999', 999],
  ])('of a token outside the catalogue is seen, at %s on the finest grid', (price, expected) => {
    const wire = { ...WIRE_ORDER, tokenId: '0xdead', price };
    expect(parseOrder(wire, READING)).toMatchObject({ price: expected, ticksPerUnit: 1_000 });
  });

  it('that is off the grid of its event is seen, on the finest grid', () => {
    // What a market order was computed at, and what rests from before the tick size changed.
    const off = parseOrder({ ...WIRE_ORDER, price: '0.295' }, READING);
    expect(off).toEqual({ ...ORDER, price: 295, ticksPerUnit: 1_000 });
    const between = parseOrder({ ...WIRE_ORDER, price: '0.2957' }, READING);
    expect(between).toEqual({ ...ORDER, price: 296, ticksPerUnit: 1_000, isOffGrid: true });
  });

  it.each([
    ['price', '1'],
    ['price', '0'],
    ['quantity', '-1'],
    ['quantity', '0.0000001'],
    ['side', 'LONG'],
    ['orderHash', 'abc'],
    ['tokenId', 7],
    ['filledQuantity', 'NaN'],
  ])(
    'with an unreadable %s (%s) makes the whole list unreadable, with the path',
    (field, value) => {
      const list = [WIRE_ORDER, { ...WIRE_ORDER, [field]: value }];
      expect(() => parseOpenOrders(list, READING)).toThrow(WireError);
      expect(() => parseOpenOrders(list, READING)).toThrow(`orders[1].${field}`);
    },
  );
});

describe('the list of open orders', () => {
  it.each([
    ['a bare array', [WIRE_ORDER], undefined],
    ['a page', { items: [WIRE_ORDER], total: 7, limit: 1, offset: 0 }, 7],
    ['a page that counts in texts', { items: [WIRE_ORDER], total: '7', limit: '1' }, 7],
    ['a page without a count', { items: [WIRE_ORDER] }, undefined],
    ['a named list', { orders: [WIRE_ORDER], total: 1 }, 1],
    ['a named list without a count', { orders: [WIRE_ORDER] }, undefined],
  ])('reads from %s', (_name, data, total) => {
    expect(parseOpenOrders(data, READING)).toEqual({ orders: [ORDER], total });
  });

  it.each([
    [{ items: [WIRE_ORDER], limit: 1, offset: 0 }],
    [{ items: [WIRE_ORDER], limit: '1', offset: '0' }],
    [{ items: [WIRE_ORDER], limit: 20, hasMore: true }],
    [{ orders: [WIRE_ORDER], next_cursor: 'MTAw' }],
    [{ orders: [WIRE_ORDER], next: 2 }],
  ])('is no list where a page without a total may be a part: %j', (data) => {
    expect(() => parseOpenOrders(data, READING)).toThrow(WireError);
  });

  it.each([
    [{ items: [WIRE_ORDER], limit: 20, offset: 0, hasMore: false }],
    [{ orders: [WIRE_ORDER], nextCursor: null, next: '' }],
  ])('is whole where a page says that nothing follows: %j', (data) => {
    expect(parseOpenOrders(data, READING)).toEqual({ orders: [ORDER] });
  });

  it.each([[null], [{}], ['[]'], [{ items: {} }], [{ items: [], total: -1 }]])(
    'is never empty by mistake: %j',
    (data) => {
      expect(() => parseOpenOrders(data, READING)).toThrow(WireError);
    },
  );
});

describe('the answer to a placement', () => {
  it('needs a hash to cancel by and nothing else', () => {
    expect(parsePlaced({ orderHash: '0xAB' })).toBe('0xab');
    expect(() => parsePlaced({ id: 'db-1' })).toThrow('order.orderHash');
  });

  it('of a market order survives a plan that cannot be read', () => {
    const executionPlan = {
      requestedMaxSpend: '10',
      submittedQuantity: '20.5',
      limitPrice: '0.4875',
      estimatedAveragePrice: '0.48',
      estimatedQuoteAmount: '9.84',
      bookTimestamp: '2026-01-01T00:00:00Z',
    };
    const { orderHash, plan } = parseMarketPlaced({ order: WIRE_ORDER, executionPlan });
    expect([orderHash, plan?.submittedQuantity, plan?.limitPrice?.toFixed()]).toEqual([
      '0xab',
      20_500_000,
      '0.4875',
    ]);
    expect(parseMarketPlaced({ order: WIRE_ORDER, executionPlan: 'x' }).plan).toBeUndefined();
  });

  it('of a batch is read item by item', () => {
    const items = [
      { index: 1, success: false, error: 'price is off' },
      { index: 0, success: true, order: { orderHash: '0x1' } },
      { index: 2, success: true },
      { index: 3, success: false },
      { success: true },
      { success: true, order: { orderHash: '0x2' } },
      'noise',
    ];
    const nothing = { tokenId: undefined, side: undefined, price: undefined, quantity: undefined };
    expect(parseBatch(items)).toEqual([
      { kind: 'refused', index: 1, message: 'price is off' },
      { kind: 'accepted', index: 0, orderHash: '0x1', echo: nothing },
      { kind: 'unreadable', index: 2, detail: 'batch[2].order: no readable orderHash' },
      { kind: 'refused', index: 3, message: '' },
      { kind: 'placeless', orderHash: '0x2', echo: nothing },
    ]);
    expect(() => parseBatch({ items })).toThrow(WireError);
  });

  it.each([
    ['internal_error'],
    ['Service_Unavailable: try again'],
    ['the venue is in maintenance.'],
    [{ code: 'internal_error', message: 'oops' }],
    ['already_exists: the order is there'],
  ])('of a batch may rest where its item fails with a code that confirms nothing: %j', (error) => {
    const [item] = parseBatch([{ index: 0, success: false, error }]);
    expect(item).toMatchObject({ kind: 'serverError', index: 0 });
  });

  it.each(['insufficient_balance', 'an internal_error_free refusal', 'rate_limited', ''])(
    'of a batch is refused where its item fails with any other words: %s',
    (error) => {
      expect(parseBatch([{ index: 0, success: false, error }])).toEqual([
        { kind: 'refused', index: 0, message: error },
      ]);
    },
  );

  it('of a batch may rest where its item fails and names its hash', () => {
    const both = { index: 0, success: false, error: 'no', order: { orderHash: '0x1' } };
    const detail = 'batch[0]: a failure with an order';
    expect(parseBatch([both])).toMatchObject([
      { kind: 'unreadable', index: 0, detail, named: { orderHash: '0x1' } },
    ]);
  });
});

describe('the answer to a cancel', () => {
  it('is two counts', () => {
    expect(parseCancelCounts({ cancelled: 2, failed: 1 })).toEqual({ cancelled: 2, failed: 1 });
  });

  it.each([[{ cancelled: 2 }], [{ cancelled: '2', failed: 0 }], [null], [{}]])(
    'is unreadable as %j',
    (data) => {
      expect(() => parseCancelCounts(data)).toThrow(WireError);
    },
  );
});

describe('balances', () => {
  const POSITION = {
    tokenId: '0xA1',
    marketId: 'm1',
    outcomeId: 'o1',
    shareAmount: '12.5',
    onHoldShareAmount: '0',
  };
  const WIRE = {
    cashBalance: '100.25',
    availableBalance: 90,
    usdcOnHold: '10.25',
    positions: [POSITION],
  };

  it('may tell one token twice in the same words', () => {
    const balances = parseBalances({ ...WIRE, positions: [POSITION, POSITION] });
    expect(balances.positions[0]).toEqual(balances.positions[1]);
  });

  it.each([[null], [undefined], [''], [{}]])(
    'are read beside shares whose market is %j, as of one that the venue lists no more',
    (marketId) => {
      const other = { ...POSITION, tokenId: '0xB2', marketId };
      const { positions } = parseBalances({ ...WIRE, positions: [other, POSITION] });
      expect(positions).toMatchObject([
        { tokenId: '0xb2', marketId: undefined, shareAmount: 12_500_000 },
        { tokenId: '0xa1', marketId: 'm1' },
      ]);
    },
  );

  it('count what is on hold where a venue leaves it out of the shares', () => {
    const held = { ...POSITION, onHoldShareAmount: '2.5' };
    const read = (sharesIncludeHold: boolean) =>
      parseBalances({ ...WIRE, positions: [held] }, { sharesIncludeHold }).positions;
    expect(read(true)).toMatchObject([{ shareAmount: 12_500_000, onHoldShareAmount: 2_500_000 }]);
    expect(read(false)).toMatchObject([{ shareAmount: 15_000_000, onHoldShareAmount: 2_500_000 }]);
  });

  it('are exact money and micro-shares', () => {
    const balances = parseBalances(WIRE);
    expect(balances.cashBalance.toFixed()).toBe('100.25');
    expect(balances.availableBalance.toFixed()).toBe('90');
    expect(balances.positions).toEqual([
      { tokenId: '0xa1', marketId: 'm1', shareAmount: 12_500_000, onHoldShareAmount: 0 },
    ]);
  });

  it('never hold more than the venue says, however fine that is', () => {
    const position = {
      ...POSITION,
      shareAmount: '5.1234569',
      onHoldShareAmount: '0.30000000000000004',
    };
    expect(parseBalances({ ...WIRE, positions: [position] }).positions).toMatchObject([
      { shareAmount: 5_123_456, onHoldShareAmount: 300_000 },
    ]);
  });

  it('are read with as many positions as a year of markets leaves', () => {
    const of = (index: number) => ({ ...POSITION, tokenId: `0x${index.toString(16)}` });
    const positions = Array.from({ length: 15_000 }, (_, index) => of(index));
    expect(parseBalances({ ...WIRE, positions }).positions).toHaveLength(15_000);
  });

  it('are read beside a position of more than can be counted, as anybody may send worthless shares', () => {
    const position = { ...POSITION, shareAmount: '10000000', onHoldShareAmount: 9_000_000.5 };
    expect(parseBalances({ ...WIRE, positions: [position] }).positions).toMatchObject([
      { shareAmount: MICRO_SHARES_MAX, onHoldShareAmount: MICRO_SHARES_MAX },
    ]);
  });

  it.each([
    ['balances.cashBalance', { ...WIRE, cashBalance: 'much' }],
    ['balances.usdcOnHold', { ...WIRE, usdcOnHold: undefined }],
    ['balances.positions', { ...WIRE, positions: undefined }],
    [
      'balances.positions[1].shareAmount',
      { ...WIRE, positions: [POSITION, { ...POSITION, shareAmount: null }] },
    ],
    [
      'balances.positions[1]',
      { ...WIRE, positions: [POSITION, { ...POSITION, tokenId: '0xA1', shareAmount: '7' }] },
    ],
  ])('are refused whole, naming %s', (path, wire) => {
    expect(() => parseBalances(wire)).toThrow(WireError);
    expect(() => parseBalances(wire)).toThrow(`${path}:`);
  });
});
