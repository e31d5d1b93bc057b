import { describe, expect, it } from 'vitest';
import { at, NO, TestVenue, YES } from '../support.ts';

const market = (test: TestVenue, body: Record<string, unknown>) =>
  test.ask('POST', '/orders/market', { body: { tokenId: YES, ...body } });

const buy = (test: TestVenue, maxSpend: unknown, more: Record<string, unknown> = {}) =>
  market(test, { side: 'BUY', maxSpend, ...more });

const withAsks = (options: ConstructorParameters<typeof TestVenue>[0] = {}) => {
  const test = new TestVenue(options);
  test.crowd('SELL', 40, 10);
  test.crowd('SELL', 50, 10);
  return test;
};

const withBids = () => {
  const test = new TestVenue();
  test.ask('POST', '/positions/split', { body: { eventId: 'rain', amount: 100 } });
  test.crowd('BUY', 60, 10);
  test.crowd('BUY', 50, 10);
  return test;
};

describe('a market buy', () => {
  it('sweeps asks for what it may spend, and shows its plan', () => {
    const test = withAsks();
    const { data } = buy(test, '6.5');
    expect(at(data, 'executionPlan')).toEqual({
      requestedMaxSpend: '6.5',
      submittedQuantity: '15',
      limitPrice: '0.50',
      estimatedAveragePrice: '0.433333',
      estimatedQuoteAmount: '6.5',
      bookTimestamp: '2026-11-21T12:00:00.000Z',
    });
    expect(at(data, 'order')).toMatchObject({ status: 'OPEN', timeInForce: 'FOK', quantity: '15' });
    test.match();
    test.settle();
    expect(test.settled()).toBe(15);
    expect(test.balances()['cashBalance']).toBe('9993.5');
  });

  it('never spends more than it may, even when the book moves on the way', () => {
    const test = withAsks();
    buy(test, '6.5', { timeInForce: 'FAK' });
    test.venue.desk.cancelAll('crowd');
    test.crowd('SELL', 50, 100);
    test.match();
    test.settle();
    expect(test.balances()['cashBalance']).toBe('9993.5');
    expect(test.settled()).toBe(13);
  });

  it('holds what it may spend, not more', () => {
    const test = withAsks();
    buy(test, '6.5');
    expect(test.balances()['usdcOnHold']).toBe('6.5');
  });

  it('keeps its fee within what it may spend', () => {
    const test = withAsks({ rules: { takerFeeBps: 1_000 } });
    buy(test, '4.4');
    test.match();
    test.settle();
    expect(test.settled()).toBe(10);
    expect(test.balances()['cashBalance']).toBe('9995.6');
  });

  it('does not cross into the bids of the sibling outcome', () => {
    const test = new TestVenue();
    test.crowd('BUY', 60, 100, { tokenId: NO });
    expect(buy(test, '5')).toMatchObject({ status: 422, code: 'no_liquidity' });
  });

  it('finds no liquidity on an empty side, nor whole on a thin one unless it is FAK', () => {
    const test = withAsks();
    expect(buy(test, '20').code).toBe('no_liquidity');
    expect(buy(test, '20', { timeInForce: 'FAK' }).status).toBe(200);
    test.match();
    expect(buy(test, '5').code).toBe('no_liquidity');
  });

  it('is refused when its average is worse than the slippage it allows', () => {
    const test = withAsks();
    expect(buy(test, '6.5', { maxSlippageBps: 833 }).code).toBe('no_liquidity');
    expect(buy(test, '6.5', { maxSlippageBps: 834 }).status).toBe(200);
  });

  it.each([
    ['no size', { side: 'BUY' }, 'missing_parameter'],
    ['the size of a sell', { side: 'BUY', quantity: '5' }, 'invalid_parameter'],
    ['both sizes', { side: 'BUY', maxSpend: '5', quantity: '5' }, 'invalid_parameter'],
    ['seven decimals', { side: 'BUY', maxSpend: '5.0000001' }, 'invalid_quantity'],
    ['nothing to spend', { side: 'BUY', maxSpend: '0' }, 'invalid_quantity'],
    ['a negative size', { side: 'BUY', maxSpend: '-5' }, 'invalid_quantity'],
    ['words', { side: 'BUY', maxSpend: 'five' }, 'invalid_quantity'],
    ['a number for a text', { side: 'BUY', maxSpend: 5 }, 'invalid_parameter'],
    ['less than a dollar', { side: 'BUY', maxSpend: '0.99' }, 'below_min_notional'],
    [
      'an order type that rests',
      { side: 'BUY', maxSpend: '5', timeInForce: 'GTC' },
      'invalid_parameter',
    ],
    ['no side', { maxSpend: '5' }, 'missing_parameter'],
    [
      'half a basis point',
      { side: 'BUY', maxSpend: '5', maxSlippageBps: 0.5 },
      'invalid_parameter',
    ],
  ])('with %s is refused', (_what, body, code) => {
    expect(market(withAsks(), body)).toMatchObject({ status: 400, code });
  });

  it('is refused beyond the cash there is', () => {
    const test = withAsks({ startingCash: 5 });
    expect(buy(test, '6').code).toBe('insufficient_balance');
  });
});

describe('a market sell', () => {
  it('sells shares into bids', () => {
    const test = withBids();
    const { data, status } = market(test, { side: 'SELL', quantity: '10' });
    expect(status).toBe(200);
    expect(at(data, 'executionPlan')).toMatchObject({
      limitPrice: '0.60',
      submittedQuantity: '10',
    });
    test.match();
    test.settle();
    expect(test.balances()['cashBalance']).toBe('9906');
  });

  it('fails on a coarse grid when its computed price falls off tick', () => {
    const test = withBids();
    expect(market(test, { side: 'SELL', quantity: '15' })).toMatchObject({
      status: 400,
      code: 'tick_size_violation',
    });
    expect(market(test, { side: 'SELL', quantity: '20' }).status).toBe(200);
  });

  it('passes off tick where the rules let it', () => {
    const test = new TestVenue({ rules: { offTickMarketSell: 'allow' } });
    test.ask('POST', '/positions/split', { body: { eventId: 'rain', amount: 100 } });
    test.crowd('BUY', 60, 10);
    test.crowd('BUY', 50, 10);
    expect(market(test, { side: 'SELL', quantity: '15' }).status).toBe(200);
  });

  it('needs settled shares', () => {
    const test = new TestVenue();
    test.crowd('BUY', 60, 10);
    expect(market(test, { side: 'SELL', quantity: '5' }).code).toBe('insufficient_shares');
  });
});
