import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  distancesAt,
  exactGlftDistances,
  glftByLot,
  glftDistances,
} from '../../../../../src/strategy/index.ts';

const MODEL = {
  riskAversionPerUsd: 0.02,
  priceVolPerSqrtSec: 0.5,
  fillRatePerSec: 0.6,
  fillDecayPerPrice: 0.25,
};
const PAPER = {
  riskAversionPerUsd: 0.01,
  priceVolPerSqrtSec: 0.4,
  fillRatePerSec: 0.9,
  fillDecayPerPrice: 0.3,
};

describe('the stationary quotes', () => {
  it('are those of the check case', () => {
    const { bid, ask } = glftDistances(MODEL, 3);
    expect(bid).toBeCloseTo(4.607683, 6);
    expect(ask).toBeCloseTo(3.305458, 6);
  });

  it.each([
    [PAPER, 3.324226],
    [{ ...PAPER, priceVolPerSqrtSec: 1, fillRatePerSec: 0.2 }, 3.518924],
  ])('of an empty book of inventory are symmetric: %j at %s', (model, expected) => {
    const { bid, ask } = glftDistances(model, 0);
    expect(bid).toBeCloseTo(expected, 6);
    expect(ask).toBe(bid);
  });

  it('are shifted by a drift as by the inventory it makes desirable', () => {
    const drifting = { ...MODEL, driftPerSec: 0.01 };
    const desired = 0.01 / (0.02 * 0.5 ** 2);
    expect(glftDistances(drifting, 3 + desired).bid).toBeCloseTo(glftDistances(MODEL, 3).bid, 12);
  });

  it('move out by half an adverse move, and further as it thins the fills', () => {
    const plain = glftDistances(MODEL, 0);
    const adverse = glftDistances({ ...MODEL, adverseMovePrice: 0.8 }, 0);
    const c2 =
      plain.bid + plain.ask - 2 * glftDistances({ ...MODEL, priceVolPerSqrtSec: 0 }, 0).bid;
    const factor = Math.exp((0.25 * 0.8) / 4);
    expect(adverse.bid - plain.bid).toBeCloseTo(0.4 + ((factor - 1) * c2) / 2, 12);
  });

  it('refuse a drift without volatility, and a maker who does not mind risk', () => {
    const calm = { ...MODEL, priceVolPerSqrtSec: 0, driftPerSec: 0.01 };
    expect(() => glftDistances(calm, 0)).toThrow('free money');
    expect(() => glftDistances({ ...MODEL, riskAversionPerUsd: 0 }, 0)).toThrow('riskAversion');
  });
});

