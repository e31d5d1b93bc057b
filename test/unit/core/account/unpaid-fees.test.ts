// Cash that is missing may be the fees of what settled lately: which ones, where several amounts make it.

import { describe, expect, it } from 'vitest';
import { UnpaidFees } from '../../../../src/core/account/unpaid-fees.ts';
import { marketId } from '../../../../src/domain/ids.ts';
import { unixMs } from '../../../../src/domain/time.ts';

const USDC = 1_000_000_000;

/** Settlements a second after the other, each of a market of its own. */
function settled(...feesUsdc: readonly number[]): UnpaidFees {
  const fees = new UnpaidFees();
  for (const [at, fee] of feesUsdc.entries()) {
    fees.onSettled({
      marketId: marketId(`m-${at}`),
      feeNano: fee * USDC,
      atMs: unixMs(at * 1_000),
    });
  }
  return fees;
}

const foundIn = (fees: UnpaidFees, missingUsdc: number) =>
  fees.takeMissing(missingUsdc * USDC, unixMs(60_000)).map(({ marketId: id }) => id);

describe('a missing amount', () => {
  it('is one fee before it is several that happen to come to it, older as it may be', () => {
    expect(foundIn(settled(0.5, 0.2, 0.3), 0.5)).toEqual(['m-0']);
    expect(foundIn(settled(0.3, 0.2, 0.1, 0.15, 0.25), 0.5)).toEqual(['m-1', 'm-0']);
  });

  it('is the newest of several that are as much', () => {
    expect(foundIn(settled(0.5, 0.5, 0.1), 0.5)).toEqual(['m-1']);
  });
});
