import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isMoveWorth,
  LOTS_AHEAD_MAX,
  queueFillProbability,
  queueValuePrice,
} from '../../../../../src/strategy/index.ts';

const RATES = {
  tradesPerSec: 0.08,
  cancelsPerLotSec: 0.004,
  awayPerSec: 0.008,
  throughPerSec: 0.012,
};
const STAKES = { edgePrice: 0.01, sweptLossPrice: 0.007 };

describe('a place in the queue', () => {
  it.each([
    [0, 0.8, 0.00716],
    [3, 0.43248, 0.001941],
    [8, 0.17909, -0.001657],
    [15, 0.06459, -0.003283],
  ])('with %s lots ahead is filled with %s and worth %s', (lots, fill, value) => {
    expect(queueFillProbability(lots, RATES)).toBeCloseTo(fill, 5);
    expect(queueValuePrice(lots, RATES, STAKES)).toBeCloseTo(value, 6);
  });

  it('is worth less the farther back it is, down to less than nothing', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 200 }), (lots) => {
        const here = queueValuePrice(lots, RATES, STAKES);
        expect(queueValuePrice(lots + 1, RATES, STAKES)).toBeLessThan(here);
        expect(here).toBeGreaterThan(-0.007 * 0.6);
      }),
    );
  });

  it('counts a broken lot ahead as a whole one', () => {
    expect(queueFillProbability(2.1, RATES)).toBe(queueFillProbability(3, RATES));
  });

  it('is filled for certain where the price never moves, and never where nothing trades', () => {
    const still = { ...RATES, awayPerSec: 0, throughPerSec: 0 };
    expect(queueFillProbability(5, still)).toBe(1);
    expect(queueValuePrice(5, still, STAKES)).toBe(0.01);
    expect(queueFillProbability(0, { ...RATES, tradesPerSec: 0 })).toBe(0);
  });

  it('beyond any real depth is never reached', () => {
    expect(queueFillProbability(LOTS_AHEAD_MAX, RATES)).toBeGreaterThan(0);
    expect(queueFillProbability(LOTS_AHEAD_MAX + 1, RATES)).toBe(0);
  });

  it('agrees with a race of trades, cancels and moves played out', () => {
    const random = lehmer(20_260_101);
    const plays = 20_000;
    let filled = 0;
    for (let play = 0; play < plays; play += 1) if (wins(4, random)) filled += 1;
    const expected = queueFillProbability(4, RATES);
    const error = Math.sqrt((expected * (1 - expected)) / plays);
    expect(Math.abs(filled / plays - expected)).toBeLessThan(4 * error);
  });
});

describe('the rule of moving', () => {
  it('keeps an order near the front though the other price has more edge', () => {
    const keep = queueValuePrice(4, RATES, { edgePrice: 0.007, sweptLossPrice: 0.006 });
    const move = queueValuePrice(18, RATES, { edgePrice: 0.011, sweptLossPrice: 0.006 });
    expect(keep).toBeCloseTo(0.000194, 6);
    expect(move).toBeCloseTo(-0.002955, 6);
    const cost = { writeCostPrice: 0.0002, marginPrice: 0.0003 };
    expect(isMoveWorth({ keepValuePrice: keep, moveValuePrice: move, ...cost })).toBe(false);
  });

  it('moves only for more than the write and the margin', () => {
    const cost = { writeCostPrice: 0.25, marginPrice: 0.25, keepValuePrice: 1 };
    expect(isMoveWorth({ ...cost, moveValuePrice: 1.5 })).toBe(false);
    expect(isMoveWorth({ ...cost, moveValuePrice: 1.6 })).toBe(true);
  });
});

/** Plays one order with some lots ahead: at each event the rates decide what comes first. */
function wins(lotsAhead: number, random: () => number): boolean {
  let ahead = lotsAhead;
  for (;;) {
    const shrinking = RATES.tradesPerSec + ahead * RATES.cancelsPerLotSec;
    const moves = RATES.awayPerSec + RATES.throughPerSec;
    if (random() * (shrinking + moves) >= shrinking) return false;
    if (ahead === 0) return true;
    ahead -= 1;
  }
}

/** Lehmer's generator: seeded, and enough for a race. */
function lehmer(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
