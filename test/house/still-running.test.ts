import { describe, expect, it } from 'vitest';
import { longRunning } from '../support/still-running.ts';

describe('a run of the tests', () => {
  it('names the files that have run for minutes, and no other', () => {
    const since = new Map([
      ['test/hangs.test.ts', 1_000],
      ['test/quick.test.ts', 250_000],
    ]);
    expect(longRunning(since, 301_000)).toBe('still running: test/hangs.test.ts (300 s)');
  });

  it('says nothing where no file is long under way', () => {
    expect(longRunning(new Map([['test/quick.test.ts', 250_000]]), 301_000)).toBeUndefined();
  });
});
