import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock/system.ts';
import { unixMs } from '../../../src/domain/time.ts';

function machine() {
  const state = { wallMs: 1_700_000_000_000.4, steadyMs: 5_000.25 };
  const source = { wallMs: () => state.wallMs, steadyMs: () => state.steadyMs };
  return { state, clock: systemClock(source) };
}

describe('the system clock', () => {
  it('starts at the time of day, in whole milliseconds', () => {
    expect(machine().clock.nowMs()).toBe(1_700_000_000_000);
    expect(Math.abs(systemClock().nowMs() - Date.now())).toBeLessThan(1_000);
  });

  it('goes on with steady time when the time of day is set back', () => {
    const { state, clock } = machine();
    state.wallMs -= 3_600_000;
    state.steadyMs += 100;
    expect(clock.nowMs()).toBe(1_700_000_000_100);
  });

  it('knows times of day of others as its own where that was set back, and makes none of the future', () => {
    const { state, clock } = machine();
    const before = unixMs(state.wallMs - 0.4);
    expect(clock.fromTimeOfDay(before)).toBe(before);
    state.wallMs -= 20_000;
    state.steadyMs += 3_000;
    const now = clock.nowMs();
    expect(clock.fromTimeOfDay(unixMs(Math.floor(state.wallMs)))).toBe(now);
    // By somebody who did not set his back.
    expect(clock.fromTimeOfDay(now)).toBe(now);
    expect(clock.fromTimeOfDay(unixMs(now + 500))).toBe(now + 500);
  });

  it('never runs backwards, whatever the machine says', () => {
    const { state, clock } = machine();
    let lastMs = clock.nowMs();
    for (const [wallMs, steadyMs] of [
      [-50_000, 3],
      [700_000, 1],
      [-700_000, 0],
      [0, 2_000],
    ] as const) {
      state.wallMs += wallMs;
      state.steadyMs += steadyMs;
      expect(clock.nowMs()).toBeGreaterThanOrEqual(lastMs);
      lastMs = clock.nowMs();
    }
  });

  it('follows a jump ahead, as after a sleep of the host', () => {
    const { state, clock } = machine();
    state.wallMs += 600_000;
    expect(clock.nowMs()).toBe(1_700_000_600_000);
  });

  it('tells once of each jump ahead, and of nothing else', async () => {
    const { state, clock } = machine();
    let told = 0;
    clock.onJump(() => {
      told += 1;
      clock.nowMs();
    });
    for (const stepMs of [20_000, 0, -20_000, 900, 5_000]) {
      state.wallMs += stepMs;
      state.steadyMs += 1;
      clock.nowMs();
      clock.nowMs();
      await Promise.resolve();
    }
    expect(told).toBe(1);
    state.wallMs += 20_000;
    clock.nowMs();
    expect(told).toBe(1);
    await Promise.resolve();
    expect(told).toBe(2);
  });

  it('ignores a lead of the time of day that is less than a second', () => {
    const { state, clock } = machine();
    state.wallMs += 900;
    expect(clock.nowMs()).toBe(1_700_000_000_000);
  });
});

describe('a steady clock', () => {
  it('begins at the time of the system clock, and lets no time pass that only somebody has set', () => {
    const { state, clock } = machine();
    state.wallMs += 3_600_000;
    const steady = clock.steady();
    expect(steady.nowMs()).toBe(clock.nowMs());
    state.wallMs += 3_600_000;
    state.steadyMs += 1_500;
    expect(steady.nowMs()).toBe(1_700_003_601_500);
    state.wallMs -= 9_000_000;
    state.steadyMs += 500;
    expect(steady.nowMs()).toBe(1_700_003_602_000);
  });
});

describe('system timers', () => {
  it('run a task once after its delay', async () => {
    const clock = systemClock();
    const startedMs = clock.nowMs();
    await new Promise<void>((resolve) => clock.after(20, resolve));
    expect(clock.nowMs() - startedMs).toBeGreaterThanOrEqual(18);
  });

  it('do not run a task that was called off', async () => {
    const clock = systemClock();
    let hasRun = false;
    const callOff = clock.after(5, () => {
      hasRun = true;
    });
    callOff();
    await new Promise<void>((resolve) => clock.after(20, resolve));
    expect(hasRun).toBe(false);
  });

  it('do not fire a delay of months at once', async () => {
    const clock = systemClock();
    let hasRun = false;
    const callOff = clock.after(90 * 24 * 3_600_000, () => {
      hasRun = true;
    });
    await new Promise<void>((resolve) => clock.after(20, resolve));
    callOff();
    expect(hasRun).toBe(false);
  });

  it('refuse a delay that is no number', () => {
    expect(() => systemClock().after(Number.NaN, () => {})).toThrow(/delay is a number/);
  });

  it('hold the process, but for those in the background', () => {
    const clock = systemClock();
    const holding = (): number =>
      process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = holding();
    const callOffBackground = clock.background.after(1_000, () => {});
    expect(holding()).toBe(before);
    const callOff = clock.after(1_000, () => {});
    expect(holding()).toBe(before + 1);
    callOff();
    callOffBackground();
    expect(holding()).toBe(before);
  });
});
