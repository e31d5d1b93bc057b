// Worked examples of whole quotes, put together from the toolkit alone.

import { describe, expect, it } from 'vitest';
import { tickGrid } from '../../../../src/domain/ticks.ts';
import {
  caraAsk,
  caraBid,
  informedLogitStep,
  logit,
  logitWidth,
  sigmoid,
  sigmoidSlope,
  skewedLogit,
  ticksAbove,
  ticksAtOrAbove,
  ticksAtOrBelow,
  ticksBelow,
} from '../../../../src/strategy/index.ts';

const GRID = tickGrid('0.01');

describe('a quote in log-odds between break-even and monopoly', () => {
  const fair = 0.42;
  const [riskScale, rho, size] = [120, 0.08, 40];
  const by = { inventoryShares: 120, riskScaleShares: riskScale, varianceFraction: rho };
  const centre = skewedLogit(logit(fair), by);
  const floor = informedLogitStep(0.05) + logitWidth(0.001, fair);
  const monopoly = 1 / (60 * sigmoidSlope(fair)) + (rho * size) / (2 * riskScale);
  const optimum = Math.max(floor, monopoly);

  it('skews to -0.402773 with a floor of 0.104189, which is the optimum too', () => {
    expect(centre).toBeCloseTo(-0.402773, 6);
    expect(floor).toBeCloseTo(0.104189, 6);
    expect(optimum).toBe(floor);
  });

  it('inside a touch of 40 to 44 bids 37 and asks 43', () => {
    const bid = Math.min(
      Math.max(40, ticksAtOrBelow(GRID, sigmoid(centre - optimum))),
      ticksAtOrBelow(GRID, sigmoid(centre - floor)),
      ticksBelow(GRID, fair),
      44 - 1,
    );
    const ask = Math.max(
      Math.min(44, ticksAtOrAbove(GRID, sigmoid(centre + optimum))),
      ticksAtOrAbove(GRID, sigmoid(centre + floor)),
      ticksAbove(GRID, fair),
      40 + 1,
    );
    expect([bid, ask]).toEqual([37, 43]);
  });
});

describe('levels of a shadow scoring rule', () => {
  const holding = { probability: 0.42, riskScaleShares: 250 };
  const [held, size, edge] = [60, 25, 0.004];

  it('price 60 shares held into bids of 34, 32, 30 and asks of 38, 41, 43', () => {
    const levels = [0, 1, 2];
    const bids = levels.map((level) => {
      const from = { ...holding, inventoryShares: held + level * size };
      return ticksAtOrBelow(GRID, caraBid(from, size) - edge);
    });
    const asks = levels.map((level) => {
      const from = { ...holding, inventoryShares: held - level * size };
      return ticksAtOrAbove(GRID, caraAsk(from, size) + edge);
    });
    expect(bids).toEqual([34, 32, 30]);
    expect(asks).toEqual([38, 41, 43]);
  });
});
