import { describe, expect, it } from 'vitest';
import { Inventory } from '../../../../src/core/inventory/inventory.ts';
import { intentId, tokenId } from '../../../../src/domain/ids.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { unixMs } from '../../../../src/domain/time.ts';

const TOKEN = tokenId('0x01');

type Buy = { readonly size: number; readonly price: number; readonly atMs: number };

function matchOf(
  inventory: Inventory,
  { size, price, atMs, sentAtMs }: Buy & { sentAtMs?: number },
) {
  const quantity = shares(size);
  return inventory.onMatched({
    tokenId: TOKEN,
    side: 'BUY',
    cashNano: cashOf({ size, price }),
    quantity,
    original: quantity,
    atMs: unixMs(atMs),
    sentAtMs: sentAtMs === undefined ? undefined : unixMs(sentAtMs),
  });
}

function settle(inventory: Inventory, { size, price, atMs }: Buy): void {
  const trade = { side: 'BUY', quantity: shares(size), cashNano: cashOf({ size, price }) } as const;
  inventory.onSettled(TOKEN, trade, unixMs(atMs));
}

function cashOf({ size, price }: Omit<Buy, 'atMs'>): number {
  return Math.round(-size * price * 1e9);
}

/** 30 matched; 12 more of which nobody told settled first, and took their part of them. */
function withUntold(): Inventory {
  const inventory = new Inventory();
  inventory.baseline(new Map([[TOKEN, shares(0)]]));
  matchOf(inventory, { size: 30, price: 0.14, atMs: 52_000, sentAtMs: 46_500 });
  settle(inventory, { size: 12, price: 0.14, atMs: 60_500 });
  settle(inventory, { size: 30, price: 0.14, atMs: 70_500 });
  return inventory;
}

describe('shares that settled at a better price than a match had asked for, told of later', () => {
  function early(price: number): Inventory {
    const inventory = new Inventory();
    inventory.baseline(new Map([[TOKEN, shares(0)]]));
    settle(inventory, { size: 30, price: 0.14, atMs: 60_000 });
    expect(inventory.isUnclear(TOKEN)).toBe(false);
    matchOf(inventory, { size: 30, price, atMs: 67_000, sentAtMs: 40_000 });
    return inventory;
  }

  it('are perhaps the same until the match has waited in vain', () => {
    const inventory = early(0.15);
    expect(inventory.isUnclear(TOKEN)).toBe(true);
    inventory.settleLate(TOKEN, unixMs(67_000 + 30_000));
    expect(inventory.isUnclear(TOKEN)).toBe(false);
    expect(inventory.position(TOKEN)).toBe(shares(30));
  });

  it('are the same where the price is, and others where it asked for a better one', () => {
    expect(early(0.14).isUnclear(TOKEN)).toBe(false);
    expect(early(0.13).isUnclear(TOKEN)).toBe(false);
  });
});

describe('what settled before its match was told', () => {
  it.each([0.14, 0.15])('is not of an order that left only afterwards, at %d', (price) => {
    const inventory = withUntold();
    expect(inventory.position(TOKEN)).toBe(shares(42));
    const aheadNano = matchOf(inventory, { size: 12, price, atMs: 116_000, sentAtMs: 80_200 });
    expect(inventory.position(TOKEN)).toBe(shares(54));
    expect(inventory.settleLate(TOKEN, unixMs(160_000))).toBe(0);
    expect(inventory.position(TOKEN)).toBe(shares(54));
    expect(aheadNano).toBe(0);
  });

  it.each([
    ['left before', 40_000],
    ['may have left at any time', undefined],
    ['left when the clock was ahead', 130_000],
  ])('may be of an order that %s', (_, sentAtMs) => {
    const inventory = withUntold();
    matchOf(inventory, {
      size: 12,
      price: 0.15,
      atMs: 116_000,
      ...(sentAtMs === undefined ? {} : { sentAtMs }),
    });
    expect(inventory.position(TOKEN)).toBe(shares(42));
  });
});

