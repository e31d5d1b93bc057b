// What a match that pays a fee is counted with, in whatever order news of it and of its settlement comes.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Inventory } from '../../../../src/core/inventory/inventory.ts';
import { intentId, tokenId } from '../../../../src/domain/ids.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { unixMs } from '../../../../src/domain/time.ts';

const TOKEN = tokenId('0x01');
const LATE_MS = 30_000;
const RATE = 0.05;

type Buy = { readonly size: number; readonly price: number };

function cashOf({ size, price }: Buy): number {
  return Math.round(-size * price * 1e9);
}

/** The fee in USDC of a buy by the rate, as cash moves by it. */
function feeOf({ size, price }: Buy): number {
  return Math.floor(Math.round(RATE * size * price * (1 - price) * 1e9) / 1_000) / 1e6;
}

/** Buys of one token, what they are counted with, and the fees that are paid. */
class Buys {
  readonly inventory = new Inventory();
  #cashNano = 0;
  #paidNano = 0;
  #bought = 0;

  constructor() {
    this.inventory.baseline(new Map([[TOKEN, shares(0)]]));
  }

  match(buy: Buy, atMs: number, kind: 'take' | 'quote' = 'take'): void {
    this.#bought += 1;
    const cashNano = cashOf(buy);
    const takerFeeRate = kind === 'take' ? RATE : undefined;
    const ownFee = kind === 'take' ? RATE * -cashNano * (1 - buy.price) : 0;
    this.#cashNano += cashNano - Math.round(ownFee);
    this.#cashNano -= this.inventory.onMatched({
      ...{ tokenId: TOKEN, intentId: intentId(`buy-${this.#bought}`), side: 'BUY' },
      ...{ cashNano, takerFeeRate, atMs: unixMs(atMs) },
      ...{ quantity: shares(buy.size), original: shares(buy.size) },
    });
    this.#pay();
  }

  settle(buy: Buy, atMs: number): void {
    const cashNano = cashOf(buy);
    const trade = { side: 'BUY', quantity: shares(buy.size), cashNano } as const;
    this.#cashNano += cashNano - this.inventory.onSettled(TOKEN, trade, unixMs(atMs));
    this.#pay();
  }

  settleLate(atMs: number): void {
    this.#cashNano -= this.inventory.settleLate(TOKEN, unixMs(atMs));
    this.#pay();
  }

  fail(size: number, atMs: number): void {
    this.#cashNano -= this.inventory.onFailed(TOKEN, 'BUY', shares(size), unixMs(atMs)).cashNano;
  }

  get paid(): number {
    return this.#paidNano / 1e9;
  }

  get cash(): number {
    return this.#cashNano / 1e9;
  }

  #pay(): void {
    const feeNano = this.inventory.takeFees();
    this.#paidNano += feeNano;
    this.#cashNano -= feeNano;
  }
}

const ASKED = { size: 30, price: 0.46 };
const TRADED = { size: 30, price: 0.45 };

describe('a match that pays', () => {
  it('is counted with its fee at its own price, and pays nothing before it settles', () => {
    const buys = new Buys();
    buys.match(ASKED, 1_000);
    expect(buys.paid).toBe(0);
    expect(buys.cash).toBeCloseTo(-13.8 - feeOf(ASKED), 9);
  });

  it('pays by the price of its settlement', () => {
    const buys = new Buys();
    buys.match(ASKED, 1_000);
    buys.settle(TRADED, 16_000);
    expect(buys.paid).toBe(feeOf(TRADED));
    expect(buys.cash).toBeCloseTo(-13.5 - feeOf(TRADED), 9);
  });

  it.each([
    ['at its own price, at once', TRADED, 0],
    ['at a better one, when it has waited in vain', ASKED, LATE_MS],
  ])('pays once where it settled before it was told of: %s', (_, asked, lateMs) => {
    const buys = new Buys();
    buys.settle(TRADED, 16_000);
    expect(buys.paid).toBe(0);
    buys.match(asked, 17_000);
    buys.settleLate(17_000 + lateMs);
    expect(buys.paid).toBe(feeOf(TRADED));
    expect(buys.cash).toBeCloseTo(-13.5 - feeOf(TRADED), 9);
  });

  it('gives all of it back where it fails', () => {
    const buys = new Buys();
    buys.match(ASKED, 1_000);
    buys.fail(30, 16_000);
    expect([buys.cash, buys.paid]).toEqual([0, 0]);
  });

  it('is given back a fee where the settlement was of a quote that was told of later', () => {
    const buys = new Buys();
    buys.match(ASKED, 1_000);
    buys.settle(TRADED, 16_000);
    buys.match(TRADED, 16_500, 'quote');
    buys.settleLate(16_500 + LATE_MS);
    expect(buys.paid).toBe(0);
    buys.settle(ASKED, 60_000);
    expect(buys.paid).toBe(feeOf(ASKED));
    expect(buys.cash).toBeCloseTo(-13.5 - 13.8 - feeOf(ASKED), 9);
  });

  it.each([
    ['before', 1_000],
    ['after', 17_000],
  ])('pays what each settlement says, told of %s these', (_, matchedAtMs) => {
    const part = fc.record({
      cents: fc.integer({ min: 2, max: 98 }),
      size: fc.integer({ min: 1, max: 400 }),
    });
    const parts = fc.array(part, { minLength: 1, maxLength: 6 });
    const property = fc.property(parts, (drawn) => {
      const buys = new Buys();
      // One price each: nothing is taken for anything else.
      const all = [...new Map(drawn.map((each) => [each.cents, each])).values()];
      const traded = all.map(({ cents, size }) => ({ size, price: cents / 100 }));
      const isToldBefore = matchedAtMs < 16_000;
      if (isToldBefore) for (const each of traded) buys.match(each, matchedAtMs);
      for (const each of traded) buys.settle(each, 16_000);
      if (!isToldBefore) for (const each of traded) buys.match(each, matchedAtMs);
      const fees = traded.reduce((sum, each) => sum + feeOf(each), 0);
      const cost = traded.reduce((sum, { size, price }) => sum + size * price, 0);
      expect(buys.paid).toBeCloseTo(fees, 6);
      expect(buys.cash).toBeCloseTo(-cost - fees, 6);
    });
    fc.assert(property);
  });
});
