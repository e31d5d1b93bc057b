import { describe, expect, it } from 'vitest';
import { at, NO, TestSocket, TestVenue, YES } from '../support.ts';

const iso = (test: TestVenue, aheadMs: number): string =>
  new Date(test.clock.nowMs() + aheadMs).toISOString();

describe('an acknowledgement', () => {
  it('says OPEN with nothing filled even when the order crosses', () => {
    const test = new TestVenue();
    test.crowd('SELL', 40, 10);
    const { data } = test.place({ price: 0.4, quantity: 10 });
    expect(data).toMatchObject({ status: 'OPEN', filledQuantity: '0', holdQuantity: '0' });
  });

  it('comes before the match, which comes a moment later', () => {
    const test = new TestVenue();
    const socket = new TestSocket(test);
    socket.authenticate();
    test.crowd('SELL', 40, 10);
    test.place({ price: 0.4, quantity: 10 });
    test.advance(0);
    expect(socket.statuses()).toEqual(['OPEN']);
    test.match();
    expect(socket.statuses()).toEqual(['OPEN', 'MATCHED']);
  });

  it('carries every field of an order', () => {
    const test = new TestVenue();
    const { data } = test.place({ price: 0.29, quantity: 12.5 });
    expect(data).toMatchObject({
      id: expect.stringMatching(/^ord_/),
      orderHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      tokenId: YES,
      side: 'BUY',
      price: '0.29',
      quantity: '12.5',
      timeInForce: 'GTC',
      expiredAt: null,
      createdAt: '2026-11-21T12:00:00.000Z',
    });
  });
});

describe('matching', () => {
  it('takes the best price first, and the earlier order of one price', () => {
    const test = new TestVenue();
    test.crowd('SELL', 42, 10, { trader: 'worse' });
    test.crowd('SELL', 41, 10, { trader: 'first' });
    test.crowd('SELL', 41, 10, { trader: 'second' });
    test.rest({ price: 0.45, quantity: 15 });
    test.settle();
    expect(test.settled(YES, 'first')).toBe(0);
    expect(test.settled(YES, 'second')).toBe(5);
    expect(test.settled(YES, 'worse')).toBe(10);
  });

  it('happens at the price of the one who rested', () => {
    const test = new TestVenue();
    test.crowd('SELL', 41, 10);
    test.rest({ price: 0.45, quantity: 10 });
    test.settle();
    expect(test.balances()).toMatchObject({ cashBalance: '9995.9', usdcOnHold: '0' });
  });

  it('rests what it could not match', () => {
    const test = new TestVenue();
    test.crowd('SELL', 41, 4);
    const hash = test.rest({ price: 0.45, quantity: 10 });
    expect(test.order(hash)).toMatchObject({
      status: 'PARTIALLY_FILLED',
      holdQuantity: '4',
      filledQuantity: '0',
    });
    expect(test.levels()).toEqual({ bids: [[0.45, 6]], asks: [] });
  });

  it('shows what is matched whole as OPEN with its hold until it settles, over REST', () => {
    const test = new TestVenue();
    test.crowd('SELL', 41, 10);
    const hash = test.rest({ price: 0.41, quantity: 10 });
    expect(test.order(hash)).toMatchObject({ status: 'OPEN', holdQuantity: '10' });
    test.settle();
    expect(test.openOrders()).toEqual([]);
  });
});

