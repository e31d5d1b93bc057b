import { describe, expect, it } from 'vitest';
import { at, list, START_MS, TestSocket, TestVenue, YES } from '../support.ts';

const bought = (options: ConstructorParameters<typeof TestVenue>[0] = {}) => {
  const test = new TestVenue(options);
  const socket = new TestSocket(test);
  socket.authenticate();
  test.crowd('SELL', 40, 10);
  const hash = test.rest({ price: 0.4, quantity: 10 });
  return { test, socket, hash };
};

describe('a settlement', () => {
  it('takes 15 to 20 seconds from the match', () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const { test, socket } = bought({ seed });
      test.advance(14_900);
      expect(socket.of('trade.settled')).toEqual([]);
      test.advance(5_200);
      expect(socket.of('trade.settled')).toHaveLength(1);
    }
  });

  it('can be scaled for a test', () => {
    const { test, socket } = bought({ timeScale: 0.01 });
    test.advance(250);
    expect(socket.of('trade.settled')).toHaveLength(1);
  });

  it('fills the order and tells the trade with everything that names it', () => {
    const { test, socket } = bought();
    test.settle();
    expect(socket.statuses()).toEqual(['OPEN', 'MATCHED', 'FILLED']);
    expect(socket.of('trade.settled')).toEqual(
      [
        {
          type: 'trade.settled',
          tradeId: expect.any(String),
          side: 'BUY',
          outcomeName: 'Yes',
          tokenId: YES,
          marketId: expect.stringMatching(/^mkt_/),
          marketTitle: 'Rain',
          price: '0.4',
          quantity: '10',
          txHash: expect.stringMatching(/^0x/),
        },
      ].map((frame) => ({ ...frame, price: '0.40' })),
    );
  });

  it('settles all fills of one order in one transaction, each as a trade of its own', () => {
    const test = new TestVenue();
    const socket = new TestSocket(test);
    socket.authenticate();
    test.crowd('SELL', 40, 4);
    test.crowd('SELL', 41, 6);
    test.rest({ price: 0.41, quantity: 10 });
    test.settle();
    const settled = socket.of('trade.settled');
    expect(settled.map((frame) => [frame['price'], frame['quantity']])).toEqual([
      ['0.40', '4'],
      ['0.41', '6'],
    ]);
    expect(new Set(settled.map((frame) => frame['txHash'])).size).toBe(1);
    expect(new Set(settled.map((frame) => frame['tradeId'])).size).toBe(2);
  });

  it('moves the position at once, and REST shows it 30 s to 2 min later', () => {
    const { test, socket } = bought();
    expect(at(socket.of('position.update')[0], 'data')).toMatchObject({
      sharesDelta: '10',
      averagePrice: '0.40',
    });
    test.settle();
    test.advance(29_000 - 5_000);
    expect(test.balances()['positions']).toEqual([]);
    test.advance(100_000);
    expect(test.balances()['positions']).toMatchObject([{ tokenId: YES, shareAmount: '10' }]);
  });

  it('updates the last price, the volume and the public trade history', () => {
    const { test, socket } = bought();
    socket.send({ type: 'subscribe', markets: [YES], depth: 5 });
    test.settle();
    expect(socket.of('last_trade_price')).toMatchObject([{ marketId: YES, price: 0.4, size: 10 }]);
    const { data } = test.ask('GET', '/events/rain');
    expect(at(data, 'markets', 0, 'volume')).toBe('4');
    expect(at(data, 'markets', 0, 'outcomes', 1, 'lastPrice')).toBe('0.40');
    expect(list(at(test.ask('GET', '/activity').data, 'items'))).toMatchObject([
      { tokenId: YES, side: 'BUY', price: '0.40', quantity: '10' },
    ]);
  });

  it('of a part leaves the rest of the order live', () => {
    const test = new TestVenue();
    test.crowd('SELL', 40, 4);
    const hash = test.rest({ price: 0.4, quantity: 10 });
    test.settle();
    expect(test.order(hash)).toMatchObject({
      status: 'PARTIALLY_FILLED',
      filledQuantity: '4',
      holdQuantity: '0',
    });
    expect(test.levels().bids).toEqual([[0.4, 6]]);
  });

  it('goes on for a cancelled order that had matched in part', () => {
    const test = new TestVenue({ rules: { partiallyFilledCancellable: true } });
    test.crowd('SELL', 40, 4);
    const hash = test.rest({ price: 0.4, quantity: 10 });
    expect(test.ask('DELETE', `/orders/${hash}`).status).toBe(200);
    expect(test.balances()['usdcOnHold']).toBe('1.6');
    test.settle();
    expect(test.settled()).toBe(4);
    expect(test.balances()).toMatchObject({ cashBalance: '9998.4', usdcOnHold: '0' });
  });
});

