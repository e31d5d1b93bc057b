// When a stop ends a trader that runs on, and when it is over.

import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { StopDeadline } from '../../../src/guard/stop-deadline.ts';

function deadline(durationMs: number) {
  const clock = new VirtualClock();
  const times: string[] = [];
  const note = (what: string) => () => void times.push(`${what} ${clock.nowMs()}`);
  const one = new StopDeadline({
    ...{ timers: clock, durationMs },
    onLastLook: note('last look'),
    onOver: note('over'),
  });
  one.begin();
  return { clock, times, one };
}

describe('the deadline of a stop', () => {
  it.each([
    [20_000, ['last look 19000', 'over 20000']],
    [4_000, ['last look 3000', 'over 4000']],
    [2_000, ['last look 1500', 'over 2000']],
  ])('of %d ms leaves a second, or a quarter, for a last look', (durationMs, expected) => {
    const { clock, times } = deadline(durationMs);
    clock.advance(60_000);
    expect(times).toEqual(expected);
  });

  it('says nothing any more when it is called off, and sets no timer where there is none', () => {
    const { clock, times, one } = deadline(20_000);
    one.callOff();
    clock.advance(60_000);
    expect(times).toEqual([]);
    expect(clock.pending).toBe(0);
    expect(deadline(Number.POSITIVE_INFINITY).clock.pending).toBe(0);
  });
});
