import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unixMs, unixSec } from '../../../src/domain/time.ts';
import { backoffMs } from '../../../src/venue/backoff.ts';
import { VenueClock } from '../../../src/venue/http/account.ts';
import {
  type ClockProbe,
  narrow,
  type OffsetBounds,
  offsetMs,
} from '../../../src/venue/http/clock-offset.ts';

/** A probe of a venue whose clock is `trueOffsetMs` ahead of ours. */
function probe(sentAtMs: number, there: number, back: number, trueOffsetMs: number): ClockProbe {
  return {
    sentAtMs: unixMs(sentAtMs),
    receivedAtMs: unixMs(sentAtMs + there + back),
    serverTimeSec: unixSec(unixMs(sentAtMs + there + trueOffsetMs)),
  };
}

const LEG = fc.integer({ min: 0, max: 400 });
const PROBES = fc.array(fc.tuple(fc.integer({ min: 1, max: 40_000 }), LEG, LEG), {
  minLength: 1,
  maxLength: 30,
});

function measure(
  gaps: readonly (readonly [number, number, number])[],
  trueOffsetMs: number,
): OffsetBounds | undefined {
  let bounds: OffsetBounds | undefined;
  let sentAtMs = 1_700_000_000_000;
  for (const [gapMs, there, back] of gaps) {
    sentAtMs += gapMs + 1_000;
    bounds = narrow(bounds, probe(sentAtMs, there, back, trueOffsetMs));
  }
  return bounds;
}

describe('the offset of the clock of the venue', () => {
  it('always lies within the bounds', () => {
    fc.assert(
      fc.property(PROBES, fc.integer({ min: -100_000, max: 100_000 }), (gaps, trueOffsetMs) => {
        const bounds = measure(gaps, trueOffsetMs);
        expect(bounds && bounds.lowMs <= trueOffsetMs && trueOffsetMs <= bounds.highMs).toBe(true);
      }),
    );
  });

  it('is known to half a second and half a round trip from one probe', () => {
    const bounds = narrow(undefined, probe(1_700_000_000_900, 50, 50, 0));
    expect(bounds.highMs - bounds.lowMs).toBe(1_100);
    expect(Math.abs(offsetMs(bounds))).toBeLessThanOrEqual(550);
  });

  it('becomes narrower than the second that a single probe leaves open', () => {
    let bounds: OffsetBounds | undefined;
    for (let count = 0; count < 10; count += 1) {
      bounds = narrow(bounds, probe(1_700_000_000_000 + count * 1_390, 20, 20, 12_345));
    }
    expect(bounds && bounds.highMs - bounds.lowMs).toBeLessThan(350);
    expect(bounds && Math.abs(offsetMs(bounds) - 12_345)).toBeLessThan(175);
  });

  it('starts over when a clock was set', () => {
    const before = narrow(undefined, probe(1_700_000_000_000, 20, 20, 0));
    const stepped = narrow(before, probe(1_700_000_030_000, 20, 20, 40_000));
    expect(Math.abs(offsetMs(stepped) - 40_000)).toBeLessThanOrEqual(520);
    const earlier = narrow(stepped, probe(1_690_000_000_000, 20, 20, 0));
    expect(Math.abs(offsetMs(earlier))).toBeLessThanOrEqual(520);
  });
});

describe('an answer that contradicts those before', () => {
  const at = (seconds: number, offsetMs: number) =>
    probe(1_700_000_000_000 + seconds * 1_000, 20, 20, offsetMs);
  const clock = { nowMs: () => unixMs(1_700_000_000_000) };

  it('says nothing alone, as where one machine of the venue has a clock of its own', () => {
    const known = new VenueClock(clock);
    known.learn(at(0, 0), false);
    expect(known.learn(at(30, 8_000), false)).toBeUndefined();
    expect(Math.abs(known.offsetMs())).toBeLessThanOrEqual(520);
    expect(known.learn(at(30, 0), false)).toBeDefined();
    expect(known.learn(at(60, 8_000), false)).toBeUndefined();
    expect(Math.abs(known.offsetMs())).toBeLessThanOrEqual(520);
  });

  it('counts when a second one says the same: a clock was stepped', () => {
    const known = new VenueClock(clock);
    known.learn(at(0, 0), false);
    expect(known.learn(at(30, 8_000), false)).toBeUndefined();
    expect(known.learn(at(30.1, 8_000), false)).toBeDefined();
    expect(Math.abs(known.offsetMs() - 8_000)).toBeLessThanOrEqual(520);
  });

  it('counts when it is the last that is asked for', () => {
    const known = new VenueClock(clock);
    known.learn(at(0, 0), false);
    expect(known.learn(at(30, 8_000), false)).toBeUndefined();
    expect(known.learn(at(30.1, -8_000), false)).toBeUndefined();
    expect(known.learn(at(30.2, 16_000))).toBeDefined();
    expect(Math.abs(known.offsetMs() - 16_000)).toBeLessThanOrEqual(520);
  });
});

describe('a delay before another attempt', () => {
  it('doubles, has an end, and is never twice the same for two clients', () => {
    const range = { msMin: 250, msMax: 15_000 };
    expect([0, 1, 2, 10, 10_000].map((attempt) => backoffMs(range, attempt, () => 0))).toEqual([
      250, 500, 1_000, 15_000, 15_000,
    ]);
    expect(backoffMs(range, 1, () => 1)).toBe(250);
  });
});
