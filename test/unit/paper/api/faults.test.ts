import { describe, expect, it } from 'vitest';
import type { VenueCode } from '../../../../src/domain/codes.ts';
import { controlAnswer } from '../../../../src/paper/api/control.ts';
import { VENUE_CODES } from '../../../../src/wire/codes.ts';
import { type Answer, at, list, NO, RAIN_MARKET, TestSocket, TestVenue, YES } from '../support.ts';

const order = { tokenId: YES, side: 'BUY', price: 0.1, quantity: 10 };

const placing = (to: TestVenue) => {
  const answers: (Answer | 'drop')[] = [];
  to.send('POST', '/orders', { body: order }, (answer) => answers.push(answer));
  return answers;
};

describe('a planned fault', () => {
  it('drops the answer of an order that was taken', () => {
    const test = new TestVenue();
    test.venue.faults.plan({ method: 'POST', path: '/orders', action: { kind: 'dropReply' } });
    expect(placing(test)).toEqual(['drop']);
    expect(test.openOrders()).toHaveLength(1);
  });

  it('drops an order before it is taken', () => {
    const test = new TestVenue();
    test.venue.faults.plan({ path: '/orders', action: { kind: 'dropRequest' } });
    expect(placing(test)).toEqual(['drop']);
    expect(test.openOrders()).toEqual([]);
  });

  it('answers late, or takes the order late', () => {
    const test = new TestVenue();
    test.venue.faults.plan({ path: '/orders', action: { kind: 'delayReply', ms: 3_000 } });
    const lateAnswer = placing(test);
    expect([lateAnswer.length, test.openOrders().length]).toEqual([0, 1]);
    test.venue.faults.plan({ path: '/orders', action: { kind: 'delayEffect', ms: 3_000 } });
    const lateEffect = placing(test);
    expect(test.openOrders()).toHaveLength(1);
    expect(test.ask('DELETE', '/orders').data).toEqual({ cancelled: 1, failed: 0 });
    test.advance(3_000);
    expect([lateAnswer.length, lateEffect.length]).toEqual([1, 1]);
    expect(test.openOrders()).toHaveLength(1);
  });

  it('fails with a server error before or after the effect', () => {
    const test = new TestVenue();
    test.venue.faults.plan({ path: '/orders', action: { kind: 'failBefore', status: 503 } });
    expect(placing(test)).toMatchObject([{ status: 503, code: 'service_unavailable' }]);
    expect(test.openOrders()).toEqual([]);
    test.venue.faults.plan({ path: '/orders', action: { kind: 'failAfter', status: 500 } });
    expect(placing(test)).toMatchObject([{ status: 500, code: 'internal_error' }]);
    expect(test.openOrders()).toHaveLength(1);
  });

  it('loses items of a batch answer, all of which took effect', () => {
    const test = new TestVenue();
    test.venue.faults.plan({ action: { kind: 'loseItems', indexes: [1] } });
    const { data } = test.ask('POST', '/orders/batch', { body: { orders: [order, order, order] } });
    expect(list(data).map((item) => at(item, 'index'))).toEqual([0, 2]);
    expect(test.openOrders()).toHaveLength(3);
  });

  it('answers with something that is no envelope', () => {
    const test = new TestVenue();
    test.venue.faults.plan({ path: '/orders', action: { kind: 'garbage' } });
    expect(() => test.place(order)).toThrow('not valid JSON');
    expect(test.openOrders()).toHaveLength(1);
  });

  it('strikes as often as planned, what it names and nothing else', () => {
    const test = new TestVenue();
    const storm = { kind: 'refuse' as const, code: 'rate_limited' as const, retryAfterSec: 2 };
    test.venue.faults.plan({ method: 'POST', path: '/orders', times: 2, action: storm });
    expect(test.ask('GET', '/orders').status).toBe(200);
    expect(test.place(order)).toMatchObject({ status: 429, headers: { 'retry-after': '2' } });
    expect(test.place(order).status).toBe(429);
    expect(test.place(order).status).toBe(200);
  });

  it.each(Object.keys(VENUE_CODES))('can refuse with %s, at a status of its group', (code) => {
    const test = new TestVenue();
    const known = code as VenueCode;
    test.venue.faults.plan({ action: { kind: 'refuse', code: known } });
    const answer = test.ask('GET', '/orders');
    expect(answer.code).toBe(code);
    expect(VENUE_CODES[known]).toContain(answer.status);
  });

  it('ends when faults are cleared', () => {
    const test = new TestVenue();
    test.venue.faults.plan({ times: 10, action: { kind: 'dropReply' } });
    test.venue.faults.clear();
    expect(test.ask('GET', '/ok').status).toBe(200);
  });
});