describe('the two tokens of a market', () => {
  it.each([
    { taker: { tokenId: YES, side: 'BUY', price: 0.6 }, maker: ['BUY', 40, NO], paid: '9994' },
    { taker: { tokenId: NO, side: 'BUY', price: 0.6 }, maker: ['BUY', 40, YES], paid: '9994' },
    { taker: { tokenId: YES, side: 'BUY', price: 0.7 }, maker: ['SELL', 60, YES], paid: '9994' },
    { taker: { tokenId: NO, side: 'BUY', price: 0.7 }, maker: ['SELL', 60, NO], paid: '9994' },
  ] as const)('match a buyer of $taker with a resting $maker.0', ({ taker, maker, paid }) => {
    const test = new TestVenue();
    test.crowd(maker[0], maker[1], 10, { tokenId: maker[2] });
    test.rest({ ...taker, quantity: 10 });
    test.settle();
    expect(test.balances()['cashBalance']).toBe(paid);
    expect(test.settled(taker.tokenId)).toBe(10);
  });

  it.each([
    { sold: YES, maker: ['SELL', 40, NO] },
    { sold: NO, maker: ['SELL', 40, YES] },
    { sold: YES, maker: ['BUY', 60, YES] },
    { sold: NO, maker: ['BUY', 60, NO] },
  ] as const)('match a seller with a resting $maker.0', ({ sold, maker }) => {
    const test = new TestVenue();
    test.ask('POST', '/positions/split', { body: { eventId: 'rain', amount: 10 } });
    test.crowd(maker[0], maker[1], 10, { tokenId: maker[2] });
    test.rest({ tokenId: sold, side: 'SELL', price: 0.55, quantity: 10 });
    test.settle();
    expect(test.settled(sold)).toBe(0);
    expect(test.balances()['cashBalance']).toBe('9996');
  });

  it('share one queue: the earlier order of a price is first, whichever token it names', () => {
    const test = new TestVenue();
    test.crowd('BUY', 40, 10, { trader: 'first', tokenId: NO });
    test.crowd('SELL', 60, 10, { trader: 'second', tokenId: YES });
    test.rest({ tokenId: YES, price: 0.6, quantity: 10 });
    test.settle();
    expect(test.settled(NO, 'first')).toBe(10);
    expect(test.settled(YES, 'second')).toBe(10);
  });

  it('do not show each other in their public books', () => {
    const test = new TestVenue();
    test.crowd('BUY', 40, 10, { tokenId: NO });
    expect(test.levels(NO)).toEqual({ bids: [[0.4, 10]], asks: [] });
    expect(test.levels(YES)).toEqual({ bids: [], asks: [] });
  });

  it('stand apart where complements do not match', () => {
    const test = new TestVenue({ rules: { complementMatching: false } });
    test.crowd('BUY', 40, 10, { tokenId: NO });
    const hash = test.rest({ tokenId: YES, price: 0.7, quantity: 10 });
    expect(test.order(hash)).toMatchObject({ status: 'OPEN', holdQuantity: '0' });
    expect(test.levels(YES).bids).toEqual([[0.7, 10]]);
  });
});

describe('an order of limited life', () => {
  it('fills whole or not at all when it is FOK', () => {
    const test = new TestVenue();
    const socket = new TestSocket(test);
    socket.authenticate();
    test.crowd('SELL', 40, 9);
    test.rest({ price: 0.4, quantity: 10, orderType: 'FOK' });
    expect(socket.statuses()).toEqual(['OPEN', 'CANCELLED']);
    expect(test.levels().asks).toEqual([[0.4, 9]]);
    test.rest({ price: 0.4, quantity: 9, orderType: 'FOK' });
    expect(socket.statuses().slice(2)).toEqual(['OPEN', 'MATCHED']);
  });

  it('takes what is there and rests nothing when it is FAK', () => {
    const test = new TestVenue();
    const socket = new TestSocket(test);
    socket.authenticate();
    test.crowd('SELL', 40, 4);
    test.rest({ price: 0.4, quantity: 10, orderType: 'FAK' });
    expect(socket.statuses()).toEqual(['OPEN', 'PARTIALLY_FILLED', 'CANCELLED']);
    expect(test.levels()).toEqual({ bids: [], asks: [] });
    test.settle();
    expect(test.balances()).toMatchObject({ cashBalance: '9998.4', usdcOnHold: '0' });
  });

  it('expires on time when it is GTD', () => {
    const test = new TestVenue();
    const socket = new TestSocket(test);
    socket.authenticate();
    test.rest({ orderType: 'GTD', expiredAt: iso(test, 61_000) });
    test.advance(60_900);
    expect(test.openOrders()).toHaveLength(1);
    test.advance(200);
    expect(test.openOrders()).toEqual([]);
    expect(socket.statuses()).toEqual(['OPEN', 'EXPIRED']);
    expect(test.balances()['usdcOnHold']).toBe('0');
  });

  it('does not expire while it is matched and settles', () => {
    const test = new TestVenue({ timing: { settleMsMin: 90_000, settleMsMax: 90_000 } });
    const socket = new TestSocket(test);
    socket.authenticate();
    test.crowd('SELL', 40, 10);
    test.rest({ orderType: 'GTD', expiredAt: iso(test, 61_000) });
    test.advance(100_000);
    expect(socket.statuses()).toEqual(['OPEN', 'MATCHED', 'FILLED']);
  });
});

