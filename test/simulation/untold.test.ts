// What a rule of the simulation excuses: gains that nobody could lay at the right order's door.

import { describe, expect, it } from 'vitest';
import { Untold } from './audit/untold.ts';

const SAID = '0 SELL 30000000 at 0.43';

describe('a better price', () => {
  it('is excused as long as nobody told of its settlement', () => {
    const untold = new Untold();
    untold.onSettled('t-1', { marketId: 'm-1', said: SAID, nano: 300 });
    expect(untold.nanoOf('m-1')).toBe(300);
    expect(untold.nanoOf('m-2')).toBe(0);
    untold.onTold('t-1');
    expect(untold.nanoOf('m-1')).toBe(0);
  });

  it('is excused when it was told and a settlement that says the same was not', () => {
    const untold = new Untold();
    untold.onSettled('t-1', { marketId: 'm-1', said: SAID, nano: 300 });
    untold.onSettled('t-2', { marketId: 'm-1', said: SAID, nano: 0 });
    untold.onTold('t-1');
    expect(untold.nanoOf('m-1')).toBe(300);
    untold.onTold('t-2');
    expect(untold.nanoOf('m-1')).toBe(0);
  });
});
