import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  behindProbability,
  newQueuePlace,
  type QueueModel,
  type QueuePlace,
  queueAfterLevel,
  queueAfterOwnFill,
  queueAfterTrade,
} from '../../../../../src/strategy/index.ts';

const MODELS: readonly (readonly [QueueModel, number])[] = [
  [{ kind: 'risk_averse' }, 40],
  [{ kind: 'power', exponent: 2 }, 30.4],
  [{ kind: 'power_total', exponent: 1 }, 31.4286],
  [{ kind: 'log' }, 32.2066],
  [{ kind: 'log_total' }, 37.0839],
];

/** Depth 50 to 80, a trade of 10, depth 80 to 70, depth 70 to 55. */
function played(model: QueueModel): readonly number[] {
  const grown = queueAfterLevel(newQueuePlace(50), { previousSize: 50, size: 80 }, model);
  const traded = queueAfterTrade(grown, 10).place;
  const shown = queueAfterLevel(traded, { previousSize: 80, size: 70 }, model);
  const cancelled = queueAfterLevel(shown, { previousSize: 70, size: 55 }, model);
  return [grown, traded, shown, cancelled].map(({ ahead }) => ahead);
}

describe('a place in the queue of a level', () => {
  it.each(MODELS)('under %j goes through the check case to %s', (model, last) => {
    const places = played(model);
    expect(places.slice(0, 3)).toEqual([50, 40, 40]);
    expect(places[3]).toBeCloseTo(last, 4);
  });

  it('is filled by what a trade takes beyond those ahead', () => {
    const { place, filledSize } = queueAfterTrade(newQueuePlace(30), 50);
    expect(filledSize).toBe(20);
    expect(place.ahead).toBe(0);
    expect(queueAfterOwnFill(newQueuePlace(30)).ahead).toBe(0);
  });

  it('is never behind more than the level shows, never negative, and never falls back', () => {
    const size = fc.integer({ min: 0, max: 500 });
    const moves = fc.array(fc.tuple(fc.boolean(), size), { maxLength: 30 });
    const model = fc.constantFrom(...MODELS.map(([each]) => each));
    fc.assert(
      fc.property(size, moves, model, (start, steps, by) => {
        let place: QueuePlace = newQueuePlace(start);
        let shown = start;
        for (const [isTrade, amount] of steps) {
          const before = place.ahead;
          if (isTrade) place = queueAfterTrade(place, amount).place;
          else {
            place = queueAfterLevel(place, { previousSize: shown, size: amount }, by);
            shown = amount;
            expect(place.ahead).toBeLessThanOrEqual(shown);
          }
          expect(place.ahead).toBeGreaterThanOrEqual(0);
          expect(place.ahead).toBeLessThanOrEqual(before + 1e-9);
        }
      }),
    );
  });

  it('under the cautious model moves by trades only', () => {
    const place = queueAfterLevel(
      newQueuePlace(50),
      { previousSize: 200, size: 60 },
      { kind: 'risk_averse' },
    );
    expect(place.ahead).toBe(50);
  });

  it('at the end of the level sees every cancel ahead of it', () => {
    for (const [model] of MODELS) expect(behindProbability(40, 0, model)).toBe(0);
    const last = queueAfterLevel(
      newQueuePlace(50),
      { previousSize: 50, size: 30 },
      { kind: 'power', exponent: 2 },
    );
    expect(last.ahead).toBe(30);
  });

  it('at the front sees every cancel behind it', () => {
    for (const kind of ['power', 'power_total'] as const) {
      expect(behindProbability(0, 40, { kind, exponent: 3 })).toBe(1);
    }
    expect(behindProbability(0, 40, { kind: 'log' })).toBe(1);
    expect(behindProbability(0, 40, { kind: 'log_total' })).toBe(1);
  });
});
