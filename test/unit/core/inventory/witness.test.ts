// What the venue's lagging index may prove of shares, and what it may not.

import { describe, expect, it } from 'vitest';
import { Inventory } from '../../../../src/core/inventory/inventory.ts';
import { tokenId } from '../../../../src/domain/ids.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { unixMs } from '../../../../src/domain/time.ts';

const TOKEN = tokenId('0x01');

type Trade = { readonly side: 'BUY' | 'SELL'; readonly size: number; readonly price?: number };

const cashNano = ({ side, size, price = 0.4 }: Trade) =>
  Math.round((side === 'BUY' ? -size : size) * price * 1e9);

function started(held = 0): Inventory {
  const inventory = new Inventory();
  inventory.baseline(new Map([[TOKEN, shares(held)]]));
  return inventory;
}

function match(inventory: Inventory, trade: Trade, atMs: number): void {
  const quantity = shares(trade.size);
  const fill = { tokenId: TOKEN, side: trade.side, cashNano: cashNano(trade), quantity };
  inventory.onMatched({ ...fill, original: quantity, atMs: unixMs(atMs) });
}

function settle(inventory: Inventory, trade: Trade, atMs: number): number {
  const taken = { side: trade.side, quantity: shares(trade.size), cashNano: cashNano(trade) };
  return inventory.onSettled(TOKEN, taken, unixMs(atMs));
}

function read(inventory: Inventory, amount: number, askedAtMs: number): string {
  const at = { askedAtMs: unixMs(askedAtMs), positionLagMs: 150_000, isCashExplained: true };
  return inventory.confirm(TOKEN, shares(amount), at).kind;
}

const held = (inventory: Inventory) => [
  inventory.position(TOKEN) / 1e6,
  inventory.settled(TOKEN) / 1e6,
];

function nextLife(before: Inventory): Inventory {
  const next = new Inventory();
  next.restore([before.stored(TOKEN)]);
  return next;
}

describe('a match that the index showed settled before any frame did', () => {
  it('gives a frame to one like it that waits, and takes the next one for its own', () => {
    const inventory = started();
    const bought = { side: 'BUY', size: 30 } as const;
    match(inventory, bought, 1_000);
    match(inventory, bought, 65_000);
    read(inventory, 30, 70_000);
    expect(held(inventory)).toEqual([60, 30]);
    settle(inventory, bought, 80_000);
    expect(held(inventory)).toEqual([60, 60]);
    settle(inventory, bought, 85_000);
    expect(held(inventory)).toEqual([60, 60]);
  });

  it('hides nothing that was bought beside one that waits, though its own frame never comes', () => {
    const inventory = started();
    const bought = { side: 'BUY', size: 30 } as const;
    match(inventory, bought, 1_000);
    match(inventory, bought, 55_000);
    read(inventory, 30, 62_000);
    settle(inventory, bought, 72_000);
    // It traded unheard; the first match's frame is lost by now.
    inventory.settleLate(TOKEN, unixMs(125_000));
    settle(inventory, bought, 126_000);
    expect(held(inventory)).toEqual([90, 90]);
  });

  it('is not counted again when its frame comes', () => {
    const inventory = started(40);
    match(inventory, { side: 'BUY', size: 30 }, 1_000);
    read(inventory, 70, 70_000);
    expect(held(inventory)).toEqual([70, 70]);
    const countedNano = settle(inventory, { side: 'BUY', size: 30 }, 75_000);
    expect(held(inventory)).toEqual([70, 70]);
    // The chain tells what it cost: the count of its match is what it replaces.
    expect(countedNano).toBe(cashNano({ side: 'BUY', size: 30 }));
  });

  it('leaves a frame like its own to an older match', () => {
    const inventory = started(40);
    match(inventory, { side: 'BUY', size: 30 }, 1_000);
    match(inventory, { side: 'BUY', size: 20 }, 2_000);
    read(inventory, 70, 70_000);
    settle(inventory, { side: 'BUY', size: 20 }, 71_000);
    expect(held(inventory)).toEqual([90, 90]);
    settle(inventory, { side: 'BUY', size: 30 }, 72_000);
    expect(held(inventory)).toEqual([90, 90]);
  });

  it('is told of in parts too', () => {
    const inventory = started(40);
    match(inventory, { side: 'BUY', size: 30 }, 1_000);
    read(inventory, 70, 70_000);
    settle(inventory, { side: 'BUY', size: 10 }, 75_000);
    settle(inventory, { side: 'BUY', size: 20 }, 76_000);
    expect(held(inventory)).toEqual([70, 70]);
  });

  it.each([
    { price: 0.4, size: 30, isDoubted: false, why: 'is not, by its own frame' },
    { price: 0.37, size: 30, isDoubted: true, why: 'is, by one at a better price' },
    { price: 0.4, size: 20, isDoubted: true, why: 'is, by one of a part' },
  ])('may be taken for one that nobody told of, and so $why', ({ price, size, isDoubted }) => {
    const inventory = started(40);
    match(inventory, { side: 'BUY', size: 30 }, 1_000);
    read(inventory, 70, 70_000);
    settle(inventory, { side: 'BUY', size, price }, 75_000);
    expect(held(inventory)).toEqual([70, 70]);
    expect(inventory.isUnexplained(TOKEN)).toBe(isDoubted);
  });

  it('takes no settlement of a minute later: that is of a match nobody told of', () => {
    const inventory = started(40);
    match(inventory, { side: 'BUY', size: 30 }, 1_000);
    read(inventory, 70, 70_000);
    inventory.settleLate(TOKEN, unixMs(131_000));
    settle(inventory, { side: 'BUY', size: 30 }, 132_000);
    expect(held(inventory)).toEqual([100, 100]);
  });
});

