import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type OwnOrder, remaining } from '../../../../src/core/orders/own-order.ts';
import { exposureOf, lossPair, worseOf } from '../../../../src/core/risk/exposure.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { GRID, ownOrder } from '../../../support/own-orders.ts';

const RATE = 0.9;
const TERMS = { grid: GRID, choice: { takerFeeRate: RATE } };

const anyOrder = fc
  .record({
    leg: fc.constantFrom('yes' as const, 'no' as const),
    side: fc.constantFrom('BUY' as const, 'SELL' as const),
    price: fc.integer({ min: 1, max: 99 }),
    size: fc.integer({ min: 1, max: 100 }),
    isTake: fc.boolean(),
  })
  .map(ownOrder);

/** Every subset of fills and both outcomes, with nothing but the payoff of each. */
function bruteForce(orders: readonly OwnOrder[], yes: number, no: number, cash: number): number {
  let worst = Number.NEGATIVE_INFINITY;
  for (let subset = 0; subset < 2 ** orders.length; subset += 1) {
    let money = cash;
    const held = { yes, no };
    orders.forEach((order, at) => {
      if (Math.floor(subset / 2 ** at) % 2 === 0) return;
      const sign = order.side === 'BUY' ? 1 : -1;
      const size = remaining(order) / 1e6;
      held[order.leg] += sign * size;
      money -= (sign * size * order.price) / 100;
      if (order.isTake === true)
        money -= (RATE * size * order.price * (100 - order.price)) / 10_000;
    });
    worst = Math.max(worst, -(money + held.yes), -(money + held.no));
  }
  return worst;
}

describe('the worst case of a market', () => {
  it('is what trying every subset of fills and both outcomes gives', () => {
    fc.assert(
      fc.property(
        fc.array(anyOrder, { maxLength: 7 }),
        fc.integer({ min: 0, max: 300 }),
        fc.integer({ min: 0, max: 300 }),
        fc.integer({ min: -200, max: 200 }),
        (orders, yes, no, cash) => {
          const holdings = {
            yes: shares(yes),
            no: shares(no),
            cashNano: cash * 1e9,
            startValueNano: 0,
          };
          const loss = worseOf(lossPair(holdings, exposureOf(TERMS, orders))) / 1e9;
          expect(loss).toBeCloseTo(bruteForce(orders, yes, no, cash), 6);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('counts an order whose cancel is not confirmed', () => {
    const order = ownOrder({ state: 'cancelUnresolved', price: 40, size: 50 });
    expect(exposureOf(TERMS, [order]).lossIfNoNano).toBe(20e9);
  });

  it('does not count an order that ended, nor the part that traded', () => {
    expect(exposureOf(TERMS, [ownOrder({ state: 'cancelled' })]).holdNano).toBe(0);
    expect(exposureOf(TERMS, [ownOrder({ executed: 30, size: 50, price: 40 })]).holdNano).toBe(8e9);
  });
});
