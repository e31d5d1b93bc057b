import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FairFollowParams, strategy } from '../../../strategies/fair-follow.ts';
import { quoteContext, type Scene } from '../../support/strategy-context.ts';
import { itKeepsTheRules } from '../../support/strategy-properties.ts';
import { twoSidedScene } from '../../support/strategy-scenes.ts';
import { codes, prices, touch } from './scenes.ts';

const EXAMPLE: FairFollowParams = {
  needsExternal: true,
  externalAgeMsMax: 5_000,
  disagreementMax: 0.15,
  latencySec: 1,
  latencyWeight: 2,
  toxicityWeight: 1,
  jumpPremium: 0.003,
  skewTicks: 2,
  varPriorPerHour: 0.3,
  levels: 1,
  levelStep: 0.01,
  size: 50,
};

/** sigma = .004 a second at .42, 60 of 200 shares short, fills that lost .002 a share. */
const SCENE = {
  yes: touch(40, 45),
  no: touch(55, 60),
  fair: 0.42,
  varPerSec: (0.004 / (0.42 * 0.58)) ** 2,
  external: { price: 0.42, ageMs: 100 },
  toxicity: { markout60sUsdc: -0.002 },
  noShares: 60,
  maxPosition: 200,
} satisfies Scene;

const withExternal: fc.Arbitrary<Scene> = fc
  .tuple(twoSidedScene, fc.double({ min: -0.03, max: 0.03, noNaN: true }))
  .map(([scene, off]) => {
    const price = Math.min(0.99, Math.max(0.01, (scene.fair ?? 0.5) + off));
    return { ...scene, external: { price, ageMs: 100 } };
  });

describe('fair-follow', () => {
  itKeepsTheRules({
    strategy,
    params: fc.record({
      needsExternal: fc.boolean(),
      externalAgeMsMax: fc.constant(5_000),
      disagreementMax: fc.constantFrom(0.02, 0.15, 1),
      latencySec: fc.constantFrom(0, 0.3, 2),
      latencyWeight: fc.constantFrom(0, 2),
      toxicityWeight: fc.constantFrom(0, 1),
      jumpPremium: fc.constantFrom(0, 0.003, 0.02),
      skewTicks: fc.constantFrom(0, 2, 7.5),
      varPriorPerHour: fc.constantFrom(0, 0.3),
      levels: fc.integer({ min: 1, max: 4 }),
      levelStep: fc.constantFrom(0.001, 0.01),
      size: fc.integer({ min: 1, max: 200 }),
    }),
    scenes: withExternal,
    meetsMinNotional: true,
  });

  it('quotes the worked example: YES at 41, and NO at 56, which is an ask at 44', () => {
    const targetQuotes = strategy.quote(quoteContext(SCENE, EXAMPLE));
    expect(prices(targetQuotes, 'bid')).toEqual([41]);
    expect(prices(targetQuotes, 'ask')).toEqual([44]);
  });

  it.each([
    { what: 'missing', scene: { yes: touch(40, 45) }, code: 'external_missing' },
    {
      what: 'too old',
      scene: { ...SCENE, external: { price: 0.42, ageMs: 5_001 } },
      code: 'external_old',
    },
    {
      what: 'far from the books',
      scene: { ...SCENE, external: { price: 0.7, ageMs: 100 } },
      code: 'external_disagrees',
    },
  ])('quotes nothing while the external price is $what, and says so', ({ scene, code }) => {
    const targetQuotes = strategy.quote(quoteContext(scene, EXAMPLE));
    expect(targetQuotes.quotes).toEqual([]);
    expect(codes(targetQuotes)).toEqual([`both ${code}`]);
  });

  it('falls back to the fair value of the books where that is allowed', () => {
    const scene = { yes: touch(40, 45), fair: 0.42 };
    const targetQuotes = strategy.quote(quoteContext(scene, { ...EXAMPLE, needsExternal: false }));
    expect(prices(targetQuotes, 'bid')).toEqual([41]);
  });

  it('follows the external price, not the books', () => {
    const moved = { ...SCENE, external: { price: 0.36, ageMs: 100 }, noShares: 0 };
    const targetQuotes = strategy.quote(quoteContext(moved, EXAMPLE));
    expect(prices(targetQuotes, 'bid')).toEqual([34]);
    // The model asks 38, below the best bid: beside it is as near as an order may rest.
    expect(prices(targetQuotes, 'ask')).toEqual([41]);
  });

  it('follows a price that is just as far from the book as allowed, whichever outcome it is reported', () => {
    const params = { ...EXAMPLE, disagreementMax: 0.02 };
    const codesAt = (scene: Scene) => codes(strategy.quote(quoteContext(scene, params)));
    const low = { yes: touch(2, 4), no: touch(96, 98), maxPosition: 100 };
    const high = { yes: touch(96, 98), no: touch(2, 4), maxPosition: 100 };
    const at = (price: number) => ({ external: { price, ageMs: 100 } });
    expect(codesAt({ ...low, ...at(0.01) })).not.toContain('both external_disagrees');
    expect(codesAt({ ...high, ...at(0.99) })).not.toContain('both external_disagrees');
    expect(codesAt({ ...low, ...at(0.0099) })).toContain('both external_disagrees');
    expect(codesAt({ ...high, ...at(0.9901) })).toContain('both external_disagrees');
  });
});
