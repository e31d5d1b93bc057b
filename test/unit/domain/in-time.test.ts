// An answer with a bound, on virtual time.

import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { inTime } from '../../../src/domain/in-time.ts';

describe('an answer with a bound', () => {
  it('is taken in time, and leaves no timer', async () => {
    const clock = new VirtualClock();
    const bound = { timers: clock, ms: 100 };
    expect(await inTime(Promise.resolve('said'), 'late', bound)).toBe('said');
    expect(clock.pending).toBe(0);
    const refused = inTime(Promise.reject(new Error('no')), 'late', bound);
    await expect(refused).rejects.toThrow('no');
    expect(clock.pending).toBe(0);
  });

  it('is not waited for behind it', async () => {
    const clock = new VirtualClock();
    const late = inTime(new Promise<string>(() => {}), 'late', { timers: clock, ms: 100 });
    clock.advance(100);
    expect(await late).toBe('late');
    expect(clock.pending).toBe(0);
  });
});
