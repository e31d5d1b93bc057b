import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { logStepsAfter } from '../../../../../src/strategy/toolkit/numeric/inventory-growth.ts';

describe('steps between neighbouring inventories', () => {
  const pair = { toPrevious: [0, 1], diagonal: [-1, -1], toNext: [1, 0] };

  it('are those of the start when no time passes', () => {
    expect(logStepsAfter(pair, [1, 2], 0)[0]).toBeCloseTo(Math.LN2, 14);
  });

  it('are unknown where doubles do not hold both rows', () => {
    const cliff = { toPrevious: [0, 0], diagonal: [0, -1], toNext: [0, 0] };
    expect(logStepsAfter(cliff, [1, 1], 1e4)).toEqual([undefined]);
  });

  it('do not settle where a row has nowhere to go', () => {
    const alone = { toPrevious: [0, 0], diagonal: [0, -1], toNext: [1, 0] };
    const forever = () => logStepsAfter(alone, [1, 1], Number.POSITIVE_INFINITY);
    expect(forever).toThrow('neighbours');
  });
});

describe('the shape to which growth tends', () => {
  it('is that of the slowest wave where nothing but the ends takes away', () => {
    const rows = Array.from({ length: 9 }, (_, i) => i + 1);
    const even = {
      toPrevious: rows.map(() => 1),
      diagonal: rows.map(() => 0),
      toNext: rows.map(() => 1),
    };
    const steps = logStepsAfter(
      even,
      rows.map(() => 1),
      Number.POSITIVE_INFINITY,
    );
    const wave = rows.map((i) => Math.sin((i * Math.PI) / 10));
    steps.forEach((step, i) => {
      expect(step).toBeCloseTo(Math.log((wave[i + 1] ?? 0) / (wave[i] ?? 0)), 12);
    });
  });

  it('is reached by growth, whatever the start', () => {
    const rate = fc.double({ min: 0.05, max: 2, noNaN: true });
    const rows = Array.from({ length: 15 }, (_, i) => i - 7);
    const matrices = fc
      .record({
        down: rate,
        up: rate,
        bend: rate,
        tilt: fc.double({ min: -5, max: 5, noNaN: true }),
      })
      .map(({ down, up, bend, tilt }) => ({
        toPrevious: rows.map(() => down),
        diagonal: rows.map((q) => tilt * q - bend * q * q),
        toNext: rows.map(() => up),
        start: rows.map((q) => 1 + q * q),
      }));
    fc.assert(
      fc.property(matrices, ({ start, ...matrix }) => {
        const grownSteps = logStepsAfter(matrix, start, 1e12);
        const settled = logStepsAfter(matrix, start, Number.POSITIVE_INFINITY);
        settled.forEach((step, i) => {
          expect(step).toBeCloseTo(grownSteps[i] ?? Number.NaN, 9);
        });
      }),
      { numRuns: 60 },
    );
  });

  it('spans what no double could hold', () => {
    const rows = Array.from({ length: 101 }, (_, i) => i - 50);
    const steep = {
      toPrevious: rows.map(() => 1e-6),
      diagonal: rows.map((q) => -(q ** 2)),
      toNext: rows.map(() => 1e-6),
    };
    const steps = logStepsAfter(
      steep,
      rows.map(() => 1),
      Number.POSITIVE_INFINITY,
    );
    // Far out, each row is fed by its inner neighbour alone: v_{q+1}/v_q = 1e-6/(q+1)^2.
    expect(steps[99]).toBeCloseTo(Math.log(1e-6 / 50 ** 2), 6);
    const total = steps.slice(50).reduce<number>((sum, step) => sum + (step ?? Number.NaN), 0);
    expect(total).toBeLessThan(Math.log(Number.MIN_VALUE));
  });
});