describe('the exact quotes', () => {
  it('are those of the check case', () => {
    const table = exactGlftDistances({ ...MODEL, inventoryLotsMax: 20, horizonSec: 400 });
    const { bid, ask } = distancesAt(table, 3);
    expect(bid).toBeCloseTo(4.614342, 6);
    expect(ask).toBeCloseTo(3.300282, 6);
  });

  it.each([
    [PAPER, 3.324458],
    [{ ...PAPER, priceVolPerSqrtSec: 1, fillRatePerSec: 0.2 }, 3.525651],
  ])('with the parameters of the paper: %j at %s', (model, expected) => {
    const table = exactGlftDistances({ ...model, inventoryLotsMax: 30, horizonSec: 600 });
    const { bid, ask } = distancesAt(table, 0);
    expect(bid).toBeCloseTo(expected, 6);
    expect(ask).toBeCloseTo(expected, 6);
  });

  it.each([
    [{ ...MODEL, inventoryLotsMax: 20, horizonSec: 400 }, 3],
    [{ ...PAPER, inventoryLotsMax: 30, horizonSec: 600 }, 0],
  ])('without an end are those of a long horizon: %j', (model, lots) => {
    const long = distancesAt(exactGlftDistances(model), lots);
    const endless = exactGlftDistances({ ...model, horizonSec: Number.POSITIVE_INFINITY });
    expect(distancesAt(endless, lots).bid).toBeCloseTo(long.bid ?? Number.NaN, 6);
    expect(distancesAt(endless, lots).ask).toBeCloseTo(long.ask ?? Number.NaN, 6);
  });

  it('without an end rise with the position to its bound, however steep the penalty', () => {
    const steep = { ...MODEL, riskAversionPerUsd: 5, priceVolPerSqrtSec: 20 };
    const table = exactGlftDistances({
      ...steep,
      inventoryLotsMax: 50,
      horizonSec: Number.POSITIVE_INFINITY,
    });
    const bids = table.slice(0, -1).map(({ bid }) => bid ?? Number.NaN);
    expect(bids.every(Number.isFinite)).toBe(true);
    bids.slice(1).forEach((bid, i) => {
      expect(bid).toBeGreaterThan(bids[i] ?? Number.NaN);
    });
    table.forEach(({ bid }, row) => {
      const mirrored = table[table.length - 1 - row]?.ask;
      if (bid !== undefined) expect(bid / (mirrored ?? Number.NaN)).toBeCloseTo(1, 9);
    });
  });

  it('have no bid at the largest position and none at all outside it', () => {
    const table = exactGlftDistances({ ...MODEL, inventoryLotsMax: 2, horizonSec: 10 });
    expect(distancesAt(table, 2).bid).toBeUndefined();
    expect(distancesAt(table, 2).ask).toBeDefined();
    expect(distancesAt(table, -2).ask).toBeUndefined();
    expect(distancesAt(table, 3)).toEqual({ bid: undefined, ask: undefined });
    expect(() => distancesAt(table, 0.5)).toThrow('whole number');
  });

  it('mirror with the inventory and with the drift', () => {
    const models = fc.record({
      riskAversionPerUsd: fc.double({ min: 0.001, max: 1, noNaN: true }),
      priceVolPerSqrtSec: fc.double({ min: 0.01, max: 2, noNaN: true }),
      fillRatePerSec: fc.double({ min: 0.01, max: 5, noNaN: true }),
      fillDecayPerPrice: fc.double({ min: 0.1, max: 5, noNaN: true }),
      driftPerSec: fc.double({ min: -0.01, max: 0.01, noNaN: true }),
      adverseMovePrice: fc.double({ min: 0, max: 0.5, noNaN: true }),
    });
    fc.assert(
      fc.property(models, (model) => {
        const horizonSec = model.driftPerSec > 0 ? 30 : Number.POSITIVE_INFINITY;
        const bounds = { inventoryLotsMax: 4, horizonSec };
        const table = exactGlftDistances({ ...model, ...bounds });
        const down = { ...model, ...bounds, driftPerSec: 0 - model.driftPerSec };
        const mirrored = exactGlftDistances(down);
        for (const q of [-4, -1, 0, 2, 4]) {
          const { bid } = distancesAt(table, q);
          const { ask } = distancesAt(mirrored, -q);
          expect(bid === undefined ? -1 : bid).toBeCloseTo(ask === undefined ? -1 : ask, 8);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('come near the stationary ones when the bound is far, with drift and adverse move', () => {
    const moved = { ...PAPER, driftPerSec: 0.0004, adverseMovePrice: 0.3 };
    const table = exactGlftDistances({ ...moved, inventoryLotsMax: 40, horizonSec: 4_000 });
    const stationary = glftDistances(moved, 1);
    expect(distancesAt(table, 1).bid).toBeCloseTo(stationary.bid, 2);
    expect(distancesAt(table, 1).ask).toBeCloseTo(stationary.ask, 2);
  });

  it('never bid higher for holding more', () => {
    const table = exactGlftDistances({ ...PAPER, inventoryLotsMax: 10, horizonSec: 50 });
    const bids = table.map(({ bid }) => bid).filter((bid) => bid !== undefined);
    bids.slice(1).forEach((bid, i) => {
      expect(bid).toBeGreaterThan(bids[i] ?? Number.NaN);
    });
  });

  it('refuse more lots than the bound', () => {
    const model = { ...MODEL, horizonSec: 1 };
    expect(() => exactGlftDistances({ ...model, inventoryLotsMax: 51 })).toThrow('LOTS_MAX');
    expect(() => exactGlftDistances({ ...model, inventoryLotsMax: 1.5 })).toThrow('whole number');
  });
});

describe('quotes for any lot size', () => {
  const tutorial = {
    riskAversionPerUsd: 0.05,
    fillRiskAversionPerUsd: 0.05,
    priceVolPerSqrtSec: 10.69,
    fillRatePerSec: 2.986162360812285,
    fillDecayPerPrice: 0.04235741115084049,
    lotShares: 1,
  };

  it('are the published ones', () => {
    const { halfSpread, skewPerShare } = glftByLot(tutorial);
    expect(halfSpread).toBeCloseTo(20.47208533844371, 12);
    expect(skewPerShare).toBeCloseTo(9.76326865029227, 12);
  });

  it('agree with the stationary quotes at a lot of one', () => {
    const { halfSpread, skewPerShare } = glftByLot({
      ...MODEL,
      fillRiskAversionPerUsd: MODEL.riskAversionPerUsd,
      lotShares: 1,
    });
    expect(halfSpread + 3 * skewPerShare).toBeCloseTo(glftDistances(MODEL, 3).bid, 12);
  });

  it('have a limit for a maker who does not mind the randomness of fills', () => {
    const calm = glftByLot({ ...tutorial, fillRiskAversionPerUsd: 0 });
    const almost = glftByLot({ ...tutorial, fillRiskAversionPerUsd: 1e-9 });
    expect(calm.halfSpread).toBeCloseTo(almost.halfSpread, 5);
  });
});
