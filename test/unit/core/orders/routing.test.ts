import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { routeQuote, toAxis } from '../../../../src/core/orders/own-order.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../../src/domain/ticks.ts';
import { meetsMinNotional } from '../../../../src/domain/usdc.ts';

const GRID = tickGrid('0.01');

function route(side: 'bid' | 'ask', price: number, size: number, yes: number, no: number) {
  const free = { yes: shares(yes), no: shares(no) };
  const quote = { side, price: ticks(GRID, price), quantity: shares(size) };
  return { orders: routeQuote(GRID, quote, free, { preferSell: true, decimals: 6 }), free };
}

describe('a quote on the YES axis', () => {
  it.each([
    { side: 'bid' as const, yes: 0, no: 0, legs: [['yes', 'BUY', 40, 50]] },
    { side: 'ask' as const, yes: 0, no: 0, legs: [['no', 'BUY', 60, 50]] },
    { side: 'ask' as const, yes: 50, no: 0, legs: [['yes', 'SELL', 40, 50]] },
    { side: 'bid' as const, yes: 0, no: 80, legs: [['no', 'SELL', 60, 50]] },
    {
      side: 'ask' as const,
      yes: 20,
      no: 0,
      legs: [
        ['yes', 'SELL', 40, 20],
        ['no', 'BUY', 60, 30],
      ],
    },
    // One settled share at 0.40 is below the minimum notional: all of it is bought.
    { side: 'ask' as const, yes: 1, no: 0, legs: [['no', 'BUY', 60, 50]] },
  ])('of $side with $yes YES and $no NO free becomes $legs', ({ side, yes, no, legs }) => {
    const { orders } = route(side, 40, 50, yes, no);
    const got = orders.map((each) => [each.leg, each.side, each.price, each.quantity / 1e6]);
    expect(got).toEqual(legs);
  });

  it('keeps its side, its price and no more than its quantity, whatever the legs', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('bid' as const, 'ask' as const),
        fc.integer({ min: 1, max: 99 }),
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 0, max: 200 }),
        fc.integer({ min: 0, max: 200 }),
        (side, price, size, yes, no) => {
          const { orders, free } = route(side, price, size, yes, no);
          let sum = 0;
          for (const order of orders) {
            expect(toAxis(GRID, order)).toEqual({ axisSide: side, axisPrice: price });
            expect(meetsMinNotional(GRID, order.price, order.quantity)).toBe(true);
            sum += order.quantity;
          }
          expect([0, shares(size)]).toContain(sum);
          expect(free.yes).toBeGreaterThanOrEqual(0);
          expect(free.no).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });
});