describe('a settlement that fails', () => {
  const failed = (failedTrade: 'cancelOrder' | 'reinstate') => {
    const made = bought({ rules: { failedTrade } });
    made.test.venue.exchange.settlement.failNext(1, 'out of gas');
    made.test.settle();
    return made;
  };

  it('says so, takes the position back and frees what was held', () => {
    const { test, socket } = failed('cancelOrder');
    expect(socket.of('trade.failed')).toEqual([
      {
        type: 'trade.failed',
        reason: 'out of gas',
        marketId: expect.stringMatching(/^mkt_/),
        side: 'BUY',
        quantity: '10',
      },
    ]);
    expect(socket.of('position.update').map((frame) => at(frame, 'data', 'sharesDelta'))).toEqual([
      '10',
      '-10',
    ]);
    expect(test.balances()).toMatchObject({ cashBalance: '10000', usdcOnHold: '0' });
    expect(test.settled()).toBe(0);
    expect(test.settled(YES, 'crowd')).toBe(10);
  });

  it('ends the order, by default', () => {
    const { test, socket } = failed('cancelOrder');
    expect(socket.statuses()).toEqual(['OPEN', 'MATCHED', 'CANCELLED']);
    expect(test.openOrders()).toEqual([]);
  });

  it('ends what still rested of the order as well, with every hold', () => {
    const test = new TestVenue();
    test.crowd('SELL', 40, 4);
    test.rest({ price: 0.4, quantity: 10 });
    test.venue.exchange.settlement.failNext(1);
    test.settle();
    expect(test.levels()).toEqual({ bids: [], asks: [] });
    expect(test.balances()).toMatchObject({ availableBalance: '10000', usdcOnHold: '0' });
  });

  it('lets the shares rest and match again where the rules say so', () => {
    const { test, socket, hash } = failed('reinstate');
    expect(socket.statuses().slice(0, 4)).toEqual(['OPEN', 'MATCHED', 'OPEN', 'MATCHED']);
    expect(test.order(hash)).toMatchObject({ holdQuantity: '10' });
    test.settle();
    expect(test.settled()).toBe(10);
    expect(test.balances()).toMatchObject({ cashBalance: '9996', usdcOnHold: '0' });
  });

  it('lets no order rest again whose time is over', () => {
    const test = new TestVenue({
      rules: { failedTrade: 'reinstate' },
      timing: { settleMsMin: 90_000, settleMsMax: 90_000 },
    });
    test.crowd('SELL', 40, 10);
    const expiredAt = new Date(START_MS + 61_000).toISOString();
    test.rest({ price: 0.4, quantity: 10, orderType: 'GTD', expiredAt });
    test.venue.exchange.settlement.failNext(1);
    test.advance(100_000);
    expect(test.openOrders()).toEqual([]);
    expect(test.levels().bids).toEqual([]);
    expect(test.balances()['usdcOnHold']).toBe('0');
  });

  it('can be made to happen by chance, with the same dice every time', () => {
    const outcomes = [1, 2].map(() => {
      const test = new TestVenue({ rules: { settlementFailureRate: 0.5 }, seed: 3 });
      const socket = new TestSocket(test);
      socket.authenticate();
      for (let count = 0; count < 20; count += 1) {
        test.crowd('SELL', 40, 10);
        test.rest({ price: 0.4, quantity: 10 });
      }
      test.settle();
      return socket.frames.map(({ type }) => type).filter((type) => /^trade/.test(String(type)));
    });
    expect(outcomes[0]).toEqual(outcomes[1]);
    expect(new Set(outcomes[0])).toEqual(new Set(['trade.settled', 'trade.failed']));
  });
});

describe('late settlements', () => {
  it('come out of order when one of them is delayed', () => {
    const test = new TestVenue();
    const socket = new TestSocket(test);
    socket.authenticate();
    test.crowd('SELL', 40, 20);
    test.venue.exchange.settlement.delayNext(1, 60_000);
    test.rest({ price: 0.4, quantity: 8 });
    test.rest({ price: 0.4, quantity: 12 });
    test.settle();
    expect(socket.of('trade.settled').map((frame) => frame['quantity'])).toEqual(['12']);
    test.advance(60_000);
    expect(socket.of('trade.settled').map((frame) => frame['quantity'])).toEqual(['12', '8']);
    expect(test.clock.nowMs()).toBeGreaterThan(START_MS);
  });
});
