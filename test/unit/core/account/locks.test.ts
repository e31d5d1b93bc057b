// Whether the venue locks what has matched until it settles: clean reads teach it.

import { describe, expect, it } from 'vitest';
import { Locks } from '../../../../src/core/account/stores.ts';

const MATCHED = { restingNano: 0, matchedNano: 24e9 };

function taught(...beyond: readonly number[]): Locks {
  const locks = new Locks();
  for (const nano of beyond) locks.onRead(nano, MATCHED);
  return locks;
}

describe('the locks of what has matched', () => {
  it.each([
    { reads: [], keeps: undefined },
    { reads: [24e9], keeps: undefined },
    { reads: [24e9, 24e9], keeps: true },
    { reads: [0, 0], keeps: false },
    { reads: [24e9, 0], keeps: undefined },
    { reads: [7e9, 7e9], keeps: undefined },
  ])('are kept: $keeps, after reads that lock $reads beyond what rests', ({ reads, keeps }) => {
    expect(taught(...reads).keepsMatched).toBe(keeps);
  });

  it('teach nothing where nothing has matched', () => {
    const locks = new Locks();
    for (let reads = 0; reads < 3; reads += 1) locks.onRead(0, { restingNano: 5, matchedNano: 0 });
    expect(locks.mayLearn).toBe(true);
  });

  it.each([
    { name: 'unknown', reads: [], kept: true, released: true },
    { name: 'kept', reads: [24e9, 24e9], kept: true, released: false },
    { name: 'released', reads: [0, 0], kept: false, released: true },
  ])('explain a locked balance, $name', ({ reads, kept, released }) => {
    const locks = taught(...reads);
    expect([locks.explains(24e9, MATCHED), locks.explains(0, MATCHED)]).toEqual([kept, released]);
    expect([locks.isLocked(50, 50), locks.isLocked(0, 50)]).toEqual([kept, released]);
    expect(locks.explains(23e9, MATCHED)).toBe(false);
  });
});
