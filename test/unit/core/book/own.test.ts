import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OwnSizes } from '../../../../src/core/book/own.ts';
import { microShares, NO_SHARES, shares } from '../../../../src/domain/shares.ts';
import { anyPrice, anySide, CENTS, cents } from './books.ts';

const PRICE = cents(48);

function own(sizes: { readonly resting?: number; readonly transient?: readonly number[] }) {
  const result = new OwnSizes(CENTS);
  if (sizes.resting) result.addResting('bid', PRICE, shares(sizes.resting));
  for (const size of sizes.transient ?? []) result.addTransient('bid', PRICE, shares(size));
  return result;
}

describe('what others show at a level', () => {
  it.each([
    {
      displayed: 80,
      resting: 0,
      transient: [],
      others: 80,
      what: 'all of it without orders of ours',
    },
    {
      displayed: 80,
      resting: 50,
      transient: [],
      others: 30,
      what: 'the rest beside a resting order',
    },
    {
      displayed: 50,
      resting: 50,
      transient: [],
      others: 0,
      what: 'nothing when all of it is ours',
    },
    { displayed: 30, resting: 50, transient: [], others: 0, what: 'never less than nothing' },
    {
      displayed: 80,
      resting: 0,
      transient: [50],
      others: 30,
      what: 'the rest when an order in flight fits',
    },
    {
      displayed: 30,
      resting: 0,
      transient: [50],
      others: 30,
      what: 'all of it when an order in flight cannot be in it',
    },
    {
      displayed: 80,
      resting: 50,
      transient: [50],
      others: 30,
      what: 'the rest when only the resting order fits',
    },
    { displayed: 130, resting: 50, transient: [50], others: 30, what: 'the rest when both fit' },
    {
      displayed: 50,
      resting: 0,
      transient: [50, 50],
      others: 0,
      what: 'nothing when one of two stale own sizes accounts for it',
    },
    {
      displayed: 60,
      resting: 0,
      transient: [50, 20],
      others: 10,
      what: 'the rest after the oldest order that fits',
    },
    {
      displayed: 40,
      resting: 0,
      transient: [50, 20],
      others: 20,
      what: 'the rest after the later order when only that fits',
    },
    {
      displayed: 50,
      resting: 0,
      transient: [20, 50],
      others: 0,
      what: 'nothing when it is just one order, and not an older one that has gone and somebody else',
    },
    {
      displayed: 0,
      resting: 0,
      transient: [50],
      others: 0,
      what: 'nothing where nothing is displayed',
    },
  ])('is $what', ({ displayed, resting, transient, others }) => {
    expect(own({ resting, transient }).othersAt('bid', PRICE, shares(displayed))).toBe(
      shares(others),
    );
  });

  it('is not touched by our orders of the other side or of another price', () => {
    const sizes = own({ resting: 50, transient: [20] });
    expect(sizes.othersAt('ask', PRICE, shares(80))).toBe(shares(80));
    expect(sizes.othersAt('bid', cents(47), shares(80))).toBe(shares(80));
  });

  it('lies between zero and what is displayed, and is whole again when our orders are gone', () => {
    const order = fc.record({
      side: anySide,
      price: anyPrice(CENTS),
      size: fc.integer({ min: 1, max: 1_000_000_000 }).map(microShares),
      isResting: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(order), anySide, anyPrice(CENTS), (orders, side, price) => {
        const sizes = new OwnSizes(CENTS);
        const displayed = shares(700);
        for (const one of orders) {
          if (one.isResting) sizes.addResting(one.side, one.price, one.size);
          else sizes.addTransient(one.side, one.price, one.size);
          const others = sizes.othersAt(side, price, displayed);
          expect(others).toBeGreaterThanOrEqual(0);
          expect(others).toBeLessThanOrEqual(displayed);
        }
        for (const one of orders) {
          if (one.isResting) sizes.removeResting(one.side, one.price, one.size);
          else sizes.removeTransient(one.side, one.price, one.size);
        }
        expect(sizes.othersAt(side, price, displayed)).toBe(displayed);
        expect(sizes.restingAt(side, price)).toBe(NO_SHARES);
      }),
    );
  });

  it('never loses a level of others smaller than an order that is not displayed yet', () => {
    const size = fc.integer({ min: 1, max: 1_000 });
    fc.assert(
      fc.property(size, size, (a, b) => {
        fc.pre(a !== b);
        const sizes = own({ transient: [Math.max(a, b)] });
        const displayed = shares(Math.min(a, b));
        expect(sizes.othersAt('bid', PRICE, displayed)).toBe(displayed);
      }),
    );
  });
});

describe('a mistake in the account of own sizes', () => {
  it('stops us when more is removed than was added', () => {
    const sizes = own({ resting: 50 });
    expect(() => sizes.removeResting('bid', PRICE, shares(51))).toThrow('assertion failed');
  });

  it('stops us when a transient order is removed that was never added', () => {
    const sizes = own({ transient: [50] });
    expect(() => sizes.removeTransient('bid', PRICE, shares(49))).toThrow('assertion failed');
    sizes.removeTransient('bid', PRICE, shares(50));
    expect(() => sizes.removeTransient('bid', PRICE, shares(50))).toThrow('assertion failed');
  });
});
