// The latch of a guard that stays down, on a disk that takes it, that takes it later, and that hangs.

import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { DownLatch } from '../../../src/guard/down-latch.ts';
import { Waiting } from '../../../src/guard/waiting.ts';
import { listening, turns } from './support.ts';

function latch(write: () => Promise<void>) {
  const clock = new VirtualClock();
  const { said, log } = listening();
  const tries: string[] = [];
  let sets = 0;
  const one = new DownLatch({
    latch: async (reason) => {
      tries.push(reason);
      await write();
    },
    ...{ timers: clock, log },
    onSet: () => {
      sets += 1;
    },
  });
  const pass = async (ms: number) => {
    clock.advance(ms);
    await turns();
  };
  const events = () => said.map(([event]) => event);
  return { one, clock, tries, events, said, pass, sets: () => sets };
}

describe('the latch of a guard that stays down', () => {
  it('is set once on a disk that takes it, with no word and no timer left', async () => {
    const { one, clock, tries, events, sets } = latch(async () => {});
    await one.set('too many deaths');
    expect(one.isMissing).toBe(false);
    expect({ tries, events: events(), sets: sets(), timers: clock.pending }).toEqual({
      ...{ tries: ['too many deaths'], events: [], sets: 1, timers: 0 },
    });
  });

  it('is tried again each second until the disk takes it, and is reported missing once', async () => {
    let isFull = true;
    const { one, tries, said, events, pass, sets, clock } = latch(async () => {
      if (isFull) throw new Error('no space left on device');
    });
    await one.set('why');
    expect(one.isMissing).toBe(true);
    await pass(999);
    expect(tries).toHaveLength(1);
    await pass(1);
    expect(tries).toEqual(['why', 'why']);
    isFull = false;
    await pass(1_000);
    expect(one.isMissing).toBe(false);
    expect(said[0]?.[1]).toMatchObject({ detail: 'Error: no space left on device' });
    expect(events()).toEqual(['guard.latch_failed', 'guard.latched']);
    expect(sets()).toBe(1);
    expect(clock.pending).toBe(0);
  });

  it('is waited for two seconds on a disk that hangs, and counts when that answers at last', async () => {
    let answer = () => {};
    const { one, said, events, pass } = latch(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    let isOver = false;
    void one.set('why').then(() => {
      isOver = true;
    });
    await pass(1_999);
    expect({ isOver, isMissing: one.isMissing }).toEqual({ isOver: false, isMissing: false });
    await pass(1);
    expect({ isOver, isMissing: one.isMissing }).toEqual({ isOver: true, isMissing: true });
    expect(said[0]?.[1]).toMatchObject({ detail: 'the disk does not answer' });
    answer();
    await pass(0);
    expect(one.isMissing).toBe(false);
    expect(events()).toEqual(['guard.latch_failed', 'guard.latched']);
  });

  it('is reported missing each minute while somebody stays for it', async () => {
    const { one, events, pass, clock } = latch(async () => {
      throw new Error('full');
    });
    await one.set('why');
    let isEnding = false;
    const waiting = new Waiting(clock);
    void one.untilSet(waiting, () => isEnding);
    await pass(0);
    const reports = () => events().filter((event) => event === 'guard.unlatched').length;
    expect(reports()).toBe(1);
    for (let second = 0; second < 59; second += 1) await pass(1_000);
    expect(reports()).toBe(1);
    await pass(1_000);
    expect(reports()).toBe(2);
    isEnding = true;
    waiting.wake();
    await pass(200_000);
    expect(reports()).toBe(2);
  });
});
