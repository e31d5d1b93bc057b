import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tickGrid } from '../../../../src/domain/ticks.ts';
import {
  quoteTicks,
  ticksAbove,
  ticksAtOrAbove,
  ticksAtOrBelow,
  ticksBelow,
} from '../../../../src/strategy/index.ts';

const CENT = tickGrid('0.01');
const MILLI = tickGrid('0.001');

describe('a computed price', () => {
  it('that lies on a tick stays there, whatever doubles make of it', () => {
    expect(0.29 * 100).toBeLessThan(29);
    expect(ticksAtOrBelow(CENT, 0.29)).toBe(29);
    expect(ticksAtOrAbove(CENT, 1 - 0.57)).toBe(43);
    expect(ticksAtOrBelow(CENT, 0.425 - 0.005 - 0.02)).toBe(40);
    for (let count = 1; count < 1_000; count += 1) {
      expect(ticksAtOrBelow(MILLI, count / 1_000)).toBe(count);
      expect(ticksAtOrAbove(MILLI, count / 1_000)).toBe(count);
    }
  });

  it('has a tick strictly below and one strictly above', () => {
    expect([ticksBelow(CENT, 0.4), ticksAbove(CENT, 0.4)]).toEqual([39, 41]);
    expect([ticksBelow(CENT, 0.405), ticksAbove(CENT, 0.405)]).toEqual([40, 41]);
  });
});

describe('the tick of a quote', () => {
  const bid = { side: 'bid', price: 0.4049, fairPrice: 0.42, purpose: 'add' } as const;

  it('lies away from the fair price', () => {
    expect(quoteTicks(CENT, bid)).toBe(40);
    expect(quoteTicks(CENT, { ...bid, side: 'ask', price: 0.4351 })).toBe(44);
  });

  it('that adds stays strictly beyond the fair price, one that reduces may pass it', () => {
    expect(quoteTicks(CENT, { ...bid, price: 0.43 })).toBe(41);
    expect(quoteTicks(CENT, { ...bid, price: 0.43, purpose: 'reduce' })).toBe(43);
    expect(quoteTicks(CENT, { ...bid, side: 'ask', price: 0.4 })).toBe(43);
  });

  it('does not exist at 0 or at 1, nor for what is no number', () => {
    expect(quoteTicks(CENT, { ...bid, price: 0.009 })).toBeUndefined();
    expect(quoteTicks(CENT, { ...bid, price: -0.2 })).toBeUndefined();
    expect(quoteTicks(CENT, { ...bid, side: 'ask', price: 0.991 })).toBeUndefined();
    expect(quoteTicks(CENT, { ...bid, price: Number.NaN })).toBeUndefined();
    expect(quoteTicks(CENT, { ...bid, price: Number.NEGATIVE_INFINITY })).toBeUndefined();
  });

  it('of a bid for YES mirrors that of an ask for NO, and never gives edge away', () => {
    const price = fc.double({ min: 0.001, max: 0.999, noNaN: true });
    const purpose = fc.constantFrom('add' as const, 'reduce' as const);
    fc.assert(
      fc.property(price, price, purpose, (at, fairPrice, why) => {
        const yes = quoteTicks(MILLI, { side: 'bid', price: at, fairPrice, purpose: why });
        const no = quoteTicks(MILLI, {
          side: 'ask',
          price: 1 - at,
          fairPrice: 1 - fairPrice,
          purpose: why,
        });
        expect(yes).toBe(no === undefined ? undefined : 1_000 - no);
        if (yes !== undefined) expect(yes).toBeLessThanOrEqual(at * 1_000 + 1e-5);
        if (yes !== undefined && why === 'add') expect(yes).toBeLessThan(fairPrice * 1_000);
      }),
    );
  });
});
