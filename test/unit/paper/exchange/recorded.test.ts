import { describe, expect, it } from 'vitest';
import { at, NO, TestSocket, TestVenue, YES } from '../support.ts';

const hold = (test: TestVenue, hash: string) => at(test.order(hash), 'holdQuantity');

const split = (test: TestVenue) =>
  test.ask('POST', '/positions/split', { body: { eventId: 'rain', amount: 100 } });

describe('recorded size', () => {
  it('shows in the public book beside real orders, and an update replaces it', () => {
    const test = new TestVenue();
    test.recordedLevel('bid', 40, 20);
    test.recordedLevel('bid', 39, 5);
    test.rest({ price: 0.4, quantity: 10 });
    expect(test.levels().bids).toEqual([
      [0.4, 30],
      [0.39, 5],
    ]);
    test.recordedLevel('bid', 40, 7);
    test.recordedLevel('bid', 39, 0);
    expect(test.levels().bids).toEqual([[0.4, 17]]);
  });

  it('never takes: it crosses nothing but real orders', () => {
    const test = new TestVenue();
    test.recordedLevel('bid', 40, 20);
    test.recordedLevel('ask', 40, 20);
    expect(test.levels()).toEqual({ bids: [[0.4, 20]], asks: [[0.4, 20]] });
  });

  it('is taken by a real order, and stays taken until it leaves its level', () => {
    const test = new TestVenue();
    test.recordedLevel('ask', 40, 20);
    test.rest({ price: 0.4, quantity: 15 });
    expect(test.levels()).toEqual({ bids: [], asks: [[0.4, 5]] });
    test.settle();
    expect(test.settled()).toBe(15);
    test.recordedLevel('ask', 40, 18);
    expect(test.levels().asks).toEqual([[0.4, 5]]);
    test.recordedLevel('ask', 40, 24);
    expect(test.levels().asks).toEqual([[0.4, 11]]);
    test.recordedLevel('ask', 40, 8);
    expect(test.levels().asks).toEqual([[0.4, 8]]);
    test.recordedLevel('ask', 40, 0);
    test.recordedLevel('ask', 40, 20);
    expect(test.levels().asks).toEqual([[0.4, 20]]);
  });

  it('sells no more shares than were ever offered, however often its level changes', () => {
    const test = new TestVenue();
    for (let round = 0; round < 50; round += 1) {
      test.recordedLevel('ask', 40, 20 + (round % 2));
      test.rest({ price: 0.4, quantity: 20, orderType: 'FAK' });
    }
    test.settle();
    // Twenty, and one more each time that one came.
    expect(test.settled()).toBe(20 + 25);
  });

  it('is gone for one token when that token is laid anew', () => {
    const test = new TestVenue();
    test.recordedLevel('ask', 40, 20);
    test.recordedLevel('ask', 30, 20, NO);
    test.rest({ price: 0.1, quantity: 10 });
    test.venue.desk.clearRecorded(YES);
    expect(test.levels(YES)).toEqual({ bids: [[0.1, 10]], asks: [] });
    expect(test.levels(NO).asks).toEqual([[0.3, 20]]);
  });

  it('is met across the two tokens as any order is', () => {
    const test = new TestVenue();
    test.recordedLevel('bid', 60, 20, NO);
    const hash = test.rest({ tokenId: YES, price: 0.45, quantity: 10 });
    expect(hold(test, hash)).toBe('10');
    expect(test.balances()['usdcOnHold']).toBe('4');
    expect(test.levels(NO).bids).toEqual([[0.6, 10]]);
  });
});

