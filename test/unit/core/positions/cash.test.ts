// Cash of the account: shown by the venue, booked by us, and the break between the two.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nanoOf } from '../../../../src/core/kernel/nano.ts';
import { Cash } from '../../../../src/core/positions/cash.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import { balances } from '../../../support/engine-driver.ts';

const USDC = 1_000_000_000;
const shown = (amount: number) =>
  balances({ cashBalance: usdc(amount), availableBalance: usdc(amount) });

function started(): Cash {
  const cash = new Cash();
  cash.onRead(shown(100), unixMs(1_000));
  return cash;
}

describe('cash of the account', () => {
  it('is not known before the first read', () => {
    const cash = new Cash();
    expect(cash.cashNano).toBeUndefined();
    expect(cash.bookNano).toBeUndefined();
  });

  it('opens with what the first read shows', () => {
    expect(started().cashNano).toBe(100 * USDC);
    expect(started().agrees).toBe(true);
  });

  it('moves with each settlement until a read shows it', () => {
    const cash = started();
    cash.onFlow(-20 * USDC, unixMs(2_000));
    expect(cash.cashNano).toBe(80 * USDC);
    cash.onRead(shown(80), unixMs(3_000));
    expect(cash.cashNano).toBe(80 * USDC);
    expect(cash.agrees).toBe(true);
  });

  it.each([
    { amount: 100, why: 'shows neither' },
    { amount: 80, why: 'shows the first' },
    { amount: 85, why: 'shows both' },
  ])('agrees with a read under way that $why of two settlements', ({ amount }) => {
    const cash = started();
    cash.onFlow(-20 * USDC, unixMs(2_500));
    cash.onFlow(5 * USDC, unixMs(2_600));
    cash.onRead(shown(amount), unixMs(2_000));
    expect(cash.agrees).toBe(true);
    expect(cash.cashNano).toBe(85 * USDC);
  });

  it('has a break of what the venue shows beyond our book', () => {
    const cash = started();
    cash.onRead(shown(93), unixMs(2_000));
    expect(cash.breakNano).toBe(-7 * USDC);
    expect(cash.agrees).toBe(false);
  });

  it('has none once a part is explained by just that', () => {
    const cash = started();
    cash.onRead(shown(93), unixMs(2_000));
    cash.explain(-7 * USDC);
    expect(cash.agrees).toBe(true);
    expect(cash.bookNano).toBe(93 * USDC);
  });

  it('has moved unexplained only once it has shown what else is known to have moved it', () => {
    const cash = started();
    const since = { sinceMs: unixMs(2_000), nowMs: unixMs(6_000) };
    cash.onFlow(-20 * USDC, unixMs(2_000));
    cash.onRead(shown(100), unixMs(3_000));
    expect(cash.hasMoved(20 * USDC, since)).toBe(false);
    cash.onRead(shown(80), unixMs(4_000));
    expect(cash.hasMoved(20 * USDC, since)).toBe(false);
    cash.onRead(shown(100), unixMs(5_000));
    expect(cash.hasMoved(20 * USDC, since)).toBe(true);
    expect(cash.hasMoved(-20 * USDC, since)).toBe(false);
  });

  it('is explained no further than it goes by what is guessed, and the rest of the guess is uncertain', () => {
    const cash = started();
    cash.onRead(shown(93), unixMs(2_000));
    cash.explainUpTo(-9 * USDC);
    expect([cash.breakNano, cash.adoptedNano]).toEqual([0, 2 * USDC]);
    cash.explainUpTo(4 * USDC);
    expect([cash.breakNano, cash.adoptedNano]).toEqual([0, 6 * USDC]);
  });

  it('books a break as it is when every read has shown it for long enough, and no more than that', () => {
    const cash = started();
    const amounts = [93, 90, 95];
    const adopted = amounts.map((amount, index) => {
      const atMs = unixMs(2_000 + index * 30_000);
      cash.onRead(shown(amount), atMs);
      return cash.adopt(atMs, 60_000);
    });
    expect(adopted).toEqual([0, 0, -5 * USDC]);
    expect(cash.adoptedNano).toBe(5 * USDC);
    expect(cash.agrees).toBe(true);
  });

  it('books a break whole beside cash that moved amid it and is explained', () => {
    const cash = started();
    cash.onRead(shown(130), unixMs(2_000));
    expect(cash.adopt(unixMs(2_000), 60_000)).toBe(0);
    cash.onRead(shown(135), unixMs(62_000));
    cash.explain(5 * USDC, unixMs(62_000));
    expect(cash.adopt(unixMs(62_000), 60_000)).toBe(30 * USDC);
    expect(cash.agrees).toBe(true);
  });

  it('books no break that is left where a purchase is found that no read of before may have shown', () => {
    const cash = started();
    cash.onRead(shown(100), unixMs(2_000));
    expect(cash.adopt(unixMs(2_000), 60_000)).toBe(0);
    cash.onRead(shown(95), unixMs(62_000));
    cash.explain(-20 * USDC);
    expect(cash.adopt(unixMs(62_000), 60_000)).toBe(0);
    expect(cash.breakNano).toBe(15 * USDC);
    cash.onRead(shown(95), unixMs(122_000));
    expect(cash.adopt(unixMs(122_000), 60_000)).toBe(15 * USDC);
  });

  it('does not book a break that is new, behind one that was booked', () => {
    const cash = started();
    for (const [index, amount] of [130, 130, 132].entries()) {
      const atMs = unixMs(2_000 + index * 60_000);
      cash.onRead(shown(amount), atMs);
      expect(cash.adopt(atMs, 60_000)).toBe(index === 1 ? 30 * USDC : 0);
    }
  });

  it('does not book a break that a read in between did not show', () => {
    const cash = started();
    for (const [index, amount] of [93, 100, 93].entries()) {
      const atMs = unixMs(2_000 + index * 30_000);
      cash.onRead(shown(amount), atMs);
      expect(cash.adopt(atMs, 60_000)).toBe(0);
    }
  });

  it('shows a next run what moved between the two', () => {
    const cash = new Cash();
    cash.restore(100 * USDC);
    cash.onRead(shown(76), unixMs(1_000));
    expect(cash.breakNano).toBe(-24 * USDC);
  });

  it('agrees at every read of an account whose settlements are all reported', () => {
    const flows = fc.array(fc.integer({ min: -5_000_000, max: 5_000_000 }), { maxLength: 20 });
    fc.assert(
      fc.property(flows, (all) => {
        const cash = started();
        let trueNano = 100 * USDC;
        for (const [index, micro] of all.entries()) {
          const atMs = 2_000 + index * 1_000;
          cash.onFlow(micro * 1_000, unixMs(atMs));
          trueNano += micro * 1_000;
          const amount = usdc((trueNano / USDC).toFixed(6));
          const read = balances({ cashBalance: amount, availableBalance: amount });
          cash.onRead(read, unixMs(atMs + 500));
          expect(cash.agrees).toBe(true);
          expect(cash.cashNano).toBe(nanoOf(amount));
        }
      }),
    );
  });
});
