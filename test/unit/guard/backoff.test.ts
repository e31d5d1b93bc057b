// How soon a trader is started again: the pauses, and where each of them has its edge.

import { describe, expect, it } from 'vitest';
import { Backoff } from '../../../src/guard/backoff.ts';

const SETTINGS = {
  restartsMax: 5,
  restartWindowMs: 60_000,
  backoffMsMin: 250,
  backoffMsMax: 3_000,
};

function backoff(over: Partial<typeof SETTINGS> = {}): Backoff {
  return new Backoff({ ...SETTINGS, ...over });
}

describe('a trader that crashes', () => {
  it('is started again after twice as long each time, up to the longest pause, and then no more', () => {
    const one = backoff();
    const pauses = [0, 1, 2, 3, 4, 5, 6].map((second) => one.onDeath(second * 1_000));
    expect(pauses).toEqual([250, 500, 1_000, 2_000, 3_000, 'exhausted', 'exhausted']);
  });

  it('has its death forgotten when the window is over, and not a millisecond before', () => {
    for (const [afterMs, expected] of [
      [59_999, 500],
      [60_000, 250],
    ] as const) {
      const one = backoff();
      one.onDeath(1_000);
      expect(one.onDeath(1_000 + afterMs)).toBe(expected);
    }
  });

  it('is not started at all where no restart is allowed', () => {
    expect(backoff({ restartsMax: 0 }).onDeath(0)).toBe('exhausted');
  });

  it('is started again once enough of its deaths are so long ago', () => {
    const one = backoff({ restartsMax: 1 });
    const at = [0, 59_999, 119_998, 179_998].map((ms) => one.onDeath(ms));
    expect(at).toEqual([250, 'exhausted', 'exhausted', 250]);
  });
});

describe('a trader whose end is no crash', () => {
  const pauses = (one: Backoff, count: number, livedMs = 0) =>
    Array.from({ length: count }, () => one.onNoCrash(livedMs));

  it('is tried for as long as it takes, at a pace that grows to the longest pause', () => {
    expect(pauses(backoff(), 6)).toEqual([250, 500, 1_000, 2_000, 3_000, 3_000]);
    expect(pauses(backoff(), 2_000).at(-1)).toBe(3_000);
  });

  it('is not tried without any pause, whatever is configured', () => {
    const eager = backoff({ backoffMsMin: 0, backoffMsMax: 0 });
    expect(pauses(eager, 6)).toEqual([100, 200, 400, 800, 1_000, 1_000]);
  });

  it('begins anew at the shortest pause when it lived as long as the window, or died of a crash', () => {
    const one = backoff();
    pauses(one, 3);
    expect(one.onNoCrash(59_999)).toBe(2_000);
    expect(one.onNoCrash(60_000)).toBe(250);
    pauses(one, 2);
    one.onDeath(0);
    expect(one.onNoCrash(0)).toBe(250);
  });
});
