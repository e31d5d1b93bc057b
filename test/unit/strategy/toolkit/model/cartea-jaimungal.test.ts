import { describe, expect, it } from 'vitest';
import { carteaJaimungalDistances, distancesAt } from '../../../../../src/strategy/index.ts';

const MODEL = {
  buysPerSec: 0.7,
  sellsPerSec: 0.7,
  fillDecayPerPrice: 60,
  runningPenaltyUsd: 3e-4,
  finalPenaltyUsd: 1e-3,
  inventoryLotsMax: 4,
  horizonSec: 45,
};

describe('Cartea and Jaimungal', () => {
  it('quote the check case', () => {
    const { bid, ask } = distancesAt(carteaJaimungalDistances(MODEL), 1);
    expect(ask).toBeCloseTo(0.014326, 6);
    expect(bid).toBeCloseTo(0.023665, 6);
  });

  it('end at 1/kappa and the difference of final penalties', () => {
    const table = carteaJaimungalDistances({ ...MODEL, horizonSec: 0 });
    const { bid, ask } = distancesAt(table, 2);
    expect(ask).toBeCloseTo(1 / 60 + 1e-3 * (1 - 4), 12);
    expect(bid).toBeCloseTo(1 / 60 + 1e-3 * (9 - 4), 12);
  });

  it('mirror buys for sells and long for short', () => {
    const table = carteaJaimungalDistances({ ...MODEL, buysPerSec: 0.3, sellsPerSec: 0.9 });
    const turned = carteaJaimungalDistances({ ...MODEL, buysPerSec: 0.9, sellsPerSec: 0.3 });
    for (const q of [-3, -1, 0, 2]) {
      const { bid } = distancesAt(table, q);
      expect(bid).toBeCloseTo(distancesAt(turned, -q).ask ?? Number.NaN, 12);
    }
  });

  it('solve the same equations as small steps of h do', () => {
    const { fillDecayPerPrice: kappa, runningPenaltyUsd: phi, inventoryLotsMax: most } = MODEL;
    const lots = Array.from({ length: 2 * most + 1 }, (_, row) => row - most);
    let h = lots.map((q) => -MODEL.finalPenaltyUsd * q * q);
    const slope = (at: readonly number[]) =>
      lots.map((q, i) => {
        const here = at[i] ?? 0;
        const gain = (next: number | undefined) =>
          next === undefined ? 0 : Math.exp(kappa * (next - here) - 1) / kappa;
        return -phi * q * q + 0.7 * gain(at[i - 1]) + 0.7 * gain(at[i + 1]);
      });
    const along = (k: readonly number[], by: number) => h.map((x, i) => x + by * (k[i] ?? 0));
    const dt = 0.01;
    for (let step = 0; step < MODEL.horizonSec / dt; step += 1) {
      const k1 = slope(h);
      const k2 = slope(along(k1, dt / 2));
      const k3 = slope(along(k2, dt / 2));
      const k4 = slope(along(k3, dt));
      h = h.map((x, i) => {
        const total = (k1[i] ?? 0) + 2 * (k2[i] ?? 0) + 2 * (k3[i] ?? 0) + (k4[i] ?? 0);
        return x + (dt / 6) * total;
      });
    }
    const { ask } = distancesAt(carteaJaimungalDistances(MODEL), 1);
    expect(1 / kappa + (h[most + 1] ?? 0) - (h[most] ?? 0)).toBeCloseTo(ask ?? Number.NaN, 8);
  });

  it('without an end are those of a long horizon, and need flow both ways', () => {
    const lopsided = { ...MODEL, buysPerSec: 0.3, sellsPerSec: 0.9 };
    const long = carteaJaimungalDistances({ ...lopsided, horizonSec: 1e5 });
    const endless = { ...lopsided, horizonSec: Number.POSITIVE_INFINITY };
    carteaJaimungalDistances(endless).forEach(({ bid }, row) => {
      const expected = long[row]?.bid;
      if (bid !== undefined) expect(bid).toBeCloseTo(expected ?? Number.NaN, 10);
    });
    expect(() => carteaJaimungalDistances({ ...endless, buysPerSec: 0 })).toThrow('neighbours');
  });

  it('survive penalties that no double could hold', () => {
    const table = carteaJaimungalDistances({
      ...MODEL,
      finalPenaltyUsd: 1,
      inventoryLotsMax: 50,
      horizonSec: 1,
    });
    expect(distancesAt(table, 0).bid).toBeGreaterThan(0);
  });
});
