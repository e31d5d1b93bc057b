// Whoever waits until something is so, and for no longer than he wants.

import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { Waiting } from '../../../src/guard/waiting.ts';
import { turns } from './support.ts';

function waiting() {
  const clock = new VirtualClock();
  const one = new Waiting(clock);
  let isSo = false;
  let isOver = false;
  return {
    ...{ clock, one },
    begin: (withinMs?: number) =>
      void one
        .until(() => isSo, withinMs)
        .then(() => {
          isOver = true;
        }),
    become: () => {
      isSo = true;
    },
    isOver: async () => {
      await turns();
      return isOver;
    },
  };
}

describe('a wait', () => {
  it('is over at once where it is so already, and leaves no timer', async () => {
    const { become, begin, isOver, clock } = waiting();
    become();
    begin(1_000);
    expect(await isOver()).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('looks again when it is woken, and goes on where it is not so', async () => {
    const { become, begin, isOver, one } = waiting();
    begin();
    one.wake();
    expect(await isOver()).toBe(false);
    one.wake();
    expect(await isOver()).toBe(false);
    become();
    expect(await isOver()).toBe(false);
    one.wake();
    expect(await isOver()).toBe(true);
  });

  it('is over with its time, and not a millisecond before', async () => {
    const { begin, isOver, clock } = waiting();
    begin(1_000);
    clock.advance(999);
    expect(await isOver()).toBe(false);
    clock.advance(1);
    expect(await isOver()).toBe(true);
  });

  it('has no end where none is given', async () => {
    const { begin, isOver, clock } = waiting();
    begin();
    clock.advance(86_400_000);
    expect(await isOver()).toBe(false);
    expect(clock.pending).toBe(0);
  });
});
