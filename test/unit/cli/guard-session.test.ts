// What a guard says at its end.

import { expect, it } from 'vitest';
import { endLines } from '../../../src/cli/guard-session.ts';

it('the end of a guard is about the orders that were meant at the end, whatever the file said at the start', () => {
  const last = { isStopped: true, isLatched: true, isConfirmed: true, settling: 0, rests: [] };
  expect(endLines({ kind: 'down', scope: 'own', ...last })).toEqual([
    'stopped; no open order of ours is left',
  ]);
  expect(endLines({ kind: 'down', scope: 'account', ...last })).toEqual([
    'stopped; no open order is left',
  ]);
});