describe('what an earlier life knew of the index', () => {
  it('settles no match in this one: the amount may be from before', () => {
    const before = started(20);
    match(before, { side: 'SELL', size: 20 }, 30_000);
    match(before, { side: 'BUY', size: 20 }, 40_000);
    settle(before, { side: 'SELL', size: 20 }, 100_000);
    const inventory = nextLife(before);
    // The index lags: twenty are those of before the sale, not those that were bought since.
    expect(read(inventory, 20, 105_000)).toBe('waits');
    expect(held(inventory)).toEqual([20, 0]);
    settle(inventory, { side: 'BUY', size: 20 }, 110_000);
    expect(held(inventory)).toEqual([20, 20]);
  });

  it('is in doubt when a match of it settles at another price: that may be of one nobody told of', () => {
    const before = started(20);
    match(before, { side: 'BUY', size: 30, price: 0.51 }, 1_000);
    const inventory = nextLife(before);
    settle(inventory, { side: 'BUY', size: 30, price: 0.51 }, 20_000);
    expect(inventory.isUnexplained(TOKEN)).toBe(false);
    const other = nextLife(before);
    settle(other, { side: 'BUY', size: 30, price: 0.47 }, 20_000);
    expect(other.isUnexplained(TOKEN)).toBe(true);
    const part = nextLife(before);
    settle(part, { side: 'BUY', size: 20, price: 0.51 }, 20_000);
    expect(part.isUnexplained(TOKEN)).toBe(true);
  });

  it('is in doubt when a match of a minute settles at another price in the same life', () => {
    const settledAfter = (ms: number, price: number) => {
      const inventory = started(20);
      match(inventory, { side: 'BUY', size: 30, price: 0.51 }, 1_000);
      settle(inventory, { side: 'BUY', size: 30, price }, 1_000 + ms);
      return inventory.isUnexplained(TOKEN);
    };
    expect(settledAfter(59_000, 0.47)).toBe(false);
    expect(settledAfter(60_000, 0.47)).toBe(true);
    expect(settledAfter(60_000, 0.51)).toBe(false);
  });

  it('is in doubt when a settlement still waited for its match', () => {
    const before = started(64);
    settle(before, { side: 'SELL', size: 34, price: 0.55 }, 1_000);
    expect(before.stored(TOKEN).isDoubted).toBe(true);
    expect(nextLife(before).isUnexplained(TOKEN)).toBe(true);
  });

  it('is not when that was somebody else, long ago', () => {
    const before = started(64);
    settle(before, { side: 'SELL', size: 34 }, 1_000);
    before.takeChanged();
    before.settleLate(TOKEN, unixMs(130_000));
    expect(before.takeChanged()).toEqual([TOKEN]);
    expect(before.stored(TOKEN).isDoubted).toBe(false);
  });
});