describe('muted frames', () => {
  it('are lost although the socket runs, and leave a gap in the book', () => {
    const test = new TestVenue();
    const socket = new TestSocket(test);
    socket.authenticate();
    socket.send({ type: 'subscribe', markets: [YES, NO] });
    socket.take();
    test.venue.faults.muteFrames({ books: new Set([YES]), user: true });
    test.crowd('BUY', 40, 10);
    test.crowd('BUY', 30, 10, { tokenId: NO });
    test.rest({ price: 0.2 });
    test.advance(150);
    expect(socket.take()).toMatchObject([{ type: 'orderbook.delta', marketId: NO }]);
    test.venue.faults.clear();
    test.crowd('BUY', 41, 10);
    test.advance(150);
    expect(socket.of('orderbook.delta')).toMatchObject([{ marketId: YES, price: 0.41 }]);
  });

  it('can be pings, so that a client must probe for itself', () => {
    const test = new TestVenue();
    const socket = new TestSocket(test);
    test.venue.faults.muteFrames({ pings: true });
    socket.take();
    test.advance(120_000);
    socket.send({ type: 'ping' });
    expect(socket.take()).toEqual([{ type: 'pong' }]);
  });
});

describe('the control route', () => {
  const control = (test: TestVenue, verb: string, body: unknown = {}) => {
    const answer = controlAnswer(test.venue, {
      ...{ method: 'POST', target: `/__control/${verb}`, headers: {}, address: 'test' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: answer.status, ...JSON.parse(answer.body) };
  };

  it('plans faults and clears them', () => {
    const test = new TestVenue();
    control(test, 'fault', { path: '/orders', action: { kind: 'refuse', code: 'maintenance' } });
    expect(test.place(order)).toMatchObject({ status: 503, code: 'maintenance' });
    control(test, 'fault', { times: 5, action: { kind: 'failBefore', status: 502 } });
    control(test, 'clearFaults');
    expect(test.place(order).status).toBe(200);
  });

  it('moves the market as a trader', () => {
    const test = new TestVenue();
    control(test, 'fund', { trader: 'ann', cash: 100 });
    control(test, 'mintSets', { trader: 'ann', marketId: RAIN_MARKET, shares: 20 });
    const placed = control(test, 'place', {
      ...{ trader: 'ann', tokenId: YES, side: 'SELL', price: 0.6, shares: 20 },
    });
    expect(placed.data).toMatchObject({ kind: 'accepted' });
    expect(test.levels().asks).toEqual([[0.6, 20]]);
    expect(control(test, 'cancelAll', { trader: 'ann' }).data).toEqual({ cancelled: 1 });
  });

  it('pauses and resolves markets, and breaks settlements, clocks, sockets and credentials', () => {
    const test = new TestVenue();
    const socket = new TestSocket(test);
    control(test, 'status', { marketId: RAIN_MARKET, status: 'paused' });
    expect(test.place({}).code).toBe('market_paused');
    control(test, 'status', { marketId: RAIN_MARKET, status: 'open' });
    control(test, 'failSettlements', { count: 1 });
    control(test, 'delaySettlements', { count: 1, ms: 0 });
    test.crowd('SELL', 40, 10);
    test.rest({ price: 0.4 });
    expect(test.balances()).toMatchObject({ cashBalance: '10000', usdcOnHold: '0' });
    control(test, 'mute', { books: [YES], user: true });
    expect(test.venue.faults.mute).toMatchObject({ user: true, trades: false });
    control(test, 'shiftClock', { ms: 40_000 });
    expect(test.ask('GET', '/orders').code).toBe('expired_timestamp');
    control(test, 'dropSockets');
    test.advance(0);
    expect(socket.isClosed).toBe(true);
    control(test, 'clearFaults');
    const { data } = control(test, 'regenerate', { account: 'maker' });
    expect(test.ask('GET', '/orders').code).toBe('unknown_api_key');
    expect(test.ask('GET', '/orders', { as: data }).status).toBe(200);
    expect(control(test, 'openOrders', { account: 'maker' }).data).toEqual([]);
    control(test, 'resolve', { marketId: RAIN_MARKET, winner: YES });
    expect(test.place({}, data).code).toBe('market_resolved');
  });

  it.each([
    ['nothing', {}, 404],
    ['toString', {}, 404],
    ['fault', {}, 400],
    ['fault', { action: { kind: 'refuse', code: 'no_such_code' } }, 400],
    ['fault', '{', 400],
    ['openOrders', { account: 'nobody' }, 403],
    ['place', { trader: 'x', tokenId: 'y', side: 'BUY', price: 0.5, shares: 1 }, 404],
  ])('refuses %s %j', (verb, body, status) => {
    expect(control(new TestVenue(), verb, body)).toMatchObject({ success: false, status });
  });
});
