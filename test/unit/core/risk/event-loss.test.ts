import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventLossNano } from '../../../../src/core/risk/exposure.ts';

const anyPairs = fc.array(
  fc.record({
    ifYesNano: fc.integer({ min: -1_000, max: 1_000 }),
    ifNoNano: fc.integer({ min: -1_000, max: 1_000 }),
  }),
  { minLength: 1, maxLength: 6 },
);

describe('the worst case of an event of which exactly one market comes true', () => {
  it('is the largest of trying every outcome', () => {
    fc.assert(
      fc.property(anyPairs, fc.boolean(), (pairs, isWhole) => {
        const outcomes = pairs.map((_, winner) =>
          pairs.reduce(
            (sum, pair, at) => sum + (at === winner ? pair.ifYesNano : pair.ifNoNano),
            0,
          ),
        );
        if (!isWhole) outcomes.push(pairs.reduce((sum, { ifNoNano }) => sum + ifNoNano, 0));
        expect(eventLossNano(pairs, { isExclusive: true, isWhole })).toBe(Math.max(...outcomes));
      }),
    );
  });

  it('is never more than the markets lose each by itself, which is what holds without that word', () => {
    fc.assert(
      fc.property(anyPairs, fc.boolean(), (pairs, isWhole) => {
        const apart = eventLossNano(pairs, { isExclusive: false, isWhole });
        expect(eventLossNano(pairs, { isExclusive: true, isWhole })).toBeLessThanOrEqual(apart);
      }),
    );
  });

  it('of no market is nothing', () => {
    expect(eventLossNano([], { isExclusive: true, isWhole: true })).toBe(0);
  });
});
