// What cash a life inherits as a surprise, and how much of it may count beside what it is not told of itself.

import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { Legacy, leastWith, widened } from './audit/causes/legacy.ts';

const KEPT_MS = 320_000;

/** A life begins by what the disk says, and reads its cash a second later. */
function begun({ kept, read }: { readonly kept: number | undefined; readonly read: number }) {
  const legacy = new Legacy();
  legacy.onLifeStarts(1_000, kept === undefined ? undefined : kept * 1e9);
  legacy.onRead(read, 2_000);
  return legacy;
}

/** A purchase of so much, told of by nobody. */
function bought(legacy: Legacy, tradeId: string, usdc: number, atMs: number): void {
  const leg = { side: 'BUY', cost: new Decimal(usdc) };
  legacy.onSettled({ tradeId, leg } as unknown as Parameters<Legacy['onSettled']>[0], atMs);
}

describe('cash that an earlier life could not explain', () => {
  it('may count or not, and for as long as any other surprise', () => {
    const legacy = begun({ kept: 100, read: 88 });
    expect(legacy.span(3_000, KEPT_MS)).toEqual({ low: -12, high: 0 });
    expect(legacy.span(2_001 + KEPT_MS, KEPT_MS)).toEqual({ low: 0, high: 0 });
  });

  it('is nothing where the disk has no cash, or just what is there', () => {
    expect(begun({ kept: undefined, read: 88 }).span(3_000, KEPT_MS)).toEqual({ low: 0, high: 0 });
    expect(begun({ kept: 88, read: 88 }).span(3_000, KEPT_MS)).toEqual({ low: 0, high: 0 });
  });

  it('is inherited once: the next life begins with what the disk says then', () => {
    const legacy = begun({ kept: 100, read: 88 });
    legacy.onLifeStarts(60_000, 88e9);
    legacy.onRead(88, 61_000);
    expect(legacy.span(62_000, KEPT_MS)).toEqual({ low: 0, high: 0 });
  });

  it('is explained in part by late news of what settled before, and not by what an earlier life was told', () => {
    const legacy = new Legacy();
    bought(legacy, 't-1', 5, 0);
    bought(legacy, 't-2', 7, 0);
    legacy.onTold(['t-1'], 100);
    legacy.onLifeStarts(200_000, 100e9);
    legacy.onRead(93, 201_000);
    legacy.onTold(['t-1'], 202_000);
    expect(legacy.span(203_000, KEPT_MS)).toEqual({ low: -7, high: 0 });
    legacy.onTold(['t-2'], 204_000);
    expect(legacy.span(205_000, KEPT_MS)).toEqual({ low: -7, high: 7 });
  });
});

describe('cash beside what may count', () => {
  it('is there at the least where the whole of it hides some', () => {
    const span = widened(widened({ low: 0, high: 0 }, -12), 3);
    expect([leastWith(20, span), leastWith(-20, span), leastWith(5, span)]).toEqual([8, 17, 0]);
  });
});
