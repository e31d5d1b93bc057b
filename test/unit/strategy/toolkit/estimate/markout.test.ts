import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unixMs } from '../../../../../src/domain/time.ts';
import {
  type AxisFill,
  informedLogitStep,
  informedShare,
  markoutOf,
  meanMarkout,
  measuredMarkouts,
  NO_MARKOUTS,
  WAITING_FILLS_MAX,
  withOwnFill,
} from '../../../../../src/strategy/index.ts';

const SHAPE = { horizonSec: 10, halfLifeSec: 600 };
const at = (seconds: number) => unixMs(1_700_000_000_000 + 1_000 * seconds);
const fill = (over: Partial<AxisFill> = {}): AxisFill => ({
  side: 'bid',
  price: 0.4,
  shares: 20,
  atMs: at(0),
  ...over,
});
const NOTHING = { markoutPrice: 0, shares: 0 };

describe('the markout of a fill', () => {
  it('is a gain when the price goes our way, on either side', () => {
    expect(markoutOf({ side: 'bid', price: 0.4 }, 0.43)).toBeCloseTo(0.03, 12);
    expect(markoutOf({ side: 'ask', price: 0.4 }, 0.43)).toBeCloseTo(-0.03, 12);
  });

  it('is taken at its horizon, not before', () => {
    const waiting = withOwnFill(NO_MARKOUTS, fill());
    const early = measuredMarkouts(waiting, { fairPrice: 0.38, nowMs: at(9.9) }, SHAPE);
    expect(early).toBe(waiting);
    const due = measuredMarkouts(waiting, { fairPrice: 0.38, nowMs: at(10) }, SHAPE);
    expect(due.waiting).toEqual([]);
    const now = { nowMs: at(10), halfLifeSec: 600 };
    expect(meanMarkout(due, NOTHING, now)).toBeCloseTo(-0.02, 12);
  });

  it('weighs by shares', () => {
    const both = withOwnFill(withOwnFill(NO_MARKOUTS, fill()), fill({ side: 'ask', shares: 60 }));
    const due = measuredMarkouts(both, { fairPrice: 0.38, nowMs: at(10) }, SHAPE);
    const mean = meanMarkout(due, NOTHING, { nowMs: at(10), halfLifeSec: 600 });
    expect(mean).toBeCloseTo((20 * -0.02 + 60 * 0.02) / 80, 12);
  });

  it('is left out, and counted, when no fair price came in time', () => {
    const waiting = withOwnFill(NO_MARKOUTS, fill());
    const late = measuredMarkouts(waiting, { fairPrice: 0.1, nowMs: at(60) }, SHAPE);
    expect(late).toEqual({ waiting: [], mean: undefined, missed: 1 });
  });

  it('waits in a bounded line that gives up the oldest', () => {
    const many = Array.from({ length: WAITING_FILLS_MAX + 5 }, (_, i) => fill({ atMs: at(i) }));
    const state = many.reduce(withOwnFill, NO_MARKOUTS);
    expect(state.waiting.length).toBe(WAITING_FILLS_MAX);
    expect(state.waiting[0]?.atMs).toBe(at(5));
    expect(state.missed).toBe(5);
  });
});

describe('the informed share from own fills', () => {
  it('is the prior without any, and the truth with many', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.05, max: 0.95, noNaN: true }),
        fc.double({ min: 0, max: 0.6, noNaN: true }),
        (p, mu) => {
          const prior = { informedShare: 0.03, shares: 100 };
          const now = { nowMs: at(10), halfLifeSec: 600, probability: p };
          expect(informedShare(NO_MARKOUTS, prior, now)).toBeCloseTo(0.03, 9);
          const loss = p * (1 - p) * informedLogitStep(mu);
          const lost = { weightedSum: -loss * 1e9, weight: 1e9, atMs: at(10) };
          const known = { ...NO_MARKOUTS, mean: lost };
          expect(informedShare(known, prior, now)).toBeCloseTo(mu, 5);
        },
      ),
    );
  });

  it('is none where fills gain', () => {
    const waiting = withOwnFill(NO_MARKOUTS, fill());
    const state = measuredMarkouts(waiting, { fairPrice: 0.5, nowMs: at(10) }, SHAPE);
    const now = { nowMs: at(10), halfLifeSec: 600, probability: 0.5 };
    expect(informedShare(state, { informedShare: 0.03, shares: 1 }, now)).toBe(0);
  });
});
