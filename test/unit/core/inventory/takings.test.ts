// A settlement that was taken for one match, and turns out to be another's.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Inventory } from '../../../../src/core/inventory/inventory.ts';
import { cashOfAll } from '../../../../src/core/inventory/pending.ts';
import type { OnChain } from '../../../../src/core/inventory/settlements.ts';
import { intentId, tokenId } from '../../../../src/domain/ids.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { unixMs } from '../../../../src/domain/time.ts';

const TOKEN = tokenId('0x01');
const LATE_MS = 30_000;

type Sale = { readonly size: number; readonly price: number };

/** Sells of one token, and the cash that they are counted with. */
class Sales {
  readonly inventory: Inventory;
  cashNano = 0;
  #sold = 0;

  constructor(onChain?: OnChain) {
    this.inventory = new Inventory(onChain);
    this.inventory.baseline(new Map([[TOKEN, shares(1_000)]]));
  }

  match({ size, price }: Sale, atMs: number, sentAtMs?: number): void {
    const quantity = shares(size);
    const cashNano = cashOf({ size, price });
    this.#sold += 1;
    this.cashNano += cashNano;
    this.cashNano -= this.inventory.onMatched({
      tokenId: TOKEN,
      intentId: intentId(`sale-${this.#sold}`),
      side: 'SELL',
      cashNano,
      quantity,
      original: quantity,
      atMs: unixMs(atMs),
      sentAtMs: sentAtMs === undefined ? undefined : unixMs(sentAtMs),
    });
  }

  settle({ size, price }: Sale, atMs: number): void {
    const trade = {
      side: 'SELL',
      quantity: shares(size),
      cashNano: cashOf({ size, price }),
    } as const;
    this.cashNano += trade.cashNano - this.inventory.onSettled(TOKEN, trade, unixMs(atMs));
  }

  settleLate(atMs: number): void {
    this.cashNano -= this.inventory.settleLate(TOKEN, unixMs(atMs));
  }

  get waiting(): readonly string[] {
    return this.inventory
      .pendingFills(TOKEN)
      .map(
        ({ quantity, cashNano, original }) => `${quantity / 1e6} at ${cashNano / original / 1e3}`,
      );
  }
}

function cashOf({ size, price }: Sale): number {
  return Math.round(size * price * 1e9);
}

function sale(size: number, price: number): Sale {
  return { size, price };
}

