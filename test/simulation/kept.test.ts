// What once found something is kept, each run once, and `npm test` repeats little of it.

import { describe, expect, it } from 'vitest';
import { KEPT, KEPT_BRIEF } from './kept.ts';

describe('what once found something', () => {
  it('is kept once', () => {
    const keys = KEPT.map((run) => JSON.stringify(run));
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('is brief enough in what every test run repeats', () => {
    const hours = KEPT_BRIEF.reduce((sum, run) => sum + run.hours, 0);
    expect(KEPT_BRIEF.length).toBeGreaterThanOrEqual(5);
    expect(hours).toBeLessThan(1.1);
  });
});