describe('what settled, and is taken to be of an order that ended unheard', () => {
  const ENDED = intentId('i-ended');

  /** 19 settled; an order of 30 that had left by then has ended, and nobody says what it had traded. */
  function endedUnheard(price = 0.47, size = 30): { inventory: Inventory; isFound: boolean } {
    const inventory = new Inventory();
    inventory.baseline(new Map([[TOKEN, shares(87)]]));
    settle(inventory, { size: 19, price: 0.47, atMs: 66_100 });
    const quantity = shares(size);
    const isFound = inventory.onEndedUnheard({
      tokenId: TOKEN,
      intentId: ENDED,
      side: 'BUY',
      cashNano: cashOf({ size, price }),
      quantity,
      original: quantity,
      atMs: unixMs(67_400),
      sentAtMs: unixMs(42_300),
    });
    return { inventory, isFound };
  }

  it('is no part of the match of an order like it, which counts whole', () => {
    const { inventory, isFound } = endedUnheard();
    expect(isFound).toBe(true);
    expect(matchOf(inventory, { size: 30, price: 0.47, atMs: 71_000, sentAtMs: 65_200 })).toBe(0);
    expect(inventory.position(TOKEN)).toBe(shares(87 + 19 + 30));
    settle(inventory, { size: 30, price: 0.47, atMs: 88_000 });
    expect(inventory.pendingFills(TOKEN)).toEqual([]);
    expect(inventory.settled(TOKEN)).toBe(shares(136));
  });

  it('counts once where that order is told of all the same', () => {
    const { inventory } = endedUnheard();
    const quantity = shares(19);
    const cashNano = cashOf({ size: 19, price: 0.47 });
    const fill = { tokenId: TOKEN, intentId: ENDED, side: 'BUY', quantity, cashNano } as const;
    const counted = inventory.onMatched({ ...fill, original: quantity, atMs: unixMs(70_000) });
    expect(counted).toBe(cashNano);
    expect(inventory.position(TOKEN)).toBe(shares(106));
    expect(inventory.pendingFills(TOKEN)).toEqual([]);
  });

  it('leaves the token in no doubt, and is somebody else’s trade no more', () => {
    const { inventory } = endedUnheard();
    expect(inventory.stored(TOKEN).isDoubted).toBe(false);
    expect(inventory.settleLate(TOKEN, unixMs(300_000))).toBe(0);
    expect(inventory.position(TOKEN)).toBe(shares(106));
  });

  it.each([
    ['asked for a better price', 0.46, 30],
    ['was smaller than it', 0.47, 18],
  ])('is not of one that %s', (_, price, size) => {
    const { inventory, isFound } = endedUnheard(price, size);
    expect(isFound).toBe(false);
    matchOf(inventory, { size: 30, price: 0.47, atMs: 71_000, sentAtMs: 65_200 });
    expect(inventory.position(TOKEN)).toBe(shares(87 + 30));
  });
});

describe('settlements at a better price than that of a match that is told of later', () => {
  const LATE_MS = 30_000;

  /** So many settled at 0.14, and only then are matches at 0.15 told of. */
  function waiting(settled: readonly number[], matched: readonly Omit<Buy, 'atMs'>[]): Inventory {
    const inventory = new Inventory();
    inventory.baseline(new Map([[TOKEN, shares(0)]]));
    for (const size of settled) settle(inventory, { size, price: 0.14, atMs: 50_000 });
    for (const { size, price } of matched) matchOf(inventory, { size, price, atMs: 60_000 });
    return inventory;
  }

  it.each([
    { settled: [12, 18], matched: [{ size: 30, price: 0.15 }], why: 'are together a late one' },
    {
      settled: [30],
      matched: [
        { size: 12, price: 0.15 },
        { size: 18, price: 0.15 },
      ],
      why: 'are of late ones together',
    },
  ])('$why, and count once', ({ settled, matched }) => {
    const inventory = waiting(settled, matched);
    expect(inventory.settleLate(TOKEN, unixMs(60_000 + LATE_MS - 1))).toBe(0);
    expect(inventory.position(TOKEN)).toBe(shares(60));
    const counted = inventory.settleLate(TOKEN, unixMs(60_000 + LATE_MS));
    expect(counted).toBe(cashOf({ size: 30, price: 0.15 }));
    expect(inventory.position(TOKEN)).toBe(shares(30));
  });

  it.each([
    { settled: [12, 17], matched: [{ size: 30, price: 0.15 }], why: 'they are less' },
    { settled: [12, 18, 5], matched: [{ size: 30, price: 0.15 }], why: 'they are more' },
    { settled: [12, 18], matched: [{ size: 30, price: 0.13 }], why: 'it asked for a better price' },
    {
      settled: [30],
      matched: [
        { size: 12, price: 0.15 },
        { size: 18, price: 0.16 },
      ],
      why: 'no venue sums up matches of two prices',
    },
  ])('are of nobody yet where $why', ({ settled, matched }) => {
    const inventory = waiting(settled, matched);
    const before = inventory.position(TOKEN);
    expect(inventory.settleLate(TOKEN, unixMs(60_000 + LATE_MS))).toBe(0);
    expect(inventory.position(TOKEN)).toBe(before);
  });
});
