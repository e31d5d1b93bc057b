import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  caraAsk,
  caraBid,
  caraMarginalPrice,
  certaintyEquivalentUsd,
  lmsrTradeCostUsd,
  logit,
  riskScaleShares,
  skewedLogit,
  worstCaseCaps,
} from '../../../../../src/strategy/index.ts';

const HOLDING = { probability: 0.4, riskScaleShares: 125, inventoryShares: 60 };

const holdings = fc.record({
  probability: fc.double({ min: 0.01, max: 0.99, noNaN: true }),
  riskScaleShares: fc.double({ min: 5, max: 5_000, noNaN: true }),
  inventoryShares: fc.double({ min: -2_000, max: 2_000, noNaN: true }),
});

describe('a share that ends at 0 or 1', () => {
  it('has the prices of the check case', () => {
    expect(caraBid(HOLDING, 20)).toBeCloseTo(0.275881, 6);
    expect(caraAsk(HOLDING, 20)).toBeCloseTo(0.308945, 6);
    expect(caraMarginalPrice(HOLDING)).toBeCloseTo(0.292047, 6);
  });

  it('has a bid below the marginal price and an ask above it', () => {
    fc.assert(
      fc.property(holdings, (holding) => {
        const marginal = caraMarginalPrice(holding);
        expect(caraBid(holding, 10)).toBeLessThan(marginal + 1e-9);
        expect(caraAsk(holding, 10)).toBeGreaterThan(marginal - 1e-9);
      }),
    );
  });

  it('is priced as a logarithmic scoring rule with as many shares sold as we are short', () => {
    fc.assert(
      fc.property(holdings, (holding) => {
        const { probability, riskScaleShares: b, inventoryShares } = holding;
        const sold = [b * logit(probability) - inventoryShares, 0];
        const cost = lmsrTradeCostUsd(sold, { outcome: 0, shares: 10 }, b);
        expect(cost / 10).toBeCloseTo(caraAsk(holding, 10), 8);
      }),
    );
  });

  it('mirrors for NO', () => {
    fc.assert(
      fc.property(holdings, (holding) => {
        const no = {
          ...holding,
          probability: 1 - holding.probability,
          inventoryShares: 0 - holding.inventoryShares,
        };
        expect(caraBid(holding, 10)).toBeCloseTo(1 - caraAsk(no, 10), 8);
      }),
    );
  });

  it('is worth what it surely pays, however much of it is held', () => {
    const lots = { ...HOLDING, inventoryShares: 1e9 };
    expect(certaintyEquivalentUsd(lots)).toBeCloseTo(-125 * Math.log(0.6), 6);
    expect(caraBid(lots, 10)).toBeCloseTo(0, 12);
    expect(certaintyEquivalentUsd({ ...HOLDING, inventoryShares: 0 })).toBeCloseTo(0, 12);
  });
});

describe('the skew', () => {
  it('is linear in log-odds, with the slope that the risk scale sets', () => {
    const by = { inventoryShares: 120, riskScaleShares: 120, varianceFraction: 0.08 };
    expect(skewedLogit(logit(0.42), by)).toBeCloseTo(-0.402773, 6);
    expect(skewedLogit(logit(0.42), { ...by, varianceFraction: 0 })).toBe(logit(0.42));
  });

  it('has a risk scale that turns a loss budget into shares', () => {
    expect(riskScaleShares(50)).toBeCloseTo(50 / Math.LN2, 12);
    expect(riskScaleShares(50, 5)).toBeCloseTo(50 / Math.log(5), 12);
    expect(() => riskScaleShares(50, 1)).toThrow('two outcomes');
    expect(() => riskScaleShares(0)).toThrow('lossBudgetUsd');
  });
});

describe('caps from a loss budget', () => {
  it('allow many cheap shares and few that others would win', () => {
    const caps = worstCaseCaps(50, { bid: 0.03, ask: 0.05 });
    expect(caps).toEqual({ longShares: 1_666, shortShares: 52 });
  });
});
