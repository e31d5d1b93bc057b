import { describe, expect, it } from 'vitest';
import { SIGNED_WITHIN_MS } from '../../../../src/core/kernel/bounds.ts';
import { Arrivals } from '../../../../src/core/orders/arrivals.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { VENUE_LIMITS } from '../../../../src/venue/options.ts';

const SENT = { sentAtMs: unixMs(100_000), datedByMs: 0 };
const HORIZON_MS = 35_000;

const laterBy = (arrivals: Arrivals, order: Parameters<Arrivals['untilMs']>[0] = SENT) =>
  arrivals.untilMs(order, HORIZON_MS) - 100_000 - SIGNED_WITHIN_MS - HORIZON_MS;

describe('the time in which an unanswered placement may still arrive', () => {
  it('begins when it was signed, which the client does within its longest wait', () => {
    expect(SIGNED_WITHIN_MS).toBe(VENUE_LIMITS.orderWaitMsMax);
    expect(SIGNED_WITHIN_MS).toBe(VENUE_LIMITS.intentAgeMsMax);
    expect(laterBy(new Arrivals())).toBe(0);
  });

  it('is longer by what a fast clock of ours dated it ahead', () => {
    const arrivals = new Arrivals();
    arrivals.onClock(-20_000, unixMs(105_000));
    expect(laterBy(arrivals)).toBe(20_000);
    expect(laterBy(arrivals, { ...SENT, datedByMs: undefined })).toBe(20_000);
    // Measured before it was sent, and put right: the venue may have taken it for longer all the same.
    expect(laterBy(new Arrivals(), { ...SENT, datedByMs: -20_000 })).toBe(20_000);
  });

  it('is longer when the offset that dated it turns out to have been too large', () => {
    const arrivals = new Arrivals();
    arrivals.onClock(12_000, unixMs(90_000));
    expect(laterBy(arrivals, { ...SENT, datedByMs: 12_000 })).toBe(0);
    arrivals.onClock(2_000, unixMs(110_000));
    expect(laterBy(arrivals, { ...SENT, datedByMs: 12_000 })).toBe(10_000);
  });

  it('is longer by what an earlier life dated ahead, for what that life sent', () => {
    const arrivals = new Arrivals();
    const ofBefore = { ...SENT, datedByMs: undefined };
    arrivals.restoreAhead({ aheadMs: 20_000, atMs: unixMs(90_000) });
    expect(laterBy(arrivals, ofBefore)).toBe(20_000);
    expect(laterBy(arrivals)).toBe(0);
    arrivals.onClock(-25_000, unixMs(105_000));
    expect(laterBy(arrivals, ofBefore)).toBe(25_000);
    // A reading says nothing of what was sent long after it.
    const late = new Arrivals();
    late.restoreAhead({ aheadMs: 20_000, atMs: unixMs(-21_000) });
    expect(laterBy(late, ofBefore)).toBe(0);
  });

  it('is not shorter with a slow clock', () => {
    const arrivals = new Arrivals();
    arrivals.onClock(15_000, unixMs(105_000));
    expect(laterBy(arrivals)).toBe(0);
  });

  it('grows beyond the slowest acceptance ever seen, within reason', () => {
    const arrivals = new Arrivals();
    arrivals.onAccepted(60_000);
    arrivals.onAccepted(3_000);
    expect(arrivals.slowestMs).toBe(60_000);
    expect(arrivals.untilMs(SENT, HORIZON_MS)).toBe(165_000);
    arrivals.onAccepted(86_400_000);
    expect(arrivals.slowestMs).toBe(60_000);
  });

  it('is worth keeping for the next life where it was slower than any horizon allows for', () => {
    const arrivals = new Arrivals();
    expect(arrivals.onAccepted(20_000)).toBe(false);
    expect(arrivals.onAccepted(40_000)).toBe(true);
    expect(arrivals.onAccepted(30_000)).toBe(false);
  });
});

describe('a clock that runs ahead of the venue', () => {
  it('is told of when it is seconds, once a minute, and at once when it grows', () => {
    const arrivals = new Arrivals();
    expect(arrivals.onClock(-500, unixMs(100_000))).toBeUndefined();
    expect(arrivals.onClock(-3_000, unixMs(130_000))).toBe(3_000);
    expect(arrivals.onClock(-3_000, unixMs(160_000))).toBeUndefined();
    expect(arrivals.onClock(-9_000, unixMs(170_000))).toBe(9_000);
    expect(arrivals.onClock(-9_000, unixMs(200_000))).toBeUndefined();
    expect(arrivals.onClock(-9_000, unixMs(230_000))).toBe(9_000);
  });

  it('counts from the offset by which requests were dated in the last two minutes', () => {
    const arrivals = new Arrivals();
    expect(arrivals.onClock(12_000, unixMs(100_000))).toBeUndefined();
    expect(arrivals.onClock(2_000, unixMs(130_000))).toBe(10_000);
    expect(arrivals.onClock(2_000, unixMs(300_000))).toBeUndefined();
  });
});
