import { describe, expect, it } from 'vitest';
import { TradeTape } from '../../../../src/core/fair/trades.ts';
import { tokenId } from '../../../../src/domain/ids.ts';
import { MICRO_SHARES_MAX, microShares } from '../../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../../src/domain/ticks.ts';
import { addMs, unixMs } from '../../../../src/domain/time.ts';

const START = unixMs(1_795_000_000_000);
const PRICE = ticks(tickGrid('0.01'), 40);

function tapeWith(sizes: readonly number[], everyMs = 1_000): TradeTape {
  const tape = new TradeTape();
  for (const [index, size] of sizes.entries()) {
    tape.add({
      ...{
        price: PRICE,
        size: microShares(size),
        tokenId: tokenId('0x1'),
        venueTs: undefined,
        jumpedByMs: 0,
      },
      atMs: addMs(START, index * everyMs),
      taker: index % 2 === 0 ? 'buys' : 'sells',
    });
  }
  return tape;
}

describe('the sums of public trades', () => {
  it('tell both sides of a minute and of ten', () => {
    const digest = tapeWith([3_000_000, 1_000_000, 2_000_000]).digest(addMs(START, 5_000));
    const sums = { trades: 3, boughtShares: 5_000_000, soldShares: 1_000_000 };
    expect(digest.lastMinute).toEqual(sums);
    expect(digest.lastTenMinutes).toEqual(sums);
  });

  it('stop at the largest quantity when others trade more than that', () => {
    const huge = tapeWith([MICRO_SHARES_MAX, MICRO_SHARES_MAX, 1, 1, 1]);
    expect(huge.digest(addMs(START, 5_000)).lastTenMinutes).toEqual({
      trades: 5,
      boughtShares: MICRO_SHARES_MAX,
      soldShares: MICRO_SHARES_MAX,
    });
    expect(huge.take()?.meanTicks).toBeCloseTo(40);
  });
});
