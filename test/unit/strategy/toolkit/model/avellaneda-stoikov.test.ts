import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  avellanedaStoikov,
  endlessAvellanedaStoikov,
  printedEndlessAsk,
  riskAverseMargin,
} from '../../../../../src/strategy/index.ts';

const MODEL = {
  fairPrice: 100,
  inventoryLots: 2,
  riskAversionPerUsd: 0.1,
  priceVolPerSqrtSec: 2,
  timeLeftSec: 0.6,
  fillDecayPerPrice: 1.5,
};

describe('Avellaneda and Stoikov with an end', () => {
  it('lean against two lots held', () => {
    const { reservation, bid, ask } = avellanedaStoikov(MODEL);
    expect(reservation).toBeCloseTo(99.52, 10);
    expect(ask - bid).toBeCloseTo(1.53077, 6);
    expect(bid).toBeCloseTo(98.754615, 6);
    expect(ask).toBeCloseTo(100.285385, 6);
  });

  it('quote a spread that does not depend on the inventory, and prices that only fall with it', () => {
    fc.assert(
      fc.property(fc.integer({ min: -50, max: 50 }), (inventoryLots) => {
        const less = avellanedaStoikov({ ...MODEL, inventoryLots });
        const more = avellanedaStoikov({ ...MODEL, inventoryLots: inventoryLots + 1 });
        expect(less.ask - less.bid).toBeCloseTo(more.ask - more.bid, 10);
        expect(more.bid).toBeLessThan(less.bid);
        expect(more.ask).toBeLessThan(less.ask);
      }),
    );
  });

  it('quote 2/k when they do not mind risk', () => {
    const { bid, ask } = avellanedaStoikov({ ...MODEL, riskAversionPerUsd: 0 });
    expect(ask - bid).toBeCloseTo(2 / 1.5, 12);
    const almost = avellanedaStoikov({ ...MODEL, riskAversionPerUsd: 1e-12 });
    expect(almost.ask - almost.bid).toBeCloseTo(2 / 1.5, 9);
  });

  it('have no price without a fill model, or from what is no number', () => {
    expect(() => riskAverseMargin(0.1, 0)).toThrow('fillDecayPerPrice');
    expect(() => avellanedaStoikov({ ...MODEL, fairPrice: Number.NaN })).toThrow('fairPrice');
    expect(() => avellanedaStoikov({ ...MODEL, timeLeftSec: -1 })).toThrow('timeLeftSec');
  });
});

describe('Avellaneda and Stoikov without an end', () => {
  const endless = {
    fairPrice: 50,
    inventoryLots: 1,
    riskAversionPerUsd: 0.2,
    inventoryLotsMax: 3,
  };

  it('are indifferent at the published bid and, as printed, at the published ask', () => {
    expect(endlessAvellanedaStoikov(endless).bid).toBeCloseTo(48.884282, 6);
    expect(printedEndlessAsk(endless)).toBeCloseTo(49.655036, 6);
  });

  it('do not gain by a trade of one lot at their prices', () => {
    const { riskAversionPerUsd: gamma, inventoryLots: q, inventoryLotsMax: most } = endless;
    const sigma = 1.5;
    const w = (gamma ** 2 * sigma ** 2 * (most + 1) ** 2) / 2;
    const utility = (cash: number, lots: number) =>
      -Math.exp(-gamma * (cash + lots * 50)) / (w - (gamma * lots * sigma) ** 2 / 2);
    const { bid = Number.NaN, ask = Number.NaN } = endlessAvellanedaStoikov(endless);
    expect(utility(50 + ask, q - 1) / utility(50, q)).toBeCloseTo(1, 12);
    expect(utility(50 - bid, q + 1) / utility(50, q)).toBeCloseTo(1, 12);
  });

  it('mirror long and short, which the printed ask does not', () => {
    const short = endlessAvellanedaStoikov({ ...endless, inventoryLots: -1 });
    const long = endlessAvellanedaStoikov(endless);
    expect((short.ask ?? 0) - 50).toBeCloseTo(50 - (long.bid ?? 0), 12);
    const printed = printedEndlessAsk({ ...endless, inventoryLots: -1 });
    expect(Math.abs(printed - (short.ask ?? 0))).toBeGreaterThan(0.1);
  });

  it('have no bid at the largest position, and no ask at the largest short one', () => {
    expect(endlessAvellanedaStoikov({ ...endless, inventoryLots: 3 }).bid).toBeUndefined();
    expect(endlessAvellanedaStoikov({ ...endless, inventoryLots: 3 }).ask).toBeDefined();
    expect(endlessAvellanedaStoikov({ ...endless, inventoryLots: -3 }).ask).toBeUndefined();
    expect(() => endlessAvellanedaStoikov({ ...endless, inventoryLots: 4 })).toThrow('roomInLots');
  });
});
