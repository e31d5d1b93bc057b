import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unixMs } from '../../../../src/domain/time.ts';
import { RateGate } from '../../../../src/paper/api/budgets.ts';
import { TestVenue, YES } from '../support.ts';

const order = { tokenId: YES, side: 'BUY', price: 0.01, quantity: 100 };

const write = (test: TestVenue) => test.ask('POST', '/orders', { body: order });

describe('the write budget', () => {
  it('is 300 in 10 seconds, and says with 429 when to come back', () => {
    const test = new TestVenue();
    for (let count = 0; count < 300; count += 1) expect(write(test).status).toBe(200);
    test.advance(2_500);
    expect(write(test)).toMatchObject({ status: 429, code: 'rate_limited' });
    expect(write(test).headers['retry-after']).toBe('8');
    test.advance(7_499);
    expect(write(test).status).toBe(429);
    test.advance(1);
    expect(write(test).status).toBe(200);
  });

  it('counts refused orders, a batch once, and a single cancel', () => {
    const test = new TestVenue({ budgets: { keyWrites: { count: 3, windowMs: 10_000 } } });
    expect(test.place({ price: 7 }).status).toBe(400);
    const batch = { body: { orders: [order, order, order] } };
    expect(test.ask('POST', '/orders/batch', batch).status).toBe(200);
    expect(test.ask('DELETE', `/orders/0x${'a'.repeat(64)}`).status).toBe(404);
    expect(test.ask('POST', '/orders/batch', batch).status).toBe(429);
    expect(test.ask('POST', '/orders/market', { body: {} }).status).toBe(429);
    expect(test.ask('DELETE', `/orders/0x${'a'.repeat(64)}`).status).toBe(429);
    expect(test.openOrders()).toHaveLength(3);
  });

  it('never stops bulk cancels, nor reads', () => {
    const test = new TestVenue({ budgets: { keyWrites: { count: 1, windowMs: 10_000 } } });
    write(test);
    for (let count = 0; count < 400; count += 1) {
      expect(test.ask('DELETE', '/orders').status).toBe(200);
      const body = { orderHashes: ['0xab'] };
      expect(test.ask('POST', '/orders/batch-cancel', { body }).status).toBe(200);
    }
    expect(test.ask('GET', '/orders').status).toBe(200);
  });

  it('can be a window that starts anew instead of one that slides', () => {
    const test = new TestVenue({
      budgets: { window: 'fixed', keyWrites: { count: 2, windowMs: 10_000 } },
    });
    test.advance(9_999);
    expect([write(test), write(test), write(test)].map(({ status }) => status)).toEqual([
      200, 200, 429,
    ]);
    test.advance(1);
    expect(write(test).status).toBe(200);
  });

  it('is per account and per credential, and a bearer has much less', () => {
    const test = new TestVenue({ budgets: { keyWrites: { count: 1, windowMs: 10_000 } } });
    const other = test.venue.openAccount('other', 100);
    write(test);
    expect(write(test).status).toBe(429);
    expect(test.ask('POST', '/orders', { body: order, as: other }).status).toBe(200);
    const headers = { authorization: `Bearer ${test.venue.issueBearer('maker', 60_000)}` };
    const asBearer = () => test.ask('POST', '/orders', { body: order, as: 'nobody', headers });
    for (let count = 0; count < 30; count += 1) expect(asBearer().status).toBe(200);
    expect(asBearer().status).toBe(429);
  });

  it('can be another for one account', () => {
    const test = new TestVenue({
      accountBudgets: { maker: { keyWrites: { count: 1, windowMs: 10_000 } } },
    });
    const other = test.venue.openAccount('other', 100);
    write(test);
    expect(write(test).status).toBe(429);
    test.ask('POST', '/orders', { body: order, as: other });
    expect(test.ask('POST', '/orders', { body: order, as: other }).status).toBe(200);
  });
});

describe('the read budget', () => {
  it('is 500 in a second for everything that writes no order', () => {
    const test = new TestVenue();
    for (let count = 0; count < 500; count += 1) test.ask('GET', '/portfolio/balances');
    expect(test.ask('GET', '/orders')).toMatchObject({ status: 429, code: 'rate_limited' });
    expect(test.ask('GET', '/orders').headers['retry-after']).toBe('1');
    const split = { body: { eventId: 'rain', amount: 1 } };
    expect(test.ask('POST', '/positions/split', split).status).toBe(429);
    test.advance(1_000);
    expect(test.ask('GET', '/orders').status).toBe(200);
  });

  it('of external orders is per address, for public reads and for failed credentials alike', () => {
    const test = new TestVenue({ budgets: { publicReads: { count: 3, windowMs: 1_000 } } });
    expect(test.ask('GET', '/ok', { as: 'nobody' }).status).toBe(200);
    expect(test.ask('GET', '/nothing', { as: 'nobody' }).status).toBe(404);
    expect(test.ask('GET', '/orders', { as: 'nobody' }).status).toBe(401);
    expect(test.ask('GET', '/ok', { as: 'nobody' }).status).toBe(429);
    expect(test.ask('GET', '/orders', { as: 'nobody' }).status).toBe(429);
    expect(test.ask('GET', '/ok').status).toBe(200);
  });

  it('does not refill when the clock of the venue is shifted', () => {
    const test = new TestVenue({ budgets: { publicReads: { count: 1, windowMs: 1_000 } } });
    test.ask('GET', '/ok', { as: 'nobody' });
    test.venue.faults.shiftClock(3_600_000);
    expect(test.ask('GET', '/ok', { as: 'nobody' }).status).toBe(429);
  });
});

describe('a rate gate', () => {
  it('never lets more through any sliding window than it says', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 200 });
    fc.assert(
      fc.property(gaps, (waits) => {
        const gate = new RateGate('sliding');
        const passed: number[] = [];
        let nowMs = 0;
        for (const waitMs of waits) {
          nowMs += waitMs;
          const retryMs = gate.take('x', { count: 5, windowMs: 100 }, unixMs(nowMs));
          if (retryMs === undefined) passed.push(nowMs);
          else expect(retryMs).toBeGreaterThan(0);
        }
        for (const fromMs of passed) {
          const inWindow = passed.filter((atMs) => atMs >= fromMs && atMs < fromMs + 100);
          expect(inWindow.length).toBeLessThanOrEqual(5);
        }
      }),
    );
  });

  it('lets through what waited as long as it was told', () => {
    const gate = new RateGate('sliding');
    const budget = { count: 1, windowMs: 100 };
    gate.take('x', budget, unixMs(0));
    const waitMs = gate.take('x', budget, unixMs(30));
    expect(waitMs).toBe(70);
    expect(gate.take('x', budget, unixMs(100))).toBeUndefined();
  });

  it('lets nothing through a budget of none', () => {
    const gate = new RateGate('sliding');
    expect(gate.take('x', { count: 0, windowMs: 100 }, unixMs(5))).toBe(100);
  });

  it('forgets the longest unused counter and no other', () => {
    const gate = new RateGate('sliding');
    const budget = { count: 1, windowMs: 1_000_000 };
    for (let address = 0; address <= 10_000; address += 1) {
      gate.take(String(address), budget, unixMs(address));
    }
    expect(gate.take('1', budget, unixMs(20_000))).toBeDefined();
    expect(gate.take('0', budget, unixMs(20_000))).toBeUndefined();
  });
});
