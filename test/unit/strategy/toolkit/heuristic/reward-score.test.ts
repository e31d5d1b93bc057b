import { describe, expect, it } from 'vitest';
import { rewardOfMarket, rewardOfSide, rewardPerShare } from '../../../../../src/strategy/index.ts';

describe('a reward score', () => {
  it('falls with the square of the distance, to nothing at the limit', () => {
    expect(rewardPerShare(1, 4)).toBe(0.5625);
    expect(rewardPerShare(2.5, 4)).toBe(0.140625);
    expect(rewardPerShare(4, 4)).toBe(0);
    expect(rewardPerShare(5, 4)).toBe(0);
  });

  it('of a side is the published sum', () => {
    const orders = (...rows: readonly (readonly [number, number])[]) =>
      rows.map(([shares, distanceCents]) => ({ shares, distanceCents }));
    expect(rewardOfSide(orders([100, 1], [200, 2], [100, 1]), 3)).toBeCloseTo(111.111, 3);
    expect(rewardOfSide(orders([100, 1.5], [100, 2], [200, 0.5]), 3)).toBeCloseTo(175, 9);
  });

  it('of a market counts one side alone by a third in the middle, and not at all near the ends', () => {
    expect(rewardOfMarket(90, 60, 0.5)).toBe(60);
    expect(rewardOfMarket(90, 0, 0.5)).toBe(30);
    expect(rewardOfMarket(90, 0, 0.95)).toBe(0);
    expect(rewardOfMarket(90, 60, 0.05)).toBe(60);
  });
});
