import { describe, expect, it } from 'vitest';
import { ANN_MARKET, BEN_MARKET, NO, RAIN_MARKET, TestSocket, TestVenue, YES } from '../support.ts';

const post = (test: TestVenue, what: string, body: unknown) =>
  test.ask('POST', `/positions/${what}`, { body });

describe('a split', () => {
  it('turns USDC into one share of every outcome', () => {
    const test = new TestVenue();
    expect(post(test, 'split', { eventId: 'rain', amount: '25.5' }).data).toEqual({
      txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    expect([test.settled(YES), test.settled(NO)]).toEqual([25.5, 25.5]);
    expect(test.balances()['cashBalance']).toBe('9974.5');
  });

  it('shows over REST after the lag of the index', () => {
    const test = new TestVenue();
    post(test, 'split', { eventId: 'rain', amount: 10 });
    expect(test.balances()['positions']).toEqual([]);
    test.advance(120_000);
    expect(test.balances()['positions']).toMatchObject([
      { tokenId: YES, shareAmount: '10' },
      { tokenId: NO, shareAmount: '10' },
    ]);
  });

  it('is told on the user channel', () => {
    const test = new TestVenue();
    const socket = new TestSocket(test);
    socket.authenticate();
    post(test, 'split', { eventId: 'rain', amount: 10 });
    test.advance(0);
    expect(socket.of('position.update')).toHaveLength(2);
  });

  it('needs a market in a multi-outcome event', () => {
    const test = new TestVenue();
    expect(post(test, 'split', { eventId: 'race', amount: 1 }).code).toBe('missing_parameter');
    const named = { eventId: 'race', marketId: ANN_MARKET, amount: 1 };
    expect(post(test, 'split', named).status).toBe(200);
  });

  it('reads amounts in millionths where the deployment does', () => {
    const test = new TestVenue({ dialect: { chainAmount: 'micro' } });
    post(test, 'split', { eventId: 'rain', amount: '2500000' });
    expect(test.settled(YES)).toBe(2.5);
  });

  it.each([
    [{ amount: 1 }, 'missing_parameter'],
    [{ eventId: 'none', amount: 1 }, 'market_not_found'],
    [{ eventId: 'rain', marketId: BEN_MARKET, amount: 1 }, 'market_not_found'],
    [{ eventId: 'rain' }, 'missing_parameter'],
    [{ eventId: 'rain', amount: 0 }, 'invalid_quantity'],
    [{ eventId: 'rain', amount: -1 }, 'invalid_quantity'],
    [{ eventId: 'rain', amount: 'ten' }, 'invalid_quantity'],
    [{ eventId: 'rain', amount: '0.0000001' }, 'invalid_quantity'],
    [{ eventId: 'rain', amount: '10000.01' }, 'insufficient_balance'],
    ['a text', 'invalid_request'],
  ])('of %j is refused with %s', (body, code) => {
    expect(post(new TestVenue(), 'split', body).code).toBe(code);
  });
});

describe('a merge', () => {
  it('turns full sets back into USDC', () => {
    const test = new TestVenue();
    post(test, 'split', { eventId: 'rain', amount: 10 });
    expect(post(test, 'merge', { eventId: 'rain', amount: 4 }).status).toBe(200);
    expect([test.settled(YES), test.settled(NO)]).toEqual([6, 6]);
    expect(test.balances()['cashBalance']).toBe('9994');
  });

  it('needs free shares of both outcomes', () => {
    const test = new TestVenue();
    post(test, 'split', { eventId: 'rain', amount: 10 });
    test.rest({ side: 'SELL', price: 0.5, quantity: 5 });
    expect(post(test, 'merge', { eventId: 'rain', amount: 6 }).code).toBe('insufficient_shares');
    expect(post(test, 'merge', { eventId: 'rain', amount: 5 }).status).toBe(200);
  });
});

describe('a resolution', () => {
  const resolved = () => {
    const test = new TestVenue();
    post(test, 'split', { eventId: 'rain', amount: 10 });
    test.rest({ price: 0.3, quantity: 10 });
    test.venue.desk.resolve(RAIN_MARKET, YES);
    return test;
  };

  it('ends all orders and refuses new ones', () => {
    const test = resolved();
    expect(test.openOrders()).toEqual([]);
    expect(test.place({})).toMatchObject({ status: 422, code: 'market_resolved' });
    expect(post(test, 'split', { eventId: 'rain', amount: 1 }).code).toBe('market_resolved');
  });

  it('shows in the catalogue with its winner', () => {
    const test = resolved();
    expect(test.ask('GET', '/events/rain').data).toMatchObject({ status: 'resolved' });
    expect(test.ask('GET', '/events/rain/resolution').data).toMatchObject({
      status: 'resolved',
      markets: [{ winningTokenId: YES, timeline: [{ status: 'resolved' }] }],
    });
  });

  it('makes winnings claimable, and redeeming pays 1.00 for each winning share', () => {
    const test = resolved();
    const claim = { marketId: RAIN_MARKET, tokenId: YES, shareAmount: '10', payout: '10' };
    expect(test.ask('GET', '/positions/claimable').data).toEqual([expect.objectContaining(claim)]);
    expect(post(test, 'redeem', { marketId: RAIN_MARKET }).status).toBe(200);
    expect(test.balances()['cashBalance']).toBe('10000');
    expect([test.settled(YES), test.settled(NO)]).toEqual([0, 0]);
    expect(test.ask('GET', '/positions/claimable').data).toEqual([]);
    expect(post(test, 'redeem', { marketId: RAIN_MARKET }).code).toBe('insufficient_shares');
  });

  it('lets what had matched settle, and then be redeemed', () => {
    const test = new TestVenue();
    test.crowd('SELL', 40, 10);
    test.rest({ price: 0.4, quantity: 10 });
    test.venue.desk.resolve(RAIN_MARKET, YES);
    test.settle();
    expect(post(test, 'redeem', { marketId: RAIN_MARKET }).status).toBe(200);
    expect(test.balances()['cashBalance']).toBe('10006');
  });

  it('comes before any redeeming', () => {
    const test = new TestVenue();
    expect(post(test, 'redeem', { marketId: RAIN_MARKET }).code).toBe('invalid_request');
    expect(post(test, 'redeem', { marketId: 'none' }).code).toBe('market_not_found');
    expect(post(test, 'redeem', {}).code).toBe('missing_parameter');
  });

  it('refuses a winner of another market', () => {
    const test = new TestVenue();
    expect(() => test.venue.desk.resolve(ANN_MARKET, YES)).toThrow('not a token');
  });
});
