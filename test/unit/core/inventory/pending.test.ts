// Which match a settlement is of, where several of one side wait.

import { describe, expect, it } from 'vitest';
import { type PendingFill, takePending } from '../../../../src/core/inventory/pending.ts';
import { tokenId } from '../../../../src/domain/ids.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { unixMs } from '../../../../src/domain/time.ts';

function bought(size: number, price: number): PendingFill {
  const quantity = shares(size);
  const cashNano = Math.round(-size * price * 1e9);
  const at = { tokenId: tokenId('0x01'), atMs: unixMs(1_000) };
  return { ...at, side: 'BUY', cashNano, quantity, original: quantity };
}

/** What is left of each fill, in shares. */
function leftAfter(fills: PendingFill[], size: number, price: number): readonly number[] {
  const all = [...fills];
  const cashNano = Math.round(-size * price * 1e9);
  takePending(fills, { side: 'BUY', quantity: shares(size), cashNano });
  return all.map(({ quantity }) => quantity / 1e6);
}

describe('a settlement', () => {
  it('of a part is of a match at its price, though another of a worse price is as large', () => {
    expect(leftAfter([bought(7, 0.22), bought(20, 0.09)], 7, 0.09)).toEqual([7, 13]);
  });

  it('at a better price is of the match that is nearest to it', () => {
    expect(leftAfter([bought(10, 0.4), bought(10, 0.31), bought(10, 0.35)], 10, 0.3)).toEqual([
      10, 0, 10,
    ]);
  });

  it('at a better price is of the match of its size, though a larger one is nearer', () => {
    expect(leftAfter([bought(11, 0.61), bought(18, 0.616), bought(37, 0.613)], 18, 0.612)).toEqual([
      11, 0, 37,
    ]);
  });

  it('at a better price is a part of the nearest match where none is of its size', () => {
    expect(leftAfter([bought(18, 0.616), bought(37, 0.613)], 10, 0.61)).toEqual([18, 27]);
  });

  it('is of no match at a price that is better for us than the one it was at', () => {
    expect(leftAfter([bought(10, 0.2)], 10, 0.3)).toEqual([10]);
  });
});
