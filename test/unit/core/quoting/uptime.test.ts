import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SideState, UptimeMeter } from '../../../../src/core/quoting/uptime.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { UPTIME_EXCLUSIONS } from '../../../../src/domain/view.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = 1_700_000_000_000;

function metered(bids: readonly (readonly [SideState, number])[]): UptimeMeter {
  const meter = new UptimeMeter();
  for (const [bid, atMs] of bids) meter.set({ bid, ask: 'bare' }, unixMs(START + atMs));
  return meter;
}

describe('the uptime of a side', () => {
  it('is the share of time with a quote, the present stretch included', () => {
    const meter = new UptimeMeter();
    meter.set({ bid: 'quoted', ask: 'bare' }, unixMs(START));
    meter.set({ bid: 'bare', ask: 'bare' }, unixMs(START + 3 * MINUTE));
    meter.set({ bid: 'bare', ask: 'quoted' }, unixMs(START + 9 * MINUTE));
    expect(meter.of('bid', unixMs(START + 12 * MINUTE)).sinceStart).toBeCloseTo(0.25);
    expect(meter.of('ask', unixMs(START + 12 * MINUTE)).sinceStart).toBeCloseTo(0.25);
  });

  it.each(UPTIME_EXCLUSIONS)(
    'leaves time out in which the cause is %s, and reports it',
    (cause) => {
      const meter = metered([
        ['quoted', 0],
        [cause, 3 * MINUTE],
        ['bare', 10 * MINUTE],
      ]);
      const uptime = meter.of('bid', unixMs(START + 11 * MINUTE));
      expect(uptime.sinceStart).toBeCloseTo(0.75);
      expect(uptime.lastHour).toBeCloseTo(0.75);
      expect(uptime.excludedMs[cause]).toBe(7 * MINUTE);
    },
  );

  it('reports time that is left out while it goes on', () => {
    const meter = metered([
      ['quoted', 0],
      ['venue', MINUTE],
    ]);
    const uptime = meter.of('bid', unixMs(START + 4 * MINUTE));
    expect(uptime).toMatchObject({ sinceStart: 1, lastHour: 1 });
    expect(uptime.excludedMs.venue).toBe(3 * MINUTE);
  });

  it('forgets what lies more than an hour back, and only in the hourly figure', () => {
    const meter = metered([
      ['quoted', 0],
      ['bare', HOUR],
    ]);
    const now = unixMs(START + 4 * HOUR);
    expect(meter.of('bid', now)).toMatchObject({ sinceStart: 0.25, lastHour: 0 });
  });

  it('forgets an hour that nobody looked at since', () => {
    const meter = new UptimeMeter();
    meter.set({ bid: 'quoted', ask: 'quoted' }, unixMs(START));
    meter.set({ bid: 'bare', ask: 'quoted' }, unixMs(START + 30 * MINUTE));
    expect(meter.of('bid', unixMs(START + 40 * MINUTE)).lastHour).toBeCloseTo(0.75, 1);
    expect(meter.of('bid', unixMs(START + 70 * MINUTE)).lastHour).toBeCloseTo(20 / 60, 1);
    expect(meter.of('bid', unixMs(START + 3 * HOUR)).lastHour).toBe(0);
    expect(meter.of('ask', unixMs(START + 3 * HOUR)).lastHour).toBe(1);
  });

  it('is unknown before anything is known, and while nothing counts', () => {
    const unknown = { sinceStart: undefined, lastHour: undefined };
    expect(new UptimeMeter().of('bid', unixMs(START))).toMatchObject(unknown);
    expect(metered([['market', 0]]).of('bid', unixMs(START + HOUR))).toMatchObject(unknown);
  });

  it('agrees with plain accounting, however the looks are spaced', () => {
    const looks = fc.array(
      fc.record({
        afterMs: fc.integer({ min: 0, max: 20 * MINUTE }),
        state: fc.constantFrom<SideState>('quoted', 'bare', 'limit'),
      }),
      { minLength: 1, maxLength: 60 },
    );
    fc.assert(
      fc.property(looks, (steps) => {
        const meter = new UptimeMeter();
        const sums = { quoted: 0, bare: 0, limit: 0 };
        let at = START;
        let state: keyof typeof sums = 'bare';
        meter.set({ bid: state, ask: 'bare' }, unixMs(at));
        for (const step of steps) {
          sums[state] += step.afterMs;
          at += step.afterMs;
          state = step.state === 'quoted' || step.state === 'limit' ? step.state : 'bare';
          meter.set({ bid: state, ask: 'bare' }, unixMs(at));
        }
        const { sinceStart, lastHour, excludedMs } = meter.of('bid', unixMs(at));
        const countedMs = sums.quoted + sums.bare;
        expect(excludedMs.limit).toBe(sums.limit);
        if (countedMs === 0) expect(sinceStart).toBeUndefined();
        else expect(sinceStart).toBeCloseTo(sums.quoted / countedMs, 9);
        if (at - START < 59 * MINUTE) expect(lastHour).toBe(sinceStart);
        expect(lastHour ?? 0).toBeLessThanOrEqual(1);
      }),
    );
  });
});
