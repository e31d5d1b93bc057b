// The machine's clock as one process after the other reads it.

import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../src/clock/virtual.ts';
import { HostClock } from './world/host.ts';

function machine() {
  const truth = new VirtualClock({ startMs: 1_000_000 });
  const host = new HostClock(truth);
  return { host, offMs: () => host.nowMs() - truth.nowMs() };
}

describe('a clock that somebody sets', () => {
  it('is ahead at once', () => {
    const { host, offMs } = machine();
    host.set(90_000);
    expect(offMs()).toBe(90_000);
  });

  it('goes back for no process that runs, and for the next one', () => {
    const { host, offMs } = machine();
    host.nowMs();
    host.set(-90_000);
    expect(offMs()).toBe(0);
    host.begin();
    expect(offMs()).toBe(-90_000);
  });

  it('is right again where it was set back and put right before the next process', () => {
    const { host, offMs } = machine();
    host.set(-90_000);
    host.set(90_000);
    expect(offMs()).toBe(0);
    host.begin();
    expect(offMs()).toBe(0);
  });

  it('stays ahead for the process that saw it so, where it is put right', () => {
    const { host, offMs } = machine();
    host.set(90_000);
    host.set(-90_000);
    expect(offMs()).toBe(90_000);
    host.begin();
    expect(offMs()).toBe(0);
  });
});