describe('a settlement that came before its match was told of', () => {
  /** Five at 0.50 settle while only fifteen at 0.49 are known, which allow it; then their own match is told. */
  function early(toldAtMs = 23_000, sentAtMs?: number): Sales {
    const sales = new Sales();
    sales.match(sale(15, 0.49), 1_000);
    sales.settle(sale(5, 0.5), 20_000);
    sales.match(sale(5, 0.5), toldAtMs, sentAtMs);
    return sales;
  }

  it('is of that match once it waits in vain, and the other one waits whole again', () => {
    const sales = early();
    sales.settleLate(23_000 + LATE_MS - 1);
    expect(sales.waiting).toEqual(['10 at 0.49', '5 at 0.5']);
    sales.settleLate(23_000 + LATE_MS);
    expect(sales.waiting).toEqual(['15 at 0.49']);
    expect(sales.cashNano).toBe(cashOf(sale(15, 0.49)) + cashOf(sale(5, 0.5)));
    expect(sales.inventory.position(TOKEN)).toBe(shares(980));
  });

  it('is kept as it was told of where the match settles as well', () => {
    const sales = early();
    sales.settle(sale(5, 0.5), 40_000);
    sales.settleLate(23_000 + LATE_MS);
    expect(sales.waiting).toEqual(['10 at 0.49']);
  });

  it.each([
    { why: 'left after it had settled', toldAtMs: 23_000, sentAtMs: 21_000 },
    { why: 'is told of so late that it is a new one', toldAtMs: 40_001, sentAtMs: 500 },
    { why: 'was known when it settled', toldAtMs: 19_000, sentAtMs: 500 },
  ])('is not of a match that $why', ({ toldAtMs, sentAtMs }) => {
    const sales = early(toldAtMs, sentAtMs);
    const before = sales.waiting;
    sales.settleLate(toldAtMs + LATE_MS);
    expect(sales.waiting).toEqual(before);
  });

  it('gives back what it took whole at once, when that one settles as well', () => {
    const sales = new Sales();
    for (const each of [sale(30, 0.41), sale(30, 0.43)]) sales.match(each, 1_000);
    sales.settle(sale(30, 0.44), 20_000);
    sales.match(sale(30, 0.44), 22_000);
    sales.settle(sale(30, 0.43), 23_000);
    expect(sales.waiting).toEqual(['30 at 0.41']);
    const all = [sale(30, 0.41), sale(30, 0.44), sale(30, 0.43)];
    expect(sales.cashNano).toBe(all.reduce((sum, each) => sum + cashOf(each), 0));
  });

  it('gives back what it took whole, in its place among those that wait', () => {
    const sales = new Sales();
    sales.match(sale(5, 0.49), 1_000);
    sales.match(sale(7, 0.6), 2_000);
    sales.settle(sale(5, 0.5), 20_000);
    sales.match(sale(5, 0.5), 23_000);
    sales.settleLate(23_000 + LATE_MS);
    expect(sales.waiting).toEqual(['5 at 0.49', '7 at 0.6']);
    sales.settle(sale(5, 0.49), 60_000);
    sales.settle(sale(7, 0.6), 60_000);
    const all = [sale(5, 0.5), sale(5, 0.49), sale(7, 0.6)];
    expect(sales.cashNano).toBe(all.reduce((sum, each) => sum + cashOf(each), 0));
    expect(sales.waiting).toEqual([]);
  });

  it('gives back with others of its kind what they had taken together', () => {
    const sales = new Sales();
    sales.match(sale(30, 0.46), 1_000);
    sales.settle(sale(15, 0.47), 3_000);
    sales.settle(sale(15, 0.47), 7_000);
    sales.match(sale(15, 0.47), 9_000);
    sales.match(sale(15, 0.47), 9_000);
    expect(sales.inventory.position(TOKEN)).toBe(shares(940));
    sales.settle(sale(30, 0.46), 18_000);
    expect(sales.waiting).toEqual([]);
    expect(sales.inventory.position(TOKEN)).toBe(shares(940));
    expect(sales.cashNano).toBe(cashOf(sale(30, 0.46)) + cashOf(sale(30, 0.47)));
    expect(sales.inventory.isUnexplained(TOKEN)).toBe(false);
  });

  it('is told to both orders', () => {
    const told: string[] = [];
    const sales = new Sales(({ intentId: id }, { kind, quantity }) => {
      told.push(`${id} ${kind} ${quantity / 1e6}`);
    });
    sales.match(sale(15, 0.49), 1_000);
    sales.settle(sale(5, 0.5), 20_000);
    sales.match(sale(5, 0.5), 23_000);
    sales.settleLate(23_000 + LATE_MS);
    expect(told).toEqual(['sale-1 settled 5', 'sale-1 unsettled 5', 'sale-2 settled 5']);
  });
});

