// What a rule of the simulation excuses: gains that nobody could lay at the right order's door.

import { describe, expect, it } from 'vitest';
import { Untold } from './audit/untold.ts';

const SAID = '0 SELL';
const CENT_NANO = 10_000_000;
const OF_30 = {
  marketId: 'm-1',
  said: SAID,
  quantityMicro: 30_000_000,
  priceNano: 40 * CENT_NANO,
  atMs: 0,
};

describe('a better price', () => {
  it('is excused as long as nobody told of its settlement', () => {
    const untold = new Untold();
    untold.onSettled('t-1', { ...OF_30, nano: 300 });
    expect(untold.nanoOf('m-1')).toBe(300);
    expect(untold.nanoOf('m-2')).toBe(0);
    untold.onTold('t-1');
    expect(untold.nanoOf('m-1')).toBe(0);
  });

  it('is excused when it was told and a settlement that says the same was not', () => {
    const untold = new Untold();
    untold.onSettled('t-1', { ...OF_30, nano: 300 });
    untold.onSettled('t-2', { ...OF_30, nano: 0 });
    untold.onTold('t-1');
    expect(untold.nanoOf('m-1')).toBe(300);
    untold.onTold('t-2');
    expect(untold.nanoOf('m-1')).toBe(0);
  });

  it.each([
    [40_000_000, 300],
    [20_000_000, 0],
  ])('is excused beside an untold one of %i: %i', (quantityMicro, excused) => {
    const untold = new Untold();
    untold.onSettled('t-1', { ...OF_30, nano: 300 });
    untold.onSettled('t-2', { ...OF_30, quantityMicro, nano: 0 });
    untold.onTold('t-1');
    expect(untold.nanoOf('m-1')).toBe(excused);
  });

  it.each([
    ['beside one that waits with it at another price', { nano: 5 }, 2 * CENT_NANO],
    ['beside one of another price that settled long before', { nano: 5, atMs: -500_000 }, 0],
    ['beside one that settled at its own price', { nano: 0 }, 0],
  ])(
    'of told settlements may be another by the shares of an untold one, %s',
    (_, other, excused) => {
      const untold = new Untold();
      const of1 = { ...OF_30, quantityMicro: 1_000_000 };
      untold.onSettled('t-1', { ...of1, nano: 0 });
      untold.onSettled('t-2', { ...OF_30, priceNano: 42 * CENT_NANO, ...other });
      untold.onTold('t-2');
      expect(untold.nanoOf('m-1')).toBe(excused);
    },
  );

  it('stays excused when a frame tells again what the history told where it could not be counted', () => {
    const untold = new Untold();
    untold.onSettled('t-1', { ...OF_30, nano: 300 });
    untold.onUncounted('t-1');
    untold.onTold('t-1');
    expect(untold.nanoOf('m-1')).toBe(300);
  });
});
