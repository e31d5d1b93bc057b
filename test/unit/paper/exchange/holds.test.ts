import { describe, expect, it } from 'vitest';
import { NO, TestVenue, YES } from '../support.ts';

const split = (test: TestVenue, amount: number) =>
  test.ask('POST', '/positions/split', { body: { eventId: 'rain', amount } });

describe('a resting buy', () => {
  it('holds its whole cost, and gives it back when it is cancelled', () => {
    const test = new TestVenue();
    const hash = test.rest({ price: 0.4, quantity: 10 });
    expect(test.balances()).toMatchObject({
      cashBalance: '10000',
      availableBalance: '9996',
      usdcOnHold: '4',
    });
    test.ask('DELETE', `/orders/${hash}`);
    expect(test.balances()).toMatchObject({ availableBalance: '10000', usdcOnHold: '0' });
  });

  it('is refused beyond the cash that no other order holds', () => {
    const test = new TestVenue({ startingCash: 10 });
    test.rest({ price: 0.5, quantity: 12 });
    expect(test.place({ price: 0.5, quantity: 8.000_001 })).toMatchObject({
      status: 422,
      code: 'insufficient_balance',
    });
    expect(test.place({ price: 0.5, quantity: 8 }).status).toBe(200);
  });

  it('gives back the price improvement at the match, and pays at settlement', () => {
    const test = new TestVenue();
    test.crowd('SELL', 30, 10);
    test.rest({ price: 0.4, quantity: 10 });
    expect(test.balances()).toMatchObject({
      cashBalance: '10000',
      availableBalance: '9997',
      usdcOnHold: '3',
    });
    test.settle();
    expect(test.balances()).toMatchObject({
      cashBalance: '9997',
      availableBalance: '9997',
      usdcOnHold: '0',
    });
  });

  it('holds the fee of a taker too, and a maker pays none', () => {
    const test = new TestVenue({ rules: { takerFeeBps: 100 } });
    test.rest({ price: 0.4, quantity: 100 });
    expect(test.balances()['usdcOnHold']).toBe('40.4');
    test.crowd('SELL', 40, 100);
    expect(test.balances()['usdcOnHold']).toBe('40');
    test.settle();
    expect(test.balances()['cashBalance']).toBe('9960');
  });

  it('holds no fee for what rests, where the venue lets go of it', () => {
    const rules = { takerFeeBps: 100, restingFeeHold: 'free' } as const;
    const test = new TestVenue({ rules });
    test.crowd('SELL', 40, 30);
    test.place({ price: 0.4, quantity: 100 });
    expect(test.balances()['usdcOnHold']).toBe('40.4');
    test.match();
    // 30 have met somebody and pay; 70 rest.
    expect(test.balances()['usdcOnHold']).toBe('40.12');
    test.crowd('SELL', 40, 70);
    test.settle();
    expect(test.balances()).toMatchObject({ cashBalance: '9959.88', usdcOnHold: '0' });
  });

  it('pays a rate of p (1 - p) a share at the price of the trade', () => {
    const test = new TestVenue({ rules: { takerFeeRate: 0.05 } });
    test.crowd('SELL', 30, 100);
    test.rest({ price: 0.4, quantity: 100 });
    test.settle();
    // 30 and 100 x 0.05 x 0.30 x 0.70.
    expect(test.balances()['cashBalance']).toBe('9968.95');
  });

  it('pays the fee of its category when it takes', () => {
    const test = new TestVenue({ rules: { takerFeeBpsByCategory: { weather: 200 } } });
    test.crowd('SELL', 50, 100);
    test.rest({ price: 0.5, quantity: 100 });
    test.settle();
    expect(test.balances()['cashBalance']).toBe('9949');
  });
});

describe('a resting sell', () => {
  it('holds its shares, and only settled free shares can be sold', () => {
    const test = new TestVenue();
    split(test, 10);
    test.rest({ side: 'SELL', price: 0.6, quantity: 6 });
    expect(test.place({ side: 'SELL', price: 0.6, quantity: 5 })).toMatchObject({
      status: 422,
      code: 'insufficient_shares',
    });
    expect(test.place({ side: 'SELL', price: 0.6, quantity: 4 }).status).toBe(200);
  });

  it('is refused for shares that are bought and not settled', () => {
    const test = new TestVenue();
    test.crowd('SELL', 40, 10);
    test.rest({ price: 0.4, quantity: 10 });
    const sell = { side: 'SELL', price: 0.5, quantity: 10 };
    expect(test.place(sell).code).toBe('insufficient_shares');
    test.settle();
    expect(test.place(sell).status).toBe(200);
  });

  it('can be sold before the index shows the shares', () => {
    const test = new TestVenue();
    test.crowd('SELL', 40, 10);
    test.rest({ price: 0.4, quantity: 10 });
    test.settle();
    expect(test.balances()['positions']).toEqual([]);
    expect(test.place({ side: 'SELL', price: 0.5, quantity: 10 }).status).toBe(200);
  });

  it('shows its hold beside the position', () => {
    const test = new TestVenue();
    split(test, 10);
    test.advance(120_000);
    test.rest({ side: 'SELL', price: 0.6, quantity: 6 });
    expect(test.balances()['positions']).toEqual([
      expect.objectContaining({ tokenId: YES, shareAmount: '10', onHoldShareAmount: '6' }),
      expect.objectContaining({ tokenId: NO, shareAmount: '10', onHoldShareAmount: '0' }),
    ]);
  });

  it('receives its proceeds at settlement and not before', () => {
    const test = new TestVenue();
    split(test, 10);
    test.crowd('BUY', 60, 10);
    test.rest({ side: 'SELL', price: 0.5, quantity: 10 });
    expect(test.balances()['cashBalance']).toBe('9990');
    test.settle();
    expect(test.balances()['cashBalance']).toBe('9996');
  });
});