describe('the queue model of recorded size', () => {
  const joined = (recordedQueue: 'conservative' | 'displayed' | 'optimistic') => {
    const test = new TestVenue({ rules: { recordedQueue } });
    test.recordedLevel('bid', 40, 20);
    return { test, hash: test.rest({ price: 0.4, quantity: 10 }) };
  };

  it.each([
    ['conservative', 20],
    ['displayed', 12],
    ['optimistic', 12],
  ] as const)('%s: after 8 of 20 were cancelled, %d stand before an order', (queue, ahead) => {
    const { test, hash } = joined(queue);
    test.recordedLevel('bid', 40, 12);
    test.recordedTrade('SELL', 40, ahead);
    expect(hold(test, hash)).toBe('0');
    test.recordedTrade('SELL', 40, 1);
    expect(hold(test, hash)).toBe('1');
  });

  it.each([
    ['conservative', 20],
    ['displayed', 20],
    ['optimistic', 12],
  ] as const)(
    '%s: after 30 joined behind and 8 were cancelled, %d stand before it',
    (queue, ahead) => {
      const { test, hash } = joined(queue);
      test.recordedLevel('bid', 40, 50);
      test.recordedLevel('bid', 40, 42);
      test.recordedTrade('SELL', 40, ahead);
      expect(hold(test, hash)).toBe('0');
      test.recordedTrade('SELL', 40, 1);
      expect(hold(test, hash)).toBe('1');
    },
  );

  it('optimistic: takes what traded off once, in the print and not in the update that follows', () => {
    const { test, hash } = joined('optimistic');
    test.recordedLevel('bid', 40, 50);
    test.recordedTrade('SELL', 40, 8);
    test.recordedLevel('bid', 40, 42);
    test.recordedTrade('SELL', 40, 12);
    expect(hold(test, hash)).toBe('0');
    test.recordedTrade('SELL', 40, 1);
    expect(hold(test, hash)).toBe('1');
  });
});

describe('a queue position behind recorded size', () => {
  const joined = (ahead: number) => {
    const test = new TestVenue();
    test.recordedLevel('bid', 40, ahead);
    const hash = test.rest({ price: 0.4, quantity: 10 });
    return { test, hash };
  };

  it('lets recorded trades pass until what stood before has traded', () => {
    const { test, hash } = joined(20);
    test.recordedTrade('SELL', 40, 20);
    expect(hold(test, hash)).toBe('0');
    test.recordedTrade('SELL', 40, 4);
    expect(hold(test, hash)).toBe('4');
    test.recordedTrade('SELL', 40, 100);
    expect(hold(test, hash)).toBe('10');
  });

  it('assumes that cancels come from behind: the size before it shrinks to the level at most', () => {
    const { test, hash } = joined(20);
    test.recordedLevel('bid', 40, 12);
    test.recordedTrade('SELL', 40, 12);
    expect(hold(test, hash)).toBe('0');
    test.recordedTrade('SELL', 40, 3);
    expect(hold(test, hash)).toBe('3');
  });

  it('does not lose its place to size that joins later', () => {
    const { test, hash } = joined(20);
    test.recordedLevel('bid', 40, 200);
    test.recordedTrade('SELL', 40, 25);
    expect(hold(test, hash)).toBe('5');
  });

  it('counts a trade once, in the print and not again in the delta that follows', () => {
    const { test, hash } = joined(20);
    test.recordedTrade('SELL', 40, 8);
    test.recordedLevel('bid', 40, 12);
    test.recordedTrade('SELL', 40, 12);
    expect(hold(test, hash)).toBe('0');
    test.recordedTrade('SELL', 40, 1);
    expect(hold(test, hash)).toBe('1');
  });

  it('stands for real takers as well', () => {
    const { test, hash } = joined(20);
    test.crowd('SELL', 40, 25);
    expect(hold(test, hash)).toBe('5');
    expect(test.levels().bids).toEqual([[0.4, 5]]);
  });

  it('keeps orders of one level in the order of their arrival', () => {
    const { test, hash } = joined(20);
    test.recordedLevel('bid', 40, 30);
    const later = test.rest({ price: 0.4, quantity: 10 });
    test.recordedTrade('SELL', 40, 30);
    expect([hold(test, hash), hold(test, later)]).toEqual(['10', '0']);
    test.recordedTrade('SELL', 40, 15);
    expect(hold(test, later)).toBe('5');
  });

  it('holds across the two tokens: a bid for NO stands behind recorded asks for YES', () => {
    const test = new TestVenue();
    test.recordedLevel('ask', 60, 20, YES);
    const hash = test.rest({ tokenId: NO, price: 0.4, quantity: 10 });
    test.recordedTrade('BUY', 60, 20, YES);
    expect(hold(test, hash)).toBe('0');
    test.recordedTrade('BUY', 60, 4, YES);
    expect(hold(test, hash)).toBe('4');
    test.settle();
    expect(test.settled(NO)).toBe(4);
    expect(test.balances()['cashBalance']).toBe('9998.4');
  });
});