describe('settled shares that agree', () => {
  it('prove nothing while a match should have settled long ago', () => {
    const inventory = started(100);
    match(inventory, { side: 'BUY', size: 30 }, 1_000);
    settle(inventory, { side: 'SELL', size: 5 }, 50_000);
    expect(read(inventory, 95, 55_000)).toBe('agrees');
    expect(read(inventory, 95, 70_000)).toBe('waits');
  });

  it('are in doubt when a match and a settlement of one side wait for their other halves in vain', () => {
    const inventory = started(100);
    match(inventory, { side: 'SELL', size: 30, price: 0.5 }, 1_000);
    settle(inventory, { side: 'SELL', size: 12, price: 0.45 }, 10_000);
    expect(read(inventory, 88, 35_000)).toBe('agrees');
    expect(read(inventory, 88, 45_000)).toBe('differs');
    expect(inventory.isUnexplained(TOKEN)).toBe(true);
  });
});

describe('an amount that only an index out of order would show', () => {
  const sold = (): Inventory => {
    const inventory = started(100);
    for (const [index, size] of [30, 20].entries()) {
      match(inventory, { side: 'SELL', size }, 1_000);
      settle(inventory, { side: 'SELL', size }, 20_000 + index * 1_000);
    }
    return inventory;
  };

  it('is possible where some of the settlements make it', () => {
    const inventory = sold();
    const kinds = [30_000, 45_000, 65_000].map((askedAt) => read(inventory, 80, askedAt));
    expect(kinds).toEqual(['waits', 'waits', 'waits']);
    expect(inventory.isUnexplained(TOKEN)).toBe(false);
  });

  it('is not where none do, though it lies between', () => {
    const inventory = sold();
    const kinds = [30_000, 45_000, 65_000].map((askedAt) => read(inventory, 84, askedAt));
    expect(kinds).toEqual(['waits', 'waits', 'differs']);
  });
});

describe('a quiet token whose matches are not there', () => {
  it('gives back what they were counted with, and not what they are worth now', () => {
    const inventory = started(82);
    match(inventory, { side: 'SELL', size: 30, price: 0.87 }, 1_000);
    match(inventory, { side: 'BUY', size: 11, price: 0.81 }, 2_000);
    read(inventory, 82, 160_000);
    const at = { askedAtMs: unixMs(175_000), positionLagMs: 150_000, isCashExplained: true };
    const unmatchedNano = 30 * 0.87e9 - 11 * 0.81e9;
    const found = inventory.confirm(TOKEN, shares(82), at);
    expect(found).toMatchObject({ kind: 'adopted', change: shares(19), unmatchedNano });
  });

  it('says nothing of their cost where the number is another one', () => {
    const inventory = started(82);
    match(inventory, { side: 'SELL', size: 30, price: 0.87 }, 1_000);
    read(inventory, 60, 160_000);
    const at = { askedAtMs: unixMs(175_000), positionLagMs: 150_000, isCashExplained: true };
    const found = inventory.confirm(TOKEN, shares(60), at);
    expect(found).toMatchObject({ kind: 'adopted', change: shares(8), unmatchedNano: undefined });
  });
});
