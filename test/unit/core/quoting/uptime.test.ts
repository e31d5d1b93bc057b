import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UptimeMeter } from '../../../../src/core/quoting/uptime.ts';
import { unixMs } from '../../../../src/domain/time.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = 1_700_000_000_000;

describe('the uptime of a side', () => {
  it('is the share of time with a quote, the present stretch included', () => {
    const meter = new UptimeMeter();
    meter.set({ bid: true, ask: false }, unixMs(START));
    meter.set({ bid: false, ask: false }, unixMs(START + 3 * MINUTE));
    meter.set({ bid: false, ask: true }, unixMs(START + 9 * MINUTE));
    expect(meter.of('bid', unixMs(START + 12 * MINUTE)).sinceStart).toBeCloseTo(0.25);
    expect(meter.of('ask', unixMs(START + 12 * MINUTE)).sinceStart).toBeCloseTo(0.25);
  });

  it('forgets what lies more than an hour back, and only in the hourly figure', () => {
    const meter = new UptimeMeter();
    meter.set({ bid: true, ask: true }, unixMs(START));
    meter.set({ bid: false, ask: true }, unixMs(START + HOUR));
    meter.set({ bid: false, ask: true }, unixMs(START + 3 * HOUR));
    const now = unixMs(START + 4 * HOUR);
    meter.set({ bid: false, ask: true }, now);
    expect(meter.of('bid', now)).toMatchObject({ sinceStart: 0.25, lastHour: 0 });
    expect(meter.of('ask', now).lastHour).toBeCloseTo(1, 1);
  });

  it('forgets an hour that nobody looked at since', () => {
    const meter = new UptimeMeter();
    meter.set({ bid: true, ask: true }, unixMs(START));
    meter.set({ bid: false, ask: true }, unixMs(START + 30 * MINUTE));
    expect(meter.of('bid', unixMs(START + 40 * MINUTE)).lastHour).toBeCloseTo(0.75, 1);
    expect(meter.of('bid', unixMs(START + 70 * MINUTE)).lastHour).toBeCloseTo(20 / 60, 1);
    expect(meter.of('bid', unixMs(START + 3 * HOUR)).lastHour).toBe(0);
    expect(meter.of('ask', unixMs(START + 3 * HOUR)).lastHour).toBe(1);
  });

  it('is zero before anything is known', () => {
    expect(new UptimeMeter().of('bid', unixMs(START))).toEqual({ sinceStart: 0, lastHour: 0 });
  });

  it('agrees with plain accounting, however the looks are spaced', () => {
    const looks = fc.array(
      fc.record({ afterMs: fc.integer({ min: 0, max: 20 * MINUTE }), isQuoted: fc.boolean() }),
      { minLength: 1, maxLength: 60 },
    );
    fc.assert(
      fc.property(looks, (steps) => {
        const meter = new UptimeMeter();
        let at = START;
        let quotedMs = 0;
        let isQuoted = false;
        meter.set({ bid: false, ask: false }, unixMs(at));
        for (const step of steps) {
          if (isQuoted) quotedMs += step.afterMs;
          at += step.afterMs;
          isQuoted = step.isQuoted;
          meter.set({ bid: isQuoted, ask: false }, unixMs(at));
        }
        const { sinceStart, lastHour } = meter.of('bid', unixMs(at));
        expect(sinceStart).toBeCloseTo(quotedMs / Math.max(1, at - START), 9);
        if (at - START < 59 * MINUTE) expect(lastHour).toBeCloseTo(sinceStart, 9);
        expect(lastHour).toBeLessThanOrEqual(1);
      }),
    );
  });
});