describe('a settlement that was taken for a part of a match at just its price', () => {
  it('is of the match of its size that allows it, once the whole of the other is told of', () => {
    const sales = new Sales();
    // The first of them has settled unheard.
    for (const each of [sale(30, 0.36), sale(30, 0.37), sale(5, 0.36)]) sales.match(each, 1_000);
    sales.settle(sale(5, 0.37), 20_000);
    expect(sales.waiting).toEqual(['30 at 0.36', '25 at 0.37', '5 at 0.36']);
    sales.settle(sale(30, 0.37), 21_000);
    expect(sales.waiting).toEqual(['30 at 0.36']);
    const all = [sale(30, 0.36), sale(5, 0.37), sale(30, 0.37)];
    expect(sales.cashNano).toBe(all.reduce((sum, each) => sum + cashOf(each), 0));
  });

  it('is a part of a larger one, where the whole would fit none otherwise', () => {
    const sales = new Sales();
    for (const each of [sale(40, 0.36), sale(30, 0.37)]) sales.match(each, 1_000);
    sales.settle(sale(5, 0.37), 20_000);
    sales.settle(sale(30, 0.37), 21_000);
    expect(sales.waiting).toEqual(['35 at 0.36']);
  });

  it('is of the match of its size, though the others at its price would hold the next one together', () => {
    const sales = new Sales();
    const told = [sale(30, 0.31), sale(16, 0.37), sale(6, 0.37), sale(3, 0.36)];
    for (const each of told) sales.match(each, 1_000);
    for (const size of [3, 16, 6]) sales.settle(sale(size, 0.37), 20_000);
    expect(sales.waiting).toEqual(['30 at 0.31']);
  });

  it('stays where it is while the next one may be several at its price, and nothing is of its size', () => {
    const sales = new Sales();
    for (const each of [sale(30, 0.31), sale(16, 0.37), sale(6, 0.37)]) sales.match(each, 1_000);
    for (const size of [3, 16]) sales.settle(sale(size, 0.37), 20_000);
    expect(sales.waiting).toEqual(['30 at 0.31', '3 at 0.37']);
  });

  it('stays where it is while a larger one is all that allows it, and another takes the whole', () => {
    const sales = new Sales();
    for (const each of [sale(30, 0.36), sale(30, 0.37), sale(40, 0.35)]) sales.match(each, 1_000);
    sales.settle(sale(5, 0.37), 20_000);
    sales.settle(sale(30, 0.37), 21_000);
    expect(sales.waiting).toEqual(['25 at 0.37', '40 at 0.35']);
  });

  it('changes places with what waits of another, where both were at better prices and come out even', () => {
    const sales = new Sales();
    const told = [sale(40, 0.604), sale(14, 0.605), sale(40, 0.611), sale(36, 0.614)];
    for (const each of told) sales.match(each, 1_000);
    const settled = [sale(24, 0.771), sale(16, 0.771), sale(2, 0.771), sale(34, 0.77)];
    for (const each of settled) sales.settle(each, 20_000);
    expect(sales.waiting).toEqual(['40 at 0.604', '14 at 0.605']);
  });

  it('stays where it is, though both would come out even, while a match that asked for more has room', () => {
    const sales = new Sales();
    sales.match(sale(30, 0.6), 1_000);
    sales.settle(sale(10, 0.605), 20_000);
    for (const each of [sale(10, 0.6), sale(40, 0.62)]) sales.match(each, 21_000);
    sales.settle(sale(30, 0.77), 22_000);
    expect(sales.waiting).toEqual(['20 at 0.6', '10 at 0.6', '10 at 0.62']);
  });
});

describe('matches and settlements at better prices', () => {
  it('come to the cash of the settlements, in whatever order they are told of', () => {
    const sold$ = fc.record({
      size: fc.constantFrom(5, 10, 15, 30),
      price: fc.constantFrom(0.36, 0.37, 0.38),
      better: fc.constantFrom(0, 0, 0, 0.01, 0.02),
      toldAtSec: fc.integer({ min: 0, max: 50 }),
      settledAtSec: fc.integer({ min: 0, max: 50 }),
    });
    fc.assert(
      fc.property(fc.array(sold$, { minLength: 1, maxLength: 7 }), (list) => {
        const sales = new Sales();
        let expected = 0;
        const news = list.flatMap(({ size, price, better, toldAtSec, settledAtSec }) => {
          const settled = sale(size, price + better);
          expected += cashOf(settled);
          return [
            {
              atMs: toldAtSec * 1_000,
              tell: () => sales.match(sale(size, price), toldAtSec * 1_000),
            },
            { atMs: settledAtSec * 1_000, tell: () => sales.settle(settled, settledAtSec * 1_000) },
          ];
        });
        for (const { atMs, tell } of news.toSorted((one, other) => one.atMs - other.atMs)) {
          sales.settleLate(atMs);
          tell();
        }
        sales.settleLate(90_000);
        const { inventory } = sales;
        const sold = list.reduce((sum, { size }) => sum + size, 0);
        expect(inventory.settled(TOKEN)).toBe(shares(1_000 - sold));
        // What is left of a match whose settlement another took counts until the venue's number is taken.
        const left = cashOfAll(inventory.pendingFills(TOKEN));
        expect(Math.abs(sales.cashNano - left - expected)).toBeLessThan(1_000);
      }),
    );
  });
});