describe('a recorded trade', () => {
  it('fills real orders at its price or better, at their own prices', () => {
    const test = new TestVenue();
    const better = test.rest({ price: 0.42, quantity: 10 });
    const there = test.rest({ price: 0.4, quantity: 10 });
    const below = test.rest({ price: 0.39, quantity: 10 });
    test.recordedTrade('SELL', 40, 50);
    expect([better, there, below].map((hash) => hold(test, hash))).toEqual(['10', '10', '0']);
    test.settle();
    expect(test.balances()['cashBalance']).toBe('9991.8');
  });

  it('fills asks when buyers print', () => {
    const test = new TestVenue();
    split(test);
    const hash = test.rest({ side: 'SELL', price: 0.6, quantity: 10 });
    test.recordedTrade('BUY', 59, 50);
    expect(hold(test, hash)).toBe('0');
    test.recordedTrade('BUY', 60, 50);
    expect(hold(test, hash)).toBe('10');
  });

  it('is told once on the trades channel, whole', () => {
    const test = new TestVenue();
    const socket = new TestSocket(test);
    socket.send({ type: 'subscribe', channel: 'trades', markets: [YES] });
    test.rest({ price: 0.42, quantity: 10 });
    test.recordedTrade('SELL', 40, 50);
    test.advance(0);
    const told = socket.of('trade.executed');
    expect(told.map((frame) => [frame['price'], frame['size'], frame['side']])).toEqual([
      [0.42, 10, 'SELL'],
      [0.4, 40, 'SELL'],
    ]);
  });

  it('fills nobody while the market is paused', () => {
    const test = new TestVenue();
    const hash = test.rest({ price: 0.42, quantity: 10 });
    test.venue.desk.setTradingStatus(
      test.venue.exchange.catalogue.token(YES).market.market.id,
      'paused',
    );
    test.recordedTrade('SELL', 40, 50);
    expect(hold(test, hash)).toBe('0');
  });
});

describe('a recorded level that moves through a real order', () => {
  it('fills it up to the recorded size, at the price of the order', () => {
    const test = new TestVenue();
    split(test);
    const hash = test.rest({ side: 'SELL', price: 0.4, quantity: 10 });
    test.recordedLevel('bid', 42, 6);
    expect(hold(test, hash)).toBe('6');
    expect(test.levels()).toEqual({ bids: [], asks: [[0.4, 4]] });
    test.settle();
    expect(test.balances()['cashBalance']).toBe('9902.4');
  });

  it('fills a bid for the complement too', () => {
    const test = new TestVenue();
    const hash = test.rest({ tokenId: NO, price: 0.6, quantity: 10 });
    test.recordedLevel('bid', 42, 6, YES);
    expect(hold(test, hash)).toBe('6');
    expect(test.levels(YES)).toEqual({ bids: [], asks: [] });
  });

  it('leaves it alone where complements do not match', () => {
    const test = new TestVenue({ rules: { complementMatching: false } });
    const hash = test.rest({ tokenId: NO, price: 0.6, quantity: 10 });
    test.recordedLevel('bid', 42, 6, YES);
    expect(hold(test, hash)).toBe('0');
  });
});

describe('the place of an account among the crowd', () => {
  it.each([
    ['first', '10', '10'],
    ['arrival', '0', '10'],
    ['last', '0', '0'],
  ] as const)(
    '%s: one crowd order came before it and one after, and takers of 20 and 10 fill %s and then %s',
    (accountPlace, early, late) => {
      const test = new TestVenue({ rules: { accountPlace } });
      test.crowd('BUY', 40, 20);
      const hash = test.rest({ price: 0.4, quantity: 10 });
      test.crowd('BUY', 40, 20);
      test.crowd('SELL', 40, 20, { trader: 'taker' });
      expect(hold(test, hash)).toBe(early);
      test.crowd('SELL', 40, 10, { trader: 'taker' });
      expect(hold(test, hash)).toBe(late);
    },
  );
});