describe('an order that meets another of its own account', () => {
  const twoOrders = (selfTrade: 'cancelResting' | 'cancelIncoming' | 'allow') => {
    const test = new TestVenue({ rules: { selfTrade } });
    test.ask('POST', '/positions/split', { body: { eventId: 'rain', amount: 100 } });
    const resting = test.rest({ side: 'SELL', price: 0.5, quantity: 10 });
    const incoming = test.rest({ side: 'BUY', price: 0.5, quantity: 10 });
    return { test, resting: test.order(resting), incoming: test.order(incoming) };
  };

  it('ends the one that rested, by default', () => {
    const { test, resting, incoming } = twoOrders('cancelResting');
    expect(resting).toBeUndefined();
    expect(incoming).toMatchObject({ status: 'OPEN', holdQuantity: '0' });
    expect(test.levels()).toEqual({ bids: [[0.5, 10]], asks: [] });
  });

  it('ends itself where the rules say so', () => {
    const { test, resting, incoming } = twoOrders('cancelIncoming');
    expect(incoming).toBeUndefined();
    expect(resting).toMatchObject({ status: 'OPEN' });
    expect(test.levels()).toEqual({ bids: [], asks: [[0.5, 10]] });
  });

  it('trades with it where that is allowed', () => {
    const { resting, incoming } = twoOrders('allow');
    expect(resting).toMatchObject({ holdQuantity: '10' });
    expect(incoming).toMatchObject({ holdQuantity: '10' });
  });

  it('also meets it across the two tokens', () => {
    const test = new TestVenue();
    const resting = test.rest({ tokenId: NO, side: 'BUY', price: 0.5, quantity: 10 });
    test.rest({ tokenId: YES, side: 'BUY', price: 0.5, quantity: 10 });
    expect(test.order(resting)).toBeUndefined();
  });

  it('does not count it as liquidity of a fill-or-kill', () => {
    const test = new TestVenue();
    test.ask('POST', '/positions/split', { body: { eventId: 'rain', amount: 100 } });
    test.rest({ side: 'SELL', price: 0.5, quantity: 10 });
    test.rest({ side: 'BUY', price: 0.5, quantity: 10, orderType: 'FOK' });
    expect(test.levels()).toEqual({ bids: [], asks: [[0.5, 10]] });
  });
});

describe('a market that stops', () => {
  it('lets resting orders rest while it is paused, and matches them again after', () => {
    const test = new TestVenue();
    test.rest({ price: 0.4, quantity: 10 });
    test.venue.desk.setTradingStatus(marketOf(test), 'paused');
    test.recordedLevel('ask', 40, 10);
    expect(test.levels().bids).toEqual([[0.4, 10]]);
    test.venue.desk.setTradingStatus(marketOf(test), 'open');
    expect(test.levels()).toEqual({ bids: [], asks: [] });
  });

  it('ends every order when it closes, those in flight to the book too', () => {
    const test = new TestVenue();
    test.rest({ price: 0.4, quantity: 10 });
    test.place({ price: 0.3, quantity: 10 });
    test.venue.desk.setTradingStatus(marketOf(test), 'closed');
    expect(test.openOrders()).toEqual([]);
    expect(test.balances()['usdcOnHold']).toBe('0');
  });

  it('cancels an order that reaches the book during a pause', () => {
    const test = new TestVenue();
    const { data } = test.place({ price: 0.4, quantity: 10 });
    test.venue.desk.setTradingStatus(marketOf(test), 'paused');
    test.match();
    expect(test.order(String(at(data, 'orderHash')))).toBeUndefined();
  });

  it('never trades again once it is resolved', () => {
    const test = new TestVenue();
    test.venue.desk.resolve(marketOf(test), YES);
    test.venue.desk.setTradingStatus(marketOf(test), 'open');
    expect(test.place({}).code).toBe('market_resolved');
  });
});

describe('a tick grid that changes', () => {
  it('ends the orders of its event and starts empty books', () => {
    const test = new TestVenue();
    test.rest({ price: 0.4, quantity: 10 });
    const { exchange } = test.venue;
    exchange.regrid(exchange.catalogue.event('rain'), { tickSize: '0.001', ticksPerUnit: 1000 });
    expect(test.openOrders()).toEqual([]);
    test.rest({ price: 0.401, quantity: 10 });
    expect(test.levels().bids).toEqual([[0.401, 10]]);
    expect(at(test.ask('GET', '/events/rain').data, 'tickSize')).toBe('0.001');
  });
});

function marketOf(test: TestVenue) {
  return test.venue.exchange.catalogue.token(YES).market.market.id;
}
