import { describe, expect, it } from 'vitest';
import { unixMs } from '../../../../src/domain/time.ts';
import { newRate, restored } from '../../../../src/strategy/index.ts';

const SAMPLE = { rate: newRate(unixMs(5)), counts: [0, 0], name: 'x', last: undefined };
const STORED = { rate: { decayedCount: 2, sinceMs: 1, atMs: 3 }, counts: [4, 5], name: 'y' };

describe('a state that memory gave back', () => {
  it('is believed when it has the shape of a new one', () => {
    expect(restored(STORED, SAMPLE)).toEqual(STORED);
    expect(restored({ ...STORED, last: { anything: 1 } }, SAMPLE)).toBeDefined();
  });

  it.each([
    ['nothing', undefined],
    ['a number', 3],
    ['a list', [1, 2]],
    ['a part missing', { ...STORED, rate: { decayedCount: 2, sinceMs: 1 } }],
    ['a text for a number', { ...STORED, rate: { ...STORED.rate, atMs: '3' } }],
    ['a number that is none', { ...STORED, rate: { ...STORED.rate, atMs: Number.NaN } }],
    ['null for a number', { ...STORED, counts: [4, null] }],
    ['a list of another length', { ...STORED, counts: [4, 5, 6] }],
    ['a map for a list', { ...STORED, counts: { 0: 4, 1: 5 } }],
    ['another kind', { ...STORED, name: 7 }],
  ])('is not believed with %s', (_, stored) => {
    expect(restored(stored, SAMPLE)).toBeUndefined();
  });
});
