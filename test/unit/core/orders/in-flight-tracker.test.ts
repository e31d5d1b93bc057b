import { describe, expect, it } from 'vitest';
import { SIGNED_WITHIN_MS } from '../../../../src/core/kernel/bounds.ts';
import { InFlightTracker } from '../../../../src/core/orders/deadlines.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { VENUE_LIMITS } from '../../../../src/venue/options.ts';

const SENT = { sentAtMs: unixMs(100_000), datedByMs: 0 };
const HORIZON_MS = 35_000;

const laterBy = (
  inFlightTracker: InFlightTracker,
  order: Parameters<InFlightTracker['untilMs']>[0] = SENT,
) => inFlightTracker.untilMs(order, HORIZON_MS) - 100_000 - SIGNED_WITHIN_MS - HORIZON_MS;

describe('the time in which an unanswered placement may still arrive', () => {
  it('begins when it was signed, which the client does within its longest wait', () => {
    expect(SIGNED_WITHIN_MS).toBe(VENUE_LIMITS.orderWaitMsMax);
    expect(SIGNED_WITHIN_MS).toBe(VENUE_LIMITS.intentAgeMsMax);
    expect(laterBy(new InFlightTracker())).toBe(0);
  });

  it('is longer by what a fast clock of ours dated it ahead', () => {
    const inFlightTracker = new InFlightTracker();
    inFlightTracker.onClock(-20_000, unixMs(105_000));
    expect(laterBy(inFlightTracker)).toBe(20_000);
    expect(laterBy(inFlightTracker, { ...SENT, datedByMs: undefined })).toBe(20_000);
    // Measured before it was sent, and put right: the venue may have taken it for longer all the same.
    expect(laterBy(new InFlightTracker(), { ...SENT, datedByMs: -20_000 })).toBe(20_000);
  });

  it('is longer when the offset that dated it turns out to have been too large', () => {
    const inFlightTracker = new InFlightTracker();
    inFlightTracker.onClock(12_000, unixMs(90_000));
    expect(laterBy(inFlightTracker, { ...SENT, datedByMs: 12_000 })).toBe(0);
    inFlightTracker.onClock(2_000, unixMs(110_000));
    expect(laterBy(inFlightTracker, { ...SENT, datedByMs: 12_000 })).toBe(10_000);
  });

  it('is longer by what a previous run dated ahead, for what that run sent', () => {
    const inFlightTracker = new InFlightTracker();
    const ofBefore = { ...SENT, datedByMs: undefined };
    inFlightTracker.restoreAhead({ aheadMs: 20_000, atMs: unixMs(90_000) });
    expect(laterBy(inFlightTracker, ofBefore)).toBe(20_000);
    expect(laterBy(inFlightTracker)).toBe(0);
    inFlightTracker.onClock(-25_000, unixMs(105_000));
    expect(laterBy(inFlightTracker, ofBefore)).toBe(25_000);
    // A reading says nothing of what was sent long after it.
    const late = new InFlightTracker();
    late.restoreAhead({ aheadMs: 20_000, atMs: unixMs(-21_000) });
    expect(laterBy(late, ofBefore)).toBe(0);
  });

  it('is not shorter with a slow clock', () => {
    const inFlightTracker = new InFlightTracker();
    inFlightTracker.onClock(15_000, unixMs(105_000));
    expect(laterBy(inFlightTracker)).toBe(0);
  });

  it('grows beyond the slowest acceptance ever seen, within reason', () => {
    const inFlightTracker = new InFlightTracker();
    inFlightTracker.onAccepted(60_000);
    inFlightTracker.onAccepted(3_000);
    expect(inFlightTracker.untilMs(SENT, HORIZON_MS)).toBe(165_000);
    inFlightTracker.onAccepted(86_400_000);
    expect(inFlightTracker.untilMs(SENT, HORIZON_MS)).toBe(165_000);
  });

  it('is worth keeping for the next run where it was slower than any horizon allows for', () => {
    const inFlightTracker = new InFlightTracker();
    expect(inFlightTracker.onAccepted(20_000)).toBe(false);
    expect(inFlightTracker.onAccepted(40_000)).toBe(true);
    expect(inFlightTracker.onAccepted(30_000)).toBe(false);
  });
});

describe('a clock that runs ahead of the venue', () => {
  it('is reported when it is seconds, once a minute, and at once when it grows', () => {
    const inFlightTracker = new InFlightTracker();
    expect(inFlightTracker.onClock(-500, unixMs(100_000))).toBeUndefined();
    expect(inFlightTracker.onClock(-3_000, unixMs(130_000))).toBe(3_000);
    expect(inFlightTracker.onClock(-3_000, unixMs(160_000))).toBeUndefined();
    expect(inFlightTracker.onClock(-9_000, unixMs(170_000))).toBe(9_000);
    expect(inFlightTracker.onClock(-9_000, unixMs(200_000))).toBeUndefined();
    expect(inFlightTracker.onClock(-9_000, unixMs(230_000))).toBe(9_000);
  });

  it('counts from the offset by which requests were dated in the last two minutes', () => {
    const inFlightTracker = new InFlightTracker();
    expect(inFlightTracker.onClock(12_000, unixMs(100_000))).toBeUndefined();
    expect(inFlightTracker.onClock(2_000, unixMs(130_000))).toBe(10_000);
    expect(inFlightTracker.onClock(2_000, unixMs(300_000))).toBeUndefined();
  });
});
